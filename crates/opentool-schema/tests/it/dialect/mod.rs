//! Dialects: every schema of `tests/golden/dialect/schemas.jsonl` in every dialect, judged by a validator and a
//! linter that share nothing with the lowering.

mod explained;
mod generated;
mod generator;
mod hostile;
mod independent;
mod law;
mod matrix;
mod named_alike;
mod strict;
mod told;

use opentool_core::{Schema, ToolDefinition};
use opentool_schema::{Dialect, LowerOptions, Lowered, Strict};
use serde_json::{Map, Value, json};

/// A schema with arguments that fit and arguments that do not.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) schema: Value,
    pub(crate) valid: Vec<Value>,
    pub(crate) invalid: Vec<Value>,
}

pub(crate) fn cases() -> Vec<Case> {
    let text = include_str!("../../golden/dialect/schemas.jsonl");
    let list = |value: &Value| value.as_array().unwrap().clone();
    text.lines()
        .map(|line| {
            let case: Value = serde_json::from_str(line).unwrap();
            Case {
                name: case["name"].as_str().unwrap().to_owned(),
                schema: case["schema"].clone(),
                valid: list(&case["valid"]),
                invalid: list(&case["invalid"]),
            }
        })
        .collect()
}

pub(crate) fn tool(schema: Value) -> ToolDefinition {
    ToolDefinition::new("tool", "A tool.").input_schema(Schema::new(schema))
}

/// Every way of lowering that there is: the dialects, and the strict modes that have no dialect of their own.
pub(crate) fn ways() -> Vec<LowerOptions> {
    let mut ways: Vec<LowerOptions> = Dialect::all().iter().copied().map(LowerOptions::new).collect();
    ways.push(LowerOptions::new(Dialect::Bedrock).strict(Strict::Always));
    ways.push(LowerOptions::new(Dialect::Mistral).strict(Strict::Always));
    ways
}

pub(crate) fn label(way: &LowerOptions) -> String {
    let implied = *way == LowerOptions::new(way.dialect);
    if implied { way.dialect.to_string() } else { format!("{} --strict always", way.dialect) }
}

/// The lowered schema, wherever the dialect has it.
pub(crate) fn schema_of(lowered: &Lowered) -> Value {
    let places = [
        "/function/parameters",
        "/parameters",
        "/input_schema",
        "/parametersJsonSchema",
        "/toolSpec/inputSchema/json",
        "/inputSchema",
    ];
    let found = places.iter().find_map(|place| lowered.definition.pointer(place));
    match found {
        Some(schema) => schema.clone(),
        None if lowered.definition.get("title").is_some() => lowered.definition.clone(),
        // Gemini's declarations without arguments have no schema.
        None => json!({"type": "object", "properties": {}, "additionalProperties": false}),
    }
}

/// The spelling of OpenAPI 3.0 as JSON Schema.
pub(crate) fn spelled_out(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut done = Map::new();
            for (keyword, member) in members {
                let member = match (keyword.as_str(), member) {
                    ("type", Value::String(kind)) => kind.to_lowercase().into(),
                    ("nullable", _) => continue,
                    ("enum" | "default", data) => data.clone(),
                    // Names may look like keywords.
                    ("properties" | "$defs", Value::Object(named)) => {
                        named.iter().map(|(name, inner)| (name.clone(), spelled_out(inner))).collect()
                    }
                    (_, other) => spelled_out(other),
                };
                done.insert(keyword.clone(), member);
            }
            if members.get("nullable") == Some(&json!(true)) {
                return json!({"anyOf": [done, {"type": "null"}]});
            }
            Value::Object(done)
        }
        Value::Array(items) => items.iter().map(spelled_out).collect(),
        other => other.clone(),
    }
}

/// The judge: the `jsonschema` crate as it is.
pub(crate) fn judge(schema: &Value) -> jsonschema::Validator {
    let mut options = jsonschema::options().should_validate_formats(true);
    if schema.get("$schema").is_none() {
        options = options.with_draft(jsonschema::Draft::Draft202012);
    }
    options.build(schema).unwrap_or_else(|error| panic!("{error}\n{schema:#}"))
}

/// The judge of a schema as it came, in the draft that it names.
pub(crate) fn judge_of_original(schema: &Value) -> jsonschema::Validator {
    jsonschema::options()
        .should_validate_formats(true)
        .build(schema)
        .unwrap_or_else(|error| panic!("{error}\n{schema:#}"))
}
