//! All schemas that must accept one value together: references followed, `allOf` taken apart.

use jsonschema::Draft;
use serde_json::Value;

use crate::refs::{Place, Refs};

/// Schemas about one value.
const MAX: usize = 64;

/// The schemas that hold for a value besides and below `places`; alternatives are not entered.
pub(super) fn views<'s>(refs: &Refs<'s>, draft: Draft, places: &[Place<'s>]) -> Vec<Place<'s>> {
    let mut views: Vec<Place<'s>> = Vec::with_capacity(places.len());
    let mut open: Vec<Place<'s>> = places.iter().rev().copied().collect();
    while let Some(place) = open.pop() {
        if views.len() >= MAX || views.iter().any(|view| std::ptr::eq(view.schema, place.schema)) {
            continue;
        }
        let all = place.get("allOf").and_then(Value::as_array);
        open.extend(all.into_iter().flatten().map(|schema| place.enter(schema)));
        if let Some(target) = place.get("$ref").and_then(Value::as_str).and_then(|r| refs.resolve(place, r)) {
            open.push(target);
            // Up to draft-07 a reference stands alone.
            if draft < Draft::Draft201909 {
                continue;
            }
        }
        views.push(place);
    }
    views
}
