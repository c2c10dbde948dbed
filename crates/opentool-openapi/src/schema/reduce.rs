//! A tool's schema made smaller, in steps of which each loses more than the one before: long notes and examples, then
//! the definitions that are farthest from the root, then what stands deep within arguments, at last their notes.
//! Arguments, their types and what is required stay, even where they alone are too much.

use std::collections::{HashSet, VecDeque};

use serde_json::{Map, Value};

use super::definitions::{collect, collect_members, cut, size};
use super::fold::{Fold, Notes, loosen};
use crate::choose::cut_text;

/// How many bytes a note may have, step by step.
const NOTES: [usize; 3] = [300, 120, 40];

/// A schema that is not worth cutting, in bytes.
const SMALL: usize = 120;

/// How what stands within arguments is cut, step by step.
const FOLDS: [Fold; 7] = [
    Fold { depth: 4, small: SMALL, notes: Notes::Keep },
    Fold { depth: 3, small: SMALL, notes: Notes::Keep },
    Fold { depth: 2, small: SMALL, notes: Notes::Keep },
    Fold { depth: 1, small: SMALL, notes: Notes::Keep },
    Fold { depth: 0, small: SMALL, notes: Notes::Keep },
    Fold { depth: 0, small: 0, notes: Notes::Keep },
    Fold { depth: 0, small: 0, notes: Notes::LeaveOut },
];

/// Makes a schema as small as `most` bytes, as far as that is possible.
pub(crate) fn reduce(mut schema: Value, most: usize) -> Value {
    if size(&schema) <= most {
        return schema;
    }
    for longest in NOTES {
        shorten(&mut schema, longest);
        if size(&schema) <= most {
            return schema;
        }
    }
    let Value::Object(mut root) = schema else { return schema };
    let definitions = match root.shift_remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    let mut reduced = with_nearest(root.clone(), definitions.clone(), most);
    for fold in FOLDS {
        if size(&reduced) <= most {
            break;
        }
        let mut root = root.clone();
        fold.schema(&mut root, &definitions);
        reduced = with_nearest(root, definitions.clone(), most);
    }
    loosen(&mut reduced);
    reduced
}

/// Cuts descriptions, and takes away what only illustrates.
fn shorten(schema: &mut Value, longest: usize) {
    match schema {
        Value::Object(members) => {
            members.shift_remove("examples");
            members.shift_remove("$comment");
            if let Some(Value::String(text)) = members.get_mut("description")
                && text.len() > longest
            {
                *text = cut_text(text, longest).into_owned();
            }
            for (keyword, value) in members {
                match (keyword.as_str(), value) {
                    (
                        "properties" | "patternProperties" | "dependentSchemas" | "$defs",
                        Value::Object(schemas),
                    ) => {
                        schemas.values_mut().for_each(|schema| shorten(schema, longest));
                    }
                    ("enum" | "const" | "default" | "required" | "type", _) => {}
                    (_, value) => shorten(value, longest),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, longest)),
        _ => {}
    }
}

/// The root with the definitions that are nearest to it, whole or folded; the others allow anything. What stands in
/// place of a definition is paid for when it is first referred to, so that everything together stays within `most`.
fn with_nearest(mut root: Map<String, Value>, all: &Map<String, Value>, most: usize) -> Value {
    let mut names = Vec::new();
    collect_members(&root, &mut names);
    let around = entry("$defs", &Value::Object(Map::new()));
    let mut spent = root.iter().map(|(key, value)| entry(key, value)).fold(around, usize::saturating_add);
    let mut seen = HashSet::new();
    let mut queue = VecDeque::new();
    let mut kept = Map::new();
    let mut names = stubs(names, &mut seen, all);
    loop {
        for (name, stub) in names.drain(..) {
            spent = spent.saturating_add(entry(&name, &stub));
            queue.push_back((name, stub));
        }
        let Some((name, stub)) = queue.pop_front() else { break };
        let left = most.saturating_sub(spent).saturating_add(entry(&name, &stub));
        let fitting = all.get(&name).and_then(|whole| {
            let candidates = std::iter::once(whole.clone())
                .chain(DEFINITION_FOLDS.iter().filter_map(|fold| folded(*fold, whole, all)));
            candidates.into_iter().find_map(|candidate| {
                let mut further = Vec::new();
                collect(&candidate, &mut further);
                let mut known = seen.clone();
                let further = stubs(further, &mut known, all);
                let cost = further.iter().map(|(name, stub)| entry(name, stub));
                let cost = cost.fold(entry(&name, &candidate), usize::saturating_add);
                (cost <= left).then_some((candidate, further, known))
            })
        });
        spent = spent.saturating_sub(entry(&name, &stub));
        let definition = match fitting {
            Some((definition, further, known)) => {
                (names, seen) = (further, known);
                definition
            }
            None => stub,
        };
        spent = spent.saturating_add(entry(&name, &definition));
        kept.insert(name, definition);
    }
    if !kept.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(kept));
    }
    Value::Object(root)
}

/// What would stand in place of the definitions that were not seen before.
fn stubs(names: Vec<String>, seen: &mut HashSet<String>, all: &Map<String, Value>) -> Vec<(String, Value)> {
    let new = names.into_iter().filter(|name| seen.insert(name.clone()));
    new.map(|name| (cut(all.get(&name).unwrap_or(&Value::Null), &name), name))
        .map(|(stub, name)| (name, stub))
        .collect()
}

fn folded(fold: Fold, whole: &Value, all: &Map<String, Value>) -> Option<Value> {
    let mut members = whole.as_object()?.clone();
    fold.schema(&mut members, all);
    Some(Value::Object(members))
}

/// How many bytes a member takes.
fn entry(key: &str, value: &Value) -> usize {
    text_size(key).saturating_add(size(value)).saturating_add(2)
}
