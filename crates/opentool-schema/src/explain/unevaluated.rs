//! `unevaluatedProperties: false`: keys that no keyword around it spoke about.

use std::collections::HashSet;

use jsonschema::Draft;
use serde_json::{Map, Value};

use super::object::{Known, stranger};
use super::{Explainer, Findings, Path};
use crate::refs::Place;

impl<'s> Explainer<'_, 's> {
    pub(super) fn unevaluated_properties(
        &mut self,
        place: Place<'s>,
        members: &Map<String, Value>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) {
        let Some(schema) = place.get("unevaluatedProperties") else { return };
        if self.draft < Draft::Draft201909 || *schema == Value::Bool(true) {
            return;
        }
        let mut spoken: HashSet<&str> = HashSet::new();
        let mut known = Map::new();
        self.spoken_about(place, members, &mut spoken, &mut known, Whole::ButItsOwnRest);
        for (key, value) in members.iter().filter(|(key, _)| !spoken.contains(key.as_str())) {
            let at = at.key(key);
            if *schema == Value::Bool(false) {
                if findings.more || !self.step(1 + known.len() / 8) {
                    findings.more = true;
                    break;
                }
                let known = Known { properties: Some(&known), patterns: None };
                findings.push(stranger(key, known, members, &at, "unevaluatedProperties"));
            } else {
                self.walk(place.enter(schema), value, &at, findings);
            }
        }
    }

    /// The keys that `place` and the schemas it applies to the same object speak about, and the names it knows.
    fn spoken_about<'m>(
        &mut self,
        place: Place<'s>,
        members: &'m Map<String, Value>,
        spoken: &mut HashSet<&'m str>,
        known: &mut Map<String, Value>,
        whole: Whole,
    ) {
        if !self.step(1) {
            return;
        }
        let named = place.get("properties").and_then(Value::as_object);
        known.extend(named.into_iter().flatten().map(|(key, _)| (key.clone(), Value::Null)));
        let patterns = place.get("patternProperties").and_then(Value::as_object);
        let rest = place.get("additionalProperties").is_some()
            || matches!(whole, Whole::AndItsRest) && place.get("unevaluatedProperties").is_some();
        for key in members.keys() {
            let by_pattern = |explainer: &mut Self| {
                patterns
                    .into_iter()
                    .flatten()
                    .any(|(pattern, _)| explainer.probes.matches(pattern, explainer.draft, key))
            };
            if rest || named.is_some_and(|named| named.contains_key(key)) || by_pattern(self) {
                spoken.insert(key);
            }
        }
        let mut inner: Vec<Place<'s>> = Vec::new();
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let target = place.get(keyword).and_then(Value::as_str);
            inner.extend(target.and_then(|reference| self.refs.resolve(place, reference)));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let branches = place.get(keyword).and_then(Value::as_array).into_iter().flatten();
            inner.extend(branches.map(|branch| place.enter(branch)));
        }
        let value = Value::Object(members.clone());
        if let Some(condition) = place.get("if") {
            let condition = place.enter(condition);
            let keyword = if self.accepts(condition, &value) { "then" } else { "else" };
            inner.push(condition);
            inner.extend(place.get(keyword).map(|schema| place.enter(schema)));
        }
        let dependent = place.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten();
        inner.extend(dependent.filter(|(key, _)| members.contains_key(*key)).map(|(_, s)| place.enter(s)));
        for place in inner {
            if self.accepts(place, &value) {
                self.spoken_about(place, members, spoken, known, Whole::AndItsRest);
            }
        }
    }
}

/// Whether a schema's own `unevaluatedProperties` counts as speaking about all keys.
#[derive(Clone, Copy)]
enum Whole {
    AndItsRest,
    ButItsOwnRest,
}
