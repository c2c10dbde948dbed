//! `application/x-www-form-urlencoded` bodies, by the document's `encoding` objects.

use serde_json::{Map, Value};

use super::encode;
use super::style::{self, Encode};
use super::value::{child, text};
use crate::plan::{Media, Style, is_json};

/// The pairs of an object, in its order. `null` members are left out: a form has no way to say them.
pub(super) fn write(media: &Media, members: &Map<String, Value>) -> String {
    let mut pairs = Vec::new();
    for (name, value) in members {
        let schema = child(child(&media.schema, "properties"), name);
        property(name, value, schema, child(&media.encoding, name), &mut pairs);
    }
    let pairs: Vec<_> = pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

fn property(name: &str, value: &Value, schema: &Value, encoding: &Value, pairs: &mut Vec<(String, String)>) {
    let by_style = ["style", "explode", "allowReserved"].iter().any(|key| encoding.get(key).is_some());
    if by_style {
        let style = match child(encoding, "style").as_str() {
            Some("spaceDelimited") => Style::SpaceDelimited,
            Some("pipeDelimited") => Style::PipeDelimited,
            Some("deepObject") => Style::DeepObject,
            _ => Style::Form,
        };
        let explode = child(encoding, "explode").as_bool().unwrap_or(style == Style::Form);
        let reserved = child(encoding, "allowReserved").as_bool().unwrap_or(false);
        let encode: Encode = if reserved { encode::reserved } else { encode::strict };
        pairs.extend(style::pairs(style, explode, name, value, schema, encode));
        return;
    }
    // Without a style the content type decides, for each item of a list on its own.
    let json = child(encoding, "contentType").as_str().is_some_and(is_json);
    let mut add = |value: &Value, schema: &Value| {
        let text = if json && !value.is_null() { Some(value.to_string()) } else { text(value, schema) };
        pairs.extend(text.map(|text| (encode::strict(name), encode::strict(&text))));
    };
    match value {
        Value::Array(items) => items.iter().for_each(|item| add(item, child(schema, "items"))),
        value => add(value, schema),
    }
}
