//! `$defs`: the schemas that a tool's schema refers to, each once, and their names.

use std::collections::HashSet;

use opentool_text::pointer;
use serde_json::{Map, Value, json};

use super::Knowledge;
use super::convert::{Converter, Direction, Position};
use crate::document::Document;
use crate::hash::short_hash;

/// How much of the referenced schemas a tool carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Budget {
    /// All of them: arguments are validated by them.
    Everything,
    /// About this many bytes, the nearest first; the rest allows everything and says where it stands. For results, which
    /// only inform: the results of one operation can reach every schema of an API.
    Bytes(usize),
}

/// The name in `$defs` of the schema at a pointer. Depends on the pointer alone, so that the same schema has the same name
/// in every tool and however the document is ordered.
pub(crate) fn definition_name(pointer: &str) -> String {
    if let Some(name) = pointer.strip_prefix("/components/schemas/")
        && is_safe(name)
    {
        return name.to_owned();
    }
    let path = pointer.strip_prefix("/components/").unwrap_or(pointer);
    let words: Vec<String> = pointer::members(&format!("/{}", path.trim_start_matches('/')))
        .filter(|word| !matches!(word.as_str(), "schemas" | "properties" | "schema" | "content" | "paths"))
        .map(|word| word.chars().map(|c| if is_safe_char(c) { c } else { '_' }).collect())
        .collect();
    let words = words.join("_");
    let tail: String = words.chars().skip(words.chars().count().saturating_sub(40)).collect();
    format!("{}__{}", tail.trim_matches('_'), short_hash(pointer))
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

/// Adds `$defs` with everything that `root` refers to, directly or not.
pub(crate) fn attach(
    root: &mut Map<String, Value>,
    document: &Document,
    knowledge: &Knowledge,
    direction: Direction,
    budget: Budget,
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
        let is_over = matches!(budget, Budget::Bytes(limit) if spent > limit);
        let definition = if is_over {
            cut(schema, pointer)
        } else {
            Converter::build(document, direction, pointer, knowledge).schema(schema, Position::InPlace)
        };
        if let Budget::Bytes(_) = budget {
            spent = spent.saturating_add(size(&definition));
        }
        let mut names = Vec::new();
        collect(&definition, &mut names);
        queue.extend(names.into_iter().filter(|name| !seen.contains(name)));
        definitions.insert(name, definition);
    }
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
}

/// What stands in place of a schema that is too much.
fn cut(schema: &Value, pointer: &str) -> Value {
    let mut out = Map::new();
    if let Some(title) = schema.get("title").filter(|title| title.is_string()) {
        out.insert("title".to_owned(), title.clone());
    }
    out.insert("$comment".to_owned(), Value::String(format!("left out for brevity: #{pointer}")));
    Value::Object(out)
}

/// The names that a converted schema refers to, in order.
fn collect(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(members) => collect_members(members, names),
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        _ => {}
    }
}

fn collect_members(schema: &Map<String, Value>, names: &mut Vec<String>) {
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

/// About how many bytes a value has as JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len().saturating_add(2),
        Value::Array(items) => {
            items.iter().map(size).fold(2, |sum, n| sum.saturating_add(n).saturating_add(1))
        }
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| size(value).saturating_add(key.len()).saturating_add(4))
            .fold(2, usize::saturating_add),
        _ => 5,
    }
}
