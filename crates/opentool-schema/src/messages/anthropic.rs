//! Anthropic Messages: `tool_use` blocks in, one user message of `tool_result` blocks out.
//!
//! `server_tool_use`, `mcp_tool_use` and their results ran at the provider. Thoughts are not text; they and `caller`
//! go back with the turn as it came. A result may hold images and PDF files; an error may hold text only.

use serde_json::{Value, json};

use super::MessageFormat;
use super::output::{Files, Piece, pieces};
use super::reading::{Entry, Last, Reading};
use super::wire::{WireResult, WireTurn};

const FILES: Files = Files {
    format: MessageFormat::Anthropic,
    // 5 MB in base64.
    largest: 3_750_000,
};

/// The words for an answer that is whole.
const WHOLE: [&str; 3] = ["tool_use", "end_turn", "pause_turn"];

pub(super) fn read(value: &Value, reading: &mut Reading) -> Result<(), &'static str> {
    const EXPECTED: &str = "expected a body or message with `content`, a list of blocks, or one block";
    let is_block = |block: &Value| block.get("type").is_some_and(Value::is_string);
    match value {
        Value::Object(members) => match members.get("content") {
            Some(Value::Array(blocks)) if blocks.iter().all(is_block) => {
                read_blocks(blocks, "/content", reading);
                if !blocks.is_empty() {
                    reading.keep(json!({"role": "assistant", "content": blocks}));
                }
                let last = Last::is_call(blocks.last().is_some_and(|last| is_kind(last, "tool_use")));
                reading.ended(members.get("stop_reason"), &WHOLE, last);
            }
            Some(Value::String(text)) => {
                reading.say(text);
                reading.keep(json!({"role": "assistant", "content": text}));
            }
            None if members.get("type").is_some_and(|kind| kind == "tool_use" || kind == "text") => {
                block(value, "", reading);
                reading.keep(json!({"role": "assistant", "content": [value]}));
            }
            _ => return Err(EXPECTED),
        },
        Value::Array(blocks) if blocks.is_empty() || blocks.iter().any(|one| is_kind(one, "tool_use")) => {
            read_blocks(blocks, "", reading);
            reading.keep(json!({"role": "assistant", "content": blocks}));
        }
        _ => return Err(EXPECTED),
    }
    Ok(())
}

fn is_kind(block: &Value, kind: &str) -> bool {
    block.get("type").is_some_and(|found| found == kind)
}

fn read_blocks(blocks: &[Value], pointer: &str, reading: &mut Reading) {
    for (i, one) in blocks.iter().enumerate() {
        block(one, &format!("{pointer}/{i}"), reading);
    }
}

fn block(block: &Value, pointer: &str, reading: &mut Reading) {
    match block.get("type").and_then(Value::as_str) {
        Some("text") => reading.say(block.get("text").and_then(Value::as_str).unwrap_or_default()),
        Some("tool_use") => {
            reading.call(Entry { pointer, call: block, id: block.get("id"), arguments: "input" });
        }
        Some(_) => {}
        None => reading.no_call(pointer, "expected a block with a `type`", block),
    }
}

pub(super) fn calls(turn: &WireTurn<'_>) -> Vec<Value> {
    let said = (!turn.text.is_empty()).then(|| json!({"type": "text", "text": turn.text}));
    let calls = turn.calls.iter().map(|call| {
        json!({
            "type": "tool_use",
            "id": call.id.as_str(),
            "name": call.name,
            "input": call.arguments_object(),
        })
    });
    let content: Vec<Value> = said.into_iter().chain(calls).collect();
    vec![json!({"role": "assistant", "content": content})]
}

pub(super) fn results(results: &[WireResult<'_>]) -> Value {
    let content: Vec<Value> = results.iter().map(result).collect();
    json!({"role": "user", "content": content})
}

fn result(result: &WireResult<'_>) -> Value {
    let pieces = pieces(result.output, FILES);
    let content = match pieces.as_slice() {
        [Piece::Text(text)] => text.as_str().into(),
        pieces => pieces.iter().map(piece).collect::<Value>(),
    };
    let mut block = json!({"type": "tool_result", "tool_use_id": result.id.as_str(), "content": content});
    if let (true, Some(members)) = (result.output.is_error, block.as_object_mut()) {
        members.insert("is_error".to_owned(), true.into());
    }
    block
}

fn piece(piece: &Piece) -> Value {
    match piece {
        Piece::Text(text) => json!({"type": "text", "text": text}),
        Piece::File { mime, base64 } => {
            let kind = if *mime == "application/pdf" { "document" } else { "image" };
            json!({"type": kind, "source": {"type": "base64", "media_type": mime, "data": base64}})
        }
    }
}
