//! The spelling of OpenAPI 3.0: `STRING`, `nullable`, and `anyOf` without neighbours.

use serde_json::{Map, Value};

use crate::SchemaError;
use crate::dialect::lower::{Work, weight_of};

/// Takes out `additionalProperties`, which the provider does not know.
pub(super) fn open(schema: &mut Value) {
    each(schema, &mut |members| {
        members.shift_remove("additionalProperties");
    });
}

/// Rewrites a whole schema.
///
/// # Errors
/// [`SchemaError::TooComplex`] where texts would have to be copied into more alternatives than the work allows.
pub(super) fn spell(schema: &mut Value, work: &mut Work) -> Result<(), SchemaError> {
    let mut done = Ok(());
    each(schema, &mut |members| {
        if done.is_err() {
            return;
        }
        nullable(members, work);
        lone_union(members, work);
        done = work.spend(1, "");
        if let Some(Value::String(kind)) = members.get_mut("type") {
            *kind = kind.to_ascii_uppercase();
        }
    });
    done
}

/// Runs for every schema, the inner ones first.
fn each(schema: &mut Value, run: &mut impl FnMut(&mut Map<String, Value>)) {
    let Value::Object(members) = schema else { return };
    for (keyword, member) in members.iter_mut() {
        match (keyword.as_str(), member) {
            ("properties", Value::Object(map)) => map.values_mut().for_each(|inner| each(inner, run)),
            ("anyOf", Value::Array(list)) => list.iter_mut().for_each(|inner| each(inner, run)),
            ("items", inner) => each(inner, run),
            _ => {}
        }
    }
    run(members);
}

/// `null` as a type → `nullable`. Alone it stays.
fn nullable(members: &mut Map<String, Value>, work: &mut Work) {
    if let Some(Value::Array(kinds)) = members.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &kinds[..] {
            let kind = kind.clone();
            members.insert("type".to_owned(), kind);
            members.insert("nullable".to_owned(), true.into());
        }
    }
    let Some(Value::Array(branches)) = members.get_mut("anyOf") else { return };
    let before = branches.len();
    // The inner ones are spelled already.
    branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "NULL"));
    if branches.len() == before {
        return;
    }
    branches.iter_mut().for_each(|branch| allow_null(branch, work));
    if let [Value::Object(only)] = &mut branches[..] {
        let only = std::mem::take(only);
        members.shift_remove("anyOf");
        for (keyword, value) in only {
            match (keyword.as_str(), members.get(&keyword).and_then(Value::as_str)) {
                ("description", Some(outer)) if Some(outer) != value.as_str() => {
                    let both = format!("{outer}\n\n{}", value.as_str().unwrap_or_default());
                    members.insert(keyword, both.into());
                }
                ("description" | "title", Some(_)) => {}
                // The one around it speaks for the whole.
                ("default", _) if members.contains_key("default") => {}
                _ => {
                    members.insert(keyword, value);
                }
            }
        }
    }
}

/// What stands beside `anyOf` goes into each of its branches.
fn lone_union(members: &mut Map<String, Value>, work: &mut Work) {
    if members.len() < 2 {
        return;
    }
    let Some(Value::Array(mut branches)) = members.shift_remove("anyOf") else { return };
    let texts = std::mem::take(members);
    let cost = weight_of(&texts);
    branches.iter_mut().for_each(|branch| spread(branch, &texts, cost, work));
    members.insert("anyOf".to_owned(), Value::Array(branches));
}

/// Puts texts into a branch, or into the branches of one that has its own.
fn spread(branch: &mut Value, texts: &Map<String, Value>, cost: usize, work: &mut Work) {
    let Value::Object(branch) = branch else { return };
    if let Some(Value::Array(inner)) = branch.get_mut("anyOf") {
        return inner.iter_mut().for_each(|inner| spread(inner, texts, cost, work));
    }
    work.owe(cost.saturating_add(1));
    if work.left() == 0 {
        return;
    }
    for (keyword, value) in texts {
        match (keyword.as_str(), branch.get(keyword).and_then(Value::as_str)) {
            ("description", Some(inner)) => {
                let both = format!("{}\n\n{inner}", value.as_str().unwrap_or_default());
                branch.insert(keyword.clone(), both.into());
            }
            ("description" | "title", None) => {
                branch.insert(keyword.clone(), value.clone());
            }
            _ => {}
        }
    }
}

/// Lets a branch be `null`, or the branches of one that has its own.
fn allow_null(branch: &mut Value, work: &mut Work) {
    let Value::Object(branch) = branch else { return };
    work.owe(1);
    if work.left() == 0 {
        return;
    }
    if let Some(Value::Array(inner)) = branch.get_mut("anyOf") {
        return inner.iter_mut().for_each(|inner| allow_null(inner, work));
    }
    branch.insert("nullable".to_owned(), true.into());
}
