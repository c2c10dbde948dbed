//! Answers in the shape of Chat Completions, which OpenAI, Mistral, Cohere and Ollama share but for details.
//!
//! Read here: `choices[0].message` or `message`, the message itself, the list of calls, one call; contents as text
//! or parts; arguments as text or object; OpenAI's custom tools, whose input is any text and becomes
//! `{"input": …}`; the single `function_call` of old.

use opentool_core::Problem;
use serde_json::{Value, json};

use super::reading::{Entry, Last, Reading};

/// Reads an answer.
pub(super) fn read(value: &Value, reading: &mut Reading) -> Result<(), &'static str> {
    if let Some(choices) = value.get("choices").and_then(Value::as_array) {
        let first = choices.first().ok_or("expected an answer in `choices`, which is empty")?;
        if choices.len() > 1 {
            let expected = "expected one choice; only the first is read";
            reading.problem(Problem::new("/choices/1", "choices").expected(expected));
        }
        return match first.get("message") {
            Some(said @ Value::Object(_)) => {
                message(said, "/choices/0/message", reading);
                stop(first, reading);
                Ok(())
            }
            _ if first.get("delta").is_some() => Err("expected a whole answer, not a piece of a stream"),
            _ => Err("expected an object at `choices[0].message`"),
        };
    }
    // A line for fine-tuning is a conversation: the last turn of the assistant is the answer.
    if let Some(messages) = value.get("messages").and_then(Value::as_array) {
        let is_answer = |said: &Value| said.get("role").is_some_and(|role| role == "assistant");
        let last = messages
            .iter()
            .rposition(is_answer)
            .ok_or("expected a message of the assistant in `messages`")?;
        if let Some(said) = messages.get(last) {
            message(said, &format!("/messages/{last}"), reading);
        }
        return Ok(());
    }
    match value {
        Value::Object(members) => {
            if let Some(said @ Value::Object(_)) = members.get("message") {
                message(said, "/message", reading);
                stop(value, reading);
            } else if ["tool_calls", "content", "function_call", "role"]
                .iter()
                .any(|key| members.contains_key(*key))
                && !is_call(value)
                && !members.get("content").is_some_and(holds_blocks_of_others)
            {
                message(value, "", reading);
            } else if is_call(value) {
                call(value, "", reading);
                reading.keep(json!({"role": "assistant", "tool_calls": [value]}));
            } else {
                return Err("expected a body with `choices`, a message, or a list of calls");
            }
            Ok(())
        }
        Value::Array(items) if items.is_empty() || items.iter().any(is_call) => {
            calls(items, "", reading);
            reading.keep(json!({"role": "assistant", "tool_calls": items}));
            Ok(())
        }
        _ => Err("expected a body with `choices`, a message, or a list of calls"),
    }
}

/// Whether a value is one call.
fn is_call(value: &Value) -> bool {
    ["function", "custom"].iter().any(|key| value.get(*key).is_some_and(Value::is_object))
}

/// Whether a content is of another provider, whose calls stand among its blocks.
fn holds_blocks_of_others(content: &Value) -> bool {
    let is_foreign = |block: &Value| {
        block.get("toolUse").is_some() || block.get("type").is_some_and(|kind| kind == "tool_use")
    };
    content.as_array().is_some_and(|blocks| blocks.iter().any(is_foreign))
}

fn message(said: &Value, pointer: &str, reading: &mut Reading) {
    reading.keep(said.clone());
    for key in ["content", "refusal"] {
        texts(said.get(key), reading);
    }
    // Cohere says beside its calls what it plans.
    if said.get("content").is_none_or(Value::is_null) {
        texts(said.get("tool_plan"), reading);
    }
    match said.get("tool_calls") {
        Some(Value::Array(items)) => calls(items, &format!("{pointer}/tool_calls"), reading),
        None | Some(Value::Null) => {}
        Some(other) => {
            reading.no_call(&format!("{pointer}/tool_calls"), "expected a list of calls", other);
        }
    }
    if let Some(old) = said.get("function_call").filter(|old| !old.is_null()) {
        let pointer = format!("{pointer}/function_call");
        if old.is_object() {
            reading.call(Entry { pointer: &pointer, call: old, id: None, arguments: "arguments" });
        } else {
            reading.no_call(&pointer, "expected an object with `name` and `arguments`", old);
        }
    }
}

