//! Drafts 4 to 2019-09 → Draft 2020-12, in place; what means the same is only written as it is today.
//!
//! Forms that are unmistakable (a list of `items`, a boolean `exclusiveMinimum`) are taken for what they are in
//! whatever draft a schema claims. What depends on the draft (keywords beside `$ref`) depends on `$schema`.

use serde_json::{Map, Value, json};

use super::escaped;
use super::survey::Holds;
use crate::validator::draft_of;

/// Rewrites the schema.
pub(crate) fn modernise(schema: &mut Value) {
    // Up to draft 7 a reference stands for its whole schema.
    let lone_references = matches!(
        draft_of(schema),
        jsonschema::Draft::Draft4 | jsonschema::Draft::Draft6 | jsonschema::Draft::Draft7
    );
    if let Some(root) = schema.as_object_mut() {
        root.shift_remove("$schema");
    }
    visit(schema, lone_references);
}

/// Where drafts 6 and 7 check what a text holds. Later drafts only tell of it.
pub(super) fn checked_contents(schema: &Value, run: &mut impl FnMut(&str, &'static str)) {
    if matches!(draft_of(schema), jsonschema::Draft::Draft6 | jsonschema::Draft::Draft7) {
        contents(schema, &mut String::new(), run);
    }
}

fn contents(schema: &Value, path: &mut String, run: &mut impl FnMut(&str, &'static str)) {
    let Value::Object(members) = schema else { return };
    for keyword in ["contentEncoding", "contentMediaType"] {
        if members.contains_key(keyword) {
            run(path, keyword);
        }
    }
    for (keyword, member) in members.iter().filter(|(keyword, _)| super::survey::holds(keyword).is_some()) {
        let length = path.len();
        path.push('/');
        path.push_str(keyword);
        let is_map =
            !matches!(super::survey::holds(keyword), Some(Holds::One | Holds::OneOrList | Holds::List));
        match member {
            Value::Object(map) if is_map => {
                for (key, inner) in map {
                    let length = path.len();
                    path.push('/');
                    path.push_str(&escaped(key));
                    contents(inner, path, run);
                    path.truncate(length);
                }
            }
            Value::Array(list) => {
                for (i, inner) in list.iter().enumerate() {
                    let length = path.len();
                    path.push_str(&format!("/{i}"));
                    contents(inner, path, run);
                    path.truncate(length);
                }
            }
            inner => contents(inner, path, run),
        }
        path.truncate(length);
    }
}

fn visit(schema: &mut Value, lone_references: bool) {
    let Value::Object(members) = schema else { return };
    if lone_references && members.contains_key("$ref") {
        members.retain(|keyword, _| {
            matches!(
                keyword.as_str(),
                "$ref"
                    | "$defs"
                    | "definitions"
                    | "$comment"
                    | "title"
                    | "description"
                    | "default"
                    | "examples"
                    | "deprecated"
            )
        });
    }
    one(members);
    for (keyword, member) in members.iter_mut() {
        match super::survey::holds(keyword) {
            None => {}
            Some(_)
                if matches!(
                    keyword.as_str(),
                    "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions"
                ) =>
            {
                for (_, inner) in member.as_object_mut().into_iter().flatten() {
                    visit(inner, lone_references);
                }
            }
            Some(_) => match member {
                Value::Array(list) => list.iter_mut().for_each(|inner| visit(inner, lone_references)),
                inner => visit(inner, lone_references),
            },
        }
    }
}

/// The keywords of one schema.
fn one(members: &mut Map<String, Value>) {
    for keyword in ["pattern", "format", "description", "title"] {
        if members.get(keyword).is_some_and(Value::is_null) {
            members.shift_remove(keyword);
        }
    }
    if members.get("items").is_some_and(Value::is_array) {
        rename(members, "items", "prefixItems");
        if members.contains_key("additionalItems") {
            rename(members, "additionalItems", "items");
        }
    } else {
        // Without a list of items it says nothing.
        members.shift_remove("additionalItems");
    }
    for (bound, strict) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        match members.get(strict) {
            Some(Value::Bool(true)) => {
                members.shift_remove(strict);
                rename(members, bound, strict);
            }
            Some(Value::Bool(false)) => {
                members.shift_remove(strict);
            }
            _ => {}
        }
    }
    if members.get("required").is_some_and(Value::is_boolean) {
        members.shift_remove("required");
    }
    if members.contains_key("$ref") {
        // Both apply.
        if let Some(also) = members.shift_remove("$recursiveRef")
            && let Value::Array(all) = members.entry("allOf").or_insert_with(|| json!([]))
        {
            all.push(json!({"$ref": also}));
        }
    }
    rename(members, "$recursiveRef", "$ref");
    members.shift_remove("$recursiveAnchor");
    if let Some(Value::Object(dependencies)) = members.shift_remove("dependencies") {
        let (names, schemas): (Map<_, _>, Map<_, _>) =
            dependencies.into_iter().partition(|(_, dependency)| dependency.is_array());
        for (keyword, more) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
            if !more.is_empty()
                && let Value::Object(there) =
                    members.entry(keyword).or_insert_with(|| Value::Object(Map::new()))
            {
                there.extend(more);
            }
        }
    }
    if let Some(Value::String(id)) = members.get("id").filter(|_| !members.contains_key("$id")) {
        let key = if id.starts_with('#') { "$anchor" } else { "$id" };
        rename(members, "id", key);
    }
    if members.get("$id").and_then(Value::as_str).is_some_and(|id| id.starts_with('#')) {
        rename(members, "$id", "$anchor");
    }
    if let Some(Value::String(anchor)) = members.get_mut("$anchor") {
        *anchor = anchor.trim_start_matches('#').to_owned();
    }
}

/// The same member in the same place under another keyword; what bears that keyword already gives way.
fn rename(members: &mut Map<String, Value>, from: &str, to: &str) {
    if !members.contains_key(from) {
        return;
    }
    members.shift_remove(to);
    let all = std::mem::take(members);
    *members =
        all.into_iter().map(|(key, value)| (if key == from { to.to_owned() } else { key }, value)).collect();
}
