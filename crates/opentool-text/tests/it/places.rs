//! Where things stand: keys and values, in JSON and YAML, whatever stands before them.

use opentool_core::Location;
use opentool_text::pointer::{Pointer, join, members};
use opentool_text::{Expected, Notation, Spot, locate, parse};
use proptest::prelude::*;
use serde_json::{Value, json};

fn at(text: &str, notation: Notation, spot: Spot<'_>) -> (usize, usize) {
    let found = locate(text, notation, [spot])[0].unwrap();
    (found.line, found.column)
}

#[test]
fn keys_and_values_of_json() {
    let text = "{\n  \"a\" : [1, {\"b\": \"ü\", \"c\":true}],\n\t\"x/y\": null }";
    let key = |pointer| at(text, Notation::Json, Spot::Key(pointer));
    let value = |pointer| at(text, Notation::Json, Spot::Value(pointer));
    assert_eq!(value(""), (1, 1));
    assert_eq!(key("/a"), (2, 3));
    assert_eq!(value("/a"), (2, 9));
    assert_eq!(key("/a/0"), (2, 10));
    assert_eq!(key("/a/1/b"), (2, 14));
    assert_eq!(value("/a/1/b"), (2, 19));
    // Columns are characters, not bytes.
    assert_eq!(key("/a/1/c"), (2, 24));
    assert_eq!(value("/a/1/c"), (2, 28));
    assert_eq!(key("/x~1y"), (3, 2));
}

#[test]
fn keys_and_values_of_yaml() {
    let text = "# first\na:\n  - 1\n  - b: 'ü'\n    c: true\nx/y: {z: [1, 2]}\n";
    let key = |pointer| at(text, Notation::Yaml, Spot::Key(pointer));
    let value = |pointer| at(text, Notation::Yaml, Spot::Value(pointer));
    assert_eq!(key("/a"), (2, 1));
    assert_eq!(key("/a/0"), (3, 5));
    assert_eq!(key("/a/1/c"), (5, 5));
    assert_eq!(value("/a/1/c"), (5, 8));
    assert_eq!(key("/x~1y/z"), (6, 7));
    assert_eq!(value("/x~1y/z/1"), (6, 14));
}

#[test]
fn what_is_missing_has_the_place_of_what_it_is_missing_from() {
    let json = "{\"a\": {\"b\": 1}}";
    assert_eq!(at(json, Notation::Json, Spot::Value("/a/c/d")), (1, 2));
    assert_eq!(at(json, Notation::Json, Spot::Key("/z")), (1, 1));
    let yaml = "base: &base {b: 1}\na: *base\n";
    assert_eq!(at(yaml, Notation::Yaml, Spot::Value("/a/b")), (2, 1));
}

#[test]
fn of_equal_keys_the_last_one_counts() {
    let text = "{\"a\": {\"x\": 1, \"y\": 2},\n \"a\": {\"y\": 3}}";
    assert_eq!(at(text, Notation::Json, Spot::Value("/a/y")), (2, 13));
    // There is no `x` in the one that counts.
    assert_eq!(at(text, Notation::Json, Spot::Value("/a/x")), (2, 2));
}

#[test]
fn a_place_far_into_one_long_line_is_exact() {
    let text = format!("{{\"a\": \"{}\", \"b\": 1}}", "ü".repeat(1_000_000));
    let found = locate(&text, Notation::Json, [Spot::Key("/b"), Spot::Value("/b")]);
    assert_eq!(found, [Some(Location::new(1, 1_000_011)), Some(Location::new(1, 1_000_016))]);
}

#[test]
fn pointers_are_written_and_read_back() {
    let mut pointer = Pointer::default();
    let root = pointer.enter("a/b~c");
    pointer.enter_item(3);
    assert_eq!(pointer.as_str(), "/a~1b~0c/3");
    assert_eq!(members(pointer.as_str()).collect::<Vec<_>>(), ["a/b~c", "3"]);
    pointer.back(root);
    assert_eq!(pointer.as_str(), "");
    assert_eq!(join("/a", ""), "/a/");
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ab\"\\\\{}\\[\\],:ü\n ]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[ab\"\\\\{}\\[\\],:/~ü]{0,3}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &join(at, &index.to_string()), found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                pointers(member, &join(at, name), found);
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// At the place of every value stands that value, and at the place of every key that key.
    #[test]
    fn at_every_place_stands_what_was_looked_for(value in value(), pretty in any::<bool>()) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let mut all = Vec::new();
        pointers(&value, "", &mut all);
        let values = locate(&text, Notation::Json, all.iter().map(|pointer| Spot::Value(pointer)));
        let keys = locate(&text, Notation::Json, all.iter().map(|pointer| Spot::Key(pointer)));
        let lines: Vec<&str> = text.split('\n').collect();
        let rest = |place: Option<Location>| {
            let place = place.unwrap();
            let before: String = lines[place.line - 1].chars().skip(place.column - 1).collect();
            lines[place.line..].iter().fold(before, |text, line| text + "\n" + line)
        };
        for ((pointer, at_value), at_key) in all.iter().zip(values).zip(keys) {
            let rest_of_value = rest(at_value);
            let read = serde_json::Deserializer::from_str(&rest_of_value).into_iter::<Value>().next();
            prop_assert_eq!(&read.unwrap().unwrap(), value.pointer(pointer).unwrap());
            let parent = pointer.rfind('/').and_then(|at| value.pointer(&pointer[..at]));
            if parent.is_some_and(Value::is_object) {
                let rest_of_key = rest(at_key);
                let read = serde_json::Deserializer::from_str(&rest_of_key).into_iter::<String>().next();
                prop_assert_eq!(read.unwrap().unwrap(), members(pointer).last().unwrap());
            }
        }
    }

    #[test]
    fn any_text_is_read_without_panic(text in "[-{}\\[\\]:,&*!|>'\"#%@a1 \n\t~.?<]{0,60}") {
        let _ = parse(&text, &Expected::new("a document", "a: 1"));
    }
}
