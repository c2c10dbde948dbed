//! Arguments that are read straight from what was written mean what they mean by the ordinary way.

use opentool::{
    Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet, tool, tools,
};
use serde_json::{Value, json};

/// Echoes.
#[tool]
fn echo(
    /// A small number.
    a: u8,
    /// A text.
    b: String,
    /// A number that may be absent.
    c: Option<i64>,
    /// A measure.
    d: Option<f64>,
    /// A switch.
    e: Option<bool>,
) -> (u8, String, Option<i64>, Option<f64>, Option<bool>) {
    (a, b, c, d, e)
}

/// The same function behind a tool that leaves everything to the ordinary way.
struct Ordinary(ToolSet);

impl Tool for Ordinary {
    fn definition(&self) -> &ToolDefinition {
        self.0.get("echo").unwrap().definition()
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.0.get("echo").unwrap().call(cx, arguments)
    }
}

/// What a call gives straight, and by the ordinary way.
fn both(arguments: Value) -> [Result<Value, String>; 2] {
    let ordinary = ToolSet::from_tools([Ordinary(tools![echo])]).unwrap();
    [tools![echo], ordinary].map(|tools| {
        let output = crate::call(&tools, "echo", arguments.clone());
        output.map(|output| output.structured.unwrap()).map_err(|error| error.for_model())
    })
}

#[test]
fn both_ways_agree() {
    for text in [
        r#"{"a":1,"b":"x","c":-7}"#,
        r#" { "a" : 255 , "b" : "\u00e9\"}," } "#,
        "{\"a\":1,\"b\":\"tab\there\"}",
        r#"{"a":1,"b":"é"}"#,
        r#"{"a":1,"b":"x"}"#,
        r#"{"a":1,"b":"x","c":null}"#,
        r#"{"b":"x","a":1}"#,
        r#"{"a":01,"b":"x"}"#,
        r#"{"a":-0,"b":"x"}"#,
        r#"{"a":1e1,"b":"x"}"#,
        r#"{"a":1,"b":"x","c":-0}"#,
        r#"{"a":1,"b":"x","c":--1}"#,
        r#"{"a":1,"b":"x","c":-}"#,
        r#"{"a":1,"b":"x","c":9223372036854775807}"#,
        r#"{"a":1,"b":"x","c":-9223372036854775808}"#,
        r#"{"a":1,"b":"x","c":9223372036854775808}"#,
        r#"{"a":1,"b":"x","c":nullx}"#,
        r#"{"a":1.0,"b":"x"}"#,
        r#"{"a":256,"b":"x"}"#,
        r#"{"a":-1,"b":"x"}"#,
        r#"{"a":1,"b":"x","d":0.5}"#,
        r#"{"a":1,"b":"x","d":-12.25,"e":true}"#,
        r#"{"a":1,"b":"x","d":1,"e":null}"#,
        r#"{"a":1,"b":"x","d":1e3,"e":false}"#,
        r#"{"a":1,"b":"x","d":.5}"#,
        r#"{"a":1,"b":"x","d":1.}"#,
        r#"{"a":1,"b":"x","d":0.1000000000000000055}"#,
        r#"{"a":1,"b":"x","d":9007199254740993}"#,
        r#"{"a":1,"b":"x","d":0.30000000000000004}"#,
        r#"{"a":1,"b":"x","e":truex}"#,
        r#"{"a":1,"b":"x","e":"true"}"#,
        r#"{"a":1,"b":"x","f":1}"#,
        r#"{"a":1,"b":"x","c":1,"c":2}"#,
        r#"{"a":1,"b":["x"]}"#,
        r#"{"a":1}"#,
        r#"{}"#,
    ] {
        let [straight, ordinary] = both(Value::String(text.to_owned()));
        assert_eq!(straight, ordinary, "{text}");
        let Ok(members) = serde_json::from_str::<Value>(text) else { continue };
        let [straight, ordinary] = both(members);
        assert_eq!(straight, ordinary, "the object {text}");
    }
    let long = json!({"a": 1, "b": "x".repeat(100_000)});
    let [straight, ordinary] = both(long);
    assert_eq!(straight, ordinary);
}

#[test]
fn a_number_that_would_be_rounded_is_refused() {
    let text = r#"{"a":1,"b":"x","d":0.1000000000000000055}"#;
    let [straight, _] = both(Value::String(text.to_owned()));
    assert!(straight.unwrap_err().contains("0.1000000000000000055"));
}

#[test]
fn what_is_not_whole_is_not_taken() {
    for text in [r#"{"a":1,"b":"x""#, r#"{"a":1,"b":"x"} {}"#, r#"{"a":1,"b":"x"}}"#, r#"{"a":1 "b":"x"}"#] {
        let [straight, _] = both(Value::String(text.to_owned()));
        if let Ok(value) = straight {
            // Mended by the ordinary way, or refused: never read by half.
            assert_eq!(value, json!([1, "x", null, null, null]), "{text}");
        }
    }
    let [straight, _] = both(Value::String(r#"{"a":1,"b":"x","#.to_owned()));
    assert!(straight.is_err());
}
