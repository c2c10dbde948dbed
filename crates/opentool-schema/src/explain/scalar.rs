//! The kind of a value, enumerations, and the rules of strings and numbers.

use std::cmp::Ordering;

use jsonschema::Draft;
use opentool_core::Problem;
use serde_json::{Number, Value};

use super::describe::{format_in_words, one_of, types};
use super::{Explainer, Findings, Path};
use crate::nearest::nearest;
use crate::refs::Place;
use crate::text::{found, listed, literal, shorten, type_in_words};

impl<'s> Explainer<'_, 's> {
    /// `const`, `enum` and `type`: whether it is the right kind of value at all.
    pub(super) fn value_itself(&mut self, place: Place<'s>, value: &Value, at: &Path<'_>) -> Option<Problem> {
        // Draft-04 has no `const`; the compiled schema then ignores it too.
        if let Some(only) = place.get("const").filter(|_| self.draft != Draft::Draft4)
            && !same(only, value)
        {
            return Some(not_one_of("const", std::slice::from_ref(only), value, at));
        }
        if let Some(Value::Array(allowed)) = place.get("enum")
            && !allowed.iter().any(|one| same(one, value))
        {
            return Some(not_one_of("enum", allowed, value, at));
        }
        let allowed = types(place.schema);
        if allowed.is_empty() || allowed.iter().any(|name| self.is_of_type(name, value)) {
            return None;
        }
        let huge = matches!(value, Value::Number(number) if is_huge(number));
        let words = allowed.iter().map(|name| match *name {
            "integer" if huge => "an integer of at most 64 bits".to_owned(),
            name => type_in_words(name).to_owned(),
        });
        let mut expected = format!("expected {}", listed(words.collect::<Vec<_>>().into_iter(), 7, "or"));
        if let ["array"] = allowed.as_slice()
            && let Some(items) = place.get("items")
        {
            expected = format!("{expected} of {}", self.plural(place.enter(items)));
        }
        Some(Problem::new(at.pointer(), "type").expected(expected).found(found(value)))
    }

    fn is_of_type(&self, name: &str, value: &Value) -> bool {
        match (name, value) {
            ("null", Value::Null)
            | ("boolean", Value::Bool(_))
            | ("string", Value::String(_))
            | ("array", Value::Array(_))
            | ("object", Value::Object(_))
            | ("number", Value::Number(_)) => true,
            ("integer", Value::Number(number)) => {
                !number.is_f64()
                    || !is_huge(number)
                        && self.draft != Draft::Draft4
                        && number.as_f64().is_some_and(|float| float.fract() == 0.0)
            }
            _ => false,
        }
    }

    pub(super) fn string(&mut self, place: Place<'s>, text: &str, at: &Path<'_>, findings: &mut Findings) {
        let length = || text.chars().count();
        if let Some(least) = limit(place, "minLength").filter(|least| length() < *least) {
            findings.push(
                Problem::new(at.pointer(), "minLength")
                    .expected(format!("expected at least {}", counted(least, "character")))
                    .found(found(&text.into())),
            );
        }
        if let Some(most) = limit(place, "maxLength").filter(|most| length() > *most) {
            findings.push(
                Problem::new(at.pointer(), "maxLength")
                    .expected(format!("expected at most {}", counted(most, "character")))
                    .found(counted(length(), "character")),
            );
        }
        for keyword in ["pattern", "format", "contentEncoding", "contentMediaType"] {
            let Some(argument) = place.get(keyword) else { continue };
            let value = Value::String(text.to_owned());
            if !self.step(10) || self.probes.accepts(keyword, argument, self.draft, &value) {
                continue;
            }
            let rule = argument.as_str().unwrap_or_default();
            let expected = match keyword {
                "pattern" => format!("expected a string that matches the pattern {}", shorten(rule, 200)),
                "format" => format!("expected {}", format_in_words(rule)),
                _ => format!("expected a string with {keyword} {}", shorten(rule, 60)),
            };
            findings.push(Problem::new(at.pointer(), keyword).expected(expected).found(found(&value)));
        }
    }

    pub(super) fn number(
        &mut self,
        place: Place<'s>,
        number: &Number,
        at: &Path<'_>,
        findings: &mut Findings,
    ) {
        // Up to draft-04, `exclusiveMinimum: true` sharpens `minimum`.
        let sharp = |keyword| place.get(keyword) == Some(&Value::Bool(true));
        let bounds = [
            ("minimum", Ordering::Less, sharp("exclusiveMinimum")),
            ("exclusiveMinimum", Ordering::Less, true),
            ("maximum", Ordering::Greater, sharp("exclusiveMaximum")),
            ("exclusiveMaximum", Ordering::Greater, true),
        ];
        for (keyword, wrong, exclusive) in bounds {
            let Some(Value::Number(bound)) = place.get(keyword) else { continue };
            let order = compare(number, bound);
            if order != Some(wrong) && !(exclusive && order == Some(Ordering::Equal)) {
                continue;
            }
            let relation = match (wrong, exclusive) {
                (Ordering::Less, false) => "at least",
                (Ordering::Less, true) => "more than",
                (_, false) => "at most",
                (_, true) => "less than",
            };
            let expected = format!("expected {relation} {bound}");
            findings.push(Problem::new(at.pointer(), keyword).expected(expected).found(number.to_string()));
        }
        for keyword in ["multipleOf", "divisibleBy"] {
            let Some(argument) = place.get(keyword) else { continue };
            let value = Value::Number(number.clone());
            if self.step(10) && !self.probes.accepts(keyword, argument, self.draft, &value) {
                let expected = format!("expected a multiple of {}", literal(argument));
                findings
                    .push(Problem::new(at.pointer(), keyword).expected(expected).found(number.to_string()));
            }
        }
    }
}

