//! What is wrong is told in the form that the model saw: its places, its keys, its values.

use opentool_core::{Schema, ToolDefinition, ToolError, ToolSet};
use opentool_schema::{Dialect, Repairs, ToolSetExt as _, Validator, lower};
use serde_json::{Value, json};

use crate::tools::{Scripted, call};

/// The problems of what a model wrote for a form of a tool, each in one line.
fn told(dialect: Dialect, schema: &Value, written: &Value, repairs: Repairs) -> Vec<String> {
    let schema = Schema::new(schema.clone());
    let tool = ToolDefinition::new("t", "T.").input_schema(schema.clone());
    let decoder = lower(&tool, dialect).unwrap().decoder;
    let taken = Validator::new(&schema).unwrap().take_decoded(&written.to_string().into(), &decoder, repairs);
    let problems = taken.map_or_else(|error| error.problems, |(taken, _)| panic!("taken: {taken:?}"));
    problems.iter().map(ToString::to_string).collect()
}

fn object(properties: Value, required: Value) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[test]
fn problems_are_told_in_the_form_that_the_model_saw() {
    use Dialect::{Anthropic, GeminiOpenApi, OpenAi, OpenAiStrict};
    let integer = json!({"type": "integer", "maximum": 9});
    let labels = object(json!({"labels": {"type": "object", "additionalProperties": integer}}), json!([]));
    let keys = json!({"type": "object", "patternProperties": {"^x": integer}, "additionalProperties": false});
    let spaced = object(json!({"x y": integer, "a": {"type": "string"}}), json!(["x y"]));
    let pair = json!({
        "type": "array", "prefixItems": [{"type": "string"}, integer], "items": false, "minItems": 2,
    });
    let pair = object(json!({"pair": pair}), json!(["pair"]));
    let level = object(json!({"level": {"type": "integer", "enum": [1, 2, 3]}}), json!([]));
    let circle = json!({"kind": {"const": "circle"}, "r": {"type": "number", "minimum": 0}});
    let shape = json!({
        "anyOf": [
            object(circle, json!(["kind", "r"])),
            object(json!({"kind": {"const": "box"}, "w": {"type": "number"}}), json!(["kind", "w"])),
        ],
    });
    let either = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "dependentRequired": {"a": ["b"]},
    });
    let kids = json!({"type": "array", "items": {"$ref": "#/$defs/node"}});
    let tree = json!({
        "$defs": {"node": {
            "allOf": [{"type": "object", "properties": {"a b": integer}, "required": ["a b"]}],
            "type": "object", "properties": {"kids": kids},
        }},
        "type": "object", "properties": {"kids": kids},
    });
    let kind = json!({"enum": ["x y", "other one"]});
    let kind = object(json!({"x y": integer, "kind": kind}), json!([]));
    let open = json!({
        "type": "object", "properties": {"x y": {"type": "integer"}}, "additionalProperties": {},
    });
    let lists =
        json!({"type": ["object", "array"], "not": {"required": ["k"]}, "items": {"type": "integer"}});
    let tagged = object(json!({"b": lists}), json!(["b"]));
    let odd = object(json!({"any": {"not": {"required": ["k"]}}}), json!(["any"]));
    for (dialect, schema, written, expected) in [
        // Names of properties.
        (Anthropic, &spaced, json!({"x_y": 12}), &["/x_y: expected at most 9, found 12"][..]),
        (Anthropic, &spaced, json!({"a": "b"}), &["/x_y: required but missing, expected an integer"]),
        (
            Anthropic,
            &spaced,
            json!({"x_y": 1, "q": 2}),
            &["/q: unknown key, the known ones are `x_y` and `a`"],
        ),
        (
            Anthropic,
            &tree,
            json!({"kids": [{"a_b": 1, "kids": [{"a_b": 11}, {}]}]}),
            &[
                "/kids/0/kids/0/a_b: expected at most 9, found 11",
                "/kids/0/kids/1/a_b: required but missing, expected an integer",
            ],
        ),
        // Maps as lists of entries.
        (
            OpenAiStrict,
            &labels,
            json!({"labels": [{"key": "k", "value": 1}, {"key": "l", "value": 10}]}),
            &["/labels/1/value: expected at most 9, found 10"],
        ),
        (
            OpenAiStrict,
            &labels,
            json!({"labels": [{"key": "k"}]}),
            &["/labels/0/value: required but missing, expected an integer"],
        ),
        (
            OpenAiStrict,
            &labels,
            json!({"labels": "many"}),
            &["/labels: expected an array of objects or null, found the string \"many\""],
        ),
        // What was written as a map is told as one.
        (
            OpenAiStrict,
            &labels,
            json!({"labels": {"k": "x"}}),
            &["/labels/k: expected an integer, found the string \"x\""],
        ),
        (
            OpenAiStrict,
            &object(json!({"o": keys}), json!(["o"])),
            json!({"o": [{"key": "x1", "value": "y"}, {"key": "z", "value": 1}]}),
            &[
                "/o/0/value: expected an integer, found the string \"y\"",
                "/o/1/key: expected a string that matches the pattern ^x, found the string \"z\"",
            ],
        ),
        // Tuples as objects.
        (
            OpenAiStrict,
            &pair,
            json!({"pair": {"item_0": "a", "item_1": 10}}),
            &["/pair/item_1: expected at most 9, found 10"],
        ),
        (
            OpenAiStrict,
            &pair,
            json!({"pair": {"item_0": "a"}}),
            &["/pair/item_1: required but missing, expected an integer"],
        ),
        (
            OpenAiStrict,
            &pair,
            json!({"pair": {"item_0": "a", "item_1": 1, "c": 1}}),
            &["/pair/c: unknown key, the known ones are `item_0` and `item_1`"],
        ),
        (
            OpenAiStrict,
            &pair,
            json!({"pair": ["a", "b"]}),
            &["/pair/1: expected an integer, found the string \"b\""],
        ),
        (OpenAiStrict, &pair, json!({}), &["/pair: required but missing, expected an object"]),
        // Values.
        (
            GeminiOpenApi,
            &level,
            json!({"level": "4", "q": 1}),
            &[
                "/level: expected one of \"1\", \"2\" or \"3\", found the string \"4\"",
                "/q: unknown key, the only known one is `level`",
            ],
        ),
        // A root under a name.
        (
            OpenAi,
            &shape,
            json!({"arguments": {"kind": "circle", "r": -1}}),
            &["/arguments/r: expected at least 0, found -1"],
        ),
        (OpenAi, &shape, json!({"kind": "circle", "r": -1}), &["/r: expected at least 0, found -1"]),
        (
            OpenAiStrict,
            &shape,
            json!({"arguments": {"kind": "disc"}}),
            &["/arguments/kind: expected one of \"circle\" or \"box\", found the string \"disc\""],
        ),
        // Values are not keys, also where they look like one.
        (
            Anthropic,
            &kind,
            json!({"x_y": 1, "kind": "x  yy"}),
            &[
                "/kind: expected one of \"x y\" or \"other one\", found the string \"x  yy\"; did you mean `x y`?",
            ],
        ),
        // A property among the other keys.
        (
            OpenAiStrict,
            &open,
            json!({"x_y": null, "other_properties": [{"key": "q", "value": 1}, {"key": "x y", "value": "{\"a\":1}"}]}),
            &[
                "/other_properties/1/value: in the JSON of this text: expected an integer, found an object with `a`",
            ],
        ),
        // A null that stands for nothing.
        (
            OpenAiStrict,
            &either,
            json!({"a": "1", "b": null}),
            &["/b: required where `a` is given; null stands for what is missing, found null"],
        ),
        // Any value as the text of its JSON.
        (
            OpenAiStrict,
            &odd,
            json!({"any": "{\"k\": 12}"}),
            &["/any: in the JSON of this text: expected anything but this value, found an object with `k`"],
        ),
        // One of several, under a name.
        (
            OpenAiStrict,
            &tagged,
            json!({"b": {"option_2": ["x"]}}),
            &["/b/option_2/0: expected an integer, found the string \"x\""],
        ),
    ] {
        for mode in [Repairs::Sure, Repairs::Off] {
            assert_eq!(told(dialect, schema, &written, mode), expected, "{dialect} {written} {mode:?}");
        }
    }
}

