//! What lowering costs, by count: the clock of a busy machine says nothing.

use opentool_core::{Schema, ToolDefinition};
use serde_json::{Map, Value, json};

use super::bombs::bombs;
use super::{LowerError, Lowered, Making, Rules, weight};
use crate::SchemaError;
use crate::dialect::Dialect;

fn tool(schema: Value) -> ToolDefinition {
    ToolDefinition::new("t", "").input_schema(Schema::new(schema))
}

/// Every table of rules, with a dialect that has it.
fn tables() -> Vec<(Dialect, &'static Rules)> {
    let mut tables: Vec<(Dialect, &'static Rules)> = Vec::new();
    for dialect in Dialect::all() {
        for rules in [Some(dialect.loose()), dialect.strict()].into_iter().flatten() {
            if !tables.iter().any(|(_, other)| std::ptr::eq(*other, rules)) {
                tables.push((*dialect, rules));
            }
        }
    }
    tables
}

/// Lowers, and says what it cost.
fn lowered(tool: &ToolDefinition, dialect: Dialect, rules: &Rules) -> (Result<Lowered, LowerError>, usize) {
    let mut making = Making::of(tool, dialect, "t".to_owned()).unwrap();
    let lowered = making.by(rules);
    (lowered, making.work.spent())
}

#[test]
fn bombs_are_lowered_or_refused_within_the_work_of_one_tool() {
    for n in [2, 9, 30] {
        for (name, schema) in bombs(n) {
            let (tool, own) = (tool(schema.clone()), weight(&schema));
            for (dialect, rules) in tables() {
                let case = || format!("{name} {n} in {dialect}, {:?}", rules.form);
                let (lowered, spent) = lowered(&tool, dialect, rules);
                assert!(spent <= 400_000 + 60 * own, "{}: {spent}", case());
                match lowered {
                    // What was made was paid for, the copies too.
                    Ok(lowered) => {
                        let made = weight(&lowered.definition) + lowered.decoder.weight();
                        assert!(made <= 6 * own + spent, "{}: {made} for {spent}", case());
                    }
                    Err(LowerError::Schema(SchemaError::TooComplex { .. })) => {
                        assert!(spent > 350_000 || n > 9, "{}: refused after {spent}", case());
                    }
                    Err(LowerError::OverBudget { .. } | LowerError::NeverValid { .. }) => {}
                    Err(LowerError::Schema(SchemaError::External { .. })) if name.contains("anchor") => {}
                    Err(error) => panic!("{}: {error}", case()),
                }
            }
        }
    }
}

/// Schemas as people write them, of about `n` parts.
fn ordinary(n: usize) -> Vec<(&'static str, Value)> {
    let many = |make: &dyn Fn(usize) -> Value| (0..n).map(make).collect::<Vec<_>>();
    let named = |make: &dyn Fn(usize) -> Value| -> Map<String, Value> {
        (0..n).map(|i| (format!("p{i}"), make(i))).collect()
    };
    let properties = |make: &dyn Fn(usize) -> Value| json!({"type": "object", "properties": named(make), "additionalProperties": false});
    let definition = |i: usize| json!({"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": format!("#/$defs/p{}", (i + 1) % n)}}, "additionalProperties": false});
    vec![
        ("texts", properties(&|i| json!({"type": "string", "description": format!("Number {i}."), "minLength": 1}))),
        ("objects", properties(&|i| json!({"type": "object", "properties": {format!("a{i}"): {"type": "integer"}}, "required": [format!("a{i}")]}))),
        ("maps", properties(&|_| json!({"type": "object", "additionalProperties": {"type": "integer"}}))),
        ("lists", properties(&|_| json!({"type": ["array", "null"], "items": {"type": "string", "format": "uri"}}))),
        ("alternatives", properties(&|_| json!({"anyOf": [{"type": "object", "additionalProperties": {}}, {"type": "string"}]}))),
        ("values", properties(&|i| json!({"enum": [i, format!("v{i}"), null]}))),
        ("one of many values", properties(&|_| json!({})).as_object().map_or(json!({}), |_| json!({"type": "object", "properties": {"e": {"enum": many(&|i| json!(format!("v{i}")))}}}))),
        ("places", json!({"type": "object", "properties": {"t": {"type": "array", "prefixItems": many(&|_| json!({"type": "integer"}))}}})),
        ("parts", json!({"type": "object", "allOf": many(&|i| json!({"properties": {format!("p{i}"): {"type": "integer"}}}))})),
        ("odd names", json!({"type": "object", "properties": (0..n).map(|i| (format!("p {i}"), json!({"type": "integer"}))).collect::<Map<_, _>>()})),
        ("definitions", json!({"type": "object", "properties": {"d": {"$ref": "#/$defs/p0"}}, "$defs": named(&definition)})),
        ("anchors", json!({"type": "object", "properties": named(&|i| json!({"$ref": format!("#a{i}")})), "$defs": named(&|i| json!({"$anchor": format!("a{i}"), "type": "integer"}))})),
    ]
}

