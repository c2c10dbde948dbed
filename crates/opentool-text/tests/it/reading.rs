//! Which texts are read, how, and what is said about the others.

use std::borrow::Cow;

use opentool_core::{Diagnostic, Location};
use opentool_text::{Expected, Notation, Spot, Tree, decode, locate, parse, parse_tree};
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

/// The code and the pointer of a finding, its line and column.
type Told<'f> = (&'f str, &'f str, Option<(usize, usize)>);

/// What was found, each with its place.
fn told(findings: &[Diagnostic]) -> Vec<Told<'_>> {
    let place = |found: &Diagnostic| found.location.map(|at| (at.line, at.column));
    findings.iter().map(|found| (found.code, found.pointer.as_str(), place(found))).collect()
}

#[test]
fn bytes_are_a_text_in_the_encodings_that_documents_have() {
    let text = "a: \"\u{1F600}\"\nb: caf\u{e9}\n";
    let wide = |bytes: fn(u16) -> [u8; 2], mark: &[u8]| {
        mark.iter().copied().chain(text.encode_utf16().flat_map(bytes)).collect::<Vec<u8>>()
    };
    for bytes in [
        wide(u16::to_be_bytes, b"\xFE\xFF"),
        wide(u16::to_le_bytes, b"\xFF\xFE"),
        wide(u16::to_be_bytes, b""),
        wide(u16::to_le_bytes, b""),
    ] {
        let decoded = decode(&bytes).unwrap();
        assert_eq!(decoded.text, text);
        assert_eq!(told(&decoded.findings), [("utf-16", "", Some((1, 1)))]);
    }
    let clean = decode(b"\xEF\xBB\xBF{}").unwrap();
    assert!(matches!(clean.text, Cow::Borrowed("{}")) && clean.findings.is_empty());
    for (bytes, text, message, place) in [
        (
            &b"a: 1\nb: caf\xE9\x80!\xE8"[..],
            "a: 1\nb: caf\u{e9}\u{20ac}!\u{e8}",
            "3 bytes are no UTF-8, the first of them 0xE9; the text is read as Windows-1252",
            (2, 7),
        ),
        // What Windows-1252 has no character for, and what is UTF-8 elsewhere.
        (b"a: 1\nb: caf\xE9!\x81", "a: 1\nb: caf\u{FFFD}!\u{FFFD}", "2 characters are no UTF-8", (2, 7)),
        (
            b"a: \xC3\xBC\nb: caf\xE9!",
            "a: \u{fc}\nb: caf\u{FFFD}!",
            "the byte 0xE9 is no UTF-8; U+FFFD",
            (2, 7),
        ),
        (b"\xEF\xBB\xBF\xC3\xBC\xFF \xFE", "\u{fc}\u{FFFD} \u{FFFD}", "2 characters are no UTF-8", (1, 2)),
    ] {
        let decoded = decode(bytes).unwrap();
        assert_eq!(decoded.text, text);
        assert_eq!(told(&decoded.findings), [("encoding", "", Some(place))]);
        assert!(decoded.findings[0].message.starts_with(message), "{}", decoded.findings[0]);
    }
    // Half of a pair, and a byte too many.
    let decoded = decode(b"a\0\x3d\xd8b\0c").unwrap();
    assert_eq!(decoded.text, "a\u{FFFD}b");
    assert_eq!(decoded.findings.len(), 2);
    assert_eq!(
        decode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap_err().message,
        "this is no text (byte 0), so it is neither JSON nor YAML"
    );
}

