//! References by anchor, identifier or escaped pointer → pointers from the root.
//!
//! So that everything after knows one kind of reference only. `$dynamicRef` becomes the reference that it is where
//! nothing overrides it, which within one document is always; two targets are an error.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Work, bytes, escaped};
use crate::SchemaError;
use crate::keywords::{holds_data, holds_named};
use crate::refs::{Place, Refs};
use crate::text::shorten;

/// The schema with every reference written as `#/…`, without identifiers and anchors.
///
/// # Errors
/// [`SchemaError::External`] for a reference without one target; [`SchemaError::TooComplex`] where the pointers are far
/// longer than the schema.
pub(super) fn direct(root: &Value, work: &mut Work) -> Result<Value, SchemaError> {
    let refs = Refs::of(root);
    let mut places = HashMap::new();
    note(root, String::new(), &mut places, work)?;
    rewritten(refs.start(), &refs, &places)
}

/// The pointer of every value, by its address.
fn note(
    value: &Value,
    pointer: String,
    places: &mut HashMap<*const Value, String>,
    work: &mut Work,
) -> Result<(), SchemaError> {
    // Nothing refers to anything else.
    if !value.is_object() && !value.is_array() && !value.is_boolean() {
        return Ok(());
    }
    work.spend(bytes(&pointer).saturating_add(4), &pointer)?;
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                note(member, format!("{pointer}/{}", escaped(key)), places, work)?;
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                note(item, format!("{pointer}/{i}"), places, work)?;
            }
        }
        _ => {}
    }
    places.insert(std::ptr::from_ref(value), pointer);
    Ok(())
}

fn rewritten<'s>(
    place: Place<'s>,
    refs: &Refs<'s>,
    places: &HashMap<*const Value, String>,
) -> Result<Value, SchemaError> {
    Ok(match place.schema {
        Value::Object(members) => {
            let mut done = serde_json::Map::new();
            let mut more = Vec::new();
            for (keyword, member) in members {
                match (keyword.as_str(), member) {
                    ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                        let target = refs.resolve(place, reference);
                        let target = target.and_then(|target| places.get(&std::ptr::from_ref(target.schema)));
                        let Some(target) = target else {
                            let here = places.get(&std::ptr::from_ref(place.schema));
                            return Err(SchemaError::External {
                                pointer: here.map(String::as_str).unwrap_or_default().into(),
                                reference: shorten(reference, 100).into(),
                            });
                        };
                        let target = Value::from(format!("#{}", percent_encoded(target)));
                        if done.contains_key("$ref") {
                            // `$ref` beside `$dynamicRef`: both apply.
                            more.push(json!({"$ref": target}));
                        } else {
                            done.insert("$ref".to_owned(), target);
                        }
                    }
                    ("$id" | "$anchor" | "$dynamicAnchor" | "id", Value::String(_)) => {}
                    (keyword, Value::Object(named)) if holds_named(keyword) => {
                        let inner = named.iter().map(|(name, inner)| {
                            Ok((name.clone(), rewritten(place.enter(inner), refs, places)?))
                        });
                        done.insert(
                            keyword.to_owned(),
                            Value::Object(inner.collect::<Result<_, SchemaError>>()?),
                        );
                    }
                    (keyword, member) if holds_data(keyword) => {
                        done.insert(keyword.to_owned(), member.clone());
                    }
                    (keyword, member) => {
                        done.insert(keyword.to_owned(), rewritten(place.enter(member), refs, places)?);
                    }
                }
            }
            if !more.is_empty()
                && let Value::Array(all) = done.entry("allOf").or_insert_with(|| json!([]))
            {
                all.extend(more);
            }
            Value::Object(done)
        }
        Value::Array(items) => {
            let items: Result<Vec<Value>, SchemaError> =
                items.iter().map(|item| rewritten(place.enter(item), refs, places)).collect();
            Value::Array(items?)
        }
        other => other.clone(),
    })
}

/// A pointer as it stands in a reference.
pub(super) fn percent_encoded(pointer: &str) -> String {
    let mut encoded = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"/~!$&'()*+,;=:@-._".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
