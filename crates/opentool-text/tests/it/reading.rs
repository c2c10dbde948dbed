//! Which texts are read, how, and what is said about the others.

use opentool_core::Location;
use opentool_text::{Expected, Notation, Tree, decode, parse, parse_tree};
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
fn a_number_that_nothing_can_hold_is_told_and_hides_nothing() {
    let text = "{\"a\": [1, 1e400, {\"ü\": -2.5E+999}],\n \"1e400\": \"1e400 \\\" 1e400\", \"b\": 1e308, \"a\": [1e999]}";
    let parsed = parse(text, &ANY).unwrap();
    let value = json!({"a": [f64::MAX], "1e400": "1e400 \" 1e400", "b": 1e308});
    assert_eq!(parsed.value, value);
    let told: Vec<_> = parsed
        .findings
        .iter()
        .map(|found| (found.code, found.pointer.as_str(), found.location.map(|at| (at.line, at.column))))
        .collect();
    assert_eq!(
        told,
        [
            ("duplicate-key", "/a", None),
            ("number-range", "/a/1", Some((1, 11))),
            ("number-range", "/a/2/ü", Some((1, 24))),
            ("number-range", "/a/0", Some((2, 47))),
        ]
    );
    assert!(parsed.findings[2].message.contains("the number -2.5E+999 is beyond"), "{}", parsed.findings[2]);
    // A tree says the same.
    let tree = parse_tree(text, &ANY).unwrap();
    assert_eq!((tree.value.to_value(), tree.findings), (value, parsed.findings));
    // Other faults stay what they are, and where they are.
    for (text, code, column) in [
        ("[1e400, 01]", "json-syntax", 10),
        ("[1e400, 1.e400]", "json-syntax", 11),
        ("{1e400: 1}", "json-syntax", 2),
        ("[2, 1e400, {1e400: 1}]", "json-syntax", 17),
    ] {
        let found = parse(text, &ANY).unwrap_err();
        assert_eq!((found.code, found.location), (code, Some(Location::new(1, column))), "{text}: {found}");
    }
    // As many digits as there are.
    let long = format!("[{}]", "9".repeat(400));
    assert!(parse(&long, &ANY).unwrap().findings[0].message.len() < 200);
}

#[test]
fn a_number_that_nothing_can_hold_may_be_a_word_in_yaml() {
    let parsed =
        parse("commit: 12e4567\nlimit: [1, -1e999]\ntext: '1e999'\nkey: !!float 1e999\n", &ANY).unwrap();
    assert_eq!(
        parsed.value,
        json!({"commit": "12e4567", "limit": [1, "-1e999"], "text": "1e999", "key": "1e999"})
    );
    let told: Vec<_> = parsed
        .findings
        .iter()
        .map(|found| (found.pointer.as_str(), found.location.map(|at| (at.line, at.column))))
        .collect();
    assert_eq!(told, [("/commit", Some((1, 9))), ("/limit/1", Some((2, 12))), ("/key", Some((4, 6)))]);
    assert!(parsed.findings.iter().all(|found| found.code == "number-range" && found.help.is_some()));
}

#[test]
fn a_tree_is_the_same_value() {
    let text =
        r#"{"a": {"b": [null, true, -1, 1.5, "x\ny", "ü"], "c\u0041": {}}, "n": 18446744073709551615}"#;
    let (value, tree) = (parse(text, &ANY).unwrap().value, parse_tree(text, &ANY).unwrap().value);
    assert_eq!(tree.to_value().to_string(), value.to_string());
    assert_eq!(tree, Tree::from(&value));
    assert_eq!(Tree::from(value.clone()).to_string(), value.to_string());
    let names =
        |tree: &Tree<'_>| tree.get("a").unwrap().as_object().unwrap().keys().map(str::to_owned).collect();
    let names: Vec<String> = names(&tree);
    assert_eq!(names, ["b", "cA"]);
    let yaml = parse_tree("a: 1\nb: [x]\n", &ANY).unwrap();
    assert_eq!((yaml.notation, yaml.value.to_value()), (Notation::Yaml, json!({"a": 1, "b": ["x"]})));
}

#[test]
fn what_is_not_a_document_is_said() {
    for (text, code, message) in [
        ("", "empty", "the document is empty"),
        ("# nothing\n", "empty", "the document is empty but for comments"),
        ("<html>", "html", "this is an HTML or XML page, not a menu"),
        ("hello", "not-a-document", "this is plain text, neither JSON nor YAML with keys"),
        ("{\"a\": }", "json-syntax", "this is not valid JSON: expected value"),
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
    let parsed = parse("a: 1\nb: {c: 1, c: 2}\na: 2", &ANY).unwrap();
    assert_eq!(parsed.value, json!({"a": 2, "b": {"c": 2}}));
    let told: Vec<_> = parsed.findings.iter().map(|found| (found.code, found.pointer.as_str())).collect();
    assert_eq!(told, [("duplicate-key", "/b/c"), ("duplicate-key", "/a")]);
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
