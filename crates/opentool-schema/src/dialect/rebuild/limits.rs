//! Bounds, counts, patterns and formats: the tightest of those that apply, as keywords or as words.

use serde_json::{Map, Value};

use super::describe::{MOVED, Note};
use super::flat::{ARRAY, FRACTION, Flat, INTEGER, OBJECT, STRING};
use super::{Rebuild, Sub, weight};
use crate::dialect::lower::Effect;
use crate::dialect::rules::Patterns;

/// The keywords that limit the values of a type.
fn keywords(kind: u8) -> &'static [&'static str] {
    match kind {
        STRING => &[
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "contentEncoding",
            "contentMediaType",
            "contentSchema",
        ],
        ARRAY => &["minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"],
        OBJECT => &["minProperties", "maxProperties", "dependentRequired"],
        kind if kind & (INTEGER | FRACTION) != 0 => {
            &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"]
        }
        _ => &[],
    }
}

impl<'r> Rebuild<'r, '_> {
    /// Writes the limits of a type. What has no keyword comes back for the description, and is listed.
    pub(super) fn limits(
        &mut self,
        schema: &mut Map<String, Value>,
        flat: &Flat<'r>,
        kind: u8,
    ) -> Vec<Note<'r>> {
        self.limits_but(schema, flat, kind, &[])
    }

    /// The same without some keywords.
    pub(super) fn limits_but(
        &mut self,
        schema: &mut Map<String, Value>,
        flat: &Flat<'r>,
        kind: u8,
        but: &[&str],
    ) -> Vec<Note<'r>> {
        let mut notes = Vec::new();
        self.work.owe(flat.subs.len());
        for keyword in keywords(kind).iter().copied().filter(|keyword| !but.contains(keyword)) {
            let mut all: Vec<(&Sub<'r>, &'r Value)> =
                flat.subs.iter().filter_map(|sub| Some((sub, sub.get(keyword)?))).collect();
            match (keyword.get(..3), keyword) {
                (Some("min"), _) | (_, "exclusiveMinimum") => {
                    all.sort_by(|a, b| number(b.1).total_cmp(&number(a.1)))
                }
                (Some("max"), _) | (_, "exclusiveMaximum") => {
                    all.sort_by(|a, b| number(a.1).total_cmp(&number(b.1)))
                }
                _ => {}
            }
            let ordered =
                keyword.starts_with("min") || keyword.starts_with("max") || keyword.starts_with("exclusive");
            let mut all = all.into_iter();
            let Some((sub, value)) = all.next() else { continue };
            self.limit(schema, &mut notes, kind, keyword, sub, value);
            if !ordered {
                // Of what has no order only one can stand.
                for (sub, other) in all.filter(|(_, other)| *other != value) {
                    notes.push((keyword, other));
                    self.note(&sub.pointer, keyword, Effect::Wider, MOVED);
                }
            }
        }
        notes
    }

    fn limit(
        &mut self,
        schema: &mut Map<String, Value>,
        notes: &mut Vec<Note<'r>>,
        kind: u8,
        keyword: &'static str,
        sub: &Sub<'r>,
        value: &'r Value,
    ) {
        if value == &Value::Bool(false) && keyword == "uniqueItems" {
            return;
        }
        if self.has(keyword) && self.takes(keyword, value) {
            let tighter = schema.get(keyword).is_none_or(|there| match keyword {
                "minimum" => number(value) > number(there),
                "maximum" => number(value) < number(there),
                _ => true,
            });
            if tighter {
                self.work.owe(weight(value));
                schema.insert(keyword.to_owned(), value.clone());
            }
            return;
        }
        let inclusive = match keyword {
            "exclusiveMinimum" => Some(("minimum", 1)),
            "exclusiveMaximum" => Some(("maximum", -1)),
            _ => None,
        };
        if let Some((bound, step)) = inclusive.filter(|(bound, _)| self.has(bound)) {
            let whole = value.as_i64().and_then(|value| value.checked_add(step)).filter(|_| kind == INTEGER);
            let new = whole.map_or_else(|| value.clone(), Value::from);
            let tighter = schema.get(bound).is_none_or(|there| {
                if step > 0 { number(&new) > number(there) } else { number(&new) < number(there) }
            });
            if tighter {
                schema.insert(bound.to_owned(), new);
            }
            if whole.is_some() {
                self.note(&sub.pointer, keyword, Effect::Exact, format!("written as `{bound}`"));
                return;
            }
        }
        if keyword == "minItems" && self.has(keyword) {
            // A smaller count is all that can be said.
            schema.extend(self.rules.min_items.map(|most| (keyword.to_owned(), most.into())));
        }
        notes.push((keyword, value));
        self.note(&sub.pointer, keyword, Effect::Wider, MOVED);
    }

    /// Whether the dialect takes this value of a keyword.
    fn takes(&self, keyword: &str, value: &Value) -> bool {
        match keyword {
            "format" => {
                let format = value.as_str().unwrap_or_default();
                self.rules.formats.is_none_or(|formats| formats.contains(&format))
            }
            "pattern" => value.as_str().is_some_and(|pattern| {
                (self.rules.patterns == Patterns::Any || is_plain(pattern)) && is_expression(pattern)
            }),
            "minItems" => {
                self.rules.min_items.is_none_or(|most| value.as_u64().is_some_and(|count| count <= most))
            }
            _ => true,
        }
    }

    /// The largest (or smallest) of the counts under a keyword.
    pub(super) fn tightest(&self, flat: &Flat<'r>, keyword: &str) -> Option<u64> {
        let counts = flat.subs.iter().filter_map(|sub| sub.get(keyword)?.as_f64()).map(|count| count as u64);
        if keyword.starts_with("min") { counts.max() } else { counts.min() }
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

/// Whether a pattern is a regular expression at all. What a plain reader takes is one; only of the others it is asked
/// whether they compile, which costs more.
fn is_expression(pattern: &str) -> bool {
    regex_syntax::ast::parse::Parser::new().parse(pattern).is_ok()
        || crate::validator::build(&serde_json::json!({"pattern": pattern}), jsonschema::Draft::Draft202012)
            .is_ok()
}

/// Whether a pattern neither looks around nor refers back.
pub(crate) fn is_plain(pattern: &str) -> bool {
    let mut rest = pattern.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                let escaped = rest.next();
                if matches!(escaped, Some('1'..='9' | 'k')) {
                    return false;
                }
            }
            '?' if before == '(' && matches!(rest.peek(), Some('=' | '!' | '<' | '>')) => {
                // `(?<name>` is only a group.
                let mut ahead = rest.clone();
                let angle = ahead.next() == Some('<');
                if !angle || matches!(ahead.next(), Some('=' | '!')) {
                    return false;
                }
            }
            _ => {}
        }
        before = c;
    }
    true
}
