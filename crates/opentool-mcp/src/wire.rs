//! The messages of one stream: lines in, lines out.
//!
//! In the place of the SDK's own transport for streams, which is silent about what it cannot read and goes on after
//! its client has gone. What is refused here never reaches the SDK; every request gets its answer.

use std::sync::Arc;

use futures_util::future::{BoxFuture, Either, ready};
use rmcp::model::{ClientRequest, GetExtensions as _, JsonRpcMessage, ProtocolVersion, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServerHandler as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::body::Kept;
use crate::handler::Handler;
use crate::host::Host;
use crate::in_flight::{self, InFlight};
use crate::lines::{Line, Lines};
use crate::opening::{Opening, Step};
use crate::outbox::Outbox;
use crate::refusal::{Carrier, Refusal};
use crate::skim::skim;

/// A transport over lines.
pub(crate) struct Wire<R, W> {
    host: Arc<Host>,
    lines: Lines<R>,
    outbox: Outbox<W>,
    opening: Opening,
    spoken: Vec<ProtocolVersion>,
    in_flight: Arc<InFlight>,
    /// An answer of ours on its way; kept here because the SDK drops `receive` whenever something else happens.
    answering: Option<BoxFuture<'static, ()>>,
    /// Nothing more is read: the client has closed its side, or the server ends.
    read: bool,
    /// Told when the client has closed its side.
    over: CancellationToken,
}

impl<R, W> Wire<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(host: &Arc<Host>, read: R, outbox: Outbox<W>, over: CancellationToken) -> Self {
        Self {
            host: Arc::clone(host),
            lines: Lines::new(read, host.settings.max_request_bytes),
            outbox,
            opening: Opening::default(),
            spoken: Handler::new(Arc::clone(host)).supported_protocol_versions().into_owned(),
            in_flight: Arc::default(),
            answering: None,
            read: false,
            over,
        }
    }

    /// The next line; `None` if there is none any more, or nobody to answer to.
    async fn line(&mut self) -> Option<Line> {
        loop {
            if let Some(answering) = &mut self.answering {
                tokio::select! {
                    biased;
                    () = self.outbox.broken() => return None,
                    () = answering => {}
                }
                self.answering = None;
            }
            if self.read {
                // The SDK gives calls five seconds from here on; the host's own limit is what counts.
                tokio::select! {
                    biased;
                    () = self.outbox.broken() => {}
                    () = self.in_flight.empty() => {}
                }
                return None;
            }
            let next = async {
                self.outbox.room().await;
                self.lines.next().await
            };
            tokio::select! {
                biased;
                () = self.outbox.broken() => return None,
                () = self.host.closing.cancelled() => self.read = true,
                line = next => return Some(line),
            }
        }
    }

    /// The message of the line; `None` if there is nothing to do, or if it is refused.
    fn message(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
        let Some(share) = self.host.budget.admit(line) else {
            self.refuse(Refusal::busy(skim(line)));
            return None;
        };
        let mut message: RxJsonRpcMessage<RoleServer> = match serde_json::from_slice(line) {
            Ok(message) => message,
            Err(error) => {
                tracing::debug!(%error, "a line is no message");
                self.refuse(Refusal::of(line, Carrier::Line));
                return None;
            }
        };
        match self.opening.step(&message, &self.spoken) {
            Step::Take => {}
            Step::LeaveOut => {
                tracing::debug!("a message before the connection is open is left out");
                return None;
            }
            Step::Refuse(error) => {
                if let JsonRpcMessage::Request(request) = message {
                    self.answer(&JsonRpcMessage::error(error, Some(request.id)));
                }
                return None;
            }
        }
        if let Some(id) = in_flight::cancelled(&message) {
            self.end(id);
        }
        if let JsonRpcMessage::Request(request) = &mut message {
            if self.in_flight.begin(&request.id).is_none() {
                self.answer(&in_flight::refusal(request.id.clone()));
                return None;
            }
            let unread =
                matches!(&request.request, ClientRequest::ListToolsRequest(list) if list.params.is_none());
            if let Some(kept) = unread.then(|| Kept::line(line)).flatten() {
                request.request.extensions_mut().insert(kept);
            }
            request.request.extensions_mut().insert(share);
        }
        Some(message)
    }

    fn end(&self, id: &rmcp::model::RequestId) {
        if let Some(turn) = self.in_flight.turn(id) {
            self.in_flight.end(id, turn);
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        if let Some(refusal) = refusal.wanted() {
            self.say(refusal.to_json().into_bytes());
        }
    }

    fn answer(&mut self, message: &ServerJsonRpcMessage) {
        match serde_json::to_vec(message) {
            Ok(line) => self.say(line),
            Err(error) => tracing::error!(%error, "an answer cannot be written"),
        }
    }

    /// Writes before the next line is read.
    fn say(&mut self, line: Vec<u8>) {
        let writing = self.outbox.write(line);
        self.answering = Some(Box::pin(async move {
            if let Err(error) = writing.await {
                tracing::debug!(%error, "the client does not take an answer");
            }
        }));
    }
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let line = match serde_json::to_vec(&item) {
            Ok(line) => line,
            Err(error) => return Either::Right(ready(Err(error.into()))),
        };
        let writing = self.outbox.write(line);
        // Before it is written: the client may use the id again as soon as it has the answer.
        if let Some(id) = in_flight::answered(&item) {
            self.end(id);
        }
        Either::Left(writing)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.line().await {
                Some(Line::Whole(line)) => {
                    if let Some(message) = self.message(&line) {
                        return Some(message);
                    }
                }
                Some(Line::TooLong(skimmed)) => {
                    self.refuse(Refusal::too_long(skimmed, self.lines.most()));
                }
                Some(Line::End) => {
                    self.read = true;
                    self.over.cancel();
                }
                Some(Line::Broken(error)) => {
                    tracing::debug!(%error, "the stream broke");
                    self.read = true;
                    self.over.cancel();
                }
                None => {
                    // From here on the SDK takes nothing but answers.
                    self.host.cut.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.outbox.close().await;
        Ok(())
    }
}
