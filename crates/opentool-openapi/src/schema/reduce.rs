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

/// The root with the definitions that are nearest to it; the others allow anything.
fn with_nearest(mut root: Map<String, Value>, mut all: Map<String, Value>, most: usize) -> Value {
    let mut names = Vec::new();
    collect_members(&root, &mut names);
    let mut spent =
        root.iter().map(|(key, value)| key.len().saturating_add(size(value)).saturating_add(4)).sum();
    let mut seen: HashSet<String> = HashSet::new();
    let mut queue: VecDeque<String> = names.into();
    let mut kept = Map::new();
    while let Some(name) = queue.pop_front() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let definition = all.get_mut(&name).map(Value::take).unwrap_or_default();
        let cost = size(&definition).saturating_add(name.len());
        let fits = usize::saturating_add(spent, cost) <= most;
        let definition = if fits { definition } else { cut(&definition, &name) };
        spent = spent.saturating_add(size(&definition)).saturating_add(name.len());
        let mut further = Vec::new();
        collect(&definition, &mut further);
        queue.extend(further);
        kept.insert(name, definition);
    }
    if !kept.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(kept));
    }
    Value::Object(root)
}
