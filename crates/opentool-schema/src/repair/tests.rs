//! The laws of the reader: JSON is read as JSON, nothing panics, the work is linear.
#![allow(clippy::unwrap_used, clippy::panic)]

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::parse::{Opening, Parser};
use super::{Fault, LEVELS, Tolerance, read};

const ALL: [Tolerance; 3] = [Tolerance::Sure, Tolerance::Wide, Tolerance::Prefix];

fn json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[ -~]{0,12}",
        r#"[a"'\\{}\[\]:,/ n]{0,12}"#,
        any::<String>(),
        Just("\",\"b\":".to_owned()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((text.clone(), inner), 0..5)
                .prop_map(|m| Value::Object(m.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_is_read_as_json(value in json(), pretty in any::<bool>()) {
        let value = if value.is_array() { value } else { serde_json::json!({"a": value}) };
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let value: Value = serde_json::from_str(&text).unwrap();
        for tolerance in ALL {
            let written = read(&text, tolerance);
            prop_assert_eq!(written.map(|w| w.value), Ok(value.clone()), "{} {:?}", text, tolerance);
        }
    }

    #[test]
    fn nothing_panics(text in r#"[a"'\\{}\[\]:,/ \n0.\-+e“”r`<&;u=#*T]{0,40}"#, other in any::<String>()) {
        for tolerance in ALL {
            let _ = read(&text, tolerance);
            let _ = read(&other, tolerance);
            let _ = read(&format!("{{\"a\":{text}"), tolerance);
        }
    }

    #[test]
    fn a_beginning_is_never_taken_for_the_whole(value in json(), cut in 0.0..1.0_f64) {
        let text = serde_json::json!({"a": value, "b": 1}).to_string();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let cut = (text.len() as f64 * cut) as usize;
        let Some(begun) = text.get(..cut) else { return Ok(()) };
        prop_assert!(read(begun, Tolerance::Sure).is_err(), "{}", begun);
        if !begun.is_empty() {
            prop_assert!(read(begun, Tolerance::Prefix).is_ok(), "{}", begun);
        }
    }
}

/// Bytes that are looked at for each byte of the text.
fn effort(text: &str) -> usize {
    let mut parser = Parser::new(text, 0, Opening::Written, Tolerance::Wide);
    let _ = parser.run();
    parser.scan.looked / text.len()
}

#[test]
fn the_work_is_linear() {
    for (start, again, end) in [
        ("{\"a\":\"", "\"", "\"}"),
        ("{\"a\":\"", "\" ", "\"}"),
        ("{\"a\":\"", "\",", "\"}"),
        ("{\"a\":\"", "\"}", "\"}"),
        ("{\"a\":\"", "\" b: ", "\"}"),
        ("{\"a\":\"", "\\", "\"}"),
        ("[", "[],", "]"),
        ("[", "1 ", "]"),
        ("[", "a ", "]"),
        ("[", "\"a\" ", "]"),
        ("{\"a\":\"", "\",/*", "*/ x\"}"),
        ("{\"a\":\"", "\" // ", "\n x\"}"),
        ("{", "a:1,", "}"),
        ("{", "/**/", "}"),
        ("{", ",", "}"),
    ] {
        let text = format!("{start}{}{end}", again.repeat(20_000));
        assert!(effort(&text) <= 8, "{start}{again}…: {}", effort(&text));
        for tolerance in ALL {
            let _ = read(&text, tolerance);
        }
    }
}

#[test]
fn depth_is_bounded_and_takes_no_stack() {
    for open in ["[", "{\"a\":", "{a:[", "['"] {
        for tolerance in ALL {
            let found = read(&open.repeat(1 << 18), tolerance);
            assert!(matches!(found, Err(Fault::TooDeep | Fault::NotJson { .. })) || open == "['", "{open}");
        }
    }
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(read(&nested(LEVELS), Tolerance::Sure).is_ok());
    assert_eq!(read(&nested(LEVELS + 1), Tolerance::Sure), Err(Fault::TooDeep));
}

#[test]
fn long_text_is_not_repaired() {
    assert_eq!(read(&" ".repeat(5 << 20), Tolerance::Sure), Err(Fault::TooLong));
}
