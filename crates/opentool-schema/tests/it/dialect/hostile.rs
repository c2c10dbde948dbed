//! Schemas that are no schemas, or made to do harm: each comes back, lowered or refused by name.

use opentool_schema::{LowerError, SchemaError, lint, lower};
use serde_json::{Map, Value, json};

use super::{schema_of, tool, ways};

/// Lowers in every way; what comes out is linted clean or refused.
fn everywhere(schema: &Value) -> Vec<Option<LowerError>> {
    let lowered = ways().into_iter().map(|way| match lower(&tool(schema.clone()), way) {
        Ok(lowered) => {
            let findings = lint(way.dialect, &lowered.definition);
            assert!(findings.is_empty(), "{} {schema}: {findings:?}", way.dialect);
            assert!(schema_of(&lowered).to_string().len() < 2_000_000, "{}", way.dialect);
            None
        }
        Err(error) => Some(error),
    });
    lowered.collect()
}

#[test]
fn anything_that_stands_for_a_schema_comes_back() {
    for schema in [
        json!(null),
        json!({"type": "object", "title": null, "properties": {"a": {"type": "string", "description": null}}}),
        json!(7),
        json!("text"),
        json!([]),
        json!({}),
        json!(true),
        json!(false),
        json!({"type": "any"}),
        json!({"type": []}),
        json!({"type": 5}),
        json!({"properties": []}),
        json!({"properties": {"a": 1}}),
        json!({"required": "a"}),
        json!({"required": [1]}),
        json!({"enum": {}}),
        json!({"enum": []}),
        json!({"$ref": 5}),
        json!({"$ref": "#/nowhere"}),
        json!({"$ref": "#"}),
        json!({"$ref": "https://x.example/a"}),
        json!({"anyOf": []}),
        json!({"anyOf": [1]}),
        json!({"items": 1}),
        json!({"minimum": "a"}),
        json!({"minLength": -1}),
        json!({"pattern": 1}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"dependencies": {"a": {"description": "b"}, "c": {"const": []}, "d": {"anyOf": [{"$ref": "#"}, {}]}}}),
        json!({"type": "object", "properties": {"a": {"pattern": "("}}}),
        json!({"not": {}}),
        json!({"const": 1}),
        json!({"type": "object", "patternProperties": {"(": {}}, "properties": {"a": {}}}),
        json!({"$schema": 5}),
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "id": 5}),
        json!({"description": 5}),
        json!({"title": [], "default": {"$ref": "x"}}),
        json!({"type": "object", "properties": {"": {"": {}}}}),
        json!({"if": true, "then": false}),
        json!({"type": "array"}),
        json!({"prefixItems": [false]}),
        json!({"type": "object", "required": ["a"], "additionalProperties": false}),
        json!({"type": "object", "properties": {"a": {"allOf": [{"type": "string"}, {"type": "integer"}]}}, "required": ["a"]}),
    ] {
        everywhere(&schema);
    }
}

#[test]
fn errors_name_the_place_and_the_rule() {
    let error = |schema: Value| match lower(&tool(schema), opentool_schema::Dialect::GeminiOpenApi) {
        Err(LowerError::Schema(error)) => error,
        other => panic!("{other:?}"),
    };
    let found = error(json!({"type": "object", "properties": {"a": {"type": "strin"}}}));
    assert_eq!(found.pointer(), "/properties/a");
    assert!(found.to_string().contains("`type` must be one of"), "{found}");
    let found = error(json!({"type": "object", "properties": {"a": {"items": 5}}}));
    assert_eq!(found.pointer(), "/properties/a");
    assert!(found.to_string().contains("`items` must be a schema, found the number 5"), "{found}");
}

#[test]
fn a_reference_to_nowhere_is_refused_in_every_dialect() {
    for (schema, place) in [
        (json!({"$dynamicRef": "#/definitions/a", "$ref": "#/$defs/missing", "type": "object"}), ""),
        (json!({"$anchor": "anchor", "$ref": "#/definitions/a", "type": "object"}), ""),
        (json!({"type": "object", "properties": {"a": {"$dynamicRef": "#node"}}}), "/properties/a"),
        (json!({"type": "object", "properties": {"a": {"$ref": "other.json#/a"}}}), "/properties/a"),
        // The pointer starts from the schema around it that has an identifier.
        (
            json!({"type": "object", "$anchor": "x", "properties": {"a": {"$id": "e", "items": {"$ref": "#/$defs/b"}}}}),
            "/properties/a/items",
        ),
    ] {
        for (way, outcome) in ways().iter().zip(everywhere(&schema)) {
            match outcome {
                Some(LowerError::Schema(error)) => {
                    assert_eq!(error.pointer(), place, "{}: {error}", way.dialect)
                }
                other => panic!("{} {schema}: {other:?}", way.dialect),
            }
        }
    }
}

#[test]
fn a_reference_into_what_a_newer_draft_leaves_out_is_refused_or_followed() {
    let array = |more: Value| {
        let mut array = json!({"type": "array", "minItems": 1});
        array.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        array
    };
    for (part, reference) in [
        (json!({"additionalItems": {"$anchor": "x", "type": "integer"}}), "#x"),
        (json!({"additionalItems": {"type": "integer"}}), "#/properties/a/additionalItems"),
        (json!({"items": [{"type": "integer"}]}), "#/properties/a/items/0"),
    ] {
        let schema = json!({"type": "object", "properties": {"a": array(part), "b": {"$ref": reference}}});
        for (way, outcome) in ways().iter().zip(everywhere(&schema)) {
            let is_about_it = match &outcome {
                Some(LowerError::Schema(error)) => error.pointer() == "/properties/b",
                // Left as it came.
                outcome => outcome.is_none(),
            };
            assert!(is_about_it, "{} {reference}: {outcome:?}", way.dialect);
        }
    }
}

