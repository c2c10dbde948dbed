//! What a model is told about functions with `#[tool]`.

use std::collections::HashMap;

use opentool::{Tool, ToolDefinition, tool, tool_fn, tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call;

fn schema(tool: &impl Tool) -> Value {
    tool.definition().input_schema.as_value().clone()
}

/// Finds trains
/// between two places.
///
/// Times are local:
/// - `departure` is when it leaves
/// - `arrival` is when it arrives
///
/// # Errors
/// When the network is down.
#[tool(title = "Trains", tags = ["travel", "free"], return_direct, read_only, idempotent, open_world = true)]
fn trains(
    /// Where it starts,
    /// as a city.
    from: String,
    #[arg(description = "Where it ends.", pattern = "^[A-Z]", min_length = 2, max_length = 40)] to: String,
    #[arg(minimum = 1, maximum = 9, default = 1)] people: u8,
    #[arg(enum = ["first", "second"])] class: Option<String>,
    #[arg(rename = "max-price", exclusive_minimum = 0, multiple_of = 0.01, example = 9.99, example = 20)]
    price: Option<f64>,
    #[arg(min_items = 1, max_items = 3, default = vec!["ICE".to_owned()])] kinds: Vec<String>,
) -> Vec<String> {
    vec![format!("{from} {to} {people} {class:?} {price:?} {kinds:?}")]
}

#[test]
fn every_setting_is_in_the_definition() {
    let definition = trains {}.definition().clone();
    assert_eq!(definition.name, "trains");
    assert_eq!(definition.title.as_deref(), Some("Trains"));
    assert_eq!(
        definition.description,
        "Finds trains between two places.\n\nTimes are local:\n- `departure` is when it leaves\n- `arrival` is \
         when it arrives"
    );
    assert_eq!(definition.tags, ["travel", "free"]);
    assert!(definition.return_direct);
    let hints = definition.annotations;
    assert_eq!(
        (hints.read_only, hints.destructive, hints.idempotent, hints.open_world),
        (Some(true), None, Some(true), Some(true))
    );
    assert_eq!(definition.origin.to_string(), "rust it::definitions::trains");
    assert_eq!(
        definition.output_schema.unwrap(),
        json!({"type": "array", "items": {"type": "string"}}).into()
    );
}

#[test]
fn every_setting_of_a_parameter_is_in_the_schema_in_order() {
    let expected = r#"{
  "type": "object",
  "properties": {
    "from": {
      "type": "string",
      "description": "Where it starts, as a city."
    },
    "to": {
      "type": "string",
      "pattern": "^[A-Z]",
      "minLength": 2,
      "maxLength": 40,
      "description": "Where it ends."
    },
    "people": {
      "type": "integer",
      "minimum": 1,
      "maximum": 9,
      "default": 1
    },
    "class": {
      "type": [
        "string",
        "null"
      ],
      "enum": [
        "first",
        "second",
        null
      ]
    },
    "max-price": {
      "type": [
        "number",
        "null"
      ],
      "exclusiveMinimum": 0,
      "multipleOf": 0.01,
      "examples": [
        9.99,
        20
      ]
    },
    "kinds": {
      "type": "array",
      "items": {
        "type": "string"
      },
      "minItems": 1,
      "maxItems": 3,
      "default": [
        "ICE"
      ]
    }
  },
  "required": [
    "from",
    "to"
  ],
  "additionalProperties": false
}"#;
    assert_eq!(serde_json::to_string_pretty(&schema(&trains {})).unwrap(), expected);
}

#[test]
fn the_rules_hold_in_a_call() {
    let tools = tools![trains];
    let ok = json!({"from": "Rome", "to": "Pisa", "class": null});
    let text = "Rome Pisa 1 None None [\"ICE\"]";
    assert_eq!(call(&tools, "trains", ok).unwrap().structured, Some(json!([text])));
    for (key, value) in [
        ("to", json!("pisa")),
        ("people", json!(0)),
        ("class", json!("third")),
        ("max-price", json!(0)),
        ("kinds", json!([])),
    ] {
        let mut arguments = json!({"from": "Rome", "to": "Pisa"});
        arguments[key] = value;
        let error = call(&tools, "trains", arguments).unwrap_err();
        assert!(error.for_model().contains(&format!("/{key}")), "{}", error.for_model());
    }
}

/// Public.
#[tool(ignore_parameters = [token, retries])]
fn quiet(query: String, #[arg(default = "none")] token: String, retries: Option<u8>) -> String {
    format!("{query} {token} {retries:?}")
}

/// Nothing to give.
#[tool(ignore_all_parameters)]
fn alone(#[arg(default = 5)] limit: u8) -> u8 {
    limit
}

/// Not said.
#[tool(ignore_description, ignore_parameter_descriptions)]
fn terse(
    /// Not said either.
    unit: Unit,
) -> Unit {
    unit
}

/// A unit of temperature.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Kelvin,
}

