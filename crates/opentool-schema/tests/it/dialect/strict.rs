//! Strictness, names, budgets, and the decoder of a set.

use opentool_core::{Origin, Schema, ToolDefinition};
use opentool_schema::{
    Dialect, Effect, LowerError, LowerOptions, Strict, lint, lint_request, lower, lower_all,
};
use serde_json::{Value, json};

use super::tool;

fn auto(dialect: Dialect) -> LowerOptions {
    LowerOptions::new(dialect).strict(Strict::Auto)
}

fn named(name: &str, schema: Value) -> ToolDefinition {
    ToolDefinition::new(name, "").input_schema(Schema::new(schema))
}

#[test]
fn an_optional_property_is_nullable_under_strict_and_absent_again() {
    let definition = tool(
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": false}),
    );
    let lowered = lower(&definition, Dialect::OpenAiStrict).unwrap();
    let parameters = &lowered.definition["function"]["parameters"];
    assert_eq!(parameters["properties"]["a"], json!({"type": ["integer", "null"]}));
    assert_eq!(parameters["required"], json!(["a"]));
    assert_eq!(lowered.definition["function"]["strict"], json!(true));
    assert_eq!(lowered.decoder.decode(json!({"a": null})).unwrap(), json!({}));
    assert_eq!(lowered.decoder.encode(&json!({})).unwrap(), json!({"a": null}));
    assert_eq!(lowered.losses().count(), 0);
}

#[test]
fn null_and_absent_are_one_for_rust_functions() {
    let schema = json!({"type": "object", "properties": {"a": {"type": ["integer", "null"]}}, "additionalProperties": false});
    let rust = tool(schema.clone()).origin(Origin::new("rust"));
    let lowered = lower(&rust, Dialect::OpenAiStrict).unwrap();
    assert_eq!(
        lowered.definition["function"]["parameters"]["properties"]["a"],
        json!({"type": ["integer", "null"]})
    );
    // Elsewhere clearing a value and leaving it alone are two things.
    let lowered = lower(&tool(schema), Dialect::OpenAiStrict).unwrap();
    assert_eq!(lowered.decoder.decode(json!({"a": "null"})).unwrap(), json!({"a": null}));
    assert_eq!(lowered.decoder.decode(json!({"a": null})).unwrap(), json!({}));
}

#[test]
fn auto_is_strict_where_it_costs_nothing_and_says_why_not_elsewhere() {
    let easy = tool(json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    let lowered = lower(&easy, auto(Dialect::OpenAi)).unwrap();
    assert!(lowered.strict.strict, "{}", lowered.strict.reason);

    let open = tool(json!({"type": "object", "properties": {"a": {}}}));
    let lowered = lower(&open, auto(Dialect::OpenAi)).unwrap();
    assert!(!lowered.strict.strict);
    assert_eq!(
        lowered.strict.reason,
        "`/properties/a` could only be written as JSON text: any value will do"
    );
    assert_eq!(lowered.definition["function"].get("strict"), None);

    let lowered = lower(&easy, auto(Dialect::Gemini)).unwrap();
    assert_eq!(lowered.strict.reason, "`gemini` has no strict mode for a tool");
    let error = lower(&easy, LowerOptions::new(Dialect::Gemini).strict(Strict::Always)).unwrap_err();
    assert_eq!(error, LowerError::NoStrict { dialect: Dialect::Gemini });
}

#[test]
fn auto_keeps_within_what_one_request_may_hold() {
    let properties: serde_json::Map<String, Value> =
        (0..10).map(|i| (format!("p{i}"), json!({"type": "string"}))).collect();
    let tools: Vec<ToolDefinition> = (0..5)
        .map(|i| named(&format!("t{i}"), json!({"type": "object", "properties": properties})))
        .collect();
    let set = lower_all(&tools, auto(Dialect::Anthropic));
    let strict: Vec<bool> = set.tools.iter().map(|tool| tool.strict.strict).collect();
    assert_eq!(strict, [true, true, false, false, false]);
    assert!(set.tools[2].strict.reason.contains("optional parameters"), "{}", set.tools[2].strict.reason);
    assert_eq!(set.findings(), []);
    let set = lower_all(&tools, Dialect::AnthropicStrict);
    let rules: Vec<&str> = set.findings().iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["strict-optional"]);
}

#[test]
fn names_fit_stay_apart_and_come_back() {
    let long = "a".repeat(80);
    let names = ["plain", "with.dot", "with_dot", "with dot", "", &long, &format!("{long}b"), "1st", "名前"];
    let tools: Vec<ToolDefinition> =
        names.iter().map(|name| named(name, json!({"type": "object"}))).collect();
    for dialect in Dialect::all() {
        let set = lower_all(&tools, *dialect);
        assert_eq!(set.tools.len(), names.len());
        assert_eq!(lint_request(*dialect, &set.definitions()), [], "{dialect}");
        for (name, lowered) in names.iter().zip(&set.tools) {
            assert_eq!(set.names.tool(&lowered.name), Some(*name), "{dialect}");
            assert_eq!(set.names.provider(name), Some(lowered.name.as_str()));
        }
    }
    let set = lower_all(&tools, Dialect::OpenAi);
    let given: Vec<&str> = set.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(given[..3], ["plain", "with_dot_44b09fa0", "with_dot"]);
    assert!(given[5] != given[6] && given[5].len() == 64);
}

