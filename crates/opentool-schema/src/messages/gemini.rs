//! Gemini `generateContent`: `functionCall` parts in, one content of `functionResponse` parts out.
//!
//! Both spellings of keys are read, the API's and that of Google's Python SDK (`function_call`). Ids are optional:
//! one that we made is not sent. `thoughtSignature`s go back with the turn as it came; a turn that is written anew
//! has none, and Gemini 3 refuses it unless the host puts the value that Google documents for such turns there. A
//! response is an object with `output` or `error`. Files in a response need Gemini 3.

use opentool_core::Problem;
use serde_json::{Map, Value, json};

use super::MessageFormat;
use super::output::{Files, Piece, files, text};
use super::reading::{Entry, Last, Reading};
use super::wire::{WireResult, WireTurn};
use crate::text::shorten;

const FILES: Files = Files {
    format: MessageFormat::Gemini,
    // A request takes 20 MB; base64 and other files need room too.
    largest: 7 << 20,
};
/// The longest reason of the provider that is repeated, in characters.
const SHOWN: usize = 300;

pub(super) fn read(value: &Value, reading: &mut Reading) -> Result<(), &'static str> {
    const EXPECTED: &str = "expected a body with `candidates`, a content with `parts`, or a list of parts";
    if let Some(Value::Array(candidates)) = value.get("candidates") {
        if candidates.len() > 1 {
            let expected = "expected one candidate; only the first is read";
            reading.problem(Problem::new("/candidates/1", "choices").expected(expected));
        }
        let Some(first) = candidates.first() else {
            blocked(value, reading);
            return Ok(());
        };
        candidate(first, "/candidates/0", reading)?;
        // A question that was refused has no answer, whatever stands there.
        let feedback = get(value, "promptFeedback", "prompt_feedback");
        let reason = feedback.and_then(|feedback| get(feedback, "blockReason", "block_reason"));
        reading.ended(reason, &[], Last::Other);
        return Ok(());
    }
    if get(value, "promptFeedback", "prompt_feedback").is_some() {
        blocked(value, reading);
        return Ok(());
    }
    // The Live API.
    for (path, list) in [("/toolCall/functionCalls", "/toolCall"), ("/functionCalls", "")] {
        if let Some(Value::Array(calls)) = value.pointer(path) {
            read_calls(calls, &format!("{list}/functionCalls"), reading);
            return Ok(());
        }
    }
    match value {
        Value::Object(members) if members.contains_key("content") => candidate(value, "", reading),
        Value::Object(members) if members.contains_key("parts") => content(value, "", reading),
        Value::Object(_) if is_part(value) => {
            part(value, "", reading);
            reading.keep(json!({"role": "model", "parts": [value]}));
            Ok(())
        }
        Value::Object(members) if members.contains_key("args") => {
            read_call(value, "", reading);
            reading.keep(json!({"role": "model", "parts": [{"functionCall": value}]}));
            Ok(())
        }
        Value::Array(parts) if parts.is_empty() || parts.iter().any(is_part) => {
            read_parts(parts, "", reading);
            reading.keep(json!({"role": "model", "parts": parts}));
            Ok(())
        }
        Value::Array(calls) if calls.iter().any(|call| call.get("args").is_some()) => {
            read_calls(calls, "", reading);
            Ok(())
        }
        _ => Err(EXPECTED),
    }
}

/// A member by the API's name for it, or the SDK's.
fn get<'v>(value: &'v Value, camel: &str, snake: &str) -> Option<&'v Value> {
    value.get(camel).or_else(|| value.get(snake)).filter(|found| !found.is_null())
}

fn is_part(value: &Value) -> bool {
    get(value, "functionCall", "function_call").is_some() || value.get("text").is_some_and(Value::is_string)
}

/// An answer without a candidate, because the question was refused.
fn blocked(body: &Value, reading: &mut Reading) {
    let feedback = get(body, "promptFeedback", "prompt_feedback");
    let reason = feedback.and_then(|feedback| get(feedback, "blockReason", "block_reason")?.as_str());
    let problem = Problem::new("/promptFeedback", "blocked").expected("expected a candidate");
    reading.problem(problem.found(shorten(reason.unwrap_or("none"), SHOWN)));
}

fn candidate(candidate: &Value, pointer: &str, reading: &mut Reading) -> Result<(), &'static str> {
    match candidate.get("content") {
        Some(said @ Value::Object(_)) => content(said, &format!("{pointer}/content"), reading)?,
        // Stopped before it said anything.
        None | Some(Value::Null) => {}
        Some(_) => return Err("expected an object at `content`"),
    }
    let last_is_call = candidate
        .pointer("/content/parts")
        .and_then(Value::as_array)
        .and_then(|parts| parts.last())
        .is_some_and(|part| get(part, "functionCall", "function_call").is_some());
    let reason = get(candidate, "finishReason", "finish_reason");
    reading.ended(reason, &["STOP"], Last::is_call(last_is_call));
    const FAILED: [&str; 3] = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"];
    if let Some(reason) = reason.and_then(Value::as_str).filter(|reason| FAILED.contains(reason)) {
        let told = get(candidate, "finishMessage", "finish_message").and_then(Value::as_str);
        let found = told.map_or_else(|| reason.to_owned(), |told| format!("{reason}: {told}"));
        let problem = Problem::new(format!("{pointer}/finishReason"), "call");
        reading.problem(problem.expected("expected a call").found(shorten(&found, SHOWN)));
    }
    Ok(())
}

