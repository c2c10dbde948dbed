//! Stands between the SDK and the connection, and takes out what belongs to a single call: its progress.
//!
//! The SDK hands notifications to tasks, which run in any order, also after the answer. Here they are taken in the order
//! in which they came, so that a call has heard all of its progress before it ends.

use std::collections::HashMap;
use std::time::Instant;

use opentool_core::Progress;
use opentool_core::visible::without_hidden;
use rmcp::RoleClient;
use rmcp::model::{
    ClientNotification, GetExtensions as _, GetMeta as _, JsonRpcMessage, ProgressNotificationParam,
    ProgressToken, RequestId, ServerNotification,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

/// The longest message of a report, in characters.
const LONGEST_MESSAGE: usize = 4_096;

/// Who waits for the answer to a request. Travels with the request, and not to the server.
#[derive(Debug, Clone)]
pub(crate) struct Waits {
    until: Instant,
    progress: mpsc::Sender<Progress>,
}

impl Waits {
    pub(crate) fn new(until: Instant, progress: mpsc::Sender<Progress>) -> Self {
        Self { until, progress }
    }

    /// When nobody waits any more.
    pub(crate) fn until(&self) -> Instant {
        self.until
    }
}

/// A connection whose progress goes to those who wait.
pub(crate) struct Relay<T> {
    inner: T,
    waiting: HashMap<RequestId, (ProgressToken, mpsc::Sender<Progress>)>,
}

impl<T> Relay<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, waiting: HashMap::new() }
    }

    fn tell(&self, report: ProgressNotificationParam) {
        let Some((_, to)) = self.waiting.values().find(|(token, _)| *token == report.progress_token) else {
            return;
        };
        let mut progress = Progress::new(report.progress);
        progress.total = report.total;
        progress.message = report.message.map(|message| {
            let message = without_hidden(&message);
            message.chars().take(LONGEST_MESSAGE).collect()
        });
        // Who does not keep up misses reports; the server is not to fill our memory with them.
        let _ = to.try_send(progress);
    }
}

impl<T: Transport<RoleClient> + 'static> Transport<RoleClient> for Relay<T> {
    type Error = T::Error;

    fn name() -> std::borrow::Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &item {
            JsonRpcMessage::Request(request) => {
                let token = request.request.get_meta().get_progress_token();
                let waits = request.request.extensions().get::<Waits>();
                if let (Some(token), Some(waits)) = (token, waits) {
                    self.waiting.insert(request.id.clone(), (token, waits.progress.clone()));
                }
            }
            JsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.waiting.remove(id);
                }
            }
            _ => {}
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = self.inner.receive().await?;
            match message {
                JsonRpcMessage::Notification(told) => match told.notification {
                    ServerNotification::ProgressNotification(report) => self.tell(report.params),
                    notification => {
                        return Some(JsonRpcMessage::notification(notification));
                    }
                },
                JsonRpcMessage::Response(answer) => {
                    self.waiting.remove(&answer.id);
                    return Some(JsonRpcMessage::Response(answer));
                }
                JsonRpcMessage::Error(error) => {
                    if let Some(id) = &error.id {
                        self.waiting.remove(id);
                    }
                    return Some(JsonRpcMessage::Error(error));
                }
                other @ JsonRpcMessage::Request(_) => return Some(other),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
