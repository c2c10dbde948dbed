//! `$defs`: the schemas that a tool's schema refers to, each once, and their names.

use std::collections::HashSet;

use opentool_text::pointer;
use serde_json::{Map, Value, json};

use super::convert::{Converter, Direction, Position};
use super::{Knowledge, reach};
use crate::document::{Document, split};
use crate::hash::short_hash;
use crate::version::Version;

/// The name in `$defs` of the schema at a place. Depends on the place alone, so that the same schema has the same name
/// in every tool and however the document is ordered; a place in another document counts by that document's name.
pub(crate) fn definition_name(document: &Document, place: &str) -> String {
    let (part, pointer) = document.part_of(place);
    let file = part.map(|part| part.name.as_ref()).unwrap_or_default();
    let schemas =
        if document.version_at(place) == Version::V2 { "/definitions/" } else { "/components/schemas/" };
    if file.is_empty()
        && let Some(name) = pointer.strip_prefix(schemas)
        && is_safe(name)
    {
        return name.to_owned();
    }
    let stem = file.rsplit('/').next().and_then(|name| name.split('.').next()).map(str::to_owned);
    let path = pointer.strip_prefix("/components/").unwrap_or(pointer);
    let members = pointer::members(&format!("/{}", path.trim_start_matches('/'))).collect::<Vec<String>>();
    let words: Vec<String> = stem
        .into_iter()
        .chain(members)
        .filter(|word| {
            let says_nothing = ["schemas", "definitions", "properties", "schema", "content", "paths"];
            !word.is_empty() && !says_nothing.contains(&word.as_str())
        })
        .map(|word| word.chars().map(|c| if is_safe_char(c) { c } else { '_' }).collect())
        .collect();
    let words = words.join("_");
    let tail: String = words.chars().skip(words.chars().count().saturating_sub(40)).collect();
    format!("{}__{}", tail.trim_matches('_'), short_hash(&format!("{file}{pointer}")))
}

/// Whether a component's own name can stay. Names that look like made ones are made anew, so that the two kinds never
/// meet.
fn is_safe(name: &str) -> bool {
    let looks_made = name
        .rsplit_once("__")
        .is_some_and(|(_, tail)| tail.len() == 8 && tail.bytes().all(|b| b.is_ascii_hexdigit()));
    !name.is_empty() && name.len() <= 200 && name.chars().all(is_safe_char) && !looks_made
}

/// Needs no escaping in a pointer, in a fragment, or for any provider.
fn is_safe_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Adds `$defs` with what `root` refers to, directly or not: the nearest first, until there are about `most` bytes of
/// them. The rest allows everything and says where it stands. One operation can reach every schema of an API, and each
/// tool carries its own copy.
pub(crate) fn attach(
    root: &mut Map<String, Value>,
    document: &Document,
    knowledge: &Knowledge,
    direction: Direction,
    most: usize,
) {
    let mut names = Vec::new();
    collect_members(root, &mut names);
    let mut seen: HashSet<String> = HashSet::new();
    let mut queue: std::collections::VecDeque<String> = names.into();
    let mut definitions = Map::new();
    let mut spent = 0_usize;
    while let Some(name) = queue.pop_front() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let Some((pointer, schema)) =
            knowledge.definitions.get(&name).and_then(|pointer| Some((pointer, document.at(pointer)?)))
        else {
            // Cannot happen, but a dangling reference must not either.
            definitions.insert(name, json!({}));
            continue;
        };
        let definition = if spent > most || seen.len() > reach::MOST {
            cut(schema, &format!("#{}", split(pointer).1))
        } else {
            Converter::build(document, direction, pointer, knowledge).schema(schema, Position::InPlace)
        };
        spent = spent.saturating_add(size(&definition)).saturating_add(name.len());
        let mut names = Vec::new();
        collect(&definition, &mut names);
        queue.extend(names.into_iter().filter(|name| !seen.contains(name)));
        definitions.insert(name, definition);
    }
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
}

/// How what stands in place of a schema that is too much begins.
pub(crate) const LEFT_OUT: &str = "left out for brevity: ";

/// The types of 2020-12.
const KINDS: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/// What stands in place of a schema that is too much: its title and what kind of value it is.
pub(super) fn cut(schema: &Value, name: &str) -> Value {
    let mut out = Map::new();
    if let Some(title) = schema.get("title").filter(|title| title.is_string()) {
        out.insert("title".to_owned(), title.clone());
    }
    // As a document writes it, too, where that says the same as 2020-12.
    let is_kind = |kind: &Value| kind.as_str().is_some_and(|kind| KINDS.contains(&kind));
    let kind = schema.get("type").filter(|kind| match kind {
        Value::Array(kinds) => !kinds.is_empty() && kinds.iter().all(is_kind),
        kind => is_kind(kind) && schema.get("nullable").is_none(),
    });
    if let Some(kind) = kind {
        out.insert("type".to_owned(), kind.clone());
    }
    out.insert("$comment".to_owned(), Value::String(format!("{LEFT_OUT}{name}")));
    Value::Object(out)
}

/// The names that a converted schema refers to, in order.
pub(super) fn collect(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(members) => collect_members(members, names),
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        _ => {}
    }
}

pub(super) fn collect_members(schema: &Map<String, Value>, names: &mut Vec<String>) {
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("$ref", Value::String(reference)) => {
                names.extend(reference.strip_prefix("#/$defs/").map(str::to_owned));
            }
            // Names of the user's, not keywords.
            ("properties" | "patternProperties" | "dependentSchemas", Value::Object(schemas)) => {
                schemas.values().for_each(|schema| collect(schema, names));
            }
            // Data, in which no converted schema has a `$ref`.
            ("enum" | "const" | "default" | "examples", _) => {}
            _ => collect(value, names),
        }
    }
}

/// How many bytes a value has as JSON, or a few more.
pub(crate) fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text_size(text),
        Value::Number(number) => number.to_string().len(),
        Value::Array(items) => {
            items.iter().map(size).fold(2, |sum, n| sum.saturating_add(n).saturating_add(1))
        }
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| size(value).saturating_add(text_size(key)).saturating_add(2))
            .fold(2, usize::saturating_add),
        _ => 5,
    }
}

/// How many bytes a text has as JSON, with quotes and what has to be escaped.
pub(crate) fn text_size(text: &str) -> usize {
    let escapes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..0x20 => 5,
        _ => 0,
    });
    escapes.fold(text.len().saturating_add(2), usize::saturating_add)
}