/// The problem of a value that is none of the allowed ones.
pub(super) fn not_one_of(rule: &str, allowed: &[Value], value: &Value, at: &Path<'_>) -> Problem {
    let problem = Problem::new(at.pointer(), rule)
        .expected(format!("expected {}", one_of(allowed)))
        .found(found(value));
    match meant(allowed, value) {
        Some(suggestion) => problem.did_you_mean(suggestion),
        None => problem,
    }
}

/// The allowed value that looks like the given one: other case, other type, nearly the same letters.
fn meant(allowed: &[Value], value: &Value) -> Option<String> {
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    let given = plain(value)?;
    let words: Vec<(String, &Value)> =
        allowed.iter().filter_map(|one| plain(one).map(|word| (word, one))).collect();
    let best = nearest(&given, words.iter().map(|(word, _)| word.as_str()))?;
    let (_, one) = words.iter().find(|(word, _)| word == best)?;
    Some(match one {
        // The sentence marks where it starts and ends; quotes matter only where they were missing.
        Value::String(text) if value.is_string() => text.clone(),
        other => literal(other),
    })
}

/// Equality as JSON Schema has it: `1` and `1.0` are the same.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b) == Some(Ordering::Equal),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// Whether a number is beyond what 64 bits hold as an integer: a double, whose last digits nobody wrote.
pub(crate) fn is_huge(number: &Number) -> bool {
    // The bounds are powers of two, which a double holds.
    number.is_f64()
        && number
            .as_f64()
            .is_some_and(|f| !(-9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&f))
}

fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

/// A limit that counts: `minLength`, `maxItems`, …
pub(super) fn limit(place: Place<'_>, keyword: &str) -> Option<usize> {
    let limit = place.get(keyword)?;
    let whole = || limit.as_f64().filter(|float| float.fract() == 0.0 && *float >= 0.0 && *float < 1e15);
    // The bounds make the conversion exact.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    limit.as_u64().or_else(|| whole().map(|float| float as u64)).and_then(|limit| usize::try_from(limit).ok())
}

/// `1 item`, `2 items`.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
