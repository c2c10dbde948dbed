//! Turns and results with everything mapped to what a format can hold, before its file writes them.

use std::collections::HashSet;

use opentool_core::{AssistantMessage, ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use super::reading::is_made;
use super::{CallIds, LEVELS, MessageFormat};
use crate::exact::inexact_number;
use crate::repair::{self, Tolerance};
use crate::validator::within;

/// What the model said and asked for.
#[derive(Debug)]
pub(super) struct WireTurn<'a> {
    /// What it said; empty for nothing but white space, which providers refuse.
    pub(super) text: String,
    pub(super) calls: Vec<WireCall<'a>>,
}

/// One call.
#[derive(Debug)]
pub(super) struct WireCall<'a> {
    pub(super) id: WireId,
    pub(super) name: String,
    arguments: &'a Value,
}

/// One result.
#[derive(Debug)]
pub(super) struct WireResult<'a> {
    pub(super) id: WireId,
    pub(super) name: String,
    pub(super) output: &'a ToolOutput,
}

/// The id of a call.
#[derive(Debug)]
pub(super) struct WireId {
    text: String,
}

impl WireId {
    /// The id.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The id, unless it was made for a call that had none: some servers that give no ids refuse them too.
    pub(super) fn given(&self) -> Option<&str> {
        (!is_made(&self.text)).then_some(self.text.as_str())
    }
}

impl<'a> WireTurn<'a> {
    pub(super) fn new(format: MessageFormat, turn: &'a AssistantMessage) -> Self {
        let mut ids = CallIds::new(format);
        let text = turn.to_text();
        let calls = turn.tool_calls.iter().map(|call| WireCall {
            id: WireId { text: ids.encode(&call.id) },
            name: name(format, &call.name),
            arguments: &call.arguments,
        });
        Self { calls: calls.collect(), text: if text.trim().is_empty() { String::new() } else { text } }
    }

    pub(super) fn says_nothing(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }
}

impl WireCall<'_> {
    /// The arguments as the text of an object: the model's own text where it is one.
    pub(super) fn arguments_text(&self) -> String {
        match self.arguments {
            Value::String(text) if matches!(serde_json::from_str(text), Ok(Value::Object(_))) => text.clone(),
            _ => self.arguments_object().to_string(),
        }
    }

    /// The arguments as an object, whatever the model wrote: a provider refuses the whole conversation for any other
    /// value, and parses texts.
    pub(super) fn arguments_object(&self) -> Value {
        match self.arguments {
            Value::Null => Value::Object(Map::new()),
            deep if !within(deep, LEVELS) => json!({"invalid_arguments": "nested too deeply"}),
            Value::Object(_) => self.arguments.clone(),
            Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
            Value::String(text) => match repair::read(text, Tolerance::Sure) {
                // Numbers that would be rounded are better left as they were written.
                Ok(written) if written.value.is_object() && inexact_number(text).is_none() => written.value,
                _ => json!({"invalid_arguments": text}),
            },
            other => json!({"invalid_arguments": other}),
        }
    }
}

impl<'a> WireResult<'a> {
    /// Results with ids and names that the format can hold. Of two with one id the first counts.
    pub(super) fn mapped(format: MessageFormat, results: &'a [ToolResult]) -> Vec<Self> {
        let mut ids = CallIds::new(format);
        let mut seen = HashSet::new();
        let results = results.iter().filter(|result| seen.insert(result.call_id.as_str()));
        let results = results.map(|result| WireResult {
            id: WireId { text: ids.encode(&result.call_id) },
            name: name(format, &result.name),
            output: &result.output,
        });
        results.collect()
    }

    /// Results with ids and names exactly as the provider gave them.
    pub(super) fn as_they_are(results: &'a [ToolResult]) -> Vec<Self> {
        let results = results.iter().map(|result| WireResult {
            id: WireId { text: result.call_id.clone() },
            name: result.name.clone(),
            output: &result.output,
        });
        results.collect()
    }
}

/// A name that may stand in a conversation, made as that of a definition is. A model can invent any; it is in the
/// error result as well.
fn name(format: MessageFormat, name: &str) -> String {
    match format.dialect() {
        None => name.to_owned(),
        Some(_) if name.is_empty() => "unnamed".to_owned(),
        Some(dialect) => dialect.fitting_name(name),
    }
}
