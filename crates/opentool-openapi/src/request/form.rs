//! `application/x-www-form-urlencoded` bodies, by the document's `encoding` objects.

use serde_json::{Map, Value};

use super::body::part_as_xml;
use super::encode;
use super::pair::Pair;
use super::style::{self, Encode};
use super::value::{child, text};
use crate::plan::{Media, Style, is_json};
use crate::xml::Unwritable;

/// The pairs of an object, in its order. `null` members are left out: a form has no way to say them.
///
/// # Errors
/// The first member that cannot be written as the XML that it is to be.
pub(super) fn write<'m>(
    media: &Media,
    members: &'m Map<String, Value>,
) -> Result<String, (&'m str, Unwritable)> {
    let mut pairs = Vec::new();
    for (name, value) in members {
        property(media, name, value, &mut pairs).map_err(|unwritable| (name.as_str(), unwritable))?;
    }
    Ok(pairs.iter().map(Pair::text).collect::<Vec<_>>().join("&"))
}

fn property(media: &Media, name: &str, value: &Value, pairs: &mut Vec<Pair>) -> Result<(), Unwritable> {
    let schema = child(child(&media.schema, "properties"), name);
    let encoding = child(&media.encoding, name);
    if let Some(said) = by_style(encoding) {
        let encode: Encode = if said.reserved { encode::reserved } else { encode::strict };
        style::pairs(said.style, said.explode, name, value, schema, encode, pairs);
        return Ok(());
    }
    // Without a style the content type decides, for each item of a list on its own.
    let media_type = child(encoding, "contentType").as_str().unwrap_or_default();
    let mut add = |value: &Value, schema: &Value, index: Option<usize>| {
        let text = match part_as_xml(media, (name, index), value, schema, media_type) {
            Some(written) => Some(written?.into()),
            None if is_json(media_type) && !value.is_null() => Some(value.to_string().into()),
            None => text(value, schema),
        };
        pairs.extend(text.map(|text| Pair::new(&encode::strict(name), &encode::strict(&text))));
        Ok(())
    };
    match value {
        Value::Array(items) => {
            let schema = child(schema, "items");
            items.iter().enumerate().try_for_each(|(index, item)| add(item, schema, Some(index)))
        }
        value => add(value, schema, None),
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
