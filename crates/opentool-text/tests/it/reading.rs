//! Which texts are read, how, and what is said about the others.

use opentool_core::Location;
use opentool_text::{Expected, Notation, decode, parse};
use serde_json::json;

const ANY: Expected<'static> = Expected::new("a menu", "dishes:");

#[test]
fn the_notation_is_recognised() {
    let parsed = parse(" {\"b\": 1, \"a\": 2}", &ANY).unwrap();
    assert_eq!((parsed.notation, parsed.value.to_string().as_str()), (Notation::Json, r#"{"b":1,"a":2}"#));
    let parsed = parse("b: 1\na: 2\n", &ANY).unwrap();
    assert_eq!((parsed.notation, parsed.value.to_string().as_str()), (Notation::Yaml, r#"{"b":1,"a":2}"#));
    // A file may have the wrong name, and YAML may begin with a brace.
    let json = ANY.notation(Some(Notation::Json));
    assert_eq!(parse("a: 1", &json).unwrap().notation, Notation::Yaml);
    let yaml = ANY.notation(Some(Notation::Yaml));
    assert_eq!(parse("{a: 1}", &yaml).unwrap().value, json!({"a": 1}));
}

#[test]
fn numbers_stay_what_they_were() {
    for text in ["-925069367.2817533", "0.1", "1e-7", "18446744073709551615", "1.0", "123456789012345680"] {
        let value = parse(&format!("[{text}]"), &ANY).unwrap().value;
        assert_eq!(value.to_string(), format!("[{text}]"));
    }
}

#[test]
fn what_is_not_a_document_is_said() {
    for (text, code, message) in [
        ("", "empty", "the document is empty"),
        ("# nothing\n", "empty", "the document is empty but for comments"),
        ("<html>", "html", "this is an HTML or XML page, not a menu"),
        ("hello", "not-a-document", "this is plain text, neither JSON nor YAML with keys"),
        ("{\"a\": }", "json-syntax", "this is not valid JSON: expected value"),
        (
            "{\"a\": 1e400}",
            "number-range",
            "this number is beyond what a number of 64 bits can be, which is about ±1.8e308",
        ),
    ] {
        let found = parse(text, &ANY).unwrap_err();
        assert_eq!((found.code, found.message.as_str()), (code, message), "{text}");
    }
    let found = parse("hello", &ANY).unwrap_err();
    assert_eq!(found.help.as_deref(), Some("a menu begins with `dishes:`"));
}

#[test]
fn bytes_are_utf8_with_or_without_a_mark() {
    assert_eq!(decode(b"\xEF\xBB\xBF{}").unwrap(), "{}");
    assert_eq!(decode(b"\xFF\xFE{\0}\0").unwrap_err().message, "the text is UTF-16");
    assert_eq!(
        decode(b"{\"a\xFF").unwrap_err().message,
        "the text is not UTF-8 (byte 3), so it is neither JSON nor YAML"
    );
}

#[test]
fn keys_that_stand_twice_are_told() {
    let parsed = parse("{\"a\": [{\"b\": 1, \"b\": 2}]}", &ANY).unwrap();
    assert_eq!(parsed.value, json!({"a": [{"b": 2}]}));
    assert_eq!(parsed.findings[0].pointer, "/a/0/b");
    assert_eq!(parse("a: 1\na: 2", &ANY).unwrap_err().code, "duplicate-key");
}

#[test]
fn depth_and_expansion_have_limits() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    let too_deep = parse(&format!("[\n\"]\\\"]\", {deep}"), &ANY).unwrap_err();
    assert_eq!(too_deep.code, "json-depth");
    // The bracket that is one too many: 127 stand before it, one of them in the line above.
    assert_eq!(too_deep.location, Some(Location::new(2, 135)));
    let just = "[".repeat(127) + "?" + &"]".repeat(127);
    assert_eq!(parse(&just, &ANY).unwrap_err().code, "json-syntax");
    let deep = format!("a: {deep}");
    assert_eq!(parse(&deep, &ANY).unwrap_err().code, "yaml-depth");
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for i in 1..10 {
        let before = format!("*a{},", i - 1).repeat(10);
        bomb.push_str(&format!("a{i}: &a{i} [{before}]\n"));
    }
    assert_eq!(parse(&bomb, &ANY).unwrap_err().code, "yaml-expansion");
}
