//! `nullable`: the way of 3.0 to say that null is allowed too. It lives on in documents of 3.1.

use serde_json::{Map, Value, json};

use super::convert::Converter;
use super::keyword::{as_flag, is_note};

impl Converter<'_, '_> {
    /// Adds null to what a schema allows, where the original says `nullable`.
    pub(super) fn allow_null(&self, schema: &Map<String, Value>, out: Map<String, Value>) -> Value {
        let says_so = schema.get("nullable").or_else(|| schema.get("x-nullable"));
        if says_so.and_then(as_flag) != Some(true) {
            return Value::Object(out);
        }
        with_null(out)
    }
}

/// A schema that takes null as well.
pub(super) fn with_null(mut out: Map<String, Value>) -> Value {
    // These describe the value as a whole; a type beside them cannot let null pass.
    let composed =
        ["$ref", "allOf", "anyOf", "oneOf", "not", "if"].iter().any(|keyword| out.contains_key(*keyword));
    if composed {
        let (notes, rules): (Map<String, Value>, Map<String, Value>) =
            out.into_iter().partition(|(keyword, _)| is_note(keyword));
        let mut wrapped = notes;
        wrapped.insert("anyOf".to_owned(), json!([rules, {"type": "null"}]));
        return Value::Object(wrapped);
    }
    match out.get_mut("type") {
        Some(types @ Value::String(_)) if *types != "null" => *types = json!([types, "null"]),
        Some(Value::Array(types)) if !types.iter().any(|word| word == "null") => types.push(json!("null")),
        _ => {}
    }
    if let Some(Value::Array(values)) = out.get_mut("enum")
        && !values.iter().any(Value::is_null)
    {
        values.push(Value::Null);
    }
    if let Some(only) = out.shift_remove("const") {
        out.insert("enum".to_owned(), json!([only, null]));
    }
    Value::Object(out)
}
