//! What a lowered schema holds, against what a provider takes.

use std::collections::HashSet;

use serde_json::Value;

use super::LowerError;
use crate::dialect::rules::{Rules, Sizes};
use crate::keywords::holds_data;

/// What a schema holds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Count {
    pub(crate) depth: usize,
    pub(crate) properties: usize,
    /// Properties that are not required.
    pub(crate) optional: usize,
    /// Properties with alternatives or a list of types.
    pub(crate) unions: usize,
    pub(crate) values: usize,
    pub(crate) characters: usize,
    pub(crate) long_enum: usize,
}

/// Counts, and refuses what is too much.
pub(crate) fn count(schema: &Value, rules: &Rules) -> Result<Count, LowerError> {
    let mut count = Count::default();
    let Sizes { depth, properties, values, characters, long_enum } = rules.sizes;
    if properties == usize::MAX && rules.request.is_none() {
        return Ok(count);
    }
    visit(schema, 0, &mut count);
    let limits = [
        ("levels", count.depth, depth),
        ("properties", count.properties, properties),
        ("enumerated values", count.values, values),
        ("characters of names and values", count.characters, characters),
        ("characters in one enumeration", count.long_enum, long_enum),
    ];
    match limits.into_iter().find(|(_, found, most)| found > most) {
        Some((what, found, most)) => Err(LowerError::OverBudget { what, found, most }),
        None => Ok(count),
    }
}

fn visit(schema: &Value, level: usize, count: &mut Count) {
    let Value::Object(members) = schema else { return };
    let is = |wanted: &str| {
        members.get("type").is_some_and(|kind| {
            kind == wanted || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == wanted))
        })
    };
    let level = level.saturating_add(usize::from(is("object") || is("array")));
    count.depth = count.depth.max(level);
    let listed = members.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let length = |value: &Value| value.as_str().map_or(0, str::len);
    let sum = listed.iter().chain(members.get("const")).map(length).sum::<usize>();
    count.values = count.values.saturating_add(listed.len());
    count.characters = count.characters.saturating_add(sum);
    if listed.len() > 250 {
        count.long_enum = count.long_enum.max(sum);
    }
    if let Some(Value::Object(properties)) = members.get("properties") {
        let required: HashSet<&str> = members
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        count.properties = count.properties.saturating_add(properties.len());
        for (name, property) in properties {
            count.characters = count.characters.saturating_add(name.len());
            count.optional = count.optional.saturating_add(usize::from(!required.contains(name.as_str())));
            let union = property.get("anyOf").is_some() || property.get("type").is_some_and(Value::is_array);
            count.unions = count.unions.saturating_add(usize::from(union));
        }
    }
    for (keyword, member) in members {
        match (keyword.as_str(), member) {
            // A definition starts anew.
            ("$defs", Value::Object(definitions)) => {
                for (name, definition) in definitions {
                    count.characters = count.characters.saturating_add(name.len());
                    visit(definition, 0, count);
                }
            }
            ("properties", Value::Object(map)) => map.values().for_each(|inner| visit(inner, level, count)),
            (keyword, _) if holds_data(keyword) => {}
            (_, Value::Array(list)) => list.iter().for_each(|inner| visit(inner, level, count)),
            (_, inner @ Value::Object(_)) => visit(inner, level, count),
            _ => {}
        }
    }
}
