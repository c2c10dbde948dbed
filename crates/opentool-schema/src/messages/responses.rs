//! OpenAI Responses: items in, items out.
//!
//! Calls are `function_call` items; a `custom_tool_call` has any text as its input, which becomes `{"input": …}`.
//! Hosted tools (searches, code, remote MCP) run at the provider. Kinds that the host must run and that are no tools
//! (a computer, a shell, patches, approvals) are reported. A result may hold images and PDF files; there is no mark
//! for errors.

use serde_json::{Value, json};

use super::MessageFormat;
use super::output::{Files, Piece, marked_text, pieces};
use super::reading::{Entry, Last, Reading};
use super::wire::{WireResult, WireTurn};
use crate::text::{found, name, shorten};

const FILES: Files = Files { format: MessageFormat::OpenAiResponses, largest: 20 << 20 };
/// The longest text of a result, in characters.
const LONGEST: usize = 10_485_760 - 1;

/// The status of an answer, and of a call, that is whole.
const WHOLE: &str = "completed";

/// Calls that wait for a result of the host and are no function's.
const FOREIGN: [&str; 6] = [
    "computer_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "mcp_approval_request",
    "tool_search_call",
];

pub(super) fn read(value: &Value, reading: &mut Reading) -> Result<(), &'static str> {
    const EXPECTED: &str = "expected a body with `output`, a list of items, or one item";
    if let Some(Value::Array(output)) = value.get("output") {
        items(output, "/output", reading);
        let last = output.last().is_some_and(|last| {
            last.get("type").is_some_and(|kind| kind == "function_call" || kind == "custom_tool_call")
        });
        let reason = value.pointer("/incomplete_details/reason").filter(|reason| !reason.is_null());
        reading.ended(reason, &[], Last::is_call(last));
        // The reason says more than the word that there is one.
        let status = value.get("status").filter(|status| reason.is_none() || *status != "incomplete");
        reading.ended(status, &[WHOLE], Last::is_call(last));
        return Ok(());
    }
    let is_item = |item: &Value| {
        item.get("type").is_some_and(|kind| kind.is_string() && kind != "tool_use" && kind != "function")
    };
    match value {
        Value::Array(list) if list.is_empty() || list.iter().any(is_item) => items(list, "", reading),
        Value::Object(_) if is_item(value) && value.get("content").is_none() => {
            item(value, "", reading);
        }
        Value::Object(_) if is_message(value) => item(value, "", reading),
        _ => return Err(EXPECTED),
    }
    Ok(())
}

/// Whether a value is a message of this format: Anthropic's has the same type, but other parts.
fn is_message(value: &Value) -> bool {
    let is_part = |part: &Value| {
        part.get("type")
            .is_some_and(|kind| kind == "output_text" || kind == "refusal" || kind == "input_text")
    };
    value.get("type").is_some_and(|kind| kind == "message")
        && match value.get("content") {
            Some(Value::Array(parts)) => parts.iter().all(is_part),
            content => content.is_some_and(Value::is_string),
        }
}

fn items(list: &[Value], pointer: &str, reading: &mut Reading) {
    for (i, value) in list.iter().enumerate() {
        item(value, &format!("{pointer}/{i}"), reading);
    }
}

fn item(value: &Value, pointer: &str, reading: &mut Reading) {
    let kind = value.get("type").and_then(Value::as_str);
    let id = value.get("call_id");
    match kind {
        Some("function_call") => {
            reading.call(Entry { pointer, call: value, id, arguments: "arguments" });
        }
        Some("custom_tool_call") => {
            let wrapped = json!({"name": value.get("name"), "arguments": {"input": value.get("input")}});
            reading.call(Entry { pointer, call: &wrapped, id, arguments: "arguments" });
        }
        // What the server has searched, it has searched.
        Some("tool_search_call") if value.get("execution").is_none_or(|by| by != "client") => {}
        Some(kind) if FOREIGN.contains(&kind) => reading.foreign(pointer, kind),
        Some("message") => said(value, reading),
        // A message in its short form.
        None if value.get("role").is_some() => said(value, reading),
        None => reading.no_call(pointer, "expected an item with a `type`", value),
        Some(_) => {}
    }
    let is_call = matches!(kind, Some("function_call" | "custom_tool_call"));
    if is_call
        && let Some(status) = value.get("status").filter(|status| !status.is_null() && *status != WHOLE)
    {
        let status = status.as_str().map_or_else(|| found(status), name);
        reading.cut_off(&format!("its status is {status}"));
    }
    reading.keep(value.clone());
}

fn said(message: &Value, reading: &mut Reading) {
    match message.get("content") {
        Some(Value::String(text)) => reading.say(text),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text").or_else(|| part.get("refusal")));
            texts.filter_map(Value::as_str).for_each(|text| reading.say(text));
        }
        _ => {}
    }
}

pub(super) fn calls(turn: &WireTurn<'_>) -> Vec<Value> {
    let said = (!turn.text.is_empty())
        .then(|| json!({"type": "message", "role": "assistant", "content": turn.text}));
    let calls = turn.calls.iter().map(|call| {
        json!({
            "type": "function_call",
            "call_id": call.id.as_str(),
            "name": call.name,
            "arguments": call.arguments_text(),
        })
    });
    said.into_iter().chain(calls).collect()
}

pub(super) fn result(result: &WireResult<'_>) -> Value {
    let pieces = pieces(result.output, FILES);
    let output = if pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
        Value::from(bounded(&marked_text(result.output)))
    } else {
        pieces.iter().map(piece).collect()
    };
    json!({"type": "function_call_output", "call_id": result.id.as_str(), "output": output})
}

fn piece(piece: &Piece) -> Value {
    match piece {
        Piece::Text(text) => json!({"type": "input_text", "text": bounded(text)}),
        Piece::File { mime: mime @ "application/pdf", base64 } => json!({
            "type": "input_file",
            "filename": "result.pdf",
            "file_data": format!("data:{mime};base64,{base64}"),
        }),
        Piece::File { mime, base64 } => {
            json!({"type": "input_image", "image_url": format!("data:{mime};base64,{base64}")})
        }
    }
}

fn bounded(text: &str) -> String {
    // A character is a byte at least.
    if text.len() <= LONGEST { text.to_owned() } else { shorten(text, LONGEST) }
}

/// Gives results what the calls that they answer demand back: custom tools another kind of result, calls of a
/// program its `caller`.
pub(super) fn echo(replay: &[Value], results: &mut [Value]) {
    for result in results {
        let Some(members) = result.as_object_mut() else { continue };
        let id = members.get("call_id");
        let Some(call) =
            replay.iter().find(|item| item.get("call_id").is_some() && item.get("call_id") == id)
        else {
            continue;
        };
        if call.get("type").is_some_and(|kind| kind == "custom_tool_call") {
            members.insert("type".to_owned(), "custom_tool_call_output".into());
        }
        if let Some(caller) = call.get("caller") {
            members.insert("caller".to_owned(), caller.clone());
        }
    }
}
