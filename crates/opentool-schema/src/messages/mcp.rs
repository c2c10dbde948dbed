//! MCP: `tools/call` requests in, their JSON-RPC responses out. For logs and gateways; the protocol itself is spoken
//! by `opentool-mcp`.
//!
//! The id of a request is a number or text, and the response must bear the very same: a number becomes its digits,
//! and a text that looks like a number stays in quotes (`"7"` with them), so that both find the way back.
//!
//! Requests are the same in all revisions; results grew: sounds in 2025-03-26, structured objects and links in 2025-06-18,
//! structured values of any kind and the type of the result in 2026-07-28. What a revision has no place for is text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::{Content, ToolOutput};
use serde_json::{Value, json};

use super::MessageFormat;
use super::output::text;
use super::reading::{Entry, Reading};
use super::wire::{WireResult, WireTurn};

/// What results of a revision have a place for.
#[derive(Debug, Clone, Copy)]
struct Places {
    audio: bool,
    links: bool,
    structured: Structured,
    /// `resultType`, which says that the call is complete.
    result_type: bool,
}

/// What may stand as the structured value of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Structured {
    Nothing,
    Object,
    Anything,
}

impl Places {
    fn of(format: MessageFormat) -> Self {
        let newest = Self { audio: true, links: true, structured: Structured::Anything, result_type: true };
        let of_2025 = Self { structured: Structured::Object, result_type: false, ..newest };
        match format {
            MessageFormat::Mcp20251125 | MessageFormat::Mcp20250618 => of_2025,
            MessageFormat::Mcp20250326 => Self { links: false, structured: Structured::Nothing, ..of_2025 },
            MessageFormat::Mcp20241105 => {
                Self { audio: false, links: false, structured: Structured::Nothing, ..of_2025 }
            }
            _ => newest,
        }
    }
}

pub(super) fn read(value: &Value, reading: &mut Reading) -> Result<(), &'static str> {
    const EXPECTED: &str = "expected a `tools/call` request, a list of them, or its `params`";
    match value {
        Value::Object(members) if members.contains_key("method") => {
            if !is_call(value) {
                return Err("expected the method `tools/call`");
            }
            request(value, "", reading);
            reading.keep(value.clone());
        }
        Value::Object(members) if members.contains_key("name") => {
            reading.call_with(None, Entry { pointer: "", call: value, id: None, arguments: "arguments" });
        }
        Value::Array(requests) if requests.is_empty() || requests.iter().any(is_call) => {
            for (i, one) in requests.iter().enumerate() {
                if is_call(one) {
                    request(one, &format!("/{i}"), reading);
                }
                reading.keep(one.clone());
            }
        }
        _ => return Err(EXPECTED),
    }
    Ok(())
}

fn is_call(value: &Value) -> bool {
    value.get("method").is_some_and(|method| method == "tools/call")
}

fn request(request: &Value, pointer: &str, reading: &mut Reading) {
    let pointer = format!("{pointer}/params");
    let id = request.get("id").and_then(read_id);
    // A request with an id waits for a response, whatever its `params` are.
    let call = request.get("params").unwrap_or(&Value::Null);
    reading.call_with(id, Entry { pointer: &pointer, call, id: None, arguments: "arguments" });
}

/// The id of a request as text.
fn read_id(id: &Value) -> Option<String> {
    match id {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if is_quoted(text) => Some(id.to_string()),
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    }
}

/// The id of a request, from [`read_id`]'s text.
fn write_id(id: &str) -> Value {
    if is_quoted(id)
        && let Ok(value @ (Value::Number(_) | Value::String(_))) = serde_json::from_str(id)
    {
        return value;
    }
    id.into()
}

/// Whether a text is written as JSON, because otherwise it could not be told from a number or from one that is.
fn is_quoted(text: &str) -> bool {
    text.starts_with('"') || text.parse::<serde_json::Number>().is_ok()
}

pub(super) fn calls(turn: &WireTurn<'_>) -> Vec<Value> {
    let calls = turn.calls.iter().map(|call| {
        json!({
            "jsonrpc": "2.0",
            "id": write_id(call.id.as_str()),
            "method": "tools/call",
            "params": {"name": call.name, "arguments": call.arguments_object()},
        })
    });
    calls.collect()
}

pub(super) fn result(format: MessageFormat, result: &WireResult<'_>) -> Value {
    let (output, places) = (result.output, Places::of(format));
    let mut content: Vec<Value> = output.content.iter().map(|one| block(one, places)).collect();
    if content.is_empty() {
        content.push(json!({"type": "text", "text": text(output)}));
    }
    let mut members = json!({"content": content});
    if let Some(members) = members.as_object_mut() {
        let may_stand = |value: &&Value| match places.structured {
            Structured::Nothing => false,
            Structured::Object => value.is_object(),
            Structured::Anything => true,
        };
        if let Some(value) = output.structured.as_ref().filter(may_stand)
            && super::is_shallow(value)
        {
            members.insert("structuredContent".to_owned(), value.clone());
        }
        if places.result_type {
            members.insert("resultType".to_owned(), "complete".into());
        }
        if output.is_error {
            members.insert("isError".to_owned(), true.into());
        }
    }
    json!({"jsonrpc": "2.0", "id": write_id(result.id.as_str()), "result": members})
}

fn block(block: &Content, places: Places) -> Value {
    match block {
        Content::Image { data, mime } => {
            json!({"type": "image", "data": STANDARD.encode(data), "mimeType": mime})
        }
        Content::Audio { data, mime } if places.audio => {
            json!({"type": "audio", "data": STANDARD.encode(data), "mimeType": mime})
        }
        Content::TextResource { uri, mime, text } => {
            resource(json!({"uri": uri, "text": text}), mime.as_deref())
        }
        Content::BlobResource { uri, mime, data } => {
            resource(json!({"uri": uri, "blob": STANDARD.encode(data)}), mime.as_deref())
        }
        Content::ResourceLink { uri, name, mime } if places.links => {
            let mut link = json!({"type": "resource_link", "uri": uri, "name": name});
            add_mime(&mut link, mime.as_deref());
            link
        }
        other => json!({"type": "text", "text": text(&ToolOutput::from(other.clone()))}),
    }
}

fn resource(mut resource: Value, mime: Option<&str>) -> Value {
    add_mime(&mut resource, mime);
    json!({"type": "resource", "resource": resource})
}

fn add_mime(value: &mut Value, mime: Option<&str>) {
    if let (Some(mime), Some(members)) = (mime, value.as_object_mut()) {
        members.insert("mimeType".to_owned(), mime.into());
    }
}
