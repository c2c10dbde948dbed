//! Single tools on their way to a provider and back, where something went wrong once.

use opentool_core::{Annotations, Schema, ToolDefinition};
use opentool_schema::{
    Dialect, LowerError, LowerOptions, Lowered, SchemaError, Strict, Validator, lint, lower,
};
use serde_json::{Value, json};

fn tool(schema: Value) -> ToolDefinition {
    ToolDefinition::new("t", "").input_schema(Schema::new(schema))
}

fn to(dialect: Dialect, schema: Value) -> Lowered {
    lower(&tool(schema), dialect).unwrap_or_else(|error| panic!("{dialect}: {error}"))
}

#[test]
fn references_that_never_end_are_refused_in_every_dialect() {
    let of = |k: Value, definitions: Value| json!({"type": "object", "properties": {"k": k}, "$defs": definitions});
    let refer = |to: &str| json!({"$ref": to});
    let chain: serde_json::Map<String, Value> =
        (0..500).map(|i| (format!("d{i}"), refer(&format!("#/$defs/d{}", (i + 1) % 500)))).collect();
    for schema in [
        of(refer("#/$defs/L"), json!({"L": refer("#/$defs/L")})),
        of(refer("#/$defs/A"), json!({"A": refer("#/$defs/B"), "B": refer("#/$defs/A")})),
        of(json!({"allOf": [refer("#/properties/k")]}), json!({})),
        of(refer("#a"), json!({"A": {"$anchor": "a", "$ref": "#a"}})),
        of(json!({}), json!({"A": {"allOf": [{"type": "object"}, {"allOf": [refer("#/$defs/A")]}]}})),
        of(refer("#/$defs/d0"), chain.into()),
        json!({"type": "object", "$ref": "#"}),
    ] {
        for dialect in Dialect::all().iter().copied() {
            for strict in [Strict::Never, Strict::Auto, Strict::Always] {
                match lower(&tool(schema.clone()), LowerOptions::new(dialect).strict(strict)) {
                    Err(LowerError::Schema(SchemaError::Endless { pointer })) => {
                        assert!(schema.pointer(&pointer).is_some(), "{pointer}");
                    }
                    Err(LowerError::NoStrict { .. }) => {}
                    other => panic!("{dialect} of {schema}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn circles_through_parts_or_alternatives_are_no_endless_references() {
    let list = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    let either = json!({"type": "object", "properties": {"k": {"anyOf": [{"$ref": "#/properties/k"}, {"type": "integer"}]}}});
    let not = json!({"type": "object", "properties": {"k": {"not": {"$ref": "#/properties/k"}}}});
    let condition = json!({"type": "object", "properties": {"k": {"if": {"$ref": "#/properties/k"}, "then": {"type": "string"}}}});
    // One target on two ways is no circle.
    let twice = json!({"type": "object", "properties": {"k": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}},
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "integer"}}});
    for schema in [list, either, not, condition, twice] {
        for dialect in Dialect::all().iter().copied() {
            for strict in [Strict::Never, Strict::Auto] {
                lower(&tool(schema.clone()), LowerOptions::new(dialect).strict(strict))
                    .unwrap_or_else(|error| panic!("{dialect} of {schema}: {error}"));
            }
        }
    }
}

#[test]
fn a_tuple_with_a_gap_is_refused() {
    let places = json!([{"type": "integer"}, {"type": "integer"}]);
    let lowered = to(
        Dialect::OpenAiStrict,
        json!({"type": "object", "properties": {"t": {"type": "array", "prefixItems": places, "items": {"type": "integer"}}}, "required": ["t"]}),
    );
    let decode = |t: Value| lowered.decoder.decode(json!({"t": t}));
    for gap in [
        json!({"item_0": null, "item_1": 2, "other_items": [9]}),
        json!({"item_0": 1, "item_1": null, "other_items": [9]}),
        json!({"item_0": null, "item_1": 2, "other_items": []}),
        json!({"item_1": 2}),
        json!({"item_0": 1, "item_1": 2, "other_items": "9"}),
    ] {
        let problems = decode(gap.clone()).expect_err(&gap.to_string()).problems;
        assert_eq!(problems.len(), 1, "{gap}");
    }
    let problem = decode(json!({"item_0": null, "item_1": 2, "other_items": [9]})).unwrap_err().problems;
    assert_eq!(problem[0].pointer, "/t");
    assert!(problem[0].to_string().contains("`item_0` is missing before `item_1`"), "{}", problem[0]);
    assert_eq!(decode(json!({"item_0": 1, "item_1": null, "other_items": []})).unwrap(), json!({"t": [1]}));
    assert_eq!(
        decode(json!({"item_0": 1, "item_1": 2, "other_items": [9]})).unwrap(),
        json!({"t": [1, 2, 9]})
    );
}

#[test]
fn the_root_has_properties_where_openai_and_its_like_want_them() {
    let bare = json!({"type": "object"});
    for dialect in Dialect::all().iter().copied() {
        let lowered = to(dialect, bare.clone());
        assert_eq!(lint(dialect, &lowered.definition), [], "{dialect}");
        assert_eq!(lowered.losses().filter(|loss| loss.keyword == "properties").count(), 0, "{dialect}");
        let Some(parameters) = lowered.definition.pointer("/function/parameters") else { continue };
        assert_eq!(parameters["properties"], json!({}), "{dialect}");
    }
    let flat = to(Dialect::OpenAiResponses, bare);
    assert_eq!(flat.definition["parameters"], json!({"type": "object", "properties": {}}));
    assert_eq!(flat.rewrites.len(), 1);
    let refused = json!({"type": "function", "function": {"name": "t", "parameters": {"type": "object"}}});
    let findings = lint(Dialect::OpenAi, &refused);
    assert_eq!((findings[0].rule, findings[0].pointer.as_str()), ("root", "/function/parameters"));
}

#[test]
fn auto_says_that_strict_closes_an_object() {
    let auto = |schema: Value| {
        lower(&tool(schema), LowerOptions::new(Dialect::OpenAi).strict(Strict::Auto)).unwrap().strict
    };
    let open = auto(json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    assert!(open.strict && open.reason.contains("other keys are refused"), "{}", open.reason);
    let closed = auto(json!({"type": "object", "properties": {}, "additionalProperties": false}));
    assert_eq!(closed.reason, "nothing speaks against it");
}

#[test]
fn gemini_is_told_of_the_form_of_other_keys() {
    let lowered = to(
        Dialect::Gemini,
        json!({"type": "object", "properties": {"m": {"type": "object", "patternProperties": {"^x-": {"type": "integer"}}, "propertyNames": {"maxLength": 5}}}}),
    );
    let told =
        lowered.definition.pointer("/parametersJsonSchema/properties/m/description").unwrap().to_string();
    assert!(told.contains("^x-") && told.contains("propertyNames"), "{told}");
}

#[test]
fn forms_of_older_drafts_are_judged_without_a_named_draft() {
    let of = |schema: Value| Validator::new(&Schema::new(schema)).unwrap();
    let above = of(
        json!({"type": "object", "properties": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}}),
    );
    assert!(above.accepts(&json!({"n": 1})) && !above.accepts(&json!({"n": 0})));
    let problem = above.check(&json!({"n": 0})).unwrap_err().problems;
    assert_eq!((problem[0].pointer.as_str(), problem[0].rule.as_str()), ("/n", "exclusiveMinimum"));
    let pair = of(
        json!({"type": "object", "properties": {"p": {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false}}}),
    );
    assert!(pair.accepts(&json!({"p": ["a", 1]})) && !pair.accepts(&json!({"p": ["a", 1, 2]})));
    assert!(pair.schema().as_value().pointer("/properties/p/additionalItems").is_some());
}

#[test]
fn each_revision_of_mcp_has_what_it_knows_and_no_more() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let tool = |output: Value| {
        tool(schema.clone())
            .title("The tool")
            .output_schema(Schema::new(output))
            .annotations(Annotations::new().read_only(true))
    };
    let keys = |dialect: Dialect, output: Value| {
        let lowered = lower(&tool(output), dialect).unwrap();
        assert_eq!(lint(dialect, &lowered.definition), [], "{dialect}");
        let keys: Vec<&String> = lowered.definition.as_object().unwrap().keys().collect();
        let hints = lowered.definition["annotations"].to_string();
        let losses: Vec<&str> = lowered.losses().map(|loss| loss.keyword.as_str()).collect();
        format!("{keys:?} {hints} {losses:?}").replace('"', "")
    };
    let (object, list) = (json!({"type": "object"}), json!({"type": "array"}));
    let all = "[name, title, inputSchema, outputSchema, annotations] {readOnlyHint:true} []";
    assert_eq!(keys(Dialect::Mcp, list.clone()), all);
    for dialect in [Dialect::Mcp, Dialect::Mcp20251125, Dialect::Mcp20250618] {
        assert_eq!(keys(dialect, object.clone()), all, "{dialect}");
    }
    assert_eq!(
        keys(Dialect::Mcp20250618, list),
        "[name, title, inputSchema, annotations] {readOnlyHint:true} [outputSchema]"
    );
    assert_eq!(
        keys(Dialect::Mcp20250326, object.clone()),
        "[name, inputSchema, annotations] {readOnlyHint:true,title:The tool} [outputSchema]"
    );
    assert_eq!(
        keys(Dialect::Mcp20241105, object),
        "[name, inputSchema] null [title, outputSchema, annotations]"
    );
    // The newest has two names, and what does not belong into an old one is found.
    assert_eq!("mcp-2026-07-28".parse(), Ok(Dialect::Mcp));
    let newest = lower(&tool(json!({"type": "object"})), Dialect::Mcp).unwrap().definition;
    let found: Vec<String> =
        lint(Dialect::Mcp20241105, &newest).into_iter().map(|finding| finding.pointer).collect();
    assert_eq!(found, ["/title", "/outputSchema", "/annotations"]);
}
