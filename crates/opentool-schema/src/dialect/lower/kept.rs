//! Dialects that take nearly any schema: only what they refuse outright is changed.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::survey::{Survey, holds};
use super::{Effect, Rewrites, escaped, renamed, root};
use crate::dialect::codec::{Codec, Decoder};
use crate::dialect::rules::Rules;

/// The schema as the dialect takes it.
pub(super) fn kept(
    schema: &Value,
    rules: &Rules,
    survey: &Survey,
    rewrites: &mut Rewrites,
) -> (Value, Decoder) {
    let mut schema = Cow::Borrowed(schema);
    if rules.items && survey.bare_arrays {
        each(schema.to_mut(), &mut String::new(), &mut |members, path| fill_array(members, path, rewrites));
    }
    if rules.no_booleans && survey.boolean_properties {
        each(schema.to_mut(), &mut String::new(), &mut |members, path| no_booleans(members, path, rewrites));
    }
    let mut inner = (Codec::Same, Vec::new());
    if let Some(rule) = rules.properties.as_ref().filter(|_| survey.odd_names) {
        inner = renamed::rename(schema.to_mut(), rule, rewrites);
    }
    let (mut schema, codec) = root::plain_object(&schema, rewrites);
    if rules.root_properties
        && let Value::Object(members) = &mut schema
        && !members.contains_key("properties")
    {
        members.insert("properties".to_owned(), Value::Object(Map::new()));
        rewrites.push("", "properties", Effect::Exact, "added: `{}`, which the provider wants at the root");
    }
    let (inner, definitions) = inner;
    let codec = match (codec, inner) {
        (Codec::Wrapped(key, _), inner) => Codec::Wrapped(key, Box::new(inner)),
        (_, inner) => inner,
    };
    let decoder = if codec.is_same() {
        Decoder::default()
    } else {
        Decoder::of_kept(codec, definitions, schema.clone())
    };
    (schema, decoder)
}

/// Gives an array `items`; without them any item will do, which is what `{}` says.
fn fill_array(members: &mut Map<String, Value>, path: &str, rewrites: &mut Rewrites) {
    let is_array = |kind: &Value| {
        kind == "array" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|k| k == "array"))
    };
    if members.get("type").is_some_and(is_array)
        && !members.contains_key("items")
        && !members.contains_key("prefixItems")
    {
        members.insert("items".to_owned(), Value::Object(Map::new()));
        rewrites.push(path, "items", Effect::Exact, "added: `{}`, any item");
    }
}

/// Writes schemas of properties that are `true` or `false` as objects.
fn no_booleans(members: &mut Map<String, Value>, path: &str, rewrites: &mut Rewrites) {
    let Some(Value::Object(properties)) = members.get_mut("properties") else { return };
    for (name, schema) in properties {
        let (written, done) = match schema {
            Value::Bool(true) => (json!({}), "`true` written as `{}`"),
            Value::Bool(false) => (json!({"not": {}}), "`false` written as an object"),
            _ => continue,
        };
        *schema = written;
        rewrites.push(&format!("{path}/properties/{}", escaped(name)), "properties", Effect::Exact, done);
    }
}

/// Visits every object that is a schema.
fn each(schema: &mut Value, path: &mut String, visit: &mut impl FnMut(&mut Map<String, Value>, &str)) {
    let Value::Object(members) = schema else { return };
    visit(members, path);
    for (keyword, member) in members.iter_mut() {
        if holds(keyword).is_none() {
            continue;
        }
        let length = path.len();
        path.push('/');
        path.push_str(keyword);
        match (keyword.as_str(), member) {
            (
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions",
                Value::Object(map),
            ) => {
                for (key, inner) in map {
                    let length = path.len();
                    path.push('/');
                    path.push_str(&escaped(key));
                    each(inner, path, visit);
                    path.truncate(length);
                }
            }
            (_, Value::Array(list)) => {
                for (i, inner) in list.iter_mut().enumerate() {
                    let length = path.len();
                    path.push_str(&format!("/{i}"));
                    each(inner, path, visit);
                    path.truncate(length);
                }
            }
            (_, inner) => each(inner, path, visit),
        }
        path.truncate(length);
    }
}
