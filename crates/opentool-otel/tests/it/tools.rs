//! Tools and models that the tests run.

use std::sync::Arc;

use opentool_agent::chat;
use opentool_core::{AssistantMessage, ChatReply, Tool, ToolCall, ToolSet, Usage, tool_fn};
use serde_json::json;
use tokio::sync::Notify;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Sum {
    a: i64,
    b: i64,
}

pub(crate) fn add() -> impl Tool {
    tool_fn("add", "Adds two numbers.", async |sum: Sum| Ok::<_, std::io::Error>(sum.a + sum.b))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

pub(crate) fn fails() -> impl Tool {
    tool_fn("fails", "Fails.", async |_: Nothing| Err::<i64, _>("secret words"))
}

/// Says that it has begun, and never ends.
pub(crate) fn hangs(begun: Arc<Notify>) -> impl Tool {
    tool_fn("hangs", "Never ends.", move |_: Nothing| {
        begun.notify_one();
        std::future::pending::<Result<i64, std::io::Error>>()
    })
}

pub(crate) fn both() -> ToolSet {
    let add = ToolSet::from_tools([add()]).unwrap();
    add.merge(ToolSet::from_tools([fails()]).unwrap()).unwrap()
}

/// A model that calls `add`, `fails` and a tool that there is not, and then answers.
pub(crate) fn model() -> chat::Script {
    let calls = [
        ToolCall::new("call_1", "add", json!({"a": 1, "b": 2})),
        ToolCall::new("call_2", "fails", json!({})),
        ToolCall::new("call_3", "invented", json!({"key": "hunter2"})),
    ];
    let asks = ChatReply::new(AssistantMessage::calls(calls)).usage(Usage::new(100, 20).cached(40));
    let ends = ChatReply::new(AssistantMessage::text("It is three.")).usage(Usage::new(150, 3));
    chat::script().named("some-model").answers(asks.model("some-model-2026")).answers(ends)
}
