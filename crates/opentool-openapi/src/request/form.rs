//! `application/x-www-form-urlencoded` bodies, by the document's `encoding` objects.

use serde_json::{Map, Value};

use super::encode;
use super::pair::Pair;
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
    pairs.iter().map(Pair::text).collect::<Vec<_>>().join("&")
}

fn property(name: &str, value: &Value, schema: &Value, encoding: &Value, pairs: &mut Vec<Pair>) {
    if let Some(said) = by_style(encoding) {
        let encode: Encode = if said.reserved { encode::reserved } else { encode::strict };
        return style::pairs(said.style, said.explode, name, value, schema, encode, pairs);
    }
    // Without a style the content type decides, for each item of a list on its own.
    let json = child(encoding, "contentType").as_str().is_some_and(is_json);
    let mut add = |value: &Value, schema: &Value| {
        let text =
            if json && !value.is_null() { Some(value.to_string().into()) } else { text(value, schema) };
        pairs.extend(text.map(|text| Pair::new(&encode::strict(name), &encode::strict(&text))));
    };
    match value {
        Value::Array(items) => items.iter().for_each(|item| add(item, child(schema, "items"))),
        value => add(value, schema),
    }
}

/// What an `encoding` object says about how a value is written.
pub(super) struct ByStyle {
    pub(super) style: Style,
    pub(super) explode: bool,
    reserved: bool,
}

/// How a value is written, if the `encoding` object says so; else its content type decides.
pub(super) fn by_style(encoding: &Value) -> Option<ByStyle> {
    if !["style", "explode", "allowReserved"].iter().any(|key| encoding.get(key).is_some()) {
        return None;
    }
    let style = match child(encoding, "style").as_str() {
        Some("spaceDelimited") => Style::SpaceDelimited,
        Some("pipeDelimited") => Style::PipeDelimited,
        // Swagger 2.0's `tsv`.
        Some("tabDelimited") => Style::TabDelimited,
        Some("deepObject") => Style::DeepObject,
        _ => Style::Form,
    };
    let explode = child(encoding, "explode").as_bool().unwrap_or(style == Style::Form);
    let reserved = child(encoding, "allowReserved").as_bool().unwrap_or(false);
    Some(ByStyle { style, explode, reserved })
}
