//! The rules of arrays.

use jsonschema::Draft;
use opentool_core::Problem;
use serde_json::Value;

use super::scalar::{counted, limit};
use super::{Explainer, Findings, Path};
use crate::refs::Place;

impl<'s> Explainer<'_, 's> {
    pub(super) fn array(
        &mut self,
        place: Place<'s>,
        items: &[Value],
        at: &Path<'_>,
        findings: &mut Findings,
    ) {
        let (first, rest, rule) = self.tuple(place);
        for (i, item) in items.iter().enumerate() {
            let at = at.item(i);
            match first.get(i).or(rest) {
                Some(Value::Bool(false)) => {
                    let expected = format!("expected at most {}", counted(first.len(), "item"));
                    findings.push(Problem::new(at.pointer(), rule).expected(expected));
                }
                Some(schema) => self.walk(place.enter(schema), item, &at, findings),
                None => {}
            }
        }
        self.count(place, items, at, findings);
        if place.get("uniqueItems") == Some(&Value::Bool(true)) && self.step(items.len()) {
            self.repeated(place, items, at, findings);
        }
    }

    /// The schemas of the first items, that of all further ones, and the keyword that holds it.
    fn tuple(&self, place: Place<'s>) -> (&'s [Value], Option<&'s Value>, &'static str) {
        match (place.get("items"), place.get("prefixItems")) {
            (Some(Value::Array(first)), _) => (first, place.get("additionalItems"), "additionalItems"),
            (rest, Some(Value::Array(first))) if self.draft >= Draft::Draft202012 => (first, rest, "items"),
            (rest, _) => (&[], rest, "items"),
        }
    }

    fn count(&mut self, place: Place<'s>, items: &[Value], at: &Path<'_>, findings: &mut Findings) {
        let count = items.len();
        if let Some(least) = limit(place, "minItems").filter(|least| count < *least) {
            let expected = format!("expected at least {}", counted(least, "item"));
            findings.push(
                Problem::new(at.pointer(), "minItems").expected(expected).found(counted(count, "item")),
            );
        }
        if let Some(most) = limit(place, "maxItems").filter(|most| count > *most) {
            let expected = format!("expected at most {}", counted(most, "item"));
            findings.push(
                Problem::new(at.pointer(), "maxItems").expected(expected).found(counted(count, "item")),
            );
        }
        let Some(wanted) = place.get("contains").filter(|_| self.draft != Draft::Draft4) else { return };
        let counts = self.draft >= Draft::Draft201909;
        let least = limit(place, "minContains").filter(|_| counts).unwrap_or(1);
        let most = limit(place, "maxContains").filter(|_| counts).unwrap_or(usize::MAX);
        let place = place.enter(wanted);
        let fitting = items.iter().filter(|item| self.accepts(place, item)).count();
        let (rule, bound) = if fitting < least {
            ("contains", format!("at least {}", counted(least, "item")))
        } else if fitting > most {
            ("maxContains", format!("at most {}", counted(most, "item")))
        } else {
            return;
        };
        let what = self.describe(place).map_or_else(String::new, |what| format!(" that is {what}"));
        let expected = format!("expected {bound}{what}");
        findings
            .push(Problem::new(at.pointer(), rule).expected(expected).found(counted(fitting, "such item")));
    }

    fn repeated(&mut self, place: Place<'s>, items: &[Value], at: &Path<'_>, findings: &mut Findings) {
        let whole = Value::Array(items.to_vec());
        let Some(argument) = place.get("uniqueItems") else { return };
        if self.probes.accepts("uniqueItems", argument, self.draft, &whole) {
            return;
        }
        // Which one it is costs a comparison of all pairs: only asked for arrays of usual length.
        let twin = items.iter().take(200).enumerate().skip(1).find_map(|(i, item)| {
            let first = items.iter().take(i).position(|other| super::scalar::same(other, item))?;
            Some((first, i))
        });
        let problem = Problem::new(at.pointer(), "uniqueItems").expected("expected every item only once");
        findings.push(match twin {
            Some((first, second)) => problem.found(format!("the same at {first} and {second}")),
            None => problem,
        });
    }
}
