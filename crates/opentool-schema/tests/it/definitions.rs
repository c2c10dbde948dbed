//! Definitions out and in: what each dialect looks like, and what reading makes of bad lists.

use futures_util::FutureExt as _;
use opentool_core::{Annotations, Diagnostic, Origin, Schema, ToolContext, ToolDefinition, ToolSet};
use opentool_schema::{
    Dialect, ParsedDefinitions, ToolSetExt as _, export, list, list_entry, lower, parse_definitions,
};
use serde_json::{Value, json};

use crate::tools::call;

fn weather() -> ToolDefinition {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}, "a": {"$ref": "#/$defs/x"}},
        "required": ["city"], "additionalProperties": false, "$defs": {"x": {"type": "integer"}}});
    ToolDefinition::new("weather", "Current weather.")
        .title("Weather")
        .input_schema(Schema::new(schema))
        .output_schema(Schema::new(json!({"type": "object"})))
        .annotations(Annotations::new().read_only(true).open_world(false))
        .tag("sky")
        .origin(Origin::new("openapi").location("w.yaml").item("GET /weather"))
        .metadata("secret", "x")
        .return_direct(true)
}

fn tools(definitions: impl IntoIterator<Item = ToolDefinition>) -> ToolSet {
    ToolSet::from_tools(definitions.into_iter().map(crate::tools::Scripted::known)).unwrap()
}

fn parse(value: &Value) -> ParsedDefinitions {
    parse_definitions(value).unwrap()
}

fn findings(parsed: &ParsedDefinitions) -> Vec<(&'static str, &str)> {
    parsed.diagnostics.iter().map(|d: &Diagnostic| (d.code, d.pointer.as_str())).collect()
}

#[test]
fn openai_gets_functions() {
    let exported = export(&tools([weather()]), Dialect::OpenAi);
    assert_eq!(
        exported.to_string(),
        r##"[{"type":"function","function":{"name":"weather","description":"Current weather.","parameters":{"type":"object","properties":{"city":{"type":"string"},"a":{"$ref":"#/$defs/x"}},"required":["city"],"additionalProperties":false,"$defs":{"x":{"type":"integer"}}}}}]"##
    );
}

#[test]
fn anthropic_gets_input_schemas() {
    let bare = ToolDefinition::new("ping", "");
    let exported = export(&tools([bare]), Dialect::Anthropic);
    assert_eq!(
        exported.to_string(),
        r#"[{"name":"ping","input_schema":{"type":"object","properties":{},"additionalProperties":false}}]"#
    );
}

#[test]
fn mcp_gets_titles_outputs_and_hints_and_nothing_of_the_host() {
    let exported = lower(&weather(), Dialect::Mcp).unwrap().definition;
    let keys: Vec<&String> = exported.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "title", "description", "inputSchema", "outputSchema", "annotations"]);
    assert_eq!(exported["annotations"], json!({"readOnlyHint": true, "openWorldHint": false}));
    for dialect in Dialect::all() {
        let text = export(&tools([weather()]), *dialect).to_string();
        assert!(!text.contains("secret") && !text.contains("sky"), "{dialect}: {text}");
    }
}

#[test]
fn the_listing_says_where_tools_come_from() {
    let entry = list_entry(&weather());
    let keys: Vec<&String> = entry.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "tags", "source"]
    );
    assert_eq!((&entry["tags"], &entry["source"]), (&json!(["sky"]), &json!("openapi w.yaml GET /weather")));
    let bare = list(&tools([ToolDefinition::new("ping", "")]));
    let schema = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    assert_eq!(
        bare.to_string(),
        format!(r#"[{{"name":"ping","description":"","inputSchema":{schema},"source":"unknown"}}]"#)
    );
}

