//! The styles of the specification: a shape becomes text for a path, `name=value` pairs, or a header.
//!
//! Two things of RFC 6570 hold everywhere: what is undefined (`null`, an empty list) leaves no trace, and separators
//! are written raw while the values between them are encoded.

use serde_json::Value;

use super::encode;
use super::value::{Shape, text};
use crate::plan::Style;

/// How single values are encoded.
pub(super) type Encode = fn(&str) -> String;

/// `a,b,c` of a list; `k,v,k,v` or, spread out, `k=v,k=v` of a record.
fn joined(shape: &Shape, explode: bool, separator: &str, encode: Encode) -> Option<String> {
    Some(match shape {
        Shape::Undefined => return None,
        Shape::Scalar(text) => encode(text),
        Shape::List(items) => items.iter().map(|item| encode(item)).collect::<Vec<_>>().join(separator),
        Shape::Record(members) => {
            let between = if explode { "=" } else { separator };
            let members = members.iter().map(|(k, v)| format!("{}{between}{}", encode(k), encode(v)));
            members.collect::<Vec<_>>().join(separator)
        }
    })
}

/// What stands in a path for `{name}`. `None` if there is nothing to write.
pub(super) fn path(style: Style, explode: bool, name: &str, shape: &Shape) -> Option<String> {
    let strict: Encode = encode::strict;
    match style {
        Style::Label => {
            let separator = if explode { "." } else { "," };
            joined(shape, explode, separator, strict).map(|text| format!(".{text}"))
        }
        Style::Matrix => matrix(explode, &strict(name), shape),
        _ => joined(shape, explode, ",", strict),
    }
}

fn matrix(explode: bool, name: &str, shape: &Shape) -> Option<String> {
    let strict: Encode = encode::strict;
    Some(match shape {
        Shape::Scalar(text) if text.is_empty() => format!(";{name}"),
        Shape::List(items) if explode => {
            items.iter().map(|item| format!(";{name}={}", strict(item))).collect()
        }
        Shape::Record(members) if explode => {
            members.iter().map(|(k, v)| format!(";{}={}", strict(k), strict(v))).collect()
        }
        _ => format!(";{name}={}", joined(shape, false, ",", strict)?),
    })
}

/// The value of a header: nothing is encoded.
pub(super) fn header(explode: bool, shape: &Shape) -> Option<String> {
    joined(shape, explode, ",", str::to_owned)
}

/// The `name=value` pairs of a query, a form or a cookie.
pub(super) fn pairs(
    style: Style,
    explode: bool,
    name: &str,
    value: &Value,
    schema: &Value,
    encode: Encode,
) -> Vec<(String, String)> {
    let encoded_name = if style == Style::Cookie { name.to_owned() } else { encode::strict(name) };
    if style == Style::DeepObject && !matches!(value, Value::Null) {
        let mut pairs = Vec::new();
        deep(&encoded_name, value, schema, encode, &mut pairs);
        return pairs;
    }
    let shape = Shape::of(value, schema);
    let name_encode: Encode = if style == Style::Cookie { str::to_owned } else { encode::strict };
    match shape {
        Shape::List(items) if explode => {
            items.iter().map(|item| (encoded_name.clone(), encode(item))).collect()
        }
        Shape::Record(members) if explode => {
            members.iter().map(|(k, v)| (name_encode(k), encode(v))).collect()
        }
        shape => {
            let separator = match style {
                Style::SpaceDelimited => "%20",
                Style::PipeDelimited => "%7C",
                Style::TabDelimited => "%09",
                _ => ",",
            };
            joined(&shape, false, separator, encode).map(|text| (encoded_name, text)).into_iter().collect()
        }
    }
}

/// `name[member]=value`. The specification leaves nested values undefined; members and positions in brackets are what
/// servers that read this form (Rack, PHP, qs) understand, lists of objects included.
fn deep(name: &str, value: &Value, schema: &Value, encode: Encode, pairs: &mut Vec<(String, String)>) {
    let none = &Value::Null;
    match value {
        Value::Object(members) => {
            let properties = schema.get("properties").unwrap_or(none);
            for (member, value) in members {
                let schema = properties.get(member).unwrap_or(none);
                deep(&format!("{name}%5B{}%5D", encode::strict(member)), value, schema, encode, pairs);
            }
        }
        Value::Array(items) => {
            let schema = schema.get("items").unwrap_or(none);
            for (position, value) in items.iter().enumerate() {
                deep(&format!("{name}%5B{position}%5D"), value, schema, encode, pairs);
            }
        }
        scalar => pairs.extend(text(scalar, schema).map(|text| (name.to_owned(), encode(&text)))),
    }
}
