//! An answer of `genai` as it comes.
//!
//! Its pieces of calls are snapshots that grow; what is told is what each adds. The last event is made from what `genai`
//! put together, so that it is the reply that the other way gives.

use std::collections::VecDeque;

use futures_util::StreamExt as _;
use futures_util::stream::try_unfold;
use genai::chat::{ChatStream, ChatStreamEvent, MessageContent, StreamEnd, ToolCall};
use opentool_core::{ChatRequest, ModelError, ReplyEvent, ReplyStream};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::ask::Question;
use super::{GenaiModel, answer, failure};
use crate::chat::codec::written;
use crate::chat::failure::broke_off;
use crate::chat::tools::WireTools;

/// The most calls of one answer that are told piece by piece.
const CALLS: usize = 512;

pub(super) fn stream<'a>(model: &'a GenaiModel, request: ChatRequest<'a>) -> ReplyStream<'a> {
    Box::pin(try_unfold(State::Asking(request), move |mut state| async move {
        loop {
            state = match state {
                State::Asking(request) => State::Reading(begin(model, request).await?),
                State::Telling(mut events) => {
                    return Ok(events.pop_front().map(|event| (event, State::Telling(events))));
                }
                State::Reading(mut reading) => match reading.told.pop_front() {
                    Some(event) => return Ok(Some((event, State::Reading(reading)))),
                    None => reading.advance(model).await?,
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
    stream: ChatStream,
    tools: WireTools,
    format: String,
    /// When the answer must be there.
    end: Instant,
    calls: Vec<Told>,
    told: VecDeque<ReplyEvent>,
}

/// What was told of a call.
struct Told {
    id: String,
    arguments: String,
}

async fn begin(model: &GenaiModel, request: ChatRequest<'_>) -> Result<Box<Reading>, ModelError> {
    let end = Instant::now().checked_add(model.limit).unwrap_or_else(far_away);
    let Question { target, request, options, tools, format } = model.question(request).await?;
    let asking = model.client.exec_chat_stream(target, request, Some(&options));
    let begun = timeout_at(end, asking).await.map_err(|_| failure::too_late(model.limit))?;
    let stream = begun.map_err(failure::of)?.stream;
    Ok(Box::new(Reading { stream, tools, format, end, calls: Vec::new(), told: VecDeque::new() }))
}

/// A limit that no clock reaches.
fn far_away() -> Instant {
    let now = Instant::now();
    now.checked_add(std::time::Duration::from_secs(30 * 365 * 86_400)).unwrap_or(now)
}

impl Reading {
    async fn advance<'a>(mut self: Box<Self>, model: &GenaiModel) -> Result<State<'a>, ModelError> {
        let event =
            timeout_at(self.end, self.stream.next()).await.map_err(|_| failure::too_late(model.limit))?;
        // A stream that ends without saying so broke off.
        match event.ok_or_else(broke_off)?.map_err(failure::of)? {
            ChatStreamEvent::Chunk(piece) if !piece.content.is_empty() => {
                self.told.push_back(ReplyEvent::Text { text: piece.content });
            }
            ChatStreamEvent::ReasoningChunk(piece) if !piece.content.is_empty() => {
                self.told.push_back(ReplyEvent::Reasoning { text: piece.content });
            }
            ChatStreamEvent::ToolCallChunk(piece) => self.call(&piece.tool_call),
            ChatStreamEvent::End(end) => return self.finish(end),
            _ => {}
        }
        Ok(State::Reading(self))
    }

    /// Tells what is new of a call.
    fn call(&mut self, call: &ToolCall) {
        let whole = (!call.fn_arguments.is_string()).then(|| written(&call.fn_arguments));
        // Calls that come whole may share an id.
        let is_it = |told: &Told| {
            let fits = |whole: &String| told.arguments.is_empty() || told.arguments == *whole;
            told.id == call.call_id && whole.as_ref().is_none_or(fits)
        };
        match self.calls.iter().rposition(is_it) {
            Some(index) => self.grow(index, &call.fn_arguments),
            // Before the name is known there is nothing to tell, and `genai` may still change the id.
            None if call.fn_name.is_empty() => {}
            None => self.begin(call),
        }
    }

    fn begin(&mut self, call: &ToolCall) {
        let index = self.calls.len();
        if index >= CALLS {
            return;
        }
        self.calls.push(Told { id: call.call_id.clone(), arguments: String::new() });
        let name = self.tools.own_name(&call.fn_name).to_owned();
        self.told.push_back(ReplyEvent::CallStarted { index, name });
        self.grow(index, &call.fn_arguments);
    }

    fn grow(&mut self, index: usize, arguments: &Value) {
        let Some(known) = self.calls.get_mut(index) else { return };
        let written = written(arguments);
        if let Some(more) = written.strip_prefix(known.arguments.as_str()).filter(|more| !more.is_empty()) {
            self.told.push_back(ReplyEvent::Arguments { index, text: more.to_owned() });
            known.arguments = written;
        }
    }

    /// The answer is complete, or `genai` thinks so.
    fn finish<'a>(mut self: Box<Self>, end: StreamEnd) -> Result<State<'a>, ModelError> {
        if end.captured_stop_reason.is_none() {
            // Some adapters of `genai` end a stream that broke off as if it were complete; a reason is what is missing then.
            return Err(broke_off());
        }
        let content = end.captured_content.unwrap_or_else(|| MessageContent::from_parts(Vec::new()));
        let beside = answer::Beside {
            reasoning: end.captured_reasoning_content,
            stop: end.captured_stop_reason,
            usage: end.captured_usage,
            model: None,
        };
        for (index, call) in content.tool_calls().into_iter().enumerate() {
            match self.calls.get(index) {
                None => self.begin(call),
                Some(told) if told.arguments.is_empty() => self.grow(index, &call.fn_arguments),
                Some(_) => {}
            }
        }
        let Self { tools, format, mut told, .. } = *self;
        let reply = answer::reply(&tools, &format, content, beside);
        told.push_back(ReplyEvent::Usage { usage: reply.usage });
        told.push_back(ReplyEvent::Done { reply });
        Ok(State::Telling(told))
    }
}
