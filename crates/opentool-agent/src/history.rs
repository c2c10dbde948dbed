//! Mending of messages that come from elsewhere, so that every call has exactly one result behind it.
//!
//! Providers refuse a whole conversation for one call without a result, one result without a call, or one id
//! that is there twice. Histories get such holes by crashes, by cut-off storage and by models that send empty
//! ids. It deliberately does not trim or summarise: nothing that is well formed is changed.

use std::collections::{BTreeMap, HashSet};

use opentool_core::{AssistantMessage, Message, ToolCall, ToolOutput, ToolResult};

/// A history in which every call but those of the last message has its result, and the results that the calls
/// of the last message have already, by call id.
pub(crate) struct Mended {
    pub(crate) messages: Vec<Message>,
    pub(crate) results: BTreeMap<String, ToolResult>,
}

/// Mends a history. Results follow their calls in the order of the calls.
pub(crate) fn mend(history: Vec<Message>) -> Mended {
    let mut messages: Vec<Message> = Vec::with_capacity(history.len());
    let mut results = BTreeMap::new();
    let mut ids = Ids::default();
    // The ids that the calls of the last answer came with, in order.
    let mut written: Vec<String> = Vec::new();
    for message in history {
        match message {
            Message::Tool(mut result) => {
                // Two results of one call: the first one is what the model has seen.
                let waiting = last_calls(&messages)
                    .iter()
                    .zip(&written)
                    .find(|(call, id)| **id == result.call_id && !results.contains_key(&call.id));
                if let Some((call, _)) = waiting {
                    result.call_id.clone_from(&call.id);
                    results.insert(call.id.clone(), result);
                }
            }
            // An answer that says nothing at all: providers refuse it when it comes back.
            Message::Assistant(answer) if answer == AssistantMessage::default() => {}
            Message::Assistant(mut answer) => {
                close(&mut messages, &mut results);
                written = answer.tool_calls.iter().map(|call| call.id.clone()).collect();
                ids.give(&mut answer);
                messages.push(Message::Assistant(answer));
            }
            other => {
                close(&mut messages, &mut results);
                messages.push(other);
            }
        }
    }
    if last_calls(&messages).iter().all(|call| results.contains_key(&call.id)) {
        close(&mut messages, &mut results);
    }
    Mended { messages, results }
}

/// Appends the results of the last message's calls in their order. A call without one gets one that says so.
pub(crate) fn close(messages: &mut Vec<Message>, results: &mut BTreeMap<String, ToolResult>) {
    let closing: Vec<Message> = last_calls(messages)
        .iter()
        .map(|call| {
            let result = results.remove(&call.id).unwrap_or_else(|| {
                let lost = ToolOutput::error("there is no result: the call was not run, or not to its end");
                ToolResult::new(call, lost)
            });
            Message::Tool(result)
        })
        .collect();
    messages.extend(closing);
    results.clear();
}

/// The calls of the last message; none if it is not the model's.
pub(crate) fn last_calls(messages: &[Message]) -> &[ToolCall] {
    match messages.last() {
        Some(Message::Assistant(answer)) => &answer.tool_calls,
        _ => &[],
    }
}

/// The call ids of a conversation.
#[derive(Default)]
pub(crate) struct Ids(HashSet<String>);

impl Ids {
    /// Those of these messages.
    pub(crate) fn of<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Self {
        let calls = messages.into_iter().flat_map(|message| last_calls(std::slice::from_ref(message)));
        Self(calls.map(|call| call.id.clone()).collect())
    }

    /// Gives every call of the next answer an id that is not empty and that no other call has.
    pub(crate) fn give(&mut self, answer: &mut AssistantMessage) {
        // Ids that the model gave go first, so that none of ours takes one of them.
        let mut without: Vec<&mut ToolCall> = Vec::new();
        for call in &mut answer.tool_calls {
            if call.id.is_empty() || !self.0.insert(call.id.clone()) {
                without.push(call);
            }
        }
        let mut number = self.0.len();
        for call in without {
            call.id = loop {
                number = number.wrapping_add(1);
                let id = format!("call_{number}");
                if self.0.insert(id.clone()) {
                    break id;
                }
            };
        }
    }
}
