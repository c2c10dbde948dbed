//! The messages of a conversation, in no provider's format.
//!
//! A conversation is a value: it serialises, so that it can be stored, replayed and resumed. Provider codecs
//! translate it at the edge.

use serde::{Deserialize, Serialize};

use crate::replay::Replay;
use crate::{Content, ToolCall, ToolOutput};

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", content = "message", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Message {
    /// Instructions of the host.
    System(String),
    /// What a person said or showed.
    User(Vec<Content>),
    /// What the model answered.
    Assistant(AssistantMessage),
    /// The result of one call of the model's last answer.
    Tool(ToolResult),
}

impl Message {
    /// Instructions of the host.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System(text.into())
    }

    /// What a person said.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(vec![Content::Text(text.into())])
    }
}

/// What a model answered: content, calls, or both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// What it said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Content>,
    /// What it wants to be called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What it thought, as far as the provider shows it: for people and logs. What providers want back of it is in
    /// [`AssistantMessage::replay`]. Empty where nothing is shown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The turn as its provider wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replay: Option<Replay>,
}

impl AssistantMessage {
    /// An answer in words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::Text(text.into())], ..Self::default() }
    }

    /// A wish for calls.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self { tool_calls: calls.into_iter().collect(), ..Self::default() }
    }

    /// Adds something said beside the calls.
    pub fn say(mut self, block: impl Into<Content>) -> Self {
        self.content.push(block.into());
        self
    }

    /// Sets what it thought.
    pub fn reasoning(mut self, text: impl Into<String>) -> Self {
        self.reasoning = text.into();
        self
    }

    /// The text of all text blocks, joined.
    pub fn to_text(&self) -> String {
        self.content
            .iter()
            .filter_map(|block| match block {
                Content::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }
}

/// The result of one call, with the id that the call had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: String,
    /// The name of the tool as the model wrote it.
    pub name: String,
    /// What it answered.
    pub output: ToolOutput,
}

impl ToolResult {
    /// The result of `call`.
    pub fn new(call: &ToolCall, output: ToolOutput) -> Self {
        Self { call_id: call.id.clone(), name: call.name.clone(), output }
    }
}
