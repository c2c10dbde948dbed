//! Schemas in a few words: what would be accepted.

use serde_json::Value;

use super::Explainer;
use crate::refs::Place;
use crate::text::{listed, literal, name, type_in_words};

/// References that are followed for a few words.
const HOPS: usize = 8;
/// Values of an enumeration that are listed.
const VALUES: usize = 16;

/// The types that a schema names; empty for any.
pub(crate) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// `"a"`, or `one of "a", "b", "c"`.
pub(super) fn one_of(values: &[Value]) -> String {
    match values {
        [] => "nothing".to_owned(),
        [only] => literal(only),
        many => format!("one of {}", listed(many.iter().map(literal), VALUES, "or")),
    }
}

/// A format in words, with an example where the name alone misleads.
pub(super) fn format_in_words(format: &str) -> String {
    let example = match format {
        "date" => "2024-05-31",
        "date-time" => "2024-05-31T13:45:00Z",
        "email" => "ada@example.com",
        "hostname" => "www.example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" => "https://example.com/page",
        "uuid" => "123e4567-e89b-42d3-a456-426614174000",
        _ => return format!("a string in the format {}", name(format)),
    };
    format!("a string in the format {} such as {example}", name(format))
}

impl<'s> Explainer<'_, 's> {
    /// What a schema accepts, in a few words: `an integer`, `one of "a" or "b"`; `None` if it cannot be said so.
    pub(super) fn describe(&self, place: Place<'s>) -> Option<String> {
        let place = self.follow(place);
        if let Some(only) = place.get("const") {
            return Some(literal(only));
        }
        if let Some(Value::Array(values)) = place.get("enum") {
            return Some(one_of(values));
        }
        match types(place.schema).as_slice() {
            [] => None,
            ["string"] => match place.get("format").and_then(Value::as_str) {
                Some(format) => Some(format_in_words(format)),
                None => Some("a string".to_owned()),
            },
            ["array"] => Some(match place.get("items") {
                Some(items) => format!("an array of {}", self.plural(place.enter(items))),
                None => "an array".to_owned(),
            }),
            names => {
                let words: Vec<String> = names.iter().map(|name| type_in_words(name).to_owned()).collect();
                Some(listed(words.into_iter(), 7, "or"))
            }
        }
    }

    /// What the items of an array are: `strings`, `objects`.
    pub(super) fn plural(&self, place: Place<'s>) -> &'static str {
        match types(self.follow(place).schema).as_slice() {
            ["string"] => "strings",
            ["integer"] => "integers",
            ["number"] => "numbers",
            ["boolean"] => "booleans",
            ["array"] => "arrays",
            ["object"] => "objects",
            _ => "items",
        }
    }

    /// The schema that a chain of plain references ends at.
    pub(super) fn follow(&self, mut place: Place<'s>) -> Place<'s> {
        for _ in 0..HOPS {
            let Some(reference) = place.get("$ref").and_then(Value::as_str) else { break };
            let Some(target) = self.refs.resolve(place, reference) else { break };
            place = target;
        }
        place
    }
}
