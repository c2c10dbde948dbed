//! Schemas and arguments that are made to do harm: each comes back, with an error or a verdict.
//!
//! None of these tests measures time: without the bound they would not end, or would end the process.

use std::fmt::Write as _;

use opentool_core::{InvalidArguments, Schema};
use opentool_schema::{Repairs, SchemaError, Validator};
use serde_json::{Map, Value, json};

use crate::tools::{nested, with_deep};

fn compile(schema: Value) -> Result<Validator, SchemaError> {
    Validator::new(&Schema::new(schema))
}

fn refused(schema: Value) -> SchemaError {
    compile(schema).expect_err("the schema must be refused")
}

fn rules(result: Result<(), InvalidArguments>) -> Vec<String> {
    result.expect_err("must not be valid").problems.into_iter().map(|problem| problem.rule).collect()
}

/// `d0` to `d{n}`, each made from the reference to the next one; the last is a string.
fn chain(length: usize, hop: impl Fn(Value) -> Value) -> Value {
    let mut definitions = Map::new();
    for i in 0..length {
        let next = json!({"$ref": format!("#/$defs/d{}", i + 1)});
        definitions.insert(format!("d{i}"), hop(next));
    }
    definitions.insert(format!("d{length}"), json!({"type": "string"}));
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

#[test]
fn nothing_is_fetched() {
    for reference in [
        "https://example.com/schema.json",
        "file:///etc/passwd",
        "other.json",
        "other.json#/a",
        "//host/x",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        let error = refused(json!({"properties": {"a/b": {"$ref": reference}}}));
        assert!(matches!(error, SchemaError::External { .. }), "{reference}: {error}");
        assert_eq!(error.pointer(), "/properties/a~1b");
        assert!(error.to_string().contains(reference), "{error}");
    }
}

#[test]
fn references_to_nowhere_are_errors() {
    for reference in ["#/$defs/none", "#none", "#/properties/a/0", "#/%zz"] {
        let error = refused(json!({"properties": {"a": {"$ref": reference}}}));
        assert_eq!(error.pointer(), "/properties/a", "{error}");
    }
}

#[test]
fn endless_references_are_errors() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"allOf": [{"anyOf": [{"$ref": "#/$defs/a"}]}]}}}),
        json!({"$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}, "items": {"$ref": "#/$defs/a"}}),
        json!({"$anchor": "x", "if": {"$ref": "#x"}}),
        json!({"$dynamicAnchor": "x", "oneOf": [{"$dynamicRef": "#x"}]}),
    ] {
        let error = refused(schema);
        assert!(matches!(error, SchemaError::Endless { .. }), "{error}");
    }
}

#[test]
fn recursion_through_the_value_is_fine() {
    let validator = compile(json!({
        "$ref": "#/$defs/node",
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "v": {"type": "integer"}}}}
    }))
    .unwrap();
    validator.check(&json!({"next": {"next": {"v": 1}}})).unwrap();
    let error = validator.check(&json!({"next": {"next": {"v": "1"}}})).unwrap_err();
    assert_eq!(error.problems[0].pointer, "/next/next/v");
}

#[test]
fn references_that_fan_out_are_refused() {
    // 2^40 schemas for one value.
    let both = |next: Value| json!({"allOf": [next.clone(), next]});
    assert!(matches!(refused(chain(40, both)), SchemaError::TooComplex { .. }));
    let either = |next: Value| json!({"anyOf": [next.clone(), next]});
    assert!(matches!(refused(chain(40, either)), SchemaError::TooComplex { .. }));
}

#[test]
fn references_that_fan_out_level_by_level_are_refused() {
    // Every level of the value doubles the work on the next.
    let step =
        |next: Value| json!({"allOf": [{"properties": {"a": next.clone()}}, {"properties": {"a": next}}]});
    assert!(matches!(refused(chain(40, step)), SchemaError::TooComplex { .. }));
    let items = |next: Value| json!({"anyOf": [{"items": next.clone()}, {"contains": next}]});
    assert!(matches!(refused(chain(40, items)), SchemaError::TooComplex { .. }));
}

#[test]
fn unevaluated_keywords_inside_each_other_are_refused() {
    let schema = (0..40).fold(
        json!({"type": "object"}),
        |inner, _| json!({"allOf": [inner], "unevaluatedProperties": false}),
    );
    assert!(matches!(refused(schema), SchemaError::TooComplex { .. }));
}

#[test]
fn long_rows_of_references_do_not_overflow() {
    assert!(matches!(refused(chain(5_000, |next| next)), SchemaError::TooComplex { .. }));
    // Each consumes a level of the value: that is no row.
    let validator = compile(chain(5_000, |next| json!({"properties": {"a": next}}))).unwrap();
    validator.check(&nested(100)).unwrap();
    with_deep(nested(10_000), |deep| assert_eq!(rules(validator.check(deep)), ["depth"]));
}

