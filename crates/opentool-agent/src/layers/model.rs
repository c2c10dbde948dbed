//! Layers around models: the trait, the one way to put them on, and what redacts, traces and limits as layers.

use std::future::ready;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::{once, select, unfold};
use opentool_core::{
    BoxFuture, ChatModel, ChatReply, ChatRequest, Message, ModelError, ReplyEvent, ReplyStream,
};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::{Limited, RateLimit, Redact, Trace};
use crate::spans::{self, Open, SpanSettings};

/// Something that can be put around any model: [`LayeredModel::layer`].
pub trait ModelLayer {
    /// The model with the layer around it.
    type Around<M: ChatModel>: ChatModel;

    /// Puts the layer around the model.
    fn around<M: ChatModel>(&self, model: M) -> Self::Around<M>;
}

/// Puts layers around a model, one after the other, the last one outermost.
pub trait LayeredModel: ChatModel + Sized {
    /// The model with this layer around it.
    fn layer<L: ModelLayer>(self, layer: &L) -> L::Around<Self> {
        layer.around(self)
    }
}

impl<M: ChatModel> LayeredModel for M {}

impl ModelLayer for RateLimit {
    type Around<M: ChatModel> = Limited<M>;

    fn around<M: ChatModel>(&self, model: M) -> Limited<M> {
        self.model(model)
    }
}

/// The provider gets the messages without what is redacted; definitions of tools are the host's own and stay. The
/// conversation of the host keeps everything. A model that writes `[secret]` into a call means what it was not told.
impl ModelLayer for Redact {
    type Around<M: ChatModel> = Discreet<M>;

    fn around<M: ChatModel>(&self, model: M) -> Discreet<M> {
        Discreet { redact: self.clone(), model }
    }
}

impl ModelLayer for Trace {
    type Around<M: ChatModel> = Traced<M>;

    fn around<M: ChatModel>(&self, model: M) -> Traced<M> {
        Traced { settings: Arc::clone(&self.settings), model }
    }
}

/// A model that is not told everything.
#[derive(Debug, Clone)]
pub struct Discreet<M> {
    redact: Redact,
    model: M,
}

impl<M> Discreet<M> {
    fn messages(&self, request: &ChatRequest<'_>) -> Vec<Message> {
        request.messages.iter().map(|message| self.redact.message(message)).collect()
    }
}

impl<M: ChatModel> ChatModel for Discreet<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn provider_name(&self) -> Option<&str> {
        self.model.provider_name()
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(async move {
            let messages = self.messages(&request);
            let mut request = request;
            request.messages = &messages;
            self.model.reply(request).await
        })
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        // The inner stream borrows the messages, which live in the future that reads it.
        let (events, told) = mpsc::channel(1);
        let reading = async move {
            let messages = self.messages(&request);
            let mut request = request;
            request.messages = &messages;
            let mut stream = self.model.stream(request);
            while let Some(event) = stream.next().await {
                if events.send(event).await.is_err() {
                    break;
                }
            }
        };
        let told = unfold(told, async |mut told| told.recv().await.map(|event| (event, told)));
        Box::pin(select(once(reading).filter_map(|()| ready(None)), told))
    }
}

/// A model each question to which is a span.
#[derive(Debug, Clone)]
pub struct Traced<M> {
    settings: Arc<SpanSettings>,
    model: M,
}

impl<M: ChatModel> ChatModel for Traced<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn provider_name(&self) -> Option<&str> {
        self.model.provider_name()
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(async move {
            if spans::is_in_question() {
                return self.model.reply(request).await;
            }
            let open = spans::chat(&self.settings, &self.model, &request);
            let result = self.model.reply(request).instrument(open.span()).await;
            spans::answered(&self.settings, open, &result);
            result
        })
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        if spans::is_in_question() {
            return self.model.stream(request);
        }
        let open = spans::chat(&self.settings, &self.model, &request);
        let stream = open.span().in_scope(|| self.model.stream(request));
        let state = Telling { open: Some(open), asked: Instant::now(), began: false, stream };
        Box::pin(unfold(state, |state| state.next(&self.settings)))
    }
}

/// An answer that comes, and its span until it is there.
struct Telling<'a> {
    open: Option<Open>,
    asked: Instant,
    began: bool,
    stream: ReplyStream<'a>,
}

impl Telling<'_> {
    async fn next(mut self, settings: &SpanSettings) -> Option<(Result<ReplyEvent, ModelError>, Self)> {
        let Some(open) = self.open.take() else {
            return self.stream.next().await.map(|event| (event, self));
        };
        let event = self.stream.next().instrument(open.span()).await?;
        if event.is_ok() && !std::mem::replace(&mut self.began, true) {
            let seconds = self.asked.elapsed().as_secs_f64();
            open.span().in_scope(|| spans::first_piece(seconds));
        }
        let event = match event {
            Ok(ReplyEvent::Done { reply }) => {
                let result = Ok(reply);
                spans::answered(settings, open, &result);
                result.map(|reply| ReplyEvent::Done { reply })
            }
            Err(error) => {
                let result = Err(error);
                spans::answered(settings, open, &result);
                result.map(|reply| ReplyEvent::Done { reply })
            }
            piece => {
                self.open = Some(open);
                piece
            }
        };
        Some((event, self))
    }
}
