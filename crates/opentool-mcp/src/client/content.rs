//! The result of `tools/call` as an output.
//!
//! Read from JSON and not by the SDK's types, so that one block of a kind that nobody knows does not lose the others. It is
//! the mirror of the server's `content`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::{Content, ToolOutput};
use serde_json::{Map, Value};

/// The key of an output's metadata that holds the result's `_meta`.
const META: &str = "mcp.meta";

/// The output; `Err` says what the server wants before it gives one.
pub(crate) fn output(result: Value) -> Result<ToolOutput, &'static str> {
    let Value::Object(mut result) = result else { return Ok(ToolOutput::json(result)) };
    match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => return Err("input from a person or a model"),
        Some("task") => return Err("to be asked for the result again later"),
        _ => {}
    }
    let known = ["content", "structuredContent", "isError"].iter().any(|key| result.contains_key(*key));
    if !known {
        // The first revision of the protocol had its result in another place.
        return Ok(match result.remove("toolResult") {
            Some(value) => ToolOutput::json(value),
            None => ToolOutput::json(Value::Object(result)),
        });
    }
    let mut output = ToolOutput::new();
    output.is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
    output.structured = result.remove("structuredContent");
    if let Some(Value::Array(blocks)) = result.remove("content") {
        output.content = blocks.into_iter().map(block).collect();
    }
    if output.is_error && output.content.is_empty() && output.structured.is_none() {
        output.content.push(Content::text("the tool failed without saying why"));
    }
    if let Some(meta) =
        result.remove("_meta").filter(|meta| meta.as_object().is_some_and(|meta| !meta.is_empty()))
    {
        output.metadata.insert(META.to_owned(), meta);
    }
    Ok(output)
}

fn block(value: Value) -> Content {
    let Value::Object(mut members) = value else { return Content::Json(value) };
    let kind = text(&mut members, "type").unwrap_or_default();
    let read = match kind.as_str() {
        "text" => text(&mut members, "text").map(Content::Text),
        "image" => bytes(&members, "data").map(|data| Content::image(data, mime(&mut members, "image/png"))),
        "audio" => bytes(&members, "data").map(|data| Content::audio(data, mime(&mut members, "audio/wav"))),
        "resource" => resource(&mut members),
        "resource_link" => text(&mut members, "uri").map(|uri| Content::ResourceLink {
            name: text(&mut members, "name").unwrap_or_else(|| uri.clone()),
            mime: text(&mut members, "mimeType"),
            uri,
        }),
        _ => None,
    };
    // What is not understood is at least shown.
    read.unwrap_or_else(|| {
        members.insert("type".to_owned(), kind.into());
        Content::Json(Value::Object(members))
    })
}

fn resource(members: &mut Map<String, Value>) -> Option<Content> {
    let resource = members.get_mut("resource")?.as_object_mut()?;
    let uri = resource.get("uri")?.as_str()?.to_owned();
    let mime = resource.get("mimeType").and_then(Value::as_str).map(str::to_owned);
    if let Some(text) = text(resource, "text") {
        return Some(Content::TextResource { uri, mime, text });
    }
    let data = bytes(resource, "blob")?.into();
    Some(Content::BlobResource { uri, mime, data })
}

/// Takes a text; anything else stays where it is.
fn text(members: &mut Map<String, Value>, name: &str) -> Option<String> {
    match members.get_mut(name)? {
        Value::String(text) => Some(std::mem::take(text)),
        _ => None,
    }
}

fn mime(members: &mut Map<String, Value>, usual: &str) -> String {
    text(members, "mimeType").unwrap_or_else(|| usual.to_owned())
}

fn bytes(members: &Map<String, Value>, name: &str) -> Option<Vec<u8>> {
    STANDARD.decode(members.get(name)?.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use opentool_core::Content;
    use serde_json::json;

    use super::output;

    #[test]
    fn every_kind_of_block_is_read_and_an_unknown_one_is_shown() {
        let result = json!({"content": [
            {"type": "text", "text": "hello"},
            {"type": "image", "data": "aGk=", "mimeType": "image/gif"},
            {"type": "audio", "data": "aGk=", "mimeType": "audio/mp3"},
            {"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "x"}},
            {"type": "resource", "resource": {"uri": "a:c", "blob": "aGk="}},
            {"type": "resource_link", "uri": "a:d", "name": "d"},
            {"type": "hologram", "data": 1},
            {"type": "image", "data": "!!"},
            7,
        ], "structuredContent": null, "isError": false, "_meta": {"cost": 1}});
        let output = output(result).unwrap();
        assert_eq!(
            output.content,
            [
                Content::text("hello"),
                Content::image("hi", "image/gif"),
                Content::audio("hi", "audio/mp3"),
                Content::TextResource {
                    uri: "a:b".into(),
                    mime: Some("text/plain".into()),
                    text: "x".into()
                },
                Content::BlobResource { uri: "a:c".into(), mime: None, data: "hi".into() },
                Content::ResourceLink { uri: "a:d".into(), name: "d".into(), mime: None },
                Content::Json(json!({"data": 1, "type": "hologram"})),
                Content::Json(json!({"data": "!!", "type": "image"})),
                Content::Json(json!(7)),
            ]
        );
        assert_eq!(output.structured, Some(json!(null)));
        assert_eq!(output.metadata["mcp.meta"], json!({"cost": 1}));
        assert!(!output.is_error);
    }

    #[test]
    fn a_failure_without_words_says_that_it_is_one() {
        let failed = output(json!({"isError": true, "content": []})).unwrap();
        assert!(failed.is_error);
        assert_eq!(failed.to_text(), "the tool failed without saying why");
    }

    #[test]
    fn what_wants_an_answer_first_is_no_output() {
        assert!(output(json!({"resultType": "input_required", "inputRequests": {}})).is_err());
        assert!(output(json!({"resultType": "task", "taskId": "1"})).is_err());
        assert_eq!(output(json!({"toolResult": 5})).unwrap().structured, Some(json!(5)));
    }
}
