//! Amazon Bedrock Converse: `toolUse` blocks in, one user message of `toolResult` blocks out.
//!
//! An object goes as `json`, anything else as text: some model families refuse other values in `json`. Images and PDF
//! files have blocks of their own. An error has a `status`, which Claude and Nova understand; the text says it too.

use serde_json::{Value, json};

use super::MessageFormat;
use super::output::{Files, Piece, pieces};
use super::reading::{Entry, Last, Reading};
use super::wire::{WireResult, WireTurn};

const FILES: Files = Files { format: MessageFormat::Bedrock, largest: 3_750_000 };

/// The words for an answer that is whole.
const WHOLE: [&str; 2] = ["tool_use", "end_turn"];

pub(super) fn read(value: &Value, reading: &mut Reading) -> Result<(), &'static str> {
    const EXPECTED: &str = "expected a body with `output.message`, a message, or a list of blocks";
    let (message, pointer) = match value.pointer("/output/message") {
        Some(message) => (message, "/output/message"),
        None => (value, ""),
    };
    match message {
        Value::Object(members) => match members.get("content") {
            Some(Value::Array(blocks)) if !blocks.iter().any(|block| block.get("type").is_some()) => {
                read_blocks(blocks, &format!("{pointer}/content"), reading);
                reading.keep(json!({"role": "assistant", "content": blocks}));
                let last = Last::is_call(blocks.last().is_some_and(|last| last.get("toolUse").is_some()));
                reading.ended(value.get("stopReason"), &WHOLE, last);
            }
            None if is_block(message) => {
                block(message, pointer, reading);
                reading.keep(json!({"role": "assistant", "content": [message]}));
            }
            None if members.contains_key("toolUseId") => {
                tool_use(message, pointer, reading);
                reading.keep(json!({"role": "assistant", "content": [{"toolUse": message}]}));
            }
            _ => return Err(EXPECTED),
        },
        Value::Array(blocks) if blocks.is_empty() || blocks.iter().any(is_block) => {
            read_blocks(blocks, "", reading);
            reading.keep(json!({"role": "assistant", "content": blocks}));
        }
        _ => return Err(EXPECTED),
    }
    Ok(())
}

fn is_block(value: &Value) -> bool {
    value.get("toolUse").is_some() || value.get("text").is_some_and(Value::is_string)
}

fn read_blocks(blocks: &[Value], pointer: &str, reading: &mut Reading) {
    for (i, one) in blocks.iter().enumerate() {
        block(one, &format!("{pointer}/{i}"), reading);
    }
}

fn block(block: &Value, pointer: &str, reading: &mut Reading) {
    if let Some(Value::String(text)) = block.get("text") {
        reading.say(text);
    }
    match block.get("toolUse") {
        None => {}
        // The model's own search ran at the provider.
        Some(call) if call.get("type").is_some_and(|kind| kind == "server_tool_use") => {}
        Some(call @ Value::Object(_)) => tool_use(call, &format!("{pointer}/toolUse"), reading),
        Some(other) => {
            let expected = "expected an object with `toolUseId`, `name` and `input`";
            reading.no_call(&format!("{pointer}/toolUse"), expected, other);
        }
    }
}

fn tool_use(call: &Value, pointer: &str, reading: &mut Reading) {
    reading.call(Entry { pointer, call, id: call.get("toolUseId"), arguments: "input" });
}

pub(super) fn calls(turn: &WireTurn<'_>) -> Vec<Value> {
    let said = (!turn.text.is_empty()).then(|| json!({"text": turn.text}));
    let calls = turn.calls.iter().map(|call| {
        json!({"toolUse": {
            "toolUseId": call.id.as_str(),
            "name": call.name,
            "input": call.arguments_object(),
        }})
    });
    let content: Vec<Value> = said.into_iter().chain(calls).collect();
    vec![json!({"role": "assistant", "content": content})]
}

pub(super) fn results(results: &[WireResult<'_>]) -> Value {
    let content: Vec<Value> = results.iter().map(result).collect();
    json!({"role": "user", "content": content})
}

fn result(result: &WireResult<'_>) -> Value {
    let output = result.output;
    let content = match &output.structured {
        Some(value @ Value::Object(_))
            if output.content.is_empty() && !output.is_error && super::is_shallow(value) =>
        {
            vec![json!({"json": value})]
        }
        _ => pieces(output, FILES).iter().enumerate().map(|(i, one)| piece(i, one)).collect(),
    };
    let mut members = json!({"toolUseId": result.id.as_str(), "content": content});
    if let (true, Some(members)) = (output.is_error, members.as_object_mut()) {
        members.insert("status".to_owned(), "error".into());
    }
    json!({"toolResult": members})
}

fn piece(place: usize, piece: &Piece) -> Value {
    match piece {
        Piece::Text(text) => json!({"text": text}),
        Piece::File { mime: "application/pdf", base64 } => {
            // Each document of a message needs a name of its own, which must say nothing: models obey it.
            let name = format!("result-{}", place.saturating_add(1));
            json!({"document": {"format": "pdf", "name": name, "source": {"bytes": base64}}})
        }
        Piece::File { mime, base64 } => {
            let format = mime.strip_prefix("image/").unwrap_or(mime);
            json!({"image": {"format": format, "source": {"bytes": base64}}})
        }
    }
}