/// The words for an answer that is whole: those of OpenAI and Mistral, of Cohere, and of servers that speak one of their
/// formats and say it in their own. Ollama says `stop`.
const WHOLE: [&str; 12] = [
    "stop",
    "tool_calls",
    "function_call",
    "tool_call",
    "tool_use",
    "eos",
    "eos_token",
    "stop_sequence",
    "end_turn",
    "end",
    "complete",
    "completed",
];

/// Why the answer ended. Calls are what such a message ends with.
fn stop(around: &Value, reading: &mut Reading) {
    for key in ["finish_reason", "done_reason"] {
        reading.ended(around.get(key), &WHOLE, Last::Call);
    }
    // Ollama says of a piece that more follows.
    if around.get("done").is_some_and(|done| !done.is_null() && *done != Value::Bool(true)) {
        reading.not_whole("before it was done");
    }
}

/// Adds the texts of a content: a string, or a list of parts.
fn texts(content: Option<&Value>, reading: &mut Reading) {
    match content {
        Some(Value::String(text)) => reading.say(text),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text").or_else(|| part.get("refusal")));
            texts.filter_map(Value::as_str).for_each(|text| reading.say(text));
        }
        _ => {}
    }
}

fn calls(items: &[Value], pointer: &str, reading: &mut Reading) {
    for (i, item) in items.iter().enumerate() {
        call(item, &format!("{pointer}/{i}"), reading);
    }
}

/// The key of a call's arguments, which some models call like the parameters of the definitions that they were shown.
/// `None` for such a definition itself.
fn arguments_key(function: &Value) -> Option<&'static str> {
    if function.get("arguments").is_some() {
        return Some("arguments");
    }
    let is_schema = |value: &Value| {
        let has = |key: &str| value.get(key).is_some();
        value.get("properties").is_some_and(Value::is_object)
            || value.get("type").is_some_and(|kind| kind == "object")
            || ["$schema", "$ref", "$defs"].iter().any(|key| has(key))
    };
    let parameters = function.get("parameters").filter(|parameters| !parameters.is_null());
    let is_definition = ["description", "strict"].iter().any(|key| function.get(*key).is_some());
    (!is_definition && !parameters.is_some_and(is_schema)).then_some(if parameters.is_some() {
        "parameters"
    } else {
        "arguments"
    })
}

fn call(item: &Value, pointer: &str, reading: &mut Reading) {
    let id = item.get("id");
    if let Some(inner @ Value::Object(_)) = item.get("function") {
        match arguments_key(inner) {
            Some(arguments) => {
                let pointer = format!("{pointer}/function");
                reading.call(Entry { pointer: &pointer, call: inner, id, arguments });
            }
            None => reading.no_call(pointer, "expected a call, not the definition of a tool", item),
        }
    } else if let Some(inner @ Value::Object(_)) = item.get("custom") {
        let wrapped = json!({"name": inner.get("name"), "arguments": {"input": inner.get("input")}});
        let pointer = format!("{pointer}/custom");
        reading.call(Entry { pointer: &pointer, call: &wrapped, id, arguments: "arguments" });
    } else if id.is_some_and(Value::is_string) {
        // The provider waits for a result of this id.
        let pointer = format!("{pointer}/function");
        reading.call(Entry { pointer: &pointer, call: item, id, arguments: "arguments" });
    } else {
        reading.no_call(pointer, "expected a call: an object with `id` and `function`", item);
    }
}
