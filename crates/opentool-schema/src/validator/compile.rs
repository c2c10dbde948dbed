//! How schemas are handed to the `jsonschema` crate: drafts, formats, patterns, no retrieval.
//!
//! This and `explain` are the only places that know the crate.

use jsonschema::{Draft, PatternOptions};
use serde_json::{Map, Value};

use crate::SchemaError;
use crate::dialect::lower::modernise;
use crate::keywords::{holds_data, holds_named};
use crate::text::shorten;

/// Formats that only annotate, because values that are meant break their rules every day: `14:30` as a time without
/// seconds and offset, `1h30m` as a duration.
const UNASSERTED: [&str; 2] = ["time", "duration"];

/// Bytes that one pattern may compile to.
const PATTERN_SIZE: usize = 2 << 20;
/// Steps back that a pattern with look-around or back-references may take before the match counts as failed.
const BACKTRACKS: usize = 20_000;

/// The draft that `$schema` names; 2020-12 where it names none that is known.
pub(crate) fn draft_of(schema: &Value) -> Draft {
    known_draft(schema).unwrap_or(Draft::Draft202012)
}

fn known_draft(schema: &Value) -> Option<Draft> {
    let name = schema.get("$schema")?.as_str()?.trim_end_matches('#');
    let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"))?;
    Some(match name {
        "json-schema.org/draft-04/schema" => Draft::Draft4,
        "json-schema.org/draft-06/schema" => Draft::Draft6,
        "json-schema.org/draft-07/schema" => Draft::Draft7,
        "json-schema.org/draft/2019-09/schema" => Draft::Draft201909,
        "json-schema.org/draft/2020-12/schema" => Draft::Draft202012,
        _ => return None,
    })
}

/// Compiles a whole schema.
pub(super) fn compile(schema: &Value) -> Result<jsonschema::Validator, SchemaError> {
    match (schema.get("$schema"), known_draft(schema)) {
        // Vendors' dialects (that of OpenAPI 3.1, for example) would have to be fetched to be known.
        (Some(_), None) => {
            let mut plain = schema.clone();
            if let Some(root) = plain.as_object_mut() {
                root.shift_remove("$schema");
            }
            build(&plain, Draft::Draft202012)
        }
        (_, draft) => build(schema, draft.unwrap_or(Draft::Draft202012)),
    }
}

/// The schema in today's draft, where it names no draft and has forms of an older one: a list of `items`, a boolean
/// `exclusiveMinimum`.
pub(super) fn modern(schema: &Value) -> Option<Value> {
    if known_draft(schema).is_some() {
        return None;
    }
    let mut written = schema.clone();
    modernise(&mut written);
    (written != *schema).then_some(written)
}

/// The schema without `$schema` within it, where that is not the root of a document of its own: it means nothing there
/// (2020-12, section 8.1.1), and must not change what the keywords beside it mean. `None` where there is none.
pub(super) fn one_draft(schema: &Value) -> Option<Value> {
    has_drafts(schema, Place::Root).then(|| {
        let mut plain = schema.clone();
        drop_drafts(&mut plain, Place::Root);
        plain
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Within,
}

fn names_draft(members: &Map<String, Value>, place: Place) -> bool {
    place == Place::Within
        && members.get("$schema").is_some_and(Value::is_string)
        && !members.contains_key("$id")
}

fn has_drafts(schema: &Value, place: Place) -> bool {
    let within = |schema| has_drafts(schema, Place::Within);
    match schema {
        Value::Object(members) => {
            names_draft(members, place)
                || members.iter().any(|(keyword, value)| match value {
                    _ if holds_data(keyword) => false,
                    Value::Object(schemas) if holds_named(keyword) => schemas.values().any(within),
                    value => within(value),
                })
        }
        Value::Array(schemas) => schemas.iter().any(within),
        _ => false,
    }
}

fn drop_drafts(schema: &mut Value, place: Place) {
    let within = |schema: &mut Value| drop_drafts(schema, Place::Within);
    match schema {
        Value::Object(members) => {
            if names_draft(members, place) {
                members.shift_remove("$schema");
            }
            for (keyword, value) in members {
                match value {
                    _ if holds_data(keyword) => {}
                    Value::Object(schemas) if holds_named(keyword) => schemas.values_mut().for_each(within),
                    value => within(value),
                }
            }
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(within),
        _ => {}
    }
}

/// Compiles a schema or a piece of one: with patterns that take linear time, or else with bounded ones.
pub(crate) fn build(schema: &Value, draft: Draft) -> Result<jsonschema::Validator, SchemaError> {
    let mut options = jsonschema::options().offline().with_draft(draft).should_validate_formats(true);
    for format in UNASSERTED {
        options = options.with_format(format, |_: &str| true);
    }
    let linear = PatternOptions::regex().size_limit(PATTERN_SIZE);
    let bounded = PatternOptions::fancy_regex().size_limit(PATTERN_SIZE).backtrack_limit(BACKTRACKS);
    match options.clone().with_pattern_options(linear).build(schema) {
        Ok(compiled) => Ok(compiled),
        Err(_) => options.with_pattern_options(bounded).build(schema).map_err(|error| {
            let pointer = error.instance_path().as_str();
            let told = error.to_string();
            let message = match told.strip_suffix(" is not a \"regex\"") {
                Some(pattern) => format!("the pattern {pattern} is no regular expression"),
                None => told,
            };
            SchemaError::Invalid { pointer: pointer.into(), message: shorten(&message, 300).into() }
        }),
    }
}