#[test]
fn twice_the_schema_costs_twice_as_much_and_no_more() {
    let cost = |n: usize| -> Vec<(String, usize)> {
        let mut all = Vec::new();
        for (name, schema) in ordinary(n) {
            let tool = tool(schema);
            for (dialect, rules) in tables() {
                let (lowered, spent) = lowered(&tool, dialect, rules);
                let fine = matches!(lowered, Ok(_) | Err(LowerError::OverBudget { .. }));
                assert!(fine, "{name} {n} in {dialect}: {:?}", lowered.err());
                all.push((format!("{name} in {dialect}, {:?}", rules.form), spent));
            }
        }
        all
    };
    for ((case, once), (_, twice)) in cost(150).into_iter().zip(cost(300)) {
        assert!(twice <= once * 22 / 10 + 100, "{case}: {once}, and of twice the size {twice}");
    }
}

#[test]
fn rows_of_definitions_need_no_stack() {
    let row = |n: usize, make: &dyn Fn(Value) -> Value| {
        let next = |i: usize| json!({"$ref": format!("#/$defs/d{}", i + 1)});
        let mut all: Map<String, Value> = (0..n).map(|i| (format!("d{i}"), make(next(i)))).collect();
        all.insert(format!("d{n}"), json!({"type": "object"}));
        json!({"type": "object", "properties": {"a b": {"$ref": "#/$defs/d0"}}, "$defs": all})
    };
    for make in [
        (&|next| json!({"type": "object", "properties": {"c d": next}, "required": ["c d"]}))
            as &dyn Fn(Value) -> Value,
        &|next| json!({"type": "object", "properties": {"c d": next}}),
        &|next| json!({"type": "array", "items": next}),
        &|next| json!({"anyOf": [next, {"type": "integer"}]}),
        &|next| json!({"type": ["object", "integer"], "anyOf": [next, {"minimum": 1}]}),
        &|next| json!({"allOf": [next, {"type": "object"}]}),
        &|next| next,
        &|next| json!({"not": next, "if": {"properties": {"a": next}}}),
        &|next| json!({"type": "object", "propertyNames": {"not": next}, "additionalProperties": next}),
        &|next| json!({"type": "array", "prefixItems": [next]}),
    ] {
        let tool = tool(row(200, make));
        for (dialect, rules) in tables() {
            let (lowered, _) = lowered(&tool, dialect, rules);
            let Ok(lowered) = lowered else { continue };
            assert!(crate::validator::within(&lowered.definition, 400), "{dialect}");
            for value in [json!({"c d": 1}), json!([[1]]), json!(1), json!("x"), json!({"a": {}})] {
                let value = json!({"a b": value});
                let _ = lowered.decoder.decode(value.clone());
                let _ = lowered.decoder.encode(&value);
            }
        }
    }
}
