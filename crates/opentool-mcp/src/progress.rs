//! What a tool tells while it runs, as progress notifications.
//!
//! Sent only when the client gave a progress token. The protocol wants a number that grows with every
//! notification; a report that has none (a message, a partial output) gets one that is a little larger.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use opentool_core::{BoxFuture, EventSink, Progress, ToolEvent};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// The longest message, in bytes: what a person can read while it passes.
const LONGEST_MESSAGE: usize = 4_096;

/// The receiver of one call's events. Clones are the same receiver.
#[derive(Clone)]
pub(crate) struct ProgressSink(Arc<Inner>);

struct Inner {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    ended: AtomicBool,
    /// Nothing is sent any more: the SDK would not take it, and the tool would wait for that.
    cut: CancellationToken,
    /// The number of the last notification. Held while one is sent, so that they leave in order.
    last: Mutex<Option<f64>>,
}

impl ProgressSink {
    /// The receiver of the request's events, if its client wants them.
    pub(crate) fn of(request: &RequestContext<RoleServer>, cut: &CancellationToken) -> Option<Self> {
        let token = request.meta.get_progress_token()?;
        let (peer, cut) = (request.peer.clone(), cut.clone());
        Some(Self(Arc::new(Inner {
            peer,
            token,
            ended: AtomicBool::new(false),
            cut,
            last: Mutex::new(None),
        })))
    }

    /// Sends nothing from now on: the call is answered.
    pub(crate) fn end(&self) {
        self.0.ended.store(true, Ordering::Release);
    }

    async fn report(&self, done: Option<f64>, total: Option<f64>, message: Option<String>) {
        let mut last = self.0.last.lock().await;
        let Some(number) = next(*last, done, message.is_some()) else { return };
        if self.0.ended.load(Ordering::Acquire) {
            return;
        }
        *last = Some(number);
        let mut report = ProgressNotificationParam::new(self.0.token.clone(), number);
        report.total = total.filter(|total| total.is_finite());
        report.message = message.map(shortened);
        tokio::select! {
            sent = self.0.peer.notify_progress(report) => {
                if let Err(error) = sent {
                    tracing::debug!(%error, "the client does not take progress");
                }
            }
            () = self.0.cut.cancelled() => {}
        }
    }
}

impl EventSink for ProgressSink {
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            match event {
                ToolEvent::Progress(Progress { done, total, message, .. }) => {
                    self.report(Some(done), total, message).await;
                }
                ToolEvent::Partial(output) => self.report(None, None, Some(output.to_text())).await,
                // What leaves for a service behind a tool is the host's to know, never a client's.
                ToolEvent::Sent(_) => {}
                _ => {}
            }
        })
    }
}

/// The number of the next notification; `None` if there is nothing new to tell.
fn next(last: Option<f64>, done: Option<f64>, has_message: bool) -> Option<f64> {
    /// The growth of a report without a number of its own, relative to the number before.
    const STEP: f64 = 1e-6;
    let done = done.filter(|done| done.is_finite());
    match (last, done) {
        (None, done) => Some(done.unwrap_or(0.0)),
        (Some(last), Some(done)) if done > last => Some(done),
        (Some(last), _) => has_message.then(|| last + STEP * last.abs().max(1.0)),
    }
}

fn shortened(mut message: String) -> String {
    if message.len() > LONGEST_MESSAGE {
        message.truncate(message.floor_char_boundary(LONGEST_MESSAGE));
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_MESSAGE, next, shortened};

    #[test]
    fn numbers_grow_whatever_a_tool_reports() {
        assert_eq!(next(None, Some(0.0), false), Some(0.0));
        assert_eq!(next(Some(0.0), Some(50.0), false), Some(50.0));
        assert_eq!(next(Some(50.0), Some(50.0), false), None, "nothing new");
        assert_eq!(next(Some(50.0), Some(f64::NAN), false), None);
        assert!(next(Some(50.0), Some(40.0), true).is_some_and(|number| number > 50.0 && number < 50.001));
        assert!(next(Some(-3.0), None, true).is_some_and(|number| number > -3.0));
        assert!(next(Some(1e300), None, true).is_some_and(|number| number > 1e300));
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        let short = shortened("ä".repeat(LONGEST_MESSAGE));
        assert!(short.len() <= LONGEST_MESSAGE + '…'.len_utf8() && short.ends_with('…'));
    }
}