#[test]
fn a_place_in_a_json_text_is_told_behind_the_place_of_the_text() {
    let inner = json!({"type": "integer", "maximum": 9});
    let schema = (0..14).fold(inner, |inner, _| object(json!({"a": inner}), json!(["a"])));
    let wrong = (0..14).fold(json!(10), |inner, _| json!({"a": inner}));
    let tool = ToolDefinition::new("t", "T.").input_schema(Schema::new(schema.clone()));
    let written = lower(&tool, Dialect::OpenAiStrict).unwrap().decoder.encode(&wrong).unwrap();
    let told = told(Dialect::OpenAiStrict, &schema, &written, Repairs::Sure);
    let [told] = told.as_slice() else { panic!("{told:?}") };
    let (place, inside) = told.split_once(": in the JSON of this text, at ").unwrap();
    assert!(written.pointer(place).is_some_and(Value::is_string), "{told} {written}");
    let (inside, words) = inside.split_once(": ").unwrap();
    assert_eq!(words, "expected at most 9, found 10");
    assert_eq!(format!("{place}{inside}"), "/a".repeat(14));
}

#[test]
fn a_call_that_says_its_form_is_refused_in_it() {
    let labels = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let schema = object(json!({"labels": labels}), json!([]));
    let tools = ToolSet::from_tools([Scripted::new("t", schema, |_, _| panic!("nothing is run"))]).unwrap();
    let mut call = call("t", r#"{"labels": [{"key": "a", "value": "many"}]}"#);
    call.dialect = Some("openai-strict".to_owned());
    let Err(ToolError::InvalidArguments(error)) = tools.check(&call) else { panic!("it is taken") };
    assert_eq!(error.problems[0].pointer, "/labels/0/value");
}
