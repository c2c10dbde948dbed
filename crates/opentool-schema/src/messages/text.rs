//! Calls written as text: read in the templates of all vendors, written in that of Hermes and Qwen.
//!
//! A tag cannot be closed or forged from inside: `<` stands in JSON strings only, where it is written as an escape.

use serde_json::{Value, json};

use super::output::marked_text;
use super::reading::{Entry, Reading};
use super::wire::{WireResult, WireTurn};
use crate::TextCalls;

pub(super) fn read(text: &str, found: TextCalls) -> Reading {
    let mut reading = Reading::default();
    // Where calls are, the words around them belong to their template.
    if found.is_empty() {
        reading.say(text);
    }
    for call in found.calls {
        let id = call.id.map(Value::from);
        let call = json!({"name": call.name, "arguments": call.arguments});
        reading.call(Entry { pointer: "", call: &call, id: id.as_ref(), arguments: "arguments" });
    }
    found.problems.into_iter().for_each(|problem| reading.problem(problem));
    reading.keep(text.into());
    reading
}

pub(super) fn calls(turn: &WireTurn<'_>) -> Vec<Value> {
    let said = (!turn.text.is_empty()).then(|| turn.text.clone());
    let calls = turn
        .calls
        .iter()
        .map(|call| tag("tool_call", &json!({"name": call.name, "arguments": call.arguments_object()})));
    let pieces: Vec<String> = said.into_iter().chain(calls).collect();
    vec![pieces.join("\n").into()]
}

pub(super) fn results(results: &[WireResult<'_>]) -> Value {
    let tags = results.iter().map(|result| {
        tag("tool_response", &json!({"name": result.name, "content": marked_text(result.output)}))
    });
    tags.collect::<Vec<String>>().join("\n").into()
}

fn tag(name: &str, value: &Value) -> String {
    format!("<{name}>\n{}\n</{name}>", value.to_string().replace('<', "\\u003c"))
}