#[test]
fn deep_and_huge_schemas_are_refused() {
    let deep = (0..120).fold(json!({}), |inner, _| json!({"items": inner}));
    compile(deep).unwrap();
    // Leaked: a schema this deep cannot even be dropped on the stack of a test.
    let deeper = Schema::new((0..10_000).fold(Value::Null, |inner, _| Value::Array(vec![inner])));
    assert!(matches!(Validator::new(&deeper), Err(SchemaError::TooComplex { .. })));
    std::mem::forget(deeper);
    let long = json!({"enum": (0..200_000).collect::<Vec<u32>>()});
    assert!(matches!(refused(long), SchemaError::TooComplex { .. }));
}

#[test]
fn deep_values_under_recursive_schemas_do_not_overflow() {
    // 60 schemas in a row for every level of the value.
    let mut definitions = Map::new();
    for i in 0..60 {
        definitions.insert(format!("d{i}"), json!({"allOf": [{"$ref": format!("#/$defs/d{}", i + 1)}]}));
    }
    let node = json!({"type": "object", "additionalProperties": {"$ref": "#/$defs/d30"}, "required": ["b"]});
    definitions.insert("d60".to_owned(), node);
    let validator = compile(json!({"$ref": "#/$defs/d30", "$defs": definitions})).unwrap();
    for levels in [1, 5, 16, 100, 128, 10_000] {
        with_deep(nested(levels), |deep| {
            let rules = rules(validator.check(deep));
            assert!(
                rules.iter().all(|rule| ["depth", "required", "type", "more"].contains(&&**rule)),
                "{rules:?}"
            );
        });
    }
}

#[test]
fn explanations_of_nested_alternatives_are_bounded() {
    // A grammar as people write them: a wrong leaf is wrong in every way of reading every level.
    let validator = compile(json!({
        "type": "object",
        "properties": {"e": {"$ref": "#/$defs/e"}},
        "$defs": {"e": {"anyOf": [
            {"type": "object", "properties": {"and": {"$ref": "#/$defs/e"}}, "required": ["and"]},
            {"type": "object", "properties": {"and": {"$ref": "#/$defs/e"}, "x": {}}, "required": ["and"]},
            {"type": "object", "properties": {"and": {"$ref": "#/$defs/e"}, "y": {}}, "required": ["and"]},
            {"type": "string"}
        ]}}
    }))
    .unwrap();
    let deep = (0..60).fold(json!(7), |inner, _| json!({"and": inner}));
    let error = validator.check(&json!({"e": deep})).unwrap_err();
    assert!(!error.problems.is_empty());
    assert!(error.to_string().len() < 20_000);
}

#[test]
fn catastrophic_patterns_end() {
    let evil = format!("{}!", "a".repeat(50_000));
    for pattern in ["^(a+)+$", "^(a|a)*$", "^(?=(a+))(a+)+$", "^(a+)+\\1$"] {
        let validator =
            compile(json!({"properties": {"s": {"type": "string", "pattern": pattern}}})).unwrap();
        assert!(validator.check(&json!({"s": evil})).is_err(), "{pattern}");
    }
}

#[test]
fn patterns_that_grow_are_refused() {
    for pattern in ["(a{1000}){1000}", "((a{100}){100}){100}", "(\\p{L}{500}){500}"] {
        let error = refused(json!({"properties": {"s": {"pattern": pattern}}}));
        assert!(!error.to_string().is_empty());
    }
    let many: Map<String, Value> = (0..3_000)
        .map(|i| (format!("p{i}"), json!({"pattern": format!("^\\p{{L}}{{1,250}}{i}$")})))
        .collect();
    assert!(matches!(refused(json!({"properties": many})), SchemaError::TooComplex { .. }));
}

#[test]
fn a_pattern_that_stands_in_many_places_counts_once() {
    let uuid = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
    let properties: serde_json::Map<String, serde_json::Value> =
        (0..100).map(|i| (format!("p{i}"), json!({"type": "string", "pattern": uuid}))).collect();
    assert!(compile(json!({"properties": properties})).is_ok());
}

#[test]
fn an_invalid_pattern_is_named() {
    let error = refused(json!({"properties": {"s": {"pattern": "("}}}));
    assert_eq!(error.pointer(), "/properties/s/pattern", "{error}");
}

