//! The styles of the specification: a shape becomes text for a path, `name=value` pairs, or a header.
//!
//! Two things of RFC 6570 hold everywhere: what is undefined (`null`, an empty list) leaves no trace, and separators
//! are written raw while the values between them are encoded.

use std::borrow::Cow;

use serde_json::Value;

use super::encode;
use super::pair::Pair;
use super::value::{Shape, text};
use crate::plan::Style;

/// How single values are encoded.
pub(super) type Encode = for<'t> fn(&'t str) -> Cow<'t, str>;

/// Writes `a,b,c` of a list; `k,v,k,v` or, spread out, `k=v,k=v` of a record.
fn join(shape: &Shape<'_>, explode: bool, separator: &str, encode: Encode, out: &mut String) {
    match shape {
        Shape::Undefined => {}
        Shape::Scalar(text) => out.push_str(&encode(text)),
        Shape::List(items) => {
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { separator });
                out.push_str(&encode(item));
            }
        }
        Shape::Record(members) => {
            let between = if explode { "=" } else { separator };
            for (index, (name, value)) in members.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { separator });
                out.push_str(&encode(name));
                out.push_str(between);
                out.push_str(&encode(value));
            }
        }
    }
}

/// What stands between the values of a list that is not spread out.
pub(super) fn separator(style: Style) -> char {
    match style {
        Style::SpaceDelimited => ' ',
        Style::PipeDelimited => '|',
        Style::TabDelimited => '\t',
        _ => ',',
    }
}

/// The same as it stands in a URL.
fn encoded_separator(style: Style) -> &'static str {
    match style {
        Style::SpaceDelimited => "%20",
        Style::PipeDelimited => "%7C",
        Style::TabDelimited => "%09",
        _ => ",",
    }
}

/// What stands in a path for `{name}`. `None` if there is nothing to write.
pub(super) fn path(style: Style, explode: bool, name: &str, shape: &Shape<'_>) -> Option<String> {
    if *shape == Shape::Undefined {
        return None;
    }
    let mut out = String::new();
    match style {
        Style::Label => {
            out.push('.');
            join(shape, explode, if explode { "." } else { "," }, encode::strict, &mut out);
        }
        Style::Matrix => matrix(explode, &encode::strict(name), shape, &mut out),
        style => join(shape, explode, encoded_separator(style), encode::strict, &mut out),
    }
    Some(out)
}

fn matrix(explode: bool, name: &str, shape: &Shape<'_>, out: &mut String) {
    let mut add = |name: &str, value: &str| {
        out.push(';');
        out.push_str(name);
        out.push('=');
        out.push_str(value);
    };
    match shape {
        Shape::Scalar(text) if text.is_empty() => {
            out.push(';');
            out.push_str(name);
        }
        Shape::List(items) if explode => items.iter().for_each(|item| add(name, &encode::strict(item))),
        Shape::Record(members) if explode => {
            members.iter().for_each(|(k, v)| add(&encode::strict(k), &encode::strict(v)));
        }
        shape => {
            add(name, "");
            join(shape, false, ",", encode::strict, out);
        }
    }
}

/// The value of a header: nothing is encoded.
pub(super) fn header(style: Style, explode: bool, shape: &Shape<'_>) -> Option<String> {
    if *shape == Shape::Undefined {
        return None;
    }
    let mut out = String::new();
    join(shape, explode, separator(style).encode_utf8(&mut [0; 4]), encode::raw, &mut out);
    Some(out)
}

/// Adds the `name=value` pairs of a query, a form or a cookie.
pub(super) fn pairs(
    style: Style,
    explode: bool,
    name: &str,
    value: &Value,
    schema: &Value,
    encode: Encode,
    pairs: &mut Vec<Pair>,
) {
    let name_encode: Encode = if style == Style::Cookie { encode::raw } else { encode::strict };
    let name = name_encode(name);
    if style == Style::DeepObject && !matches!(value, Value::Null) {
        return deep(&name, value, schema, encode, pairs);
    }
    match Shape::of(value, schema) {
        Shape::Undefined => {}
        Shape::List(items) if explode => {
            pairs.extend(items.iter().map(|item| Pair::new(&name, &encode(item))));
        }
        Shape::Record(members) if explode => {
            pairs.extend(members.iter().map(|(k, v)| Pair::new(&name_encode(k), &encode(v))));
        }
        shape => pairs.push(Pair::written(&name, |out| {
            join(&shape, false, encoded_separator(style), encode, out);
        })),
    }
}

/// `name[member]=value`. The specification leaves nested values undefined; members and positions in brackets are what
/// servers that read this form (Rack, PHP, qs) understand, lists of objects included.
fn deep(name: &str, value: &Value, schema: &Value, encode: Encode, pairs: &mut Vec<Pair>) {
    let none = &Value::Null;
    match value {
        Value::Object(members) => {
            let properties = schema.get("properties").unwrap_or(none);
            for (member, value) in members {
                let schema = properties.get(member).unwrap_or(none);
                deep(&bracketed(name, &encode::strict(member)), value, schema, encode, pairs);
            }
        }
        Value::Array(items) => {
            let schema = schema.get("items").unwrap_or(none);
            for (position, value) in items.iter().enumerate() {
                deep(&bracketed(name, &position.to_string()), value, schema, encode, pairs);
            }
        }
        scalar => pairs.extend(text(scalar, schema).map(|text| Pair::new(name, &encode(&text)))),
    }
}

/// `name[member]`, encoded.
fn bracketed(name: &str, member: &str) -> String {
    [name, "%5B", member, "%5D"].concat()
}
