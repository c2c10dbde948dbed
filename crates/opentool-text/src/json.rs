//! JSON text to a value, telling of keys that stand twice.
//!
//! `serde_json` alone takes the last of two equal keys without a word; what the other said is lost, so it is an error, as
//! it is in YAML. Unlike there the rest is read. Depth is limited by `serde_json` (128), which is
//! what lets every reader walk a document by recursion.

use std::cell::RefCell;
use std::fmt;

use opentool_core::{Diagnostic, Location};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use crate::{Notation, Parsed, pointer};

/// Levels that `serde_json` reads.
const LEVELS: usize = 127;

/// Reads JSON.
///
/// # Errors
/// A diagnostic with the place where the text stops being JSON.
pub(crate) fn parse(text: &str) -> Result<Parsed, Box<Diagnostic>> {
    let findings = RefCell::new(Vec::new());
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Seed { path: &Path::Root, findings: &findings }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| Box::new(broken(text, &error)))?;
    Ok(Parsed { value, notation: Notation::Json, findings: findings.into_inner() })
}

fn broken(text: &str, error: &serde_json::Error) -> Diagnostic {
    let place = Location::new(error.line().max(1), error.column().max(1));
    if levels(text, place) > LEVELS {
        let message = format!("the document is nested more than {LEVELS} levels deep");
        return Diagnostic::error("json-depth", "", message).location(place);
    }
    // serde_json appends the place to its message; ours stands in a field.
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
    // serde_json has no kind for it. The text is JSON; it is the number that nothing here can hold.
    if message.starts_with("number out of range") {
        let message = "this number is beyond what a number of 64 bits can be, which is about ±1.8e308";
        return Diagnostic::error("number-range", "", message).location(place).help("write it as a string");
    }
    Diagnostic::error("json-syntax", "", format!("this is not valid JSON: {message}")).location(place)
}

/// How deep the brackets nest at a place, strings left out.
fn levels(text: &str, place: Location) -> usize {
    let before: usize = text.split_inclusive('\n').take(place.line.saturating_sub(1)).map(str::len).sum();
    let (mut level, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in text.bytes().take(before.saturating_add(place.column)) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => level = level.saturating_add(1),
            b']' | b'}' if !quoted => level = level.saturating_sub(1),
            _ => {}
        }
    }
    level
}

/// Where the reading is; lives on the stack, costs nothing until a pointer is wanted.
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, key) => pointer::join(&parent.pointer(), key),
            Self::Item(parent, index) => pointer::join(&parent.pointer(), &index.to_string()),
        }
    }
}

struct Seed<'a> {
    path: &'a Path<'a>,
    findings: &'a RefCell<Vec<Diagnostic>>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number that is too large"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            let path = Path::Item(self.path, items.len());
            match access.next_element_seed(Seed { path: &path, findings: self.findings })? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        // A document is read once and kept long.
        items.shrink_to_fit();
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let path = Path::Key(self.path, &key);
            let value = access.next_value_seed(Seed { path: &path, findings: self.findings })?;
            match members.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                Entry::Occupied(mut entry) => {
                    let mut findings = self.findings.try_borrow_mut().map_err(A::Error::custom)?;
                    // A hostile text could repeat a key a million times.
                    if findings.len() < 1_000 {
                        let message = format!(
                            "the key `{}` stands twice in one object; the last one counts, what the other says is lost",
                            entry.key()
                        );
                        let pointer = Path::Key(self.path, entry.key()).pointer();
                        let found = Diagnostic::error("duplicate-key", pointer, message);
                        findings.push(found.help("remove one of the two, or put all in one"));
                    }
                    entry.insert(value);
                }
            }
        }
        Ok(Value::Object(members))
    }
}
