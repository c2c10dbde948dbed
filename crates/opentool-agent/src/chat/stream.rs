//! Reads an answer piece by piece: bytes, events, what they tell, and at the end the whole answer.
//!
//! A server that answers at once although it was asked for a stream has said all that it has to say.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::stream::try_unfold;
use opentool_core::{ChatRequest, ModelError, ReplyEvent, ReplyStream};
use opentool_http::Incoming;
use opentool_schema::Reply;
use opentool_text::event_stream::Decoder;
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::time::timeout;

use super::codec::{self, Assembly, Delivery, Framing};
use super::failure;
use super::lines::Lines;
use super::model::Model;
use super::tools::WireTools;

/// The largest event, in bytes.
const EVENT: usize = 16 * 1024 * 1024;
/// What stands at the end of a stream of OpenAI's kind.
const DONE: &str = "[DONE]";
/// How long a complete stream may take to close, so that its connection can be used again.
const CLOSING: Duration = Duration::from_millis(50);

/// An answer of a model as it comes.
pub(super) fn stream<'a>(model: &'a Model, request: ChatRequest<'a>) -> ReplyStream<'a> {
    Box::pin(try_unfold(State::Asking(request), move |mut state| async move {
        loop {
            state = match state {
                State::Asking(request) => begin(model, request).await?,
                State::Telling(mut events) => {
                    return Ok(events.pop_front().map(|event| (event, State::Telling(events))));
                }
                State::Reading(mut reading) => match reading.told.pop_front() {
                    Some(event) => return Ok(Some((event, State::Reading(reading)))),
                    None => reading.advance(model).await.map_err(|error| model.redacted(error))?,
                },
            };
        }
    }))
}

enum State<'a> {
    Asking(ChatRequest<'a>),
    Reading(Box<Reading>),
    /// The last events.
    Telling(VecDeque<ReplyEvent>),
}

struct Reading {
    tools: WireTools,
    incoming: Incoming,
    frames: Frames,
    assembly: Box<dyn Assembly>,
    told: VecDeque<ReplyEvent>,
    /// The model that the first event which says so is from.
    answered_by: Option<Box<str>>,
}

enum Frames {
    Events(Decoder),
    Lines(Lines),
}

async fn begin<'a>(model: &Model, request: ChatRequest<'a>) -> Result<State<'a>, ModelError> {
    let tools = model.tools(&request)?;
    let incoming = model.open(request, &tools, Delivery::Streamed).await?;
    let codec = model.codec();
    let kind = incoming.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let frames = match codec.framing() {
        Framing::Events if kind.starts_with("application/json") => {
            let reply = model.whole(incoming, &tools).await?;
            return Ok(State::Telling(ReplyEvent::of(reply).collect()));
        }
        Framing::Events => Frames::Events(Decoder::new(EVENT)),
        Framing::Lines => Frames::Lines(Lines::new(EVENT)),
    };
    let assembly = codec.assembly();
    let (told, answered_by) = (VecDeque::new(), None);
    Ok(State::Reading(Box::new(Reading { tools, incoming, frames, assembly, told, answered_by })))
}

impl Reading {
    /// Reads the next bytes.
    async fn advance<'a>(mut self: Box<Self>, model: &Model) -> Result<State<'a>, ModelError> {
        let mut texts = Vec::new();
        let chunk = self.incoming.chunk().await.map_err(failure::of_exchange)?;
        let too_large = match (&chunk, &mut self.frames) {
            (Some(bytes), Frames::Lines(lines)) => lines.take(bytes, &mut texts).is_err(),
            (Some(bytes), Frames::Events(decoder)) => {
                let mut events = Vec::new();
                let result = decoder.decode(bytes, &mut events);
                texts.extend(events.into_iter().map(|event| event.data));
                result.is_err()
            }
            // The last line, or event, may lack its end.
            (None, frames) => {
                let last = std::mem::replace(frames, Frames::Lines(Lines::new(0)));
                texts.extend(match last {
                    Frames::Lines(lines) => lines.finish(),
                    Frames::Events(decoder) => decoder.finish().map(|event| event.data),
                });
                false
            }
        };
        for text in &texts {
            if chunk.is_none() && serde_json::from_str::<IgnoredAny>(text).is_err() && text != DONE {
                return Err(failure::broke_off());
            }
            self.take(text, model)?;
        }
        if too_large {
            return Err(ModelError::Protocol(
                format!("an event is larger than the limit of {EVENT} bytes").into(),
            ));
        }
        if chunk.is_none() || self.assembly.is_over() || texts.iter().any(|text| text == DONE) {
            return if self.assembly.is_complete() {
                self.finish(model).await
            } else {
                Err(failure::broke_off())
            };
        }
        Ok(State::Reading(self))
    }

    fn take(&mut self, text: &str, model: &Model) -> Result<(), ModelError> {
        if text.trim().is_empty() || text == DONE {
            return Ok(());
        }
        let mut event: Value = serde_json::from_str(text).map_err(|error| {
            ModelError::Protocol(format!("an event is not JSON ({error}): {}", failure::plain(text)).into())
        })?;
        codec::exact(model.codec(), text, &mut event);
        if self.answered_by.is_none() {
            self.answered_by = codec::model_of(&event).map(Into::into);
        }
        let mut told = Vec::new();
        self.assembly.take(event, &mut told)?;
        for event in &mut told {
            if let ReplyEvent::CallStarted { name, .. } = event {
                *name = self.tools.own_name(name).to_owned();
            }
        }
        self.told.extend(told);
        Ok(())
    }

    /// Nothing more comes: what was put together is the answer.
    async fn finish<'a>(mut self: Box<Self>, model: &Model) -> Result<State<'a>, ModelError> {
        // Reading the end of the body gives the connection back.
        let _ = timeout(CLOSING, async { while let Ok(Some(_)) = self.incoming.chunk().await {} }).await;
        let Self { tools, assembly, mut told, answered_by, .. } = *self;
        let whole = assembly.whole();
        let mut reply = codec::read(model.codec(), &tools, &whole, Reply::Value(&whole))?;
        reply.model = answered_by.or(reply.model);
        told.push_back(ReplyEvent::Usage { usage: reply.usage });
        told.push_back(ReplyEvent::Done { reply });
        Ok(State::Telling(told))
    }
}