#[test]
fn a_set_takes_calls_back_by_the_names_it_gave() {
    let schema = json!({"type": "object", "properties": {"m": {"type": "object", "additionalProperties": {"type": "integer"}}}, "required": ["m"], "additionalProperties": false});
    let tools = [named("shop/orders.find", schema)];
    let set = lower_all(&tools, Dialect::OpenAiStrict);
    let written = json!({"m": [{"key": "a", "value": 1}]});
    let (tool, arguments) = set.decode("shop_orders_find", written).unwrap().unwrap();
    assert_eq!((tool, arguments), ("shop/orders.find", json!({"m": {"a": 1}})));
    assert!(set.decode("other", json!({})).is_none());
    let twice = json!({"m": [{"key": "a", "value": 1}, {"key": "a", "value": 2}]});
    let error = set.decode("shop_orders_find", twice).unwrap().unwrap_err();
    assert_eq!((error.problems[0].pointer.as_str(), error.problems[0].rule.as_str()), ("/m/1", "uniqueKeys"));
}

#[test]
fn one_bad_tool_costs_the_others_nothing() {
    let tools = [
        named("good", json!({"type": "object"})),
        named("bad", json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}})),
        named("never", json!(false)),
    ];
    let set = lower_all(&tools, Dialect::OpenAiStrict);
    assert_eq!(set.tools.len(), 1);
    let refused: Vec<String> =
        set.refused.iter().map(|refused| format!("{}: {}", refused.tool, refused.error)).collect();
    assert_eq!(
        refused,
        [
            "bad: the schema is not valid: `$ref` leads nowhere: #/$defs/none (at /properties/a)",
            "never: no arguments can ever fit this schema; correct the schema",
        ]
    );
}

#[test]
fn long_descriptions_are_cut_and_listed() {
    let definition =
        ToolDefinition::new("t", "x".repeat(2000)).input_schema(Schema::new(json!({"type": "object"})));
    let lowered = lower(&definition, Dialect::OpenAi).unwrap();
    assert_eq!(lint(Dialect::OpenAi, &lowered.definition), []);
    let loss = lowered.losses().next().unwrap();
    assert_eq!((loss.keyword.as_str(), loss.effect), ("description", Effect::Hint));
}

#[test]
fn the_linter_finds_what_providers_refuse() {
    let rules = |dialect: Dialect, schema: Value, strict: bool| -> Vec<String> {
        let entry = match dialect {
            Dialect::Anthropic => json!({"name": "t", "input_schema": schema, "strict": strict}),
            Dialect::GeminiOpenApi => json!({"name": "t", "parameters": schema}),
            _ => {
                json!({"type": "function", "function": {"name": "t", "parameters": schema, "strict": strict}})
            }
        };
        lint(dialect, &entry)
            .into_iter()
            .map(|finding| format!("{} {}", finding.rule, finding.pointer))
            .collect()
    };
    assert_eq!(rules(Dialect::OpenAi, json!({"type": "string"}), false), ["root /function/parameters"]);
    assert_eq!(
        rules(Dialect::OpenAi, json!({"type": "object", "properties": {"a": {"type": "array"}}}), false),
        ["items /function/parameters/properties/a"]
    );
    assert_eq!(
        rules(
            Dialect::OpenAi,
            json!({"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}]}, "b": {}}, "additionalProperties": false}),
            true
        ),
        [
            "required /function/parameters",
            "required /function/parameters",
            "typed /function/parameters/properties/a",
            "keyword /function/parameters/properties/a",
            "typed /function/parameters/properties/b",
        ]
    );
    assert_eq!(
        rules(Dialect::Anthropic, json!({"type": "object", "properties": {"a[b]": {}}}), false),
        ["property-name /input_schema"]
    );
    assert_eq!(
        rules(
            Dialect::GeminiOpenApi,
            json!({"type": "OBJECT", "properties": {"a": {"type": "INTEGER", "const": 1}}}),
            false
        ),
        ["keyword /parameters/properties/a"]
    );
    let circle = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"], "additionalProperties": false,
        "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "additionalProperties": false}}});
    assert_eq!(rules(Dialect::Anthropic, circle, true), ["circle /input_schema"]);
}

#[test]
fn a_reference_or_null_stays_as_short_as_it_is() {
    let node = |next: Value| json!({"type": "object", "properties": {"v": {"type": "integer"}, "next": next}, "required": ["v", "next"], "additionalProperties": false});
    let next = json!({"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]});
    let schema = json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "required": ["n"], "additionalProperties": false,
        "$defs": {"N": node(next)}});
    let lowered = lower(&tool(schema), Dialect::OpenAiStrict).unwrap();
    let definition = &lowered.definition["function"]["parameters"]["$defs"]["N"];
    assert_eq!(definition["properties"]["next"], json!({"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}));
    assert_eq!(lowered.rewrites, []);
    // A map becomes a list there, and lists stay lists: which one was meant is not to be seen.
    let next = json!({"anyOf": [{"$ref": "#/$defs/M"}, {"type": "array", "items": {"type": "string"}}]});
    let schema = json!({"type": "object", "properties": {"m": {"$ref": "#/$defs/M"}}, "required": ["m"], "additionalProperties": false,
        "$defs": {"M": {"type": "object", "additionalProperties": next}}});
    let lowered = lower(&tool(schema), Dialect::OpenAiStrict).unwrap();
    for value in [json!({"m": {}}), json!({"m": {"a": {}, "b": ["x"], "c": {"d": []}}})] {
        let there = lowered.decoder.encode(&value).unwrap();
        assert_eq!(lowered.decoder.decode(there).unwrap(), value);
    }
}