#[test]
fn dialects_have_names() {
    for dialect in Dialect::all() {
        assert_eq!(dialect.to_string().parse::<Dialect>(), Ok(*dialect));
        assert_eq!(dialect.name().to_uppercase().parse::<Dialect>(), Ok(*dialect));
    }
    let error = "antropic".parse::<Dialect>().unwrap_err();
    assert_eq!(error.to_string(), "there is no dialect `antropic`; did you mean `anthropic`?");
    let error = "x".parse::<Dialect>().unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("there is no dialect `x`; there are openai, openai-strict, openai-responses,"),
        "{text}"
    );
    assert!(
        text.ends_with(", mcp, mcp-2025-11-25, mcp-2025-06-18, mcp-2025-03-26, mcp-2024-11-05, json-schema"),
        "{text}"
    );
}

#[test]
fn every_form_is_read() {
    let schema = json!({"type": "object", "properties": {"q": {"type": "string"}}});
    let nested = json!({"type": "function", "function": {"name": "a", "description": "A.", "parameters": schema, "strict": true}});
    let flat =
        json!({"type": "function", "name": "b", "description": "B.", "parameters": schema, "strict": null});
    let old = json!({"name": "c", "description": "C.", "parameters": schema});
    let anthropic = json!({"name": "d", "description": "D.", "input_schema": schema, "type": "custom"});
    let mcp = json!({"name": "e", "description": "E.", "inputSchema": schema, "_meta": {}});
    let all = json!([nested, flat, old, anthropic, mcp]);
    for value in [
        all.clone(),
        json!({"tools": all, "nextCursor": "x"}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": all}}),
        json!({"model": "m", "functions": all}),
    ] {
        let parsed = parse(&value);
        assert_eq!(findings(&parsed), []);
        assert_eq!(parsed.tools.names().collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
        for definition in parsed.tools.definitions() {
            assert_eq!(definition.description, format!("{}.", definition.name.to_uppercase()));
            assert_eq!(*definition.input_schema.as_value(), schema);
            assert_eq!(definition.origin.to_string(), "definitions");
        }
    }
    for single in [nested, flat, old, anthropic, mcp] {
        assert_eq!(parse(&single).tools.len(), 1, "{single}");
    }
}

#[test]
fn a_tool_without_parameters_takes_none() {
    let parsed = parse(&json!([{"type": "function", "function": {"name": "now"}}, {"name": "later"}]));
    assert_eq!(findings(&parsed), [("no-schema", "/1")]);
    for definition in parsed.tools.definitions() {
        assert_eq!(definition.input_schema, Schema::no_arguments());
    }
}

#[test]
fn known_tools_refuse_to_run() {
    let parsed = parse(&json!([{"name": "e", "inputSchema": {"required": ["a"]}}]));
    let run = |arguments: Value| {
        parsed.tools.call(&ToolContext::new(), &call("e", arguments)).now_or_never().unwrap().unwrap_err()
    };
    assert_eq!(run(json!({})).code(), "invalid_arguments");
    let refused = run(json!({"a": 1}));
    assert_eq!(refused.code(), "refused");
    assert!(refused.for_model().contains("`e` is known by its definition only"), "{refused}");
}

#[test]
fn bad_entries_cost_only_themselves() {
    let good = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let parsed = parse(&json!({"tools": [
        good("a"),
        17,
        {"inputSchema": {}},
        {"type": "function", "function": {"name": " ", "parameters": {}}},
        {"name": 5, "input_schema": {}},
        good("a"),
        {"name": "b", "inputSchema": []},
        {"type": "function", "function": {"name": "c", "parameters": "{}"}},
        {"type": "web_search"},
        {"type": "computer_20250124", "name": "computer", "display_width_px": 1},
        {"description": "nobody"},
        {"name": "d", "inputSchema": {"type": "object"}, "description": 7, "title": [], "outputSchema": 1,
            "annotations": {"readOnlyHint": "yes", "idempotentHint": true}},
        {"name": "e", "input_schema": {"properties": {"x": {"type": "strnig"}}}},
        {"type": "function", "function": {"name": "f", "parameters": {"properties": {"x": {"$ref": "http://x/y"}}}}},
        good("z")
    ]}));
    assert_eq!(parsed.tools.names().collect::<Vec<_>>(), ["a", "d", "e", "f", "z"]);
    assert_eq!(
        findings(&parsed),
        [
            ("not-a-definition", "/tools/1"),
            ("no-name", "/tools/2"),
            ("no-name", "/tools/3/function/name"),
            ("no-name", "/tools/4/name"),
            ("duplicate-name", "/tools/5"),
            ("schema-not-an-object", "/tools/6/inputSchema"),
            ("schema-not-an-object", "/tools/7/function/parameters"),
            ("hosted-tool", "/tools/8"),
            ("hosted-tool", "/tools/9"),
            ("not-a-definition", "/tools/10"),
            ("not-a-text", "/tools/11/description"),
            ("not-a-text", "/tools/11/title"),
            ("schema-not-an-object", "/tools/11/outputSchema"),
            ("not-a-boolean", "/tools/11/annotations/readOnlyHint"),
            ("schema-invalid", "/tools/12/input_schema/properties/x/type"),
            ("schema-invalid", "/tools/13/function/parameters/properties/x"),
        ]
    );
    let d = parsed.tools.find("d").unwrap().definition();
    assert_eq!(d.annotations, Annotations::new().idempotent(true));
}

#[test]
fn other_values_are_no_definitions() {
    for (value, says) in [
        (json!(null), "but null;"),
        (json!("tools"), "but the string \"tools\";"),
        (json!({"openapi": "3.0.0", "paths": {}}), "but an object with `openapi` and `paths`;"),
        (json!({"opentool": "1.0.0", "functions": []}), "expected an array of definitions"),
        (json!({"tools": {"a": 1}}), "`tools` is an object with `a`, and should be a list"),
        (json!({"tools": 3}), "`tools` is the number 3, and should be a list"),
        (
            json!({"jsonrpc": "2.0", "error": {"code": -1, "message": "no session"}}),
            "is an error: no session",
        ),
    ] {
        let error = parse_definitions(&value).unwrap_err().to_string();
        assert!(error.contains(says), "{value}: {error}");
    }
}

#[test]
fn what_hides_in_texts_is_left_out_and_told() {
    let hidden = "Adds.\u{e0049}\u{200b}";
    let schema = json!({"type": "object", "properties": {
        "description": {"type": "string", "description": hidden, "enum": [hidden]},
    }});
    let parsed = parse(&json!([
        {"name": "a", "title": hidden, "description": hidden, "inputSchema": schema, "outputSchema": schema},
        {"type": "function", "function": {"name": "b", "description": hidden, "parameters": schema}},
        {"name": "c", "description": "Adds \u{1f469}\u{200d}\u{1f680}.\r\n", "input_schema": {"type": "object"}},
    ]));
    assert_eq!(
        findings(&parsed),
        [
            ("hidden-characters", "/0/title"),
            ("hidden-characters", "/0/description"),
            ("hidden-characters", "/0/inputSchema/properties/description/description"),
            ("hidden-characters", "/0/outputSchema/properties/description/description"),
            ("hidden-characters", "/1/function/description"),
            ("hidden-characters", "/1/function/parameters/properties/description/description"),
        ]
    );
    let definitions: Vec<&ToolDefinition> = parsed.tools.definitions().collect();
    for definition in &definitions[..2] {
        assert_eq!(definition.description, "Adds.");
        let property = &definition.input_schema.as_value()["properties"]["description"];
        assert_eq!(*property, json!({"type": "string", "description": "Adds.", "enum": [hidden]}));
    }
    assert_eq!(definitions[0].title.as_deref(), Some("Adds."));
    assert_eq!(definitions[0].output_schema.as_ref().unwrap(), &definitions[0].input_schema);
    assert_eq!(definitions[2].description, "Adds \u{1f469}\u{200d}\u{1f680}.\r\n", "as it was");
}

#[test]
fn faults_without_end_are_not_listed() {
    let list: Value = (0..6_000).map(|index| json!({"a": index})).collect();
    let parsed = parse(&list);
    assert_eq!(parsed.diagnostics.len(), 5_001);
    let last = parsed.diagnostics.last().unwrap();
    assert_eq!((last.code, last.pointer.as_str()), ("too-many-findings", "/5000"));
    assert!(last.message.starts_with("1000 further entries are not read"), "{last}");
}
