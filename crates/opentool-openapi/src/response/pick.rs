//! The parts of a JSON result that a host wants a model to see, by JSON Pointers.
//!
//! Works on the text, so that what is kept is kept exactly: no number is read and written again.

use std::collections::HashMap;
use std::fmt::Write as _;

use opentool_text::pointer;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What is kept below a place.
#[derive(Debug, Default)]
struct Wanted {
    everything: bool,
    members: HashMap<String, Wanted>,
}

/// What was picked.
#[derive(Debug, PartialEq)]
pub(super) struct Picked {
    pub(super) text: String,
    /// For the model, where there is something and none of it is wanted: an empty list would look like an empty result.
    pub(super) notice: Option<String>,
}

/// The text with what the pointers mean, and the objects and lists around it; `*` stands for any member or item. `None`
/// if the text is no JSON.
pub(super) fn pick(text: &str, pointers: &[String]) -> Option<Picked> {
    let mut wanted = Wanted::default();
    for pointer in pointers {
        let mut node = &mut wanted;
        for member in pointer::members(pointer) {
            node = node.members.entry(member).or_default();
        }
        node.everything = true;
    }
    let value: &RawValue = serde_json::from_str(text).ok()?;
    let mut picker = Picker { out: String::new(), found: false };
    picker.write(value, &[&wanted])?;
    let notice = if picker.found { None } else { Some(notice(value, pointers)?) };
    Some(Picked { text: picker.out, notice })
}

/// What of the result is hidden is not the model's to know, so only its kind and its size are told.
fn notice(value: &RawValue, pointers: &[String]) -> Option<String> {
    let text = value.get();
    let what = match text.chars().next() {
        Some('{') => format!("an object of {} members", each(text, &mut |_, _| Some(()))?),
        Some('[') => format!("a list of {} entries", each(text, &mut |_, _| Some(()))?),
        _ => "a single value".to_owned(),
    };
    let shown = pointers.iter().map(|pointer| format!("`{pointer}`")).collect::<Vec<_>>().join(", ");
    Some(format!(
        "[Nothing of the result is shown: it is {what}, and there is nothing at {shown}, which is all that is set to be \
         shown of results.]"
    ))
}

/// Writes what is wanted.
struct Picker {
    out: String,
    /// Whether something was wanted, or an empty list or object stood where any item or member of it was.
    found: bool,
}

impl Picker {
    /// Writes what is wanted of a value; what is not an object or a list is wanted as a whole or not at all.
    fn write(&mut self, value: &RawValue, wanted: &[&Wanted]) -> Option<()> {
        let text = value.get();
        if wanted.iter().any(|wanted| wanted.everything) {
            self.found = true;
            self.out.push_str(text);
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
        let is_open = wanted.iter().any(|wanted| wanted.members.contains_key("*"));
        let Some((open, close)) = (match text.as_bytes().first() {
            Some(b'{') => Some(('{', '}')),
            Some(b'[') => Some(('[', ']')),
            _ => None,
        }) else {
            self.out.push_str("null");
            return Some(());
        };
        self.out.push(open);
        let mut separator = "";
        let count = each(text, &mut |name, member| {
            let below = below(&name);
            if is_wanted(member, &below) {
                self.out.push_str(separator);
                separator = ",";
                if open == '{' {
                    let _ = write!(self.out, "{}:", serde_json::Value::String(name));
                }
                self.write(member, &below)?;
            }
            Some(())
        })?;
        self.found |= is_open && count == 0;
        self.out.push(close);
        Some(())
    }
}

/// What is done with a member or an item; an item's name is its place.
type Each<'f, 't> = dyn FnMut(String, &'t RawValue) -> Option<()> + 'f;

/// Goes over the members of an object or the items of a list, in their order; how many there are. One at a time: a few bytes
/// each of a hostile answer would be many times as many in a list of them.
fn each<'t>(text: &'t str, f: &mut Each<'_, 't>) -> Option<usize> {
    struct All<'a, 'f, 't>(&'a mut Each<'f, 't>);
    impl<'t> Visitor<'t> for All<'_, '_, 't> {
        type Value = usize;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object or a list")
        }

        fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<usize, A::Error> {
            let mut count = 0_usize;
            while let Some((name, member)) = map.next_entry()? {
                self.0(name, member).ok_or_else(|| A::Error::custom("no JSON"))?;
                count = count.saturating_add(1);
            }
            Ok(count)
        }

        fn visit_seq<A: SeqAccess<'t>>(self, mut items: A) -> Result<usize, A::Error> {
            let mut count = 0_usize;
            while let Some(item) = items.next_element()? {
                self.0(count.to_string(), item).ok_or_else(|| A::Error::custom("no JSON"))?;
                count = count.saturating_add(1);
            }
            Ok(count)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_any(All(f)).ok()
}

#[cfg(test)]
mod tests {
    use super::pick;

    fn picked(pointers: &[&str]) -> String {
        let text = r#"{"items": [{"id": 12345678901234567890123, "name": "a", "tags": ["x", "y"]}, {"id": 2}, 3],
            "next": {"page": 2, "a/b": 1}, "total": 1.50}"#;
        let pointers: Vec<_> = pointers.iter().map(|pointer| (*pointer).to_owned()).collect();
        pick(text, &pointers).unwrap().text
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
        assert_eq!(pick("5", &["/a".to_owned()]).unwrap().text, "null");
        assert_eq!(pick("[1, 2]", &[String::new()]).unwrap().text, "[1, 2]");
        assert_eq!(pick("no", &[String::new()]), None);
    }

    #[test]
    fn where_nothing_is_wanted_of_what_there_is_it_is_told() {
        for (text, pointers, told) in [
            ("[1, 2, 3]", &["/nope"][..], Some("a list of 3 entries, and there is nothing at `/nope`,")),
            (
                r#"{"a": 1}"#,
                &["/b", "/c/*"],
                Some("an object of 1 members, and there is nothing at `/b`, `/c/*`,"),
            ),
            (r#"[{"a": 1}]"#, &["/*/b"], Some("a list of 1 entries")),
            ("5", &["/a"], Some("a single value")),
            // What is empty has nothing to hide, and one that is there is enough.
            ("[]", &["/*/id"], None),
            (r#"{"items": []}"#, &["/items/*/id"], None),
            (r#"{"a": 1}"#, &["/b", "/a"], None),
            ("{}", &[""], None),
        ] {
            let pointers: Vec<_> = pointers.iter().map(|pointer| (*pointer).to_owned()).collect();
            let notice = pick(text, &pointers).unwrap().notice;
            assert_eq!(notice.is_some(), told.is_some(), "{text} {pointers:?} {notice:?}");
            assert!(notice.unwrap_or_default().contains(told.unwrap_or_default()), "{text} {pointers:?}");
        }
    }
}
