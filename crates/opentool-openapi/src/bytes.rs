//! Strings that are bytes: which schemas mean them, and what a model is told to write.
//!
//! OpenAPI describes a file as a string, and JSON has no bytes. So where bytes are sent as they are (binary bodies,
//! parts of a multipart body), a model may write a data URI, or `{"$base64": "…"}` with a file name and a media type, and
//! where the host allows it `{"$file": "…"}`.
//! Reading these values is the business of `request::file`; JSON bodies are deliberately left alone, since there a
//! string is sent as the string that it is.

use serde_json::{Map, Value, json};

use crate::plan::{Media, PartHeader};
use crate::request::media::MediaKind;
use crate::schema::is_note;
use crate::uploads;

/// Whether a schema says that a string is bytes: `format: binary` (3.0), or a media type without an encoding (3.1).
/// Of alternatives, all that let a string through have to say so.
pub(crate) fn is_bytes(schema: &Value) -> bool {
    let says_so = |schema: &Value| {
        schema.get("format").is_some_and(|format| format == "binary")
            || (schema.get("contentMediaType").is_some() && schema.get("contentEncoding").is_none())
    };
    if says_so(schema) {
        return true;
    }
    let Some((_, branches)) = alternatives(schema) else { return false };
    let other = |branch: &Value| match branch.get("type") {
        Some(Value::String(name)) => name != "string",
        Some(Value::Array(names)) => names.iter().all(|name| name != "string"),
        _ => false,
    };
    branches.iter().any(says_so) && branches.iter().all(|branch| says_so(branch) || other(branch))
}

/// Whether files of this machine can be named in the place of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    /// They cannot.
    None,
    /// Those below a directory of the host.
    Named,
}

/// The schema of a body as a model sees it, where bytes are a part of it.
pub(crate) fn in_body(media: &Media, schema: Value, files: Files) -> Value {
    match MediaKind::of_schema(&media.media_type, &schema) {
        MediaKind::Binary if is_bytes(&schema) || is_string(&schema) => described(schema, files),
        MediaKind::Text | MediaKind::Xml if is_bytes(&schema) => described(schema, files),
        MediaKind::Multipart => {
            let mut schema = schema;
            if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                for (name, property) in properties {
                    *property = in_part(property.take(), &headers(media, name), files);
                }
            }
            // Parts in their order.
            if schema.get("type").is_some_and(|name| name == "array") {
                schema = in_part(schema, &Value::Null, files);
            }
            schema
        }
        _ => schema,
    }
}

/// The schema of a part, which may be a list of files.
fn in_part(mut schema: Value, headers: &Value, files: Files) -> Value {
    if is_bytes(&schema) {
        return with_headers(described(schema, files), headers);
    }
    if let Some(items) = schema.get_mut("items").filter(|items| is_bytes(items)) {
        *items = with_headers(described(items.take(), files), headers);
    }
    schema
}

