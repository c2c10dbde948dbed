//! Arguments that are read straight from their text mean what they mean by the ordinary way.

use opentool::{ToolCall, ToolContext, ToolSetExt as _, tool, tools};
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
) -> (u8, String, Option<i64>) {
    (a, b, c)
}

/// The result from the text, and from the same arguments by the ordinary way.
fn both(text: &str) -> (Result<Value, String>, Result<Value, String>) {
    let tools = tools![echo];
    let cx = ToolContext::new();
    let run = |arguments: Value| {
        let call = ToolCall::new("1", "echo", arguments);
        let output = crate::run(tools.call(&cx, call));
        output.map(|output| output.structured.unwrap()).map_err(|error| error.for_model())
    };
    // A last member that is an object keeps the shortcut from being taken; validation then sees the same text.
    let parsed = serde_json::from_str(text).unwrap_or(Value::String(text.to_owned()));
    (run(Value::String(text.to_owned())), run(parsed))
}

#[test]
fn both_ways_agree() {
    for text in [
        r#"{"a":1,"b":"x","c":-7}"#,
        r#" { "a" : 255 , "b" : "\u00e9\"}," } "#,
        r#"{"a":1,"b":"x"}"#,
        r#"{"a":1,"b":"x","c":null}"#,
        r#"{"b":"x","a":1}"#,
        r#"{"a":01,"b":"x"}"#,
        r#"{"a":1e1,"b":"x"}"#,
        r#"{"a":1,"b":"x","c":-0}"#,
        r#"{"a":1,"b":"x","c":--1}"#,
        r#"{"a":1,"b":"x","c":9223372036854775807}"#,
        r#"{"a":1,"b":"x","c":9223372036854775808}"#,
        r#"{"a":1,"b":"x","c":nullx}"#,
        r#"{"a":1.0,"b":"x"}"#,
        r#"{"a":256,"b":"x"}"#,
        r#"{"a":-1,"b":"x"}"#,
        r#"{"a":1,"b":"x","d":1}"#,
        r#"{"a":1,"b":"x","c":1,"c":2}"#,
        r#"{"a":1,"b":["x"]}"#,
        r#"{"a":1}"#,
        r#"{}"#,
    ] {
        let (straight, ordinary) = both(text);
        assert_eq!(straight, ordinary, "{text}");
    }
}

#[test]
fn what_is_not_whole_is_not_taken() {
    for text in [r#"{"a":1,"b":"x""#, r#"{"a":1,"b":"x"} {}"#, r#"{"a":1,"b":"x"}}"#, r#"{"a":1 "b":"x"}"#] {
        let (straight, _) = both(text);
        if let Ok(value) = straight {
            // Mended by the ordinary way, or refused: never read by half.
            assert_eq!(value, json!([1, "x", null]), "{text}");
        }
    }
    assert!(both(r#"{"a":1,"b":"x","#).0.is_err());
}
