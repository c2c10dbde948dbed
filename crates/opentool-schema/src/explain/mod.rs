//! What is wrong with arguments, in words for a model.
//!
//! The compiled schema says only *that* arguments are wrong in a way that is fit for programs; for alternatives it
//! says "not valid under any". This walks schema and arguments side by side, picks the alternative that was meant,
//! and names what would be accepted. It runs after the verdict "no" and never gives a verdict itself. What it
//! cannot judge by plain comparison (formats, patterns, …) it asks the compiled form of that keyword.
//!
//! Its work is bounded: a number of steps, of problems, of characters. Where the steps end it says what it found.

#[cfg(test)]
mod agreement;
mod array;
mod choice;
mod describe;
mod object;
mod path;
mod probe;
mod scalar;
mod unevaluated;

use jsonschema::Draft;
use opentool_core::Problem;
use serde_json::Value;

use crate::refs::{Place, Refs};
use crate::text::{LONGEST, found, name, shorten};
use crate::validator::draft_of;

pub(crate) use path::Path;
pub(crate) use probe::Probes;
pub(crate) use scalar::{is_huge, same};

/// Problems that are reported one by one.
const MAX_PROBLEMS: usize = 20;
/// Schemas that are looked at in one explanation.
const MAX_STEPS: usize = 20_000;
/// Steps after which the compiled schema is not asked for its own explanation, which is not bounded.
const CHEAP: usize = 2_000;

/// The problems of arguments that `compiled` does not accept; at least one.
pub(crate) fn explain(
    schema: &Value,
    compiled: &jsonschema::Validator,
    probes: &Probes,
    arguments: &Value,
) -> Vec<Problem> {
    let refs = Refs::of(schema);
    let mut explainer = Explainer::new(&refs, draft_of(schema), probes);
    let mut findings = Findings::default();
    explainer.walk(refs.start(), arguments, &Path::Root, &mut findings);
    if findings.problems.is_empty() {
        let cheap = explainer.steps_left > MAX_STEPS.saturating_sub(CHEAP);
        findings.push(if cheap { untold(compiled, arguments) } else { unknown() });
    }
    findings.into_problems()
}

/// The problems that only the walk sees in arguments that the compiled schema accepts: integers beyond 64 bits.
pub(crate) fn misfits(schema: &Value, probes: &Probes, arguments: &Value) -> Vec<Problem> {
    let refs = Refs::of(schema);
    let mut findings = Findings::default();
    let mut explainer = Explainer::new(&refs, draft_of(schema), probes);
    explainer.walk(refs.start(), arguments, &Path::Root, &mut findings);
    findings.into_problems()
}

/// A problem of a keyword that the walk does not know.
fn untold(compiled: &jsonschema::Validator, arguments: &Value) -> Problem {
    let Err(error) = compiled.validate(arguments) else { return unknown() };
    let keyword = error.kind().keyword().to_owned();
    Problem::new(shorten(error.instance_path().as_str(), LONGEST), keyword.clone())
        .expected(format!("expected a value that keeps the rule {} of the schema", name(&keyword)))
        .found(found(error.instance()))
}

fn unknown() -> Problem {
    Problem::new("", "schema").expected("expected arguments that the tool's input schema accepts")
}

/// Problems, up to a number.
#[derive(Debug, Default)]
struct Findings {
    problems: Vec<Problem>,
    more: bool,
}

impl Findings {
    fn push(&mut self, problem: Problem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.more = true;
        }
    }

    fn none(&self) -> bool {
        self.problems.is_empty()
    }

    fn append(&mut self, other: Self) {
        self.more |= other.more;
        for problem in other.problems {
            self.push(problem);
        }
    }

    fn into_problems(mut self) -> Vec<Problem> {
        for problem in &mut self.problems {
            for text in [&mut problem.expected, &mut problem.found, &mut problem.did_you_mean] {
                if let Some(text) = text.as_mut().filter(|text| text.len() > LONGEST) {
                    *text = shorten(text, LONGEST.saturating_sub(1));
                }
            }
        }
        if self.more {
            self.problems
                .push(Problem::new("", "more").expected("there are more problems; these are the first"));
        }
        self.problems
    }
}

/// One explanation.
pub(crate) struct Explainer<'r, 's> {
    refs: &'r Refs<'s>,
    draft: Draft,
    probes: &'r Probes,
    steps_left: usize,
}

impl<'r, 's> Explainer<'r, 's> {
    pub(crate) fn new(refs: &'r Refs<'s>, draft: Draft, probes: &'r Probes) -> Self {
        Self { refs, draft, probes, steps_left: MAX_STEPS }
    }

    /// Takes `cost` steps. `false`: there are none left, and the walk ends.
    fn step(&mut self, cost: usize) -> bool {
        let left = self.steps_left.checked_sub(cost);
        self.steps_left = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether this schema accepts the value, as far as the walk can say.
    pub(crate) fn accepts(&mut self, place: Place<'s>, value: &Value) -> bool {
        let mut findings = Findings::default();
        self.walk(place, value, &Path::Root, &mut findings);
        findings.none()
    }

    /// Whether a pattern matches a key.
    pub(crate) fn matches(&self, pattern: &str, key: &str) -> bool {
        self.probes.matches(pattern, self.draft, key)
    }

    /// Whether there are steps left: without any, everything seems to be accepted.
    pub(crate) fn can_say(&self) -> bool {
        self.steps_left > 0
    }

    fn walk(&mut self, place: Place<'s>, value: &Value, at: &Path<'_>, findings: &mut Findings) {
        if !self.step(1) || findings.more {
            return;
        }
        let Value::Object(keywords) = place.schema else {
            if *place.schema == Value::Bool(false) {
                findings.push(
                    Problem::new(at.pointer(), "false")
                        .expected("nothing is accepted here")
                        .found(found(value)),
                );
            }
            return;
        };
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            if let Some(target) = self.refs.resolve(place, reference) {
                self.walk(target, value, at, findings);
            }
            // Up to draft-07 a reference stands alone.
            if self.draft < Draft::Draft201909 {
                return;
            }
        }
        // Only where it is unmistakable: a dynamic scope is not followed.
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            if let Some(target) =
                place.get(keyword).and_then(Value::as_str).and_then(|r| self.refs.resolve(place, r))
            {
                self.walk(target, value, at, findings);
            }
        }
        if let Some(problem) = self.value_itself(place, value, at) {
            // The wrong kind of value: what else is wrong with it says nothing.
            findings.push(problem);
            return;
        }
        match value {
            Value::String(text) => self.string(place, text, at, findings),
            Value::Number(number) => self.number(place, number, at, findings),
            Value::Array(items) => self.array(place, items, at, findings),
            Value::Object(members) => self.object(place, members, at, findings),
            Value::Null | Value::Bool(_) => {}
        }
        self.choices(place, value, at, findings);
        // Last: it judges by what the other keywords left.
        if let Value::Object(members) = value {
            self.unevaluated_properties(place, members, at, findings);
        }
    }
}