/// The headers of a part that a caller may have words for: those that the document does not fix.
fn headers(media: &Media, property: &str) -> Value {
    let free = |header: &&PartHeader| header.property == property && header.schema.get("const").is_none();
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for header in media.part_headers.iter().filter(free) {
        properties.insert(header.name.clone(), header.schema.clone());
        if header.required && header.schema.get("default").is_none() {
            required.push(json!(header.name));
        }
    }
    if properties.is_empty() {
        return Value::Null;
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// Bytes with headers beside them.
fn with_headers(mut schema: Value, headers: &Value) -> Value {
    let ways = schema.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten();
    for way in ways.filter(|_| !headers.is_null()).filter_map(Value::as_object_mut) {
        let Some(Value::Object(members)) = way.get_mut("properties") else { continue };
        if !members.contains_key("$base64") && !members.contains_key(uploads::MEMBER) {
            continue;
        }
        members.insert("headers".to_owned(), headers.clone());
        let needs = headers.get("required").and_then(Value::as_array).is_some_and(|names| !names.is_empty());
        if let (true, Some(Value::Array(required))) = (needs, way.get_mut("required")) {
            required.push(json!("headers"));
        }
    }
    schema
}

fn is_string(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "string")
}

/// What a schema offers to choose from.
fn alternatives(schema: &Value) -> Option<(&'static str, &Vec<Value>)> {
    ["anyOf", "oneOf"].into_iter().find_map(|keyword| Some((keyword, schema.get(keyword)?.as_array()?)))
}

/// A schema that means bytes, with the ways to write them.
fn described(schema: Value, files: Files) -> Value {
    let choice = alternatives(&schema).map(|(keyword, branches)| (keyword, branches.clone()));
    let Value::Object(members) = schema else { return schema };
    if let Some((keyword, branches)) = choice {
        let branches = branches.into_iter().flat_map(|branch| match branch {
            Value::Object(members) if is_bytes(&Value::Object(members.clone())) => ways(members, files),
            other => vec![other],
        });
        let mut members = members;
        members.insert(keyword.to_owned(), branches.collect());
        return Value::Object(members);
    }
    let (mut out, rules): (Map<String, Value>, _) =
        members.into_iter().partition(|(keyword, _)| is_note(keyword));
    out.insert("anyOf".to_owned(), ways(rules, files).into());
    Value::Object(out)
}

fn ways(mut text: Map<String, Value>, files: Files) -> Vec<Value> {
    let nullable =
        text.get("type").and_then(Value::as_array).is_some_and(|names| names.contains(&json!("null")));
    text.insert("type".to_owned(), json!("string"));
    // Limits of the bytes; the text that stands for them has others.
    for keyword in ["minLength", "maxLength", "pattern"] {
        text.shift_remove(keyword);
    }
    text.insert(
        "description".to_owned(),
        json!("A data URI: `data:image/png;base64,iVBORw0KGgo=`. Any other text is sent as it is."),
    );
    let object = json!({
        "type": "object",
        "description": "Bytes in base64, with a file name and a media type where they matter.",
        "properties": {
            "$base64": {"type": "string", "contentEncoding": "base64"},
            "filename": {"type": "string"},
            "contentType": {"type": "string", "description": "For example `image/png`."},
        },
        "required": ["$base64"],
        "additionalProperties": false,
    });
    let mut ways = vec![Value::Object(text), object];
    if files == Files::Named {
        ways.push(json!({
            "type": "object",
            "description": "A file of the machine that runs this tool, below a directory that was chosen for it.",
            "properties": {
                uploads::MEMBER: {"type": "string", "description": "For example `report.pdf`."},
                "filename": {"type": "string"},
                "contentType": {"type": "string", "description": "For example `image/png`."},
            },
            "required": [uploads::MEMBER],
            "additionalProperties": false,
        }));
    }
    if nullable {
        ways.push(json!({"type": "null"}));
    }
    ways
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_bytes;

    #[test]
    fn a_string_is_bytes_only_where_every_reading_of_it_is() {
        for schema in [
            json!({"type": "string", "format": "binary"}),
            json!({"type": "string", "contentMediaType": "application/octet-stream"}),
            json!({"anyOf": [{"type": "string", "format": "binary"}, {"type": "null"}]}),
            json!({"oneOf": [{"format": "binary"}, {"type": ["object", "null"]}]}),
        ] {
            assert!(is_bytes(&schema), "{schema}");
        }
        for schema in [
            json!({"type": "string"}),
            json!({"type": "string", "contentMediaType": "image/png", "contentEncoding": "base64"}),
            json!({"anyOf": [{"type": "string", "format": "binary"}, {"type": "string"}]}),
            json!({"anyOf": [{"type": "string", "format": "binary"}, {}]}),
            json!({"anyOf": []}),
            json!({}),
        ] {
            assert!(!is_bytes(&schema), "{schema}");
        }
    }
}