#[test]
fn half_of_a_character_is_told_and_hides_nothing() {
    let text =
        r#"{"a": "x\ud800y", "b\uDC00": [1e400, "\\ud800 \ud83d\ude00"], "c": ["\ud800\ud800\udc00"]}"#;
    let parsed = parse(text, &ANY).unwrap();
    let value =
        json!({"a": "x\u{FFFD}y", "b\u{FFFD}": [f64::MAX, "\\ud800 \u{1F600}"], "c": ["\u{FFFD}\u{10000}"]});
    assert_eq!(parsed.value, value);
    let half = "lone-surrogate";
    assert_eq!(
        told(&parsed.findings),
        [
            (half, "/a", None),
            (half, "/b\u{FFFD}", None),
            (half, "/c/0", None),
            ("number-range", "/b\u{FFFD}/0", Some((1, 31)))
        ]
    );
    assert_eq!(parse_tree(text, &ANY).unwrap().value.to_value(), value);
    let places = locate(text, Notation::Json, [Spot::Key("/b\u{FFFD}"), Spot::Value("/b\u{FFFD}/0")]);
    assert_eq!(places, [Some(Location::new(1, 19)), Some(Location::new(1, 31))]);
    assert_eq!(parse(r#"{"a": "\ud8"}"#, &ANY).unwrap_err().code, "json-syntax");
}

#[test]
fn line_ends_in_texts_of_json_are_told_and_hide_nothing() {
    let text = "{\"a\": \"x\r\n\ty\",\n \"b\": [\"\\u00e9\t\", 1e400], \"c\tc\": 1}";
    let parsed = parse(text, &ANY).unwrap();
    assert_eq!(parsed.value, json!({"a": "x\r\n\ty", "b": ["\u{e9} ", f64::MAX], "c\tc": 1}));
    assert_eq!(
        told(&parsed.findings),
        [("number-range", "/b/1", Some((3, 19))), ("control-character", "", Some((1, 9)))]
    );
    assert!(parsed.findings[1].message.contains("(and in 2 more places)"), "{}", parsed.findings[1]);
    // A text that does not end is told as that, where it begins to be wrong.
    let found = parse("{\"a\": \"x,\n \"b\": 1}", &ANY).unwrap_err();
    assert_eq!((found.code, found.location), ("json-syntax", Some(Location::new(2, 1))), "{found}");
}

#[test]
fn what_nests_too_deeply_is_left_out_and_hides_nothing() {
    for (open, close) in [("[", "]"), ("{\"a\": ", "}")] {
        for levels in [128, 300, 5_000] {
            let deep = format!("{}{}", open.repeat(levels), close.repeat(levels));
            let deep = deep.replace(": }", ": 1}");
            for text in [format!("{{\"x\": {deep},\n \"y\": 1}}"), format!("x: {deep}\ny: 1\n")] {
                let parsed = parse(&text, &ANY).unwrap();
                assert_eq!(parsed.value["y"], 1, "{levels}");
                let code = match parsed.notation {
                    Notation::Json => "json-depth",
                    _ => "yaml-depth",
                };
                assert_eq!(parsed.findings.len(), 1, "{levels} {:?}", parsed.findings);
                assert_eq!((parsed.findings[0].code, parsed.findings[0].location.unwrap().line), (code, 1));
                let found = locate(&text, parsed.notation, [Spot::Key("/y")]);
                assert_eq!(found[0].unwrap().line, 2, "{levels}");
            }
        }
    }
    let blocks: String = (0..1_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    let parsed = parse(&format!("{blocks}b: 1\n"), &ANY).unwrap();
    assert_eq!(parsed.value["b"], 1);
    assert_eq!(told(&parsed.findings)[0].2, Some((129, 129)));
    let aliases: String =
        (1..1_000).map(|level| format!("a{level}: &a{level} [*a{}]\n", level - 1)).collect();
    let parsed = parse(&format!("a0: &a0 x\n{aliases}b: 1\n"), &ANY).unwrap();
    assert_eq!(parsed.value["b"], 1);
    assert!(parsed.findings.iter().all(|found| found.code == "yaml-depth"));
}

#[test]
fn of_several_documents_the_first_is_read() {
    for (text, line) in [
        ("a: 1\n---\nb: 2\n", Some(2)),
        ("---\na: 1\n---\n[broken\n", Some(3)),
        ("--- # nothing\n---\na: 1\n...\n", None),
        ("a: 1\n---\n", None),
        ("a: 1\n---\n# nothing\n---\nb: 1\n---\nc: 1\n", Some(4)),
    ] {
        let parsed = parse(text, &ANY).unwrap();
        assert_eq!(parsed.value, json!({"a": 1}), "{text:?}");
        let found: Vec<_> =
            line.map(|line| ("yaml-several-documents", "", Some((line, 1)))).into_iter().collect();
        assert_eq!(told(&parsed.findings), found, "{text:?}");
        assert_eq!(
            locate(text, Notation::Yaml, [Spot::Key("/a")])[0].unwrap().line,
            1 + text.lines().position(|line| line == "a: 1").unwrap()
        );
    }
}

#[test]
fn what_json_cannot_say_is_left_out() {
    for (text, value, code, place) in [
        ("{a: 1}: b\nc: 2\n", json!({"c": 2}), "yaml-key", (1, 1)),
        ("u: {{host}}/x\nc: 2\n", json!({}), "", (0, 0)),
        ("u: {{host}: 1}\nc: 2\n", json!({"u": {}, "c": 2}), "yaml-key", (1, 5)),
        ("<<: 5\nc: 2\n", json!({"c": 2}), "yaml-merge", (1, 5)),
        (
            "b: &b {d: 1}\na:\n  <<: [*b, 5]\nc: 2\n",
            json!({"b": {"d": 1}, "a": {"d": 1}, "c": 2}),
            "yaml-merge",
            (3, 7),
        ),
        ("a: &a [*a]\nc: 2\n", json!({"a": [null], "c": 2}), "yaml-alias", (1, 8)),
        ("a: &a {*a : 1}\nc: 2\n", json!({"a": {}, "c": 2}), "yaml-alias", (1, 8)),
    ] {
        match parse(text, &ANY.notation(Some(Notation::Yaml))) {
            Ok(parsed) => {
                assert_eq!(parsed.value, value, "{text:?}");
                let first = told(&parsed.findings)[0];
                assert_eq!((first.0, first.2), (code, Some(place)), "{text:?}");
                let at = locate(text, Notation::Yaml, [Spot::Key("/c")])[0].unwrap();
                assert_eq!(at.line, text.lines().count(), "{text:?}");
            }
            Err(fault) => assert!(code.is_empty(), "{text:?}: {fault}"),
        }
    }
}

#[test]
fn tabs_between_a_key_and_its_value_and_within_brackets_are_spaces() {
    for (text, value, places) in [
        ("a:\tb\nc:\t1\n", json!({"a": "b", "c": 1}), &[("yaml-tab", 1, 3)][..]),
        ("a:\n  - b:\t \tc\n    'd: e': \t- f\n", json!(null), &[]),
        (
            "x:\n  a: {\n\t\t\"b\":\t[1,\t2], # {\n\t\"c\": '{\t'\n}\n  d: 1\n",
            json!({"x": {"a": {"b": [1, 2], "c": "{\t"}, "d": 1}}),
            &[("yaml-tab", 3, 1), ("yaml-indentation", 5, 1)],
        ),
        (
            "x:\n  a:\n    {\n\"b\": \"}\\\" {\"\n    }\n  d: 1\n",
            json!({"x": {"a": {"b": "}\" {"}, "d": 1}}),
            &[("yaml-indentation", 4, 1)],
        ),
        ("a: |\n  one\n\t\n  two\nb: 1\n", json!({"a": "one\n\ntwo\n", "b": 1}), &[("yaml-tab", 3, 1)]),
        // What only looks like brackets is a text: in blocks, in what goes on, and in quotes.
        (
            "a:\n  d: |\n    in\n    [0, 1) only\n  e: >-\n    - {x\n  f: one\n    [two\n  g: \"three\n    {four\"\n  h:\t1\n\
             b: |2\n  (0, 1]\ni: '}\n\n  ] \tj'\nc: 1\n",
            json!({"a": {"d": "in\n[0, 1) only\n", "e": "- {x", "f": "one [two", "g": "three {four", "h": 1},
                   "b": "(0, 1]\n", "i": "}\n] \tj", "c": 1}),
            &[("yaml-tab", 11, 5)],
        ),
        (
            "a:\n  - - |\n      [\n    - ! &x >\n      {\n  - d: |\n      [\n    e:\tx\n  - \"{\"\nb: |+ # [\n\n \t[\nc: 1\n",
            json!({"a": [["[\n", "{\n"], {"d": "[\n", "e": "x"}, "{"], "b": "\n\t[\n", "c": 1}),
            &[("yaml-tab", 8, 7)],
        ),
        // A tab in a text is the text's.
        ("a: |\n  x\ty\n  z:\t1\nc:\t1\n", json!({"a": "x\ty\nz:\t1\n", "c": 1}), &[("yaml-tab", 4, 3)]),
        ("a: x\n  y\t z\nc:\t1\n", json!({"a": "x y\t z", "c": 1}), &[("yaml-tab", 3, 3)]),
        // Brackets that nobody closes take no keys with them.
        ("a: [1,\nb: 2\nc: ]\n", json!(null), &[]),
        // A line that begins with a tab is none of a block, whatever it looks like.
        (
            "x:\n  a: {\n\tb: 1,\n\tc: y\n}\n  d: 1\n",
            json!({"x": {"a": {"b": 1, "c": "y"}, "d": 1}}),
            &[("yaml-tab", 3, 1), ("yaml-indentation", 5, 1)],
        ),
        (
            "a: [\n\tone,\n\tk: {\n\t\te: 2 }\n ]\nc: 1\n",
            json!({"a": ["one", {"k": {"e": 2}}], "c": 1}),
            &[("yaml-tab", 2, 1)],
        ),
        // Not sure, so a fault as ever.
        ("a:\n\tb: 1\n", json!(null), &[]),
        ("a:\n  b: 1\n\tc: [\n\t]\n", json!(null), &[]),
    ] {
        let expected = ANY.notation(Some(Notation::Yaml));
        let Ok(parsed) = parse(text, &expected) else {
            assert!(value.is_null(), "{text:?} {:?}", parse(text, &expected));
            continue;
        };
        assert_eq!(parsed.value, value, "{text:?}");
        let places: Vec<_> =
            places.iter().map(|(code, line, column)| (*code, "", Some((*line, *column)))).collect();
        assert_eq!(told(&parsed.findings), places, "{text:?}");
        // What stands behind is found.
        let last = text.lines().count();
        let key = if parsed.value.get("x").is_some() {
            "/x/d"
        } else if parsed.value.get("c").is_some() {
            "/c"
        } else {
            "/b"
        };
        assert_eq!(locate(text, Notation::Yaml, [Spot::Key(key)])[0].unwrap().line, last, "{text:?}");
    }
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
    // Cut off, so that nobody knows what is to be left out.
    let too_deep = parse(&format!("[\n\"]\\\"]\", {}", "[".repeat(200)), &ANY).unwrap_err();
    assert_eq!(too_deep.code, "json-depth");
    // The bracket that is one too many: 127 stand before it, one of them in the line above.
    assert_eq!(too_deep.location, Some(Location::new(2, 135)));
    let just = "[".repeat(127) + "?" + &"]".repeat(127);
    assert_eq!(parse(&just, &ANY).unwrap_err().code, "json-syntax");
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for i in 1..10 {
        let before = format!("*a{},", i - 1).repeat(10);
        bomb.push_str(&format!("a{i}: &a{i} [{before}]\n"));
    }
    assert_eq!(parse(&bomb, &ANY).unwrap_err().code, "yaml-expansion");
}

#[test]
fn trailing_commas_are_told_and_hide_nothing() {
    for (text, value, places) in [
        ("{\"a\": [1, 2,],\n \"b\": {\"c\": \",]\" , \n},\n}", json!({"a": [1, 2], "b": {"c": ",]"}}), 3),
        ("[[],{},\t]", json!([[], {}]), 1),
        ("[1e999, \"a\tb\",]", json!([f64::MAX, "a\tb"]), 1),
    ] {
        let parsed = parse(text, &ANY.notation(Some(Notation::Json))).unwrap();
        assert_eq!((parsed.notation, &parsed.value), (Notation::Json, &value), "{text}");
        let found: Vec<_> = parsed.findings.iter().filter(|found| found.code == "trailing-comma").collect();
        assert_eq!(found.len(), 1, "{text}");
        let at = found[0].location.unwrap();
        let line = text.lines().nth(at.line - 1).unwrap();
        assert_eq!(line.chars().nth(at.column - 1), Some(','), "{text}");
        assert_eq!(
            found[0].message.contains(&format!("in {} more places", places - 1)),
            places > 2,
            "{}",
            found[0]
        );
        let tree = parse_tree(text, &ANY).unwrap();
        assert_eq!((tree.value.to_value(), tree.findings), (value, parsed.findings));
    }
    // One comma behind something, and no more.
    for text in ["[,]", "{,}", "[1,,]", "{\"a\":,}", "[1,", "[1,]]", "[1,}"] {
        assert_eq!(parse(text, &ANY).unwrap_err().code, "json-syntax", "{text}");
    }
    let text = "{\"a\": [1,],\n\"b\": 2}";
    assert_eq!(locate(text, Notation::Json, [Spot::Key("/b")])[0], Some(Location::new(2, 1)));
}

proptest::proptest! {
    /// A tab that is mended changes nothing but itself, whatever else is in the text.
    #[test]
    fn what_is_mended_is_all_that_changes(
        entries in proptest::collection::vec(
            (0..HEADS.len(), proptest::collection::vec((0..2_usize, 0..BODIES.len()), 0..4)), 1..8),
        tab in 0..8_usize,
        depth in 0..3_usize,
    ) {
        let write = |space: &str| {
            let mut text = String::new();
            for level in 0..depth {
                text.push_str(&format!("{:1$}l:\n", "", level * 2));
            }
            for (index, (head, body)) in entries.iter().enumerate() {
                let (head, end) = HEADS[*head];
                text.push_str(&format!("{:1$}e{index}:{head}", "", depth * 2));
                for (indent, line) in body {
                    text.push_str(&format!("\n{:1$}{2}", "", depth * 2 + 4 + indent, BODIES[*line]));
                }
                text.push_str(&format!("{end}\n"));
                if index == tab {
                    text.push_str(&format!("{:1$}k:{space}1\n", "", depth * 2));
                }
            }
            text
        };
        let yaml = ANY.notation(Some(Notation::Yaml));
        let Ok(clean) = parse(&write(" "), &yaml) else { return Ok(()) };
        let mended = parse(&write("\t"), &yaml);
        proptest::prop_assert!(mended.is_ok(), "{}\n{:?}", write("\t"), mended);
        proptest::prop_assert_eq!(mended.unwrap().value, clean.value, "{}", write("\t"));
    }
}

/// How values begin that go on below, and end.
const HEADS: &[(&str, &str)] = &[
    (" |", ""),
    (" >-", ""),
    ("\n  - |", ""),
    ("\n  - - &a |2", ""),
    ("\n  - x: 1\n    y: !t |", ""),
    (" one", ""),
    (" '[", "'"),
    (" \"{ \\\" [", "\""),
    ("\n  - '", "'"),
    ("\n  one {", ""),
    (" [a, {b: c", "}]"),
    ("\n  - [", "]"),
    ("", ""),
    (" 1 # [", ""),
    (" # [", ""),
];

/// Lines in them.
const BODIES: &[&str] =
    &["(0, 1] only", "[0, 1) only", "{ x", "} y", "# z", "w, v", "", "- u", "t:\tu [", "[s\tr"];
