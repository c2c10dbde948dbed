//! The root of a schema that is not plainly an object: providers take nothing else there.

use serde_json::{Map, Value, json};

use super::{Effect, Rewrites, plain};
use crate::dialect::codec::{Codec, Decoder};
use crate::keywords::{holds_data, holds_named};

/// References and parts in a row that are followed.
const FOLLOWED: usize = 16;

/// The name under which arguments stand that are no plain object.
pub(crate) const WRAPPER: &str = "arguments";

/// Keywords that providers do not take at the root.
const NOT_THERE: [&str; 9] = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "$ref", "$dynamicRef"];

/// Whether a schema plainly takes no object: what it says of types, by references and `allOf` too.
pub(crate) fn excludes_objects(root: &Value) -> bool {
    let mut open = vec![(root, FOLLOWED)];
    while let Some((schema, left)) = open.pop() {
        let Some(left) = usize::checked_sub(left, 1) else { continue };
        let excludes = match schema.get("type") {
            Some(Value::String(kind)) => kind != "object",
            Some(Value::Array(kinds)) => !kinds.iter().any(|kind| kind == "object"),
            _ => false,
        };
        let values = schema.get("enum").and_then(Value::as_array);
        let no_value = values.is_some_and(|values| !values.iter().any(Value::is_object))
            || schema.get("const").is_some_and(|only| !only.is_object());
        if excludes || no_value {
            return true;
        }
        let target = schema.get("$ref").and_then(Value::as_str).and_then(super::pointed);
        open.extend(target.and_then(|pointer| Some((root.pointer(&pointer)?, left))));
        let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        open.extend(parts.take(FOLLOWED).map(|part| (part, left)));
        if open.len() > FOLLOWED * FOLLOWED {
            return false;
        }
    }
    false
}

/// The schema with an object at its root, and nothing else changed.
pub(crate) fn as_it_is(schema: &Value, rewrites: &mut Rewrites) -> (Value, Decoder) {
    if schema.get("type").is_some_and(|kind| kind == "object") {
        return plain(schema.clone());
    }
    plain(typed(schema, rewrites))
}

/// The schema for a provider that wants a plain object: as it is, or wrapped.
pub(crate) fn plain_object(schema: &Value, rewrites: &mut Rewrites) -> (Value, Codec) {
    let Value::Object(members) = schema else { return (typed(schema, rewrites), Codec::Same) };
    let odd = NOT_THERE.iter().find(|keyword| members.contains_key(**keyword));
    match odd {
        None if members.get("type").is_some_and(|kind| kind == "object") => (schema.clone(), Codec::Same),
        None => (typed(schema, rewrites), Codec::Same),
        Some(keyword) => {
            let done = format!("the whole stands under `{WRAPPER}`");
            rewrites.push("", keyword, Effect::Exact, done);
            (wrapped(members), Codec::Wrapped(WRAPPER.to_owned(), Box::new(Codec::Same)))
        }
    }
}

/// The schema with `type: object`: arguments are never anything else.
fn typed(schema: &Value, rewrites: &mut Rewrites) -> Value {
    let mut root = Map::new();
    root.insert("type".to_owned(), "object".into());
    match schema {
        Value::Object(members) => {
            if members.contains_key("type") {
                rewrites.push("", "type", Effect::Exact, "`object`, because arguments are nothing else");
            } else {
                rewrites.push("", "type", Effect::Exact, "added: arguments are an object");
            }
            root.extend(
                members.iter().filter(|(key, _)| *key != "type").map(|(k, v)| (k.clone(), v.clone())),
            );
        }
        Value::Bool(false) => {
            rewrites.push("", "", Effect::Exact, "`false` is written as `not`");
            root.insert("not".to_owned(), json!({}));
        }
        _ => rewrites.push("", "type", Effect::Exact, "added: arguments are an object"),
    }
    Value::Object(root)
}

/// The schema under one property of an object, definitions left at the root.
fn wrapped(members: &Map<String, Value>) -> Value {
    let at_root = |keyword: &str| matches!(keyword, "$schema" | "$defs" | "definitions" | "$id");
    let mut inner = Map::new();
    let mut root = Map::new();
    for (keyword, member) in members {
        let mut member = member.clone();
        if at_root(keyword) {
            redirect_under(keyword, &mut member);
            root.insert(keyword.clone(), member);
        } else {
            inner.insert(keyword.clone(), member);
        }
    }
    let mut inner = Value::Object(inner);
    redirect(&mut inner);
    root.insert("type".to_owned(), "object".into());
    root.insert("properties".to_owned(), json!({WRAPPER: inner}));
    root.insert("required".to_owned(), json!([WRAPPER]));
    root.insert("additionalProperties".to_owned(), false.into());
    Value::Object(root)
}

/// References into what has moved.
fn redirect(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for keyword in ["$ref", "$dynamicRef"] {
                let Some(Value::String(reference)) = members.get_mut(keyword) else { continue };
                let stays = ["#/$defs/", "#/definitions/"].iter().any(|start| reference.starts_with(start));
                if let Some(rest) = reference
                    .strip_prefix('#')
                    .filter(|rest| !stays && (rest.is_empty() || rest.starts_with('/')))
                {
                    *reference = format!("#/properties/{WRAPPER}{rest}");
                }
            }
            for (keyword, member) in members.iter_mut() {
                redirect_under(keyword, member);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redirect),
        _ => {}
    }
}

/// Those in the value of a keyword.
fn redirect_under(keyword: &str, member: &mut Value) {
    match member {
        Value::Object(named) if holds_named(keyword) => {
            named.iter_mut().for_each(|(_, inner)| redirect(inner));
        }
        _ if holds_data(keyword) => {}
        _ => redirect(member),
    }
}