#[test]
fn ignored_parameters_are_neither_told_nor_taken() {
    let expected = json!({
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
        "additionalProperties": false,
    });
    assert_eq!(schema(&quiet {}), expected);
    let tools = tools![quiet, alone];
    assert_eq!(call(&tools, "quiet", json!({"query": "q"})).unwrap().to_text(), "q none None");
    assert!(call(&tools, "quiet", json!({"query": "q", "token": "x"})).is_err());
    // A caller that does not validate cannot set them either.
    let arguments = json!({"query": "q", "token": "x", "retries": 3}).as_object().unwrap().clone().into();
    let output = crate::run(quiet {}.call(&opentool::ToolContext::new(), arguments)).unwrap();
    assert_eq!(output.to_text(), "q none None");
    assert_eq!(schema(&alone {}), json!({"type": "object", "properties": {}, "additionalProperties": false}));
    assert_eq!(call(&tools, "alone", json!({})).unwrap().structured, Some(json!(5)));
}

#[test]
fn descriptions_can_be_left_out() {
    let definition = terse {}.definition().clone();
    assert_eq!(definition.description, "");
    assert_eq!(definition.input_schema.as_value()["properties"]["unit"], json!({"$ref": "#/$defs/Unit"}));
}

const ABOUT: &str = "Said by a constant.";
const MOST: u64 = 5_000_000_000;

#[tool(description = ABOUT)]
fn constants(#[arg(description = ABOUT, maximum = MOST, minimum = 3_000_000_000)] n: u64) -> u64 {
    n
}

#[doc = concat!("Put ", "together.")]
#[tool(name = "other-name")]
fn put_together() {}

#[test]
fn texts_and_bounds_may_be_constants_and_macros() {
    let definition = constants {}.definition().clone();
    assert_eq!(definition.description, "Said by a constant.");
    let n = &definition.input_schema.as_value()["properties"]["n"];
    let expected = json!({
        "type": "integer", "minimum": 3_000_000_000_u64, "maximum": 5_000_000_000_u64,
        "description": "Said by a constant.",
    });
    assert_eq!(*n, expected);
    let definition = put_together {}.definition().clone();
    assert_eq!((definition.name.as_str(), definition.description.as_str()), ("other-name", "Put together."));
}

/// A node.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Node {
    next: Option<Box<Node>>,
    size: u32,
}

/// Lists of units.
#[tool]
fn recursive(node: Node, units: HashMap<String, Unit>, unit: Option<Unit>) -> Node {
    let _ = (units, unit);
    node
}

#[test]
fn shared_types_are_definitions_without_noise() {
    let expected = json!({
        "type": "object",
        "properties": {
            "node": {"$ref": "#/$defs/Node"},
            "units": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Unit"}},
            "unit": {"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}]},
        },
        "required": ["node", "units"],
        "additionalProperties": false,
        "$defs": {
            "Node": {
                "description": "A node.",
                "type": "object",
                "properties": {
                    "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
                    "size": {"type": "integer", "minimum": 0, "maximum": u32::MAX},
                },
                "required": ["size"],
            },
            "Unit": {"description": "A unit of temperature.", "type": "string", "enum": ["celsius", "kelvin"]},
        },
    });
    assert_eq!(schema(&recursive {}), expected);
    let text = recursive {}.definition().output_schema.as_ref().unwrap().to_string();
    assert!(!text.contains("format") && !text.contains("title") && !text.contains("$schema"), "{text}");
}

#[test]
fn definitions_are_the_same_each_time() {
    let print = |d: &ToolDefinition| format!("{} {:?}", d.input_schema, d.output_schema);
    let copy = recursive {};
    assert_eq!(print(recursive {}.definition()), print(copy.definition()));
}

/// A type that reads like an option without being spelt so.
type Maybe = Option<u8>;

#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct Wrapped(Option<String>);

/// Optional by any name.
#[tool]
fn optional(a: Maybe, b: Wrapped) -> bool {
    a.is_none() && b.0.is_none()
}

#[test]
fn what_may_be_absent_is_decided_by_the_type_not_by_its_name() {
    assert_eq!(schema(&optional {}).get("required"), None);
    assert_eq!(call(&tools![optional], "optional", json!({})).unwrap().structured, Some(json!(true)));
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Action {
    Move { by: i8 },
    Stop,
}

#[test]
fn a_closure_takes_a_tagged_enum_or_nothing_at_all() {
    let act = tool_fn("act", "Acts.", async |action: Action| Ok::<_, String>(action));
    let nothing = tool_fn("nothing", "Does nothing.", async |(): ()| Ok::<_, String>(()));
    let mut tools = tools![];
    tools.insert(act).unwrap();
    tools.insert(nothing).unwrap();
    let moved = json!({"do": "move", "by": 3});
    assert_eq!(call(&tools, "act", moved.clone()).unwrap().structured, Some(moved));
    assert!(call(&tools, "act", json!({"do": "move", "by": 3, "fast": true})).is_err());
    assert_eq!(call(&tools, "nothing", json!({})).unwrap().to_text(), "Done.");
}

#[test]
fn a_tagged_enum_at_the_root_refuses_unknown_keys_without_refusing_its_own() {
    let act = tool_fn("act", "Acts.", async |action: Action| Ok::<_, String>(action));
    let expected = json!({
        "oneOf": [
            {
                "type": "object",
                "properties": {
                    "by": {"type": "integer", "minimum": -128, "maximum": 127},
                    "do": {"type": "string", "const": "move"},
                },
                "required": ["do", "by"],
            },
            {"type": "object", "properties": {"do": {"type": "string", "const": "stop"}}, "required": ["do"]},
        ],
        "type": "object",
        "unevaluatedProperties": false,
    });
    assert_eq!(schema(&act), expected);
}