fn content(content: &Value, pointer: &str, reading: &mut Reading) -> Result<(), &'static str> {
    match content.get("parts") {
        Some(Value::Array(parts)) if !parts.is_empty() => {
            read_parts(parts, &format!("{pointer}/parts"), reading);
            reading.keep(content.clone());
        }
        // Nothing was said, and a content without parts is not taken back.
        None | Some(Value::Null | Value::Array(_)) => {}
        Some(_) => return Err("expected a list at `parts`"),
    }
    Ok(())
}

fn read_parts(parts: &[Value], pointer: &str, reading: &mut Reading) {
    for (i, one) in parts.iter().enumerate() {
        part(one, &format!("{pointer}/{i}"), reading);
    }
}

fn part(part: &Value, pointer: &str, reading: &mut Reading) {
    for key in ["functionCall", "function_call"] {
        let Some(call) = part.get(key).filter(|call| !call.is_null()) else { continue };
        read_call(call, &format!("{pointer}/{key}"), reading);
    }
    if part.get("thought") != Some(&Value::Bool(true))
        && let Some(Value::String(text)) = part.get("text")
    {
        reading.say(text);
    }
}

fn read_call(call: &Value, pointer: &str, reading: &mut Reading) {
    if call.is_object() {
        reading.call(Entry { pointer, call, id: call.get("id"), arguments: "args" });
        if is_piece(call) {
            reading.cut_off("this is a piece of a stream");
        }
    } else {
        reading.no_call(pointer, "expected an object with `name` and `args`", call);
    }
}

/// Whether a call has its arguments in pieces, or says that more of it follows.
fn is_piece(call: &Value) -> bool {
    let goes_on = |piece: &Value| get(piece, "willContinue", "will_continue") == Some(&Value::Bool(true));
    let pieces = get(call, "partialArgs", "partial_args");
    let in_pieces = pieces.and_then(Value::as_array).is_some_and(|pieces| pieces.iter().any(goes_on));
    goes_on(call) || in_pieces || (pieces.is_some() && call.get("args").is_none())
}

/// Calls without their parts.
fn read_calls(calls: &[Value], pointer: &str, reading: &mut Reading) {
    let parts: Vec<Value> = calls.iter().map(|call| json!({"functionCall": call})).collect();
    for (i, call) in calls.iter().enumerate() {
        read_call(call, &format!("{pointer}/{i}"), reading);
    }
    reading.keep(json!({"role": "model", "parts": parts}));
}

pub(super) fn calls(turn: &WireTurn<'_>) -> Vec<Value> {
    let said = (!turn.text.is_empty()).then(|| json!({"text": turn.text}));
    let calls = turn.calls.iter().map(|call| {
        let mut members = named(call.id.given(), &call.name);
        members.insert("args".to_owned(), call.arguments_object());
        json!({"functionCall": members})
    });
    let parts: Vec<Value> = said.into_iter().chain(calls).collect();
    vec![json!({"role": "model", "parts": parts})]
}

pub(super) fn results(results: &[WireResult<'_>]) -> Value {
    let parts: Vec<Value> = results.iter().map(result).collect();
    json!({"role": "user", "parts": parts})
}

fn named(id: Option<&str>, name: &str) -> Map<String, Value> {
    let mut members = Map::new();
    if let Some(id) = id {
        members.insert("id".to_owned(), id.into());
    }
    members.insert("name".to_owned(), name.into());
    members
}

fn result(result: &WireResult<'_>) -> Value {
    let output = result.output;
    let said = match &output.structured {
        // The value itself, where the text would be nothing but it.
        Some(value) if output.content.is_empty() && super::is_shallow(value) && !is_blank(value) => {
            value.clone()
        }
        _ => text(output).into(),
    };
    let key = if output.is_error { "error" } else { "output" };
    let mut members = named(result.id.given(), &result.name);
    members.insert("response".to_owned(), json!({key: said}));
    let files: Vec<Value> = files(output, FILES).iter().filter_map(part_of).collect();
    if !files.is_empty() {
        members.insert("parts".to_owned(), files.into());
    }
    json!({"functionResponse": members})
}

fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn part_of(piece: &Piece) -> Option<Value> {
    match piece {
        Piece::File { mime, base64 } => Some(json!({"inlineData": {"mimeType": mime, "data": base64}})),
        Piece::Text(_) => None,
    }
}