#[test]
fn references_by_anchor_and_identifier_are_followed_in_every_dialect() {
    for schema in [
        json!({"type": "object", "properties": {"a": {"$dynamicRef": "#node"}}, "$defs": {"n": {"$dynamicAnchor": "node", "type": "string"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#here"}}, "$defs": {"n": {"$anchor": "here", "type": "string"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "e"}}, "$defs": {"n": {
            "$id": "e", "type": "array", "items": {"$ref": "#/$defs/in"}, "$defs": {"in": {"type": "string"}}}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/x-schemas/s"}}, "x-schemas": {"s": {"type": "string"}}}),
    ] {
        assert_eq!(everywhere(&schema), vec![None; ways().len()], "{schema}");
    }
    // Both of two references beside each other apply.
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/s", "$dynamicRef": "#l"}}, "required": ["a"],
        "additionalProperties": false,
        "$defs": {"s": {"type": "string"}, "l": {"$anchor": "l", "minLength": 3}}});
    let lowered = lower(&tool(schema), opentool_schema::Dialect::OpenAiStrict).unwrap();
    assert_eq!(schema_of(&lowered)["properties"]["a"], json!({"type": "string", "minLength": 3}));
}

#[test]
fn references_that_fan_out_end_in_an_error_or_in_definitions() {
    // Three kilobytes that stand for 2^40 schemas.
    let mut definitions = Map::new();
    for i in 0..40 {
        let next = |text: &str| json!({"$ref": format!("#/$defs/d{}", i + 1), "description": text});
        definitions.insert(
            format!("d{i}"),
            json!({"type": "object", "properties": {"a": next("One."), "b": next("Two.")}}),
        );
    }
    definitions.insert("d40".to_owned(), json!({"type": "string"}));
    let bomb = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    let outcomes = everywhere(&bomb);
    assert!(
        outcomes
            .iter()
            .any(|error| matches!(error, Some(LowerError::Schema(SchemaError::TooComplex { .. }))))
    );
    assert!(outcomes.iter().filter(|error| error.is_none()).count() > 5);
}

#[test]
fn alternatives_that_multiply_end() {
    let pair = |i: usize| {
        json!({"anyOf": [
            {"properties": {format!("a{i}"): {"type": "string"}}, "required": [format!("a{i}")]},
            {"properties": {format!("b{i}"): {"type": "string"}}, "required": [format!("b{i}")]},
        ]})
    };
    let schema = json!({"type": "object", "allOf": (0..40).map(pair).collect::<Vec<_>>()});
    everywhere(&schema);
    let chain = |i: usize| json!({"allOf": [{"$ref": format!("#/$defs/c{}", i + 1)}, {"$ref": format!("#/$defs/c{}", i + 1)}]});
    let mut definitions: Map<String, Value> = (0..40).map(|i| (format!("c{i}"), chain(i))).collect();
    definitions.insert("c40".to_owned(), json!({"type": "object"}));
    everywhere(&json!({"$ref": "#/$defs/c0", "$defs": definitions}));
}

#[test]
fn deep_schemas_are_refused() {
    let deep = (0..100)
        .fold(json!({"type": "string"}), |inner, _| json!({"type": "object", "properties": {"a": inner}}));
    assert!(everywhere(&deep).iter().all(Option::is_some));
    let fine = (0..40).fold(json!({"type": "string"}), |inner, _| json!({"type": "array", "items": inner}));
    everywhere(&json!({"type": "object", "properties": {"a": fine}}));
}

#[test]
fn arguments_of_any_shape_are_decoded_or_refused() {
    let schema = json!({"type": "object", "properties": {
        "m": {"type": "object", "additionalProperties": {"type": "array", "prefixItems": [{"type": "integer"}], "items": false}},
        "v": {}, "u": {"anyOf": [{"type": "object", "additionalProperties": {}}, {"type": "array", "items": {}}]},
        "n": {"type": ["object", "null"]},
    }});
    let deep = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    for way in ways() {
        let lowered = lower(&tool(schema.clone()), way).unwrap();
        for value in [
            json!(null),
            json!([]),
            json!("x"),
            json!({"m": 1, "v": 2, "u": 3, "n": 4}),
            json!({"m": [1, {"key": 1}]}),
            json!({"m": [{"key": "a", "value": {"item_0": 1, "other": 2}}]}),
            json!({"v": "{broken"}),
            json!({"v": "1e999"}),
            json!({"u": [{"key": "a", "value": "1"}]}),
            json!({"other_properties": [{"key": "m", "value": "1"}]}),
            deep(100),
        ] {
            let _ = lowered.decoder.decode(value.clone());
            let _ = lowered.decoder.encode(&value);
        }
        if !lowered.decoder.is_identity() {
            crate::tools::with_deep(crate::tools::nested(5_000), |value| {
                assert!(lowered.decoder.encode(value).is_err())
            });
        }
    }
}
