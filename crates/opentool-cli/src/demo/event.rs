//! What happens in the demo, in one type for both readers: a person's screen and a program's JSON lines.

use opentool::ToolDefinition;
use opentool::agent::AgentEvent;
use serde::Serialize;
use serde_json::Value;

/// One thing that happened. What the loop does is told in the loop's own events.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event<'a> {
    /// The pet shop listens.
    ShopOpened {
        /// Where.
        url: &'a str,
    },
    /// The tools are there.
    ToolsReady {
        /// What each is and where it came from.
        tools: Vec<ToolLine<'a>>,
    },
    /// The conversation begins.
    ConversationStarted {
        /// The name of the model.
        model: &'a str,
        /// Whether it is the script.
        scripted: bool,
        /// For the script: commands that let a real model take its place.
        #[serde(skip_serializing_if = "Option::is_none")]
        real_model: Option<[String; 2]>,
    },
    /// The person said something.
    User {
        /// What.
        text: &'a str,
    },
    /// All is said.
    Next {
        /// Commands to try, as they are typed where the person is.
        commands: [NextStep; 3],
    },
    /// A server is up.
    Serving {
        /// The MCP endpoint.
        mcp: &'a str,
        /// The pet shop.
        shop: &'a str,
        /// How many tools there are.
        tools: usize,
    },
    /// Everything is closed again.
    Closed,
    /// The loop did something.
    #[serde(untagged)]
    Agent(&'a AgentEvent),
}

/// A tool in the table.
#[derive(Debug, Serialize)]
pub(super) struct ToolLine<'a> {
    pub(super) name: &'a str,
    pub(super) summary: &'a str,
    pub(super) source: String,
    #[serde(rename = "inputSchema")]
    input_schema: &'a Value,
}

impl<'a> ToolLine<'a> {
    pub(super) fn new(definition: &'a ToolDefinition) -> Self {
        let sentence = definition.description.split_inclusive(". ").next().unwrap_or_default();
        let origin = &definition.origin;
        Self {
            name: &definition.name,
            summary: definition.title.as_deref().unwrap_or(sentence.trim_end()),
            source: match (origin.kind.as_str(), &origin.item) {
                // The module path of a function is no news to a person.
                ("rust", _) => "Rust function".to_owned(),
                (_, Some(item)) => item.clone(),
                (kind, None) => kind.to_owned(),
            },
            input_schema: definition.input_schema.as_value(),
        }
    }
}

/// A command to try next, and what it does.
#[derive(Debug, Clone, Serialize)]
pub(super) struct NextStep {
    pub(super) about: &'static str,
    pub(super) command: String,
}