#[test]
fn schemas_that_are_no_schemas_are_errors() {
    for schema in
        [json!(1), json!("x"), json!([]), json!(null), json!({"type": 5}), json!({"properties": []})]
    {
        let error = refused(schema);
        assert!(matches!(error, SchemaError::Invalid { .. }), "{error}");
        assert!(error.to_string().len() < 500, "{error}");
    }
}

#[test]
fn messages_about_huge_schemas_are_short() {
    let error = refused(json!({"type": "x".repeat(100_000)}));
    assert!(error.to_string().len() < 500);
}

#[test]
fn errors_fit_in_64_bytes() {
    assert!(size_of::<SchemaError>() <= 64);
    assert!(size_of::<opentool_schema::DefinitionsError>() <= 64);
    assert!(size_of::<opentool_schema::UnknownDialect>() <= 64);
}

/// What is no document of its own has the draft of the document that it stands in; otherwise a lowering, which writes
/// one document, would mean something else.
#[test]
fn a_draft_within_a_schema_changes_nothing() {
    let old = json!({"$schema": "http://json-schema.org/draft-04/schema#", "const": "a"});
    let named = json!({"$schema": {"type": "string"}});
    let schema =
        json!({"type": "object", "properties": {"x": old, "y": {"const": old}, "z": {"properties": named}}});
    let validator = compile(schema).unwrap();
    assert!(validator.accepts(&json!({"x": "a", "y": old, "z": {"$schema": "s"}})));
    for refused in [json!({"x": "b"}), json!({"y": {"const": "a"}}), json!({"z": {"$schema": 5}})] {
        assert!(!validator.accepts(&refused), "{refused}");
    }
}

#[test]
fn drafts_are_honoured() {
    let exclusive = |schema: &str| json!({"$schema": schema, "minimum": 0, "exclusiveMinimum": true});
    let four = compile(exclusive("http://json-schema.org/draft-04/schema#")).unwrap();
    assert!(!four.accepts(&json!(0)));
    refused(exclusive("http://json-schema.org/draft-07/schema#"));
    // `prefixItems` is 2020-12's, `items` as a list the older drafts'.
    let tuple = json!({"items": [{"type": "string"}], "additionalItems": false});
    let with = |name: &str, mut schema: Value| {
        schema["$schema"] = name.into();
        schema
    };
    let nineteen = compile(with("https://json-schema.org/draft/2019-09/schema", tuple.clone())).unwrap();
    assert!(nineteen.accepts(&json!(["a"])) && !nineteen.accepts(&json!(["a", 1])));
    // Without a draft the list is taken for what it is; who says 2020-12 is held to it.
    let unnamed = compile(tuple.clone()).unwrap();
    assert!(unnamed.accepts(&json!(["a"])) && !unnamed.accepts(&json!(["a", 1])));
    refused(with("https://json-schema.org/draft/2020-12/schema", tuple));
    // A dialect that would have to be fetched counts as 2020-12.
    let vendor =
        with("https://spec.openapis.org/oas/3.1/dialect/base", json!({"prefixItems": [{"type": "string"}]}));
    let vendor = compile(vendor).unwrap();
    assert!(!vendor.accepts(&json!([1])));
}

#[test]
fn problems_are_bounded_in_number_and_length() {
    let mut schema = String::from("{\"type\":\"object\",\"properties\":{");
    for i in 0..300 {
        write!(schema, "\"{}{i}\":{{\"enum\":[\"{}\"]}},", "k".repeat(300), "v".repeat(2_000)).unwrap();
    }
    schema.push_str("\"end\":{}},\"additionalProperties\":false}");
    let validator = compile(serde_json::from_str(&schema).unwrap()).unwrap();
    let arguments: Map<String, Value> =
        (0..300).map(|i| (format!("{}{i}", "k".repeat(300)), "w".repeat(2_000).into())).collect();
    let error = validator.check(&Value::Object(arguments)).unwrap_err();
    assert_eq!(error.problems.len(), 21);
    assert_eq!(error.problems.last().unwrap().rule, "more");
    for problem in &error.problems {
        for text in [&problem.expected, &problem.found, &problem.did_you_mean].into_iter().flatten() {
            assert!(text.chars().count() <= 500, "{}", text.len());
        }
    }
}

#[test]
fn a_schema_that_accepts_no_object_accepts_no_arguments() {
    for repairs in [Repairs::Off, Repairs::Sure, Repairs::Wide] {
        for schema in [json!({"type": "array"}), json!({"type": "string"}), json!(false)] {
            let validator = match compile(schema) {
                Ok(validator) => validator,
                Err(error) => panic!("{error}"),
            };
            for written in [json!([]), json!({}), json!([{}]), json!({"a": 1}), json!("[]")] {
                assert!(validator.take(&written, repairs).is_err(), "{repairs:?}: {written}");
            }
        }
    }
}
