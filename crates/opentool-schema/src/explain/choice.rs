//! Alternatives: which one was meant, and what is wrong by that one.

use jsonschema::Draft;
use opentool_core::Problem;
use serde_json::Value;

use super::describe::{one_of, types};
use super::scalar::{not_one_of, same};
use super::{Explainer, Findings, Path};
use crate::nearest::nearest;
use crate::refs::Place;
use crate::text::{found, listed, name, shorten};

/// Alternatives that are spelt out where none was clearly meant.
const SPELT_OUT: usize = 4;

/// One alternative of several, and what is wrong by it.
struct Branch<'s> {
    place: Place<'s>,
    findings: Findings,
    tag: Tag,
}

/// What the fixed keys of an alternative say about a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// Nothing.
    None,
    /// It is this one.
    Same,
    /// It is another one.
    Other,
}

impl<'s> Explainer<'_, 's> {
    pub(super) fn choices(
        &mut self,
        place: Place<'s>,
        value: &Value,
        at: &Path<'_>,
        findings: &mut Findings,
    ) {
        for inner in place.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.walk(place.enter(inner), value, at, findings);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = place.get(keyword).and_then(Value::as_array) {
                let places: Vec<Place<'s>> = branches.iter().map(|branch| place.enter(branch)).collect();
                self.alternatives(keyword, &places, value, at, findings);
            }
        }
        if let Some(excluded) = place.get("not")
            && self.accepts(place.enter(excluded), value)
            && self.steps_left > 0
        {
            let what = self.describe(place.enter(excluded)).unwrap_or_else(|| "this value".to_owned());
            findings.push(
                Problem::new(at.pointer(), "not")
                    .expected(format!("expected anything but {what}"))
                    .found(found(value)),
            );
        }
        if let Some(condition) = place.get("if").filter(|_| self.draft >= Draft::Draft7) {
            let keyword = if self.accepts(place.enter(condition), value) { "then" } else { "else" };
            if let Some(schema) = place.get(keyword) {
                self.walk(place.enter(schema), value, at, findings);
            }
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            let schemas = place.get(keyword).and_then(Value::as_object);
            for (key, schema) in schemas.into_iter().flatten() {
                if value.get(key).is_some() && !schema.is_array() {
                    self.walk(place.enter(schema), value, at, findings);
                }
            }
        }
    }

    fn alternatives(
        &mut self,
        keyword: &str,
        places: &[Place<'s>],
        value: &Value,
        at: &Path<'_>,
        findings: &mut Findings,
    ) {
        if let Some(problem) = self.unknown_tag(places, value, at) {
            findings.push(problem);
            return;
        }
        let mut branches: Vec<Branch<'s>> = Vec::new();
        let mut fitting = 0_usize;
        for place in places {
            let tag = self.tag(*place, value);
            // Alternatives that are tagged as another fail without a further look; most, in large unions.
            if tag == Tag::Other {
                continue;
            }
            let mut findings = Findings::default();
            self.walk(*place, value, at, &mut findings);
            if findings.none() {
                fitting = fitting.saturating_add(1);
            } else {
                branches.push(Branch { place: *place, findings, tag });
            }
        }
        if branches.iter().any(|branch| branch.tag == Tag::Same) {
            branches.retain(|branch| branch.tag == Tag::Same);
        }
        match fitting {
            0 if branches.is_empty() => findings.push(
                Problem::new(at.pointer(), keyword)
                    .expected(format!("expected to fit one of {} alternatives", places.len()))
                    .found("none that fits: a key that tells them apart has another value".to_owned()),
            ),
            0 => self.none_fits(keyword, branches, value, at, findings),
            // Without steps left, what was not looked at only seems to fit.
            many if keyword == "oneOf" && many > 1 && self.steps_left > 0 => findings.push(
                Problem::new(at.pointer(), keyword)
                    .expected(format!("expected to fit only one of {} alternatives", places.len()))
                    .found(format!("{many} that fit: leave out what belongs to the others")),
            ),
            _ => {}
        }
    }

    /// Where all alternatives bear a tag (one key that is fixed in each) and the value's is none of theirs: that
    /// alone is the problem.
    fn unknown_tag(&self, places: &[Place<'s>], value: &Value, at: &Path<'_>) -> Option<Problem> {
        let members = value.as_object().filter(|_| places.len() > 1)?;
        let objects: Vec<Place<'s>> = places
            .iter()
            .map(|place| self.follow(*place))
            .filter(|place| place.get("properties").is_some())
            .collect();
        let others = places.len().saturating_sub(objects.len());
        // What is no object may stand beside them only if it says so: `null`, in most cases.
        let plain = places.iter().filter(|place| is_plain(self.follow(**place).schema)).count();
        let first = objects.first().filter(|_| objects.len() > 1 && plain == others)?;
        let (key, _) = first.get("properties")?.as_object()?.iter().find(|(key, _)| {
            let given = members.contains_key(key.as_str());
            objects
                .iter()
                .all(|place| (given || requires(*place, key)) && !self.fixed(*place, key).is_empty())
        })?;
        let values: Vec<Value> = objects.iter().flat_map(|place| self.fixed(*place, key)).cloned().collect();
        let at = at.key(key);
        match members.get(key) {
            Some(tag) if values.iter().any(|value| same(value, tag)) => None,
            Some(tag) => Some(not_one_of("enum", &values, tag, &at)),
            None => {
                let expected = format!("required but missing, expected {}", one_of(&values));
                let problem = Problem::new(at.pointer(), "required").expected(expected);
                let strangers = members.keys().filter(|given| {
                    objects.iter().all(|place| place.get("properties").is_none_or(|p| p.get(given).is_none()))
                });
                Some(match nearest(key, strangers.map(String::as_str)) {
                    Some(given) => problem.found(format!("{} instead", name(given))).did_you_mean(key),
                    None => problem,
                })
            }
        }
    }

    /// The values that a key is fixed to.
    fn fixed(&self, place: Place<'s>, key: &str) -> &'s [Value] {
        let schema = place.get("properties").and_then(|properties| properties.get(key));
        let Some(schema) = schema.map(|schema| self.follow(place.enter(schema))) else { return &[] };
        let one = schema.get("const").filter(|_| self.draft != Draft::Draft4).map(std::slice::from_ref);
        one.or_else(|| schema.get("enum").and_then(Value::as_array).map(Vec::as_slice)).unwrap_or_default()
    }

    /// Whether an alternative's fixed keys (a `const` or `enum` property) are those of the value.
    fn tag(&self, place: Place<'s>, value: &Value) -> Tag {
        let Some(members) = value.as_object() else { return Tag::None };
        let place = self.follow(place);
        let mut tag = Tag::None;
        let properties = place.get("properties").and_then(Value::as_object);
        for key in properties.into_iter().flatten().map(|(key, _)| key) {
            let Some(given) = members.get(key) else { continue };
            let allowed = self.fixed(place, key);
            if allowed.iter().any(|allowed| same(allowed, given)) {
                tag = Tag::Same;
            } else if !allowed.is_empty() {
                return Tag::Other;
            }
        }
        tag
    }

    fn none_fits(
        &mut self,
        keyword: &str,
        branches: Vec<Branch<'s>>,
        value: &Value,
        at: &Path<'_>,
        findings: &mut Findings,
    ) {
        if let Some(problem) = self.only_values(&branches, value, at) {
            findings.push(problem);
            return;
        }
        let here = at.pointer();
        // An alternative for another kind of value was not meant, unless all are.
        let wrong_kind = |branch: &Branch<'s>| {
            let first = branch.findings.problems.first();
            first.is_some_and(|p| {
                p.pointer == here && matches!(p.rule.as_str(), "type" | "enum" | "const" | "false")
            })
        };
        if branches.iter().all(wrong_kind) {
            findings.push(self.other_kind(keyword, &branches, value, at));
            return;
        }
        let mut meant: Vec<Branch<'s>> = branches.into_iter().filter(|branch| !wrong_kind(branch)).collect();
        // The alternative that knows most of the keys that were given.
        let most = meant.iter().map(|branch| self.known(branch.place, value)).max().unwrap_or(0);
        meant.retain(|branch| self.known(branch.place, value) == most);
        let fewest = meant.iter().map(|branch| weight(&branch.findings)).min().unwrap_or(0);
        meant.retain(|branch| weight(&branch.findings) == fewest);
        let mut told: Vec<Findings> = Vec::new();
        for branch in meant {
            if !told.iter().any(|told| told.problems == branch.findings.problems) {
                told.push(branch.findings);
            }
        }
        if told.len() == 1 {
            told.into_iter().for_each(|only| findings.append(only));
            return;
        }
        let mut ways: Vec<String> = told.iter().take(SPELT_OUT).map(in_one_line).collect();
        if told.len() > SPELT_OUT {
            ways.push("or another way".to_owned());
        }
        let ways = shorten(&ways.join("; or "), 400);
        findings.push(
            Problem::new(here, keyword).expected(format!("expected one of these to be mended: {ways}")),
        );
    }

    /// How many of the keys of a value an alternative knows.
    fn known(&self, place: Place<'s>, value: &Value) -> usize {
        let properties = self.follow(place).get("properties").and_then(Value::as_object);
        let (Some(members), Some(properties)) = (value.as_object(), properties) else { return 0 };
        members.keys().filter(|key| properties.contains_key(*key)).count()
    }

    /// All alternatives are fixed values: together they are an enumeration.
    fn only_values(&self, branches: &[Branch<'s>], value: &Value, at: &Path<'_>) -> Option<Problem> {
        let mut values = Vec::new();
        for branch in branches {
            let place = self.follow(branch.place);
            match (place.get("const"), place.get("enum")) {
                (Some(only), _) => values.push(only.clone()),
                (None, Some(Value::Array(many))) => values.extend(many.iter().cloned()),
                _ if types(place.schema) == ["null"] => values.push(Value::Null),
                _ => return None,
            }
        }
        (!values.is_empty()).then(|| not_one_of("enum", &values, value, at))
    }

    /// No alternative is for this kind of value.
    fn other_kind(&self, keyword: &str, branches: &[Branch<'s>], value: &Value, at: &Path<'_>) -> Problem {
        let mut words: Vec<String> = Vec::new();
        for branch in branches {
            let word = self.describe(branch.place).unwrap_or_else(|| "another kind of value".to_owned());
            if !words.contains(&word) {
                words.push(word);
            }
        }
        let types = branches.iter().all(|branch| branch.findings.problems.iter().all(|p| p.rule == "type"));
        let expected = format!("expected {}", listed(words.into_iter(), 8, "or"));
        Problem::new(at.pointer(), if types { "type" } else { keyword })
            .expected(expected)
            .found(found(value))
    }
}

/// How far from fitting: keys that are unknown or of another kind speak more against an alternative than keys
/// that are missing or values that are out of bounds.
fn weight(findings: &Findings) -> usize {
    let one = |problem: &Problem| match problem.rule.as_str() {
        // Misspelt is nearly right.
        "required" | "additionalProperties" if problem.did_you_mean.is_some() => 1,
        "const" | "enum" => 4,
        "additionalProperties" | "unevaluatedProperties" | "type" => 3,
        "required" => 2,
        _ => 1,
    };
    findings.problems.iter().map(one).sum()
}

fn in_one_line(findings: &Findings) -> String {
    let one = |problem: &Problem| {
        let place = if problem.pointer.is_empty() { "arguments" } else { &problem.pointer };
        format!("{place}: {}", problem.expected.as_deref().unwrap_or("another value"))
    };
    let problems: Vec<String> = findings.problems.iter().take(3).map(one).collect();
    problems.join(" and ")
}

fn requires(place: Place<'_>, key: &str) -> bool {
    let required = place.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|name| name == key))
}

/// Whether a schema is for something other than objects.
fn is_plain(schema: &Value) -> bool {
    let types = types(schema);
    !types.is_empty() && !types.contains(&"object")
}
