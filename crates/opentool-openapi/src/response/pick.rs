//! The parts of a JSON result that a host wants a model to see, by JSON Pointers.
//!
//! Works on the text, so that what is kept is kept exactly: no number is read and written again.

use std::collections::HashMap;
use std::fmt::Write as _;

use opentool_text::pointer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What is kept below a place.
#[derive(Debug, Default)]
struct Wanted {
    everything: bool,
    members: HashMap<String, Wanted>,
}

/// The text with what the pointers mean, and the objects and lists around it; `*` stands for any member or item. `None`
/// if the text is no JSON.
pub(super) fn pick(text: &str, pointers: &[String]) -> Option<String> {
    let mut wanted = Wanted::default();
    for pointer in pointers {
        let mut node = &mut wanted;
        for member in pointer::members(pointer) {
            node = node.members.entry(member).or_default();
        }
        node.everything = true;
    }
    let value: &RawValue = serde_json::from_str(text).ok()?;
    let mut out = String::new();
    write(value, &[&wanted], &mut out)?;
    Some(out)
}

/// Writes what is wanted of a value; what is not an object or a list is wanted as a whole or not at all.
fn write(value: &RawValue, wanted: &[&Wanted], out: &mut String) -> Option<()> {
    let text = value.get();
    if wanted.iter().any(|wanted| wanted.everything) {
        out.push_str(text);
        return Some(());
    }
    let below = |name: &str| -> Vec<&Wanted> {
        wanted
            .iter()
            .flat_map(|wanted| [name, "*"].into_iter().filter_map(|name| wanted.members.get(name)))
            .collect()
    };
    let is_wanted = |value: &RawValue, below: &[&Wanted]| {
        let is_container = value.get().starts_with(['{', '[']);
        !below.is_empty() && (is_container || below.iter().any(|wanted| wanted.everything))
    };
    let mut first = true;
    let mut separate = |out: &mut String| {
        if !std::mem::take(&mut first) {
            out.push(',');
        }
    };
    if text.starts_with('{') {
        out.push('{');
        for (name, member) in members(text)? {
            let below = below(&name);
            if is_wanted(member, &below) {
                separate(out);
                let _ = write!(out, "{}:", serde_json::Value::String(name));
                write(member, &below, out)?;
            }
        }
        out.push('}');
    } else if text.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
        out.push('[');
        for (index, item) in items.into_iter().enumerate() {
            let below = below(&index.to_string());
            if is_wanted(item, &below) {
                separate(out);
                write(item, &below, out)?;
            }
        }
        out.push(']');
    } else {
        out.push_str("null");
    }
    Some(())
}

/// The members of an object in their order.
fn members(text: &str) -> Option<Vec<(String, &RawValue)>> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
            Ok(Vec::new())
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_map(Members).ok()
}

#[cfg(test)]
mod tests {
    use super::pick;

    fn picked(pointers: &[&str]) -> String {
        let text = r#"{"items": [{"id": 12345678901234567890123, "name": "a", "tags": ["x", "y"]}, {"id": 2}, 3],
            "next": {"page": 2, "a/b": 1}, "total": 1.50}"#;
        pick(text, &pointers.iter().map(|pointer| (*pointer).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn what_is_wanted_stays_as_it_is_written() {
        assert_eq!(picked(&["/items/*/id"]), r#"{"items":[{"id":12345678901234567890123},{"id":2}]}"#);
        assert_eq!(picked(&["/total", "/next/page"]), r#"{"next":{"page":2},"total":1.50}"#);
        assert_eq!(picked(&["/next/a~1b"]), r#"{"next":{"a/b":1}}"#);
        assert_eq!(picked(&["/items/0/tags/1"]), r#"{"items":[{"tags":["y"]}]}"#);
        assert_eq!(picked(&["/items/*/name", "/items/1"]), r#"{"items":[{"name":"a"},{"id": 2}]}"#);
        assert_eq!(picked(&["/*/page"]), r#"{"items":[],"next":{"page":2}}"#);
        assert_eq!(picked(&["/missing"]), "{}");
        assert_eq!(pick("5", &["/a".to_owned()]).unwrap(), "null");
        assert_eq!(pick("[1, 2]", &[String::new()]).unwrap(), "[1, 2]");
        assert_eq!(pick("no", &[String::new()]), None);
    }
}
