//! What a tool says, without what nobody is to read: secrets, names, numbers of cards.
//!
//! Outputs, partial outputs and the words of errors for the model are changed. What the operator reads of an error (its
//! causes) stays, and so do arguments on their way in: a tool needs them as they are.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use opentool_core::{
    Arguments, BoxFuture, Content, EventSink, Failure, Layer, Message, Tool, ToolContext, ToolError,
    ToolEvent, ToolOutput, Upstream,
};
use serde_json::{Map, Value};

use super::around::Around;
use crate::scrub::Scrub;

type Clean = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Changes every text that a tool gives; around a model ([`ModelLayer`](super::ModelLayer)) every text of the messages that
/// it is asked with.
///
/// ```
/// use opentool_agent::layers::Redact;
///
/// // Whatever looks like a key, what stands under names such as `password`, and this text.
/// let secrets = Redact::secrets().text("10.0.0.17");
/// // Something of one's own; `None` leaves a text as it is.
/// let names = Redact::with(|text| text.contains("Ada").then(|| text.replace("Ada", "A.")));
/// ```
#[derive(Clone)]
pub struct Redact {
    how: How,
}

#[derive(Clone)]
enum How {
    Scrub(Scrub),
    With(Arc<Clean>),
}

impl Redact {
    /// Takes out secrets: what looks like a key or a signed token, what stands under names such as `password`, and values
    /// of environment variables such as `OPENAI_API_KEY`. `[secret]` takes their place.
    pub fn secrets() -> Self {
        Self { how: How::Scrub(Scrub::of_environment()) }
    }

    /// Gives every text to the closure, which gives another one, or `None` to leave it.
    pub fn with(clean: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { how: How::With(Arc::new(clean)) }
    }

    /// Takes out this text too.
    pub fn text(mut self, secret: impl Into<String>) -> Self {
        let secret = secret.into();
        match &mut self.how {
            How::Scrub(scrub) => scrub.secret(secret),
            How::With(clean) if !secret.is_empty() => {
                let before = Arc::clone(clean);
                *clean = Arc::new(move |text| {
                    let cleaned = before(text);
                    let seen = cleaned.as_deref().unwrap_or(text);
                    match seen.contains(&secret) {
                        true => Some(seen.replace(&secret, crate::scrub::MARK)),
                        false => cleaned,
                    }
                });
            }
            How::With(_) => {}
        }
        self
    }

    fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.how {
            How::Scrub(scrub) => scrub.text(text),
            How::With(clean) => clean(text).map_or(Cow::Borrowed(text), Cow::Owned),
        }
    }

    fn value(&self, value: Value) -> Value {
        match (&self.how, value) {
            (How::Scrub(scrub), value) => scrub.value(value),
            (How::With(_), Value::String(text)) => Value::String(self.clean(&text).into_owned()),
            (How::With(_), Value::Array(items)) => items.into_iter().map(|item| self.value(item)).collect(),
            (How::With(_), Value::Object(members)) => Value::Object(self.members(members)),
            (How::With(_), other) => other,
        }
    }

    fn members(&self, members: Map<String, Value>) -> Map<String, Value> {
        members.into_iter().map(|(name, value)| (self.clean(&name).into_owned(), self.value(value))).collect()
    }

    fn output(&self, mut output: ToolOutput) -> ToolOutput {
        output.content.iter_mut().for_each(|block| self.block(block));
        output.structured = output.structured.map(|value| self.value(value));
        output
    }

    fn block(&self, block: &mut Content) {
        match block {
            Content::Text(text) => self.replace(text),
            Content::Json(value) => *value = self.value(std::mem::take(value)),
            Content::Image { mime, .. } | Content::Audio { mime, .. } => self.replace(mime),
            Content::TextResource { uri, mime, text } => self.all([Some(uri), mime.as_mut(), Some(text)]),
            Content::BlobResource { uri, mime, .. } => self.all([Some(uri), mime.as_mut(), None]),
            Content::ResourceLink { uri, name, mime } => self.all([Some(uri), mime.as_mut(), Some(name)]),
            _ => {}
        }
    }

    fn all(&self, texts: [Option<&mut String>; 3]) {
        texts.into_iter().flatten().for_each(|text| self.replace(text));
    }

    fn replace(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.clean(text) {
            *text = clean;
        }
    }

    /// A message as a model may read it. A turn that is kept as its provider wrote it goes if anything of it would have to be
    /// changed, its thoughts included: a part of it cannot be.
    pub(super) fn message(&self, message: &Message) -> Message {
        let mut message = message.clone();
        match &mut message {
            Message::System(text) => self.replace(text),
            Message::User(content) => content.iter_mut().for_each(|block| self.block(block)),
            Message::Assistant(said) => {
                said.content.iter_mut().for_each(|block| self.block(block));
                self.replace(&mut said.reasoning);
                said.retain_kept(|items| items.iter().all(|item| self.value(item.clone()) == *item));
                for call in &mut said.tool_calls {
                    call.arguments = self.value(std::mem::take(&mut call.arguments));
                }
            }
            Message::Tool(result) => result.output = self.output(std::mem::take(&mut result.output)),
            _ => {}
        }
        message
    }

    fn error(&self, error: ToolError) -> ToolError {
        match error {
            ToolError::Failed(failure) => match self.clean(&failure.message) {
                Cow::Owned(message) => {
                    let clean = Failure::new(message);
                    match failure.source {
                        Some(source) => clean.source(source).into(),
                        None => clean.into(),
                    }
                }
                Cow::Borrowed(_) => ToolError::Failed(failure),
            },
            ToolError::Upstream(upstream) => match self.clean(&upstream.message) {
                Cow::Owned(message) => {
                    let mut clean = Upstream::new(message);
                    clean.status = upstream.status;
                    clean.source = upstream.source;
                    clean.into()
                }
                Cow::Borrowed(_) => ToolError::Upstream(upstream),
            },
            ToolError::Refused(why) => ToolError::Refused(self.clean(&why).into()),
            other => other,
        }
    }
}

impl fmt::Debug for Redact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redact").finish_non_exhaustive()
    }
}

impl Layer for Redact {
    fn layer(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        self.clone().around(inner)
    }
}

impl Around for Redact {
    async fn call(
        &self,
        inner: &dyn Tool,
        cx: &ToolContext,
        arguments: Arguments,
    ) -> Result<ToolOutput, ToolError> {
        let own = cx.event_sink().map(|sink| {
            let sink = Events { redact: self.clone(), outer: Arc::clone(sink) };
            cx.clone().events(sink)
        });
        let result = inner.call(own.as_ref().unwrap_or(cx), arguments).await;
        match result {
            Ok(output) => Ok(self.output(output)),
            Err(error) => Err(self.error(error)),
        }
    }
}

/// What a tool tells while it runs goes the same way.
struct Events {
    redact: Redact,
    outer: Arc<dyn EventSink>,
}

impl EventSink for Events {
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()> {
        let event = match event {
            ToolEvent::Partial(output) => ToolEvent::Partial(self.redact.output(output)),
            ToolEvent::Progress(mut progress) => {
                progress.message = progress.message.map(|text| self.redact.clean(&text).into_owned());
                ToolEvent::Progress(progress)
            }
            ToolEvent::Sent(request) => ToolEvent::Sent(self.redact.clean(&request).into_owned()),
            other => other,
        };
        self.outer.send(event)
    }
}
