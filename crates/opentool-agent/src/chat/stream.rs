//! Reads an answer piece by piece: bytes, events, what they tell, and at the end the whole answer.
//!
//! A server that answers at once although it was asked for a stream has said all that it has to say.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::stream::try_unfold;
use opentool_core::{ChatRequest, ModelError, ReplyEvent, ReplyStream};
use opentool_http::{Bytes, Incoming};
use opentool_schema::Reply;
use opentool_text::event_stream::Decoder;
use serde::de::IgnoredAny;
use tokio::time::{Instant, timeout, timeout_at};

use super::codec::{self, Assembly, Delivery, Framing};
use super::failure::{self, Unclean};
use super::halves::Halves;
use super::lines::Lines;
use super::measure::{self, Kept};
use super::model::{Model, content_type, is_page, is_stream};
use super::tools::WireTools;

/// The largest event, in bytes.
const EVENT: usize = 16 * 1024 * 1024;
/// What stands at the end of a stream of OpenAI's kind.
const DONE: &str = "[DONE]";
/// How long a complete stream may take to close, so that its connection can be used again.
const CLOSING: Duration = Duration::from_millis(50);
/// How long is waited for what comes behind the end of an answer, such as its usage, where a server neither says that
/// nothing more comes nor closes the stream.
const GRACE: Duration = Duration::from_secs(5);
/// How much of an answer without any event is kept, to be shown.
const HEAD: usize = 64 * 1024;

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
                    None => reading.advance(model).await.map_err(|error| model.clean(error))?,
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
    halves: Halves,
    assembly: Box<dyn Assembly>,
    told: VecDeque<ReplyEvent>,
    /// The model that the first event which says so is from.
    answered_by: Option<Box<str>>,
    /// What stays of the answer.
    kept: Kept,
    /// When a complete answer is no longer waited for.
    over: Option<Instant>,
    /// The beginning, until there is an event; nothing once it is too long.
    head: Option<Vec<u8>>,
}

enum Frames {
    Events(Decoder),
    Lines(Lines),
}

async fn begin<'a>(model: &Model, request: ChatRequest<'a>) -> Result<State<'a>, ModelError> {
    let tools = model.tools(&request)?;
    let incoming = model.open(request, &tools, Delivery::Streamed).await?;
    let codec = model.codec();
    let kind = content_type(&incoming);
    if is_page(&kind) {
        return Err(model.no_stream(incoming).await);
    }
    let frames = match codec.framing() {
        Framing::Events if kind.starts_with("application/json") => {
            let reply = model.whole(incoming, &tools).await?;
            return Ok(State::Telling(ReplyEvent::of(reply).collect()));
        }
        Framing::Events => Frames::Events(Decoder::new(EVENT)),
        Framing::Lines => Frames::Lines(Lines::new(EVENT)),
    };
    let assembly = codec.assembly();
    Ok(State::Reading(Box::new(Reading {
        tools,
        incoming,
        frames,
        halves: Halves::default(),
        assembly,
        told: VecDeque::new(),
        answered_by: None,
        kept: Kept::default(),
        over: None,
        head: Some(Vec::new()),
    })))
}

impl Reading {
    /// Reads the next bytes.
    async fn advance<'a>(mut self: Box<Self>, model: &Model) -> Result<State<'a>, Unclean> {
        let mut texts = Vec::new();
        let chunk = match self.next(model.stall()).await {
            Ok(chunk) => chunk,
            // All was said: nothing that happens to the connection now takes it back.
            Err(_) if self.assembly.is_complete() => return self.finish(model).await,
            Err(error) => return Err(error.into()),
        };
        if let (Some(bytes), Some(head)) = (&chunk, &mut self.head) {
            head.extend_from_slice(bytes);
            self.head.take_if(|head| head.len() > HEAD);
        }
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
        if !texts.is_empty() {
            self.head = None;
        }
        for text in &texts {
            if chunk.is_none() && serde_json::from_str::<IgnoredAny>(text).is_err() && text != DONE {
                return Err(failure::broke_off().into());
            }
            for text in self.halves.take(text).iter().flatten() {
                self.take(text)?;
            }
        }
        if chunk.is_none() {
            self.take_rest()?;
        }
        if too_large {
            let why = format!("an event is larger than the limit of {EVENT} bytes");
            return Err(ModelError::Protocol(why.into()).into());
        }
        if chunk.is_none() || self.assembly.is_over() || texts.iter().any(|text| text == DONE) {
            return if self.assembly.is_complete() {
                self.finish(model).await
            } else {
                Err(self.broke_off())
            };
        }
        // Some servers say with every piece that it is the last: each event begins the wait anew, a sign of life does not.
        if self.assembly.is_complete() && (self.over.is_none() || !texts.is_empty()) {
            self.over = Instant::now().checked_add(GRACE.min(model.stall()));
        }
        Ok(State::Reading(self))
    }

    /// The next bytes, unless they take too long.
    async fn next(&mut self, stall: Duration) -> Result<Option<Bytes>, ModelError> {
        let chunk = match self.over {
            Some(over) => timeout_at(over, self.incoming.chunk()).await,
            None => timeout(stall, self.incoming.chunk()).await,
        };
        chunk.map_err(|_| failure::stalled(stall))?.map_err(failure::of_exchange)
    }

    /// What ended before it was complete: a stream, or something that never was one.
    fn broke_off(&self) -> Unclean {
        match self.head.as_deref().map(String::from_utf8_lossy) {
            // Of a stream that only gave signs of life, nothing is worth showing.
            Some(head) if !head.trim().is_empty() && !is_stream(&content_type(&self.incoming)) => {
                failure::other_kind(&content_type(&self.incoming), "a stream", &head)
            }
            _ => failure::broke_off().into(),
        }
    }

    /// Takes what was waited with.
    fn take_rest(&mut self) -> Result<(), Unclean> {
        self.halves.rest().map_or(Ok(()), |text| self.take(&text))
    }

    fn take(&mut self, text: &str) -> Result<(), Unclean> {
        if text.trim().is_empty() || text == DONE {
            return Ok(());
        }
        measure::check(text.as_bytes())?;
        let mut event = codec::json(text).map_err(|error| {
            ModelError::Protocol(format!("an event is not JSON ({error}): {text}").into())
        })?;
        // Gateways report the failure of the server behind them in their own way.
        if let (Some(error), None) = (event.get("error").filter(|error| !error.is_null()), event.get("type"))
        {
            return Err(failure::of_event(error));
        }
        codec::exact(text, &mut event)?;
        if self.answered_by.is_none() {
            self.answered_by = codec::model_of(&event).map(Into::into);
        }
        let mut told = Vec::new();
        self.assembly.take(event, &mut told, &mut self.kept)?;
        for event in &mut told {
            match event {
                ReplyEvent::CallStarted { name, .. } => *name = self.tools.own_name(name).to_owned(),
                ReplyEvent::Text { text } | ReplyEvent::Reasoning { text } => self.kept.text(text)?,
                _ => {}
            }
        }
        self.told.extend(told);
        Ok(())
    }

    /// Nothing more comes: what was put together is the answer.
    async fn finish<'a>(mut self: Box<Self>, model: &Model) -> Result<State<'a>, Unclean> {
        self.take_rest()?;
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
