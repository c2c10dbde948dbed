//! The rules of objects: known keys, missing keys, keys that were meant.

use jsonschema::Draft;
use opentool_core::Problem;
use serde_json::{Map, Value};

use super::scalar::{counted, limit};
use super::{Explainer, Findings, Path};
use crate::nearest::nearest;
use crate::refs::Place;
use crate::text::{listed, name, shorten};

/// Keys that are listed as known.
const KEYS: usize = 20;
/// Characters of a pattern that are shown.
const PATTERN: usize = 60;

type Members = Map<String, Value>;

impl<'s> Explainer<'_, 's> {
    pub(super) fn object(
        &mut self,
        place: Place<'s>,
        members: &Members,
        at: &Path<'_>,
        findings: &mut Findings,
    ) {
        let properties = place.get("properties").and_then(Value::as_object);
        let patterns = place.get("patternProperties").and_then(Value::as_object);
        let mut strangers: Vec<&str> = Vec::new();
        for (key, value) in members {
            let at = at.key(key);
            let mut known = false;
            if let Some(schema) = properties.and_then(|properties| properties.get(key)) {
                known = true;
                self.walk(place.enter(schema), value, &at, findings);
            }
            for (pattern, schema) in patterns.into_iter().flatten() {
                if self.step(10) && self.probes.matches(pattern, self.draft, key) {
                    known = true;
                    self.walk(place.enter(schema), value, &at, findings);
                }
            }
            if !known {
                strangers.push(key);
            }
        }
        self.missing(place, members, &strangers, at, findings);
        for key in strangers {
            // Looking for what was meant takes long where there are many keys.
            if findings.more || !self.step(properties.map_or(1, |known| 1 + known.len() / 8)) {
                findings.more = true;
                break;
            }
            match (place.get("additionalProperties"), members.get(key)) {
                (Some(Value::Bool(false)), _) => {
                    let known = Known { properties, patterns };
                    findings.push(stranger(key, known, members, &at.key(key), "additionalProperties"));
                }
                (Some(schema), Some(value)) => {
                    self.walk(place.enter(schema), value, &at.key(key), findings);
                }
                _ => {}
            }
        }
        self.keys(place, members, at, findings);
    }

    /// `required`.
    fn missing(
        &mut self,
        place: Place<'s>,
        members: &Members,
        strangers: &[&str],
        at: &Path<'_>,
        findings: &mut Findings,
    ) {
        // In draft-03 style documents `required` is a boolean; the compiled schema ignores it too.
        let required = place.get("required").and_then(Value::as_array);
        for key in required.into_iter().flatten().filter_map(Value::as_str) {
            if members.contains_key(key) {
                continue;
            }
            // Looking for what was given instead takes long where there is much of it.
            if findings.more || !self.step(1 + strangers.len() / 8) {
                findings.more = true;
                break;
            }
            let schema = place.get("properties").and_then(|properties| properties.get(key));
            let wanted = schema.and_then(|schema| self.describe(place.enter(schema)));
            let expected = match wanted {
                Some(wanted) => format!("required but missing, expected {wanted}"),
                None => "required but missing".to_owned(),
            };
            let problem = Problem::new(at.key(key).pointer(), "required").expected(expected);
            findings.push(match nearest(key, strangers.iter().copied()) {
                Some(given) => problem.found(format!("{} instead", name(given))).did_you_mean(key),
                None => problem,
            });
        }
    }

    /// Rules about the set of keys.
    fn keys(&mut self, place: Place<'s>, members: &Members, at: &Path<'_>, findings: &mut Findings) {
        let count = members.len();
        if let Some(least) = limit(place, "minProperties").filter(|least| count < *least) {
            let expected = format!("expected at least {}", counted(least, "key"));
            findings.push(
                Problem::new(at.pointer(), "minProperties").expected(expected).found(counted(count, "key")),
            );
        }
        if let Some(most) = limit(place, "maxProperties").filter(|most| count > *most) {
            let expected = format!("expected at most {}", counted(most, "key"));
            findings.push(
                Problem::new(at.pointer(), "maxProperties").expected(expected).found(counted(count, "key")),
            );
        }
        if let Some(names) = place.get("propertyNames").filter(|_| self.draft != Draft::Draft4) {
            for key in members.keys() {
                let mut about = Findings::default();
                self.walk(place.enter(names), &Value::String(key.clone()), &at.key(key), &mut about);
                if let Some(problem) = about.problems.into_iter().next() {
                    let rule = problem.expected.as_deref().unwrap_or("expected another key");
                    findings.push(
                        Problem::new(problem.pointer, "propertyNames")
                            .expected(format!("the key itself is not accepted: {rule}")),
                    );
                }
            }
        }
        for keyword in ["dependentRequired", "dependencies"] {
            let wanted = place.get(keyword).and_then(Value::as_object);
            for (key, needed) in wanted.into_iter().flatten().filter(|(key, _)| members.contains_key(*key)) {
                let needed = needed.as_array().into_iter().flatten().filter_map(Value::as_str);
                for missing in needed.filter(|needed| !members.contains_key(*needed)) {
                    let expected = format!("required where {} is given", name(key));
                    findings.push(Problem::new(at.key(missing).pointer(), keyword).expected(expected));
                }
            }
        }
    }
}

/// The keys that a schema knows, by name and by pattern.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known<'a> {
    pub(super) properties: Option<&'a Members>,
    pub(super) patterns: Option<&'a Members>,
}

/// The problem of a key that nothing allows.
pub(super) fn stranger(
    key: &str,
    Known { properties, patterns }: Known<'_>,
    members: &Members,
    at: &Path<'_>,
    rule: &str,
) -> Problem {
    let known = || properties.into_iter().flatten().map(|(key, _)| key.as_str());
    let names: Vec<String> = known().map(name).collect();
    let forms = patterns.filter(|patterns| !patterns.is_empty()).map(|patterns| {
        let forms = patterns.keys().map(|pattern| format!("`{}`", shorten(pattern, PATTERN)));
        format!("keys that match {}", listed(forms, KEYS, "or"))
    });
    let expected = match names.as_slice() {
        [] if forms.is_some() => {
            shorten(&format!("unknown key, only {} are known", forms.unwrap_or_default()), 400)
        }
        _ if forms.is_some() => shorten(
            &format!(
                "unknown key, the known ones are {}, and {}",
                listed(names.into_iter(), KEYS, "and"),
                forms.unwrap_or_default()
            ),
            400,
        ),
        [] => "unknown key, no keys are accepted here".to_owned(),
        [only] => format!("unknown key, the only known one is {only}"),
        _ => shorten(
            &format!("unknown key, the known ones are {}", listed(names.into_iter(), KEYS, "and")),
            400,
        ),
    };
    let problem = Problem::new(at.pointer(), rule).expected(expected);
    // A key that is given already was not what was meant by this one.
    match nearest(key, known().filter(|known| !members.contains_key(*known))) {
        Some(known) => problem.did_you_mean(known),
        None => problem,
    }
}
