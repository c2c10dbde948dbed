//! A tool's schema made smaller, in steps of which each loses more than the one before: long notes and examples, then
//! the definitions that are farthest from the root or do not fit, of which as much stays as does, then what stands deep
//! within arguments, then their notes, at last which values single ones may have.
//! Arguments, their types and what is required stay, even where they alone are too much.

use std::collections::{HashSet, VecDeque};

use serde_json::{Map, Value};

use super::definitions::{collect, cut, size, text_size};
use super::fold::{Fold, Notes, loosen};
use crate::choose::cut_text;

/// How many bytes a note may have, step by step.
const NOTES: [usize; 3] = [300, 120, 40];

/// A schema that is not worth cutting, in bytes.
const SMALL: usize = 120;

/// How what stands within arguments is cut, step by step.
const FOLDS: [Fold; 8] = [
    Fold { depth: 4, small: SMALL, notes: Notes::Keep },
    Fold { depth: 3, small: SMALL, notes: Notes::Keep },
    Fold { depth: 2, small: SMALL, notes: Notes::Keep },
    Fold { depth: 1, small: SMALL, notes: Notes::Keep },
    Fold { depth: 0, small: SMALL, notes: Notes::Keep },
    Fold { depth: 0, small: 0, notes: Notes::Keep },
    Fold { depth: 0, small: 0, notes: Notes::LeaveOut },
    Fold { depth: 0, small: 0, notes: Notes::LeaveOutAll },
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
    let mut reduced = with_nearest(root.clone(), &definitions, most);
    for fold in FOLDS {
        if size(&reduced) <= most {
            break;
        }
        let mut root = root.clone();
        fold.schema(&mut root, &definitions);
        reduced = with_nearest(root, &definitions, most);
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
fn with_nearest(root: Map<String, Value>, all: &Map<String, Value>, most: usize) -> Value {
    let mut root = Value::Object(root);
    let around = entry("$defs", &Value::Object(Map::new()));
    let mut left = most.saturating_sub(size(&root)).saturating_sub(around);
    let mut queue: VecDeque<(String, Value)> = VecDeque::new();
    let mut seen = HashSet::new();
    let mut kept = Map::new();
    let mut further = stubs(&root, &seen, all);
    loop {
        for (name, stub) in further.drain(..) {
            left = left.saturating_sub(entry(&name, &stub));
            seen.insert(name.clone());
            queue.push_back((name, stub));
        }
        let Some((name, stub)) = queue.pop_front() else { break };
        left = left.saturating_add(entry(&name, &stub));
        let mut chosen = stub;
        for candidate in all.get(&name).into_iter().flat_map(|whole| less_and_less(whole, all)) {
            let refers_to = stubs(&candidate, &seen, all);
            let cost = refers_to.iter().map(|(name, stub)| entry(name, stub));
            if cost.fold(entry(&name, &candidate), usize::saturating_add) <= left {
                (chosen, further) = (candidate, refers_to);
                break;
            }
        }
        left = left.saturating_sub(entry(&name, &chosen));
        kept.insert(name, chosen);
    }
    if let (Value::Object(root), false) = (&mut root, kept.is_empty()) {
        root.insert("$defs".to_owned(), Value::Object(kept));
    }
    root
}

/// A definition whole, then with less and less in it.
fn less_and_less<'a>(whole: &'a Value, all: &'a Map<String, Value>) -> impl Iterator<Item = Value> + 'a {
    let folds = FOLDS.iter().filter_map(move |fold| {
        let mut members = whole.as_object()?.clone();
        fold.schema(&mut members, all);
        Some(Value::Object(members))
    });
    std::iter::once_with(|| whole.clone()).chain(folds)
}

/// What would stand in place of the definitions that a schema refers to and that were not seen before.
fn stubs(schema: &Value, seen: &HashSet<String>, all: &Map<String, Value>) -> Vec<(String, Value)> {
    let mut names = Vec::new();
    collect(schema, &mut names);
    let mut new = HashSet::new();
    names.retain(|name| !seen.contains(name) && new.insert(name.clone()));
    names.into_iter().map(|name| (name.clone(), cut(all.get(&name).unwrap_or(&Value::Null), &name))).collect()
}

/// How many bytes a member takes.
fn entry(key: &str, value: &Value) -> usize {
    text_size(key).saturating_add(size(value)).saturating_add(2)
}
