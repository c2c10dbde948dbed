//! Bounds on what a schema may cost, before it is compiled.
//!
//! A small schema can be enormous to check: references may lead in a circle, or fan out so that one value is
//! checked 2^40 times. This measures the graph of schemas, without any arguments: per value, how many schemas
//! speak about it and how many in a row; and over nesting values, how that multiplies. It is a bound from above.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::SchemaError;
use crate::keywords::{REFERENCES, in_place};
use crate::refs::{Place, Refs};
use crate::text::shorten;

/// Levels of arrays and objects in a schema.
const MAX_LEVELS: usize = 128;
/// JSON values in a schema.
const MAX_VALUES: usize = 100_000;
/// Schemas that speak about one value, each counted as often as it is reached.
const MAX_AT_ONE_VALUE: usize = 10_000;
/// Schemas in a row that speak about one value: references and alternatives inside each other.
const MAX_IN_A_ROW: usize = 64;
/// How often one value may be checked because schemas around it overlap.
const MAX_REPEATED: u64 = 1_000_000;
/// Steps of this measurement.
const MAX_STEPS: usize = 2_000_000;
/// Characters that all different patterns have together when their counted repetitions are written out.
const MAX_PATTERNS: usize = 1_000_000;

/// Measures the schema, and says how many schemas in a row speak about one value, at least 1.
///
/// # Errors
/// [`SchemaError`] where a bound is passed, or a reference leads in a circle or out of the schema.
pub(super) fn measure(schema: &Value) -> Result<usize, SchemaError> {
    size(schema)?;
    let refs = Refs::of(schema);
    let mut measure =
        Measure { refs: &refs, reach: 1, steps: 0, numbers: HashMap::new(), entries: Vec::new() };
    measure.number(refs.start());
    let mut next = 0;
    while let Some(entry) = measure.entries.get(next) {
        let place = entry.place;
        let mut edges = Edges::new();
        let mut at_one_value = 0;
        measure.walk(place, &mut Vec::new(), &mut at_one_value, &mut edges)?;
        if let Some(entry) = measure.entries.get_mut(next) {
            entry.edges = edges;
        }
        next = next.saturating_add(1);
    }
    if repeated(&measure.entries) > MAX_REPEATED {
        return Err(too_complex("", "its alternatives overlap and multiply from level to level".to_owned()));
    }
    Ok(measure.reach)
}

/// The number of values, their depth and the weight of the patterns.
pub(crate) fn size(schema: &Value) -> Result<(), SchemaError> {
    let mut values = 0_usize;
    // Each pattern once: real schemas repeat the same few everywhere.
    let mut patterns = HashSet::new();
    // A pattern is compiled once, however often it stands in a schema: real ones repeat theirs by the hundred.
    let mut seen: HashSet<&str> = HashSet::new();
    // An own stack: a schema that was built by a program may be deeper than the thread's.
    let mut open = vec![(schema, 0_usize)];
    while let Some((value, level)) = open.pop() {
        values = values.saturating_add(1);
        if level > MAX_LEVELS {
            return Err(too_complex("", format!("it nests deeper than {MAX_LEVELS} levels")));
        }
        if values > MAX_VALUES {
            return Err(too_complex("", format!("it holds more than {MAX_VALUES} values")));
        }
        let below = level.saturating_add(1);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, below))),
            Value::Object(members) => {
                for (keyword, member) in members {
                    match (keyword.as_str(), member) {
                        ("pattern", Value::String(pattern)) if seen.insert(pattern) => {
                            patterns.insert(pattern.as_str());
                        }
                        ("patternProperties", Value::Object(by_pattern)) => {
                            patterns.extend(by_pattern.keys().map(String::as_str));
                        }
                        _ => {}
                    }
                    open.push((member, below));
                }
            }
            _ => {}
        }
    }
    let weight = patterns.into_iter().fold(0_usize, |sum, pattern| sum.saturating_add(written_out(pattern)));
    if weight > MAX_PATTERNS {
        return Err(too_complex("", "its patterns repeat too much".to_owned()));
    }
    Ok(())
}

/// The length of a pattern if its counted repetitions (`a{3,50}`) were written out. Repetitions inside each other
/// multiply, those beside each other add up.
fn written_out(pattern: &str) -> usize {
    // What the open groups hold so far, and the last piece, which a repetition would repeat.
    let mut groups: Vec<usize> = Vec::new();
    let (mut sum, mut piece) = (0_usize, 0_usize);
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '(' => {
                groups.push(sum.saturating_add(piece));
                (sum, piece) = (0, 0);
            }
            ')' => {
                piece = sum.saturating_add(piece).saturating_add(1);
                sum = groups.pop().unwrap_or_default();
            }
            '{' => {
                let counts: String = rest.by_ref().take_while(|c| *c != '}').collect();
                let most = counts.split(',').filter_map(|count| count.trim().parse::<usize>().ok()).max();
                piece = piece.saturating_mul(most.unwrap_or(1).max(1));
            }
            _ => {
                sum = sum.saturating_add(piece);
                piece = match (c, rest.as_str().chars().next()) {
                    // Classes of Unicode are large automata.
                    ('\\', Some('p' | 'P')) => 100,
                    ('\\', Some('w' | 'W' | 'd' | 'D' | 's' | 'S')) => 10,
                    _ => 1,
                };
                if c == '\\' {
                    rest.next();
                }
            }
        }
    }
    let open = groups.into_iter().fold(sum.saturating_add(piece), usize::saturating_add);
    // No single pattern may compile to more than the engine's own limit.
    open.clamp(1, MAX_PATTERNS / 8)
}

/// What leads from a schema to the schemas of the parts of its value: which part, which schema, how often.
type Edges<'s> = HashMap<(Part<'s>, usize), u64>;

/// A part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part<'s> {
    Key(&'s str),
    AnyKey,
    Item,
    KeyItself,
}

struct Entry<'s> {
    place: Place<'s>,
    edges: Edges<'s>,
}

struct Measure<'r, 's> {
    refs: &'r Refs<'s>,
    reach: usize,
    steps: usize,
    /// The number of each schema that a value starts at, by its address.
    numbers: HashMap<*const Value, usize>,
    entries: Vec<Entry<'s>>,
}

impl<'s> Measure<'_, 's> {
    fn number(&mut self, place: Place<'s>) -> usize {
        let next = self.entries.len();
        *self.numbers.entry(std::ptr::from_ref(place.schema)).or_insert_with(|| {
            self.entries.push(Entry { place, edges: Edges::new() });
            next
        })
    }

    /// Walks every way in which schemas speak about the same value, from `place`.
    fn walk(
        &mut self,
        place: Place<'s>,
        above: &mut Vec<*const Value>,
        at_one_value: &mut usize,
        edges: &mut Edges<'s>,
    ) -> Result<(), SchemaError> {
        let here = std::ptr::from_ref(place.schema);
        if above.contains(&here) {
            return Err(SchemaError::Endless { pointer: self.pointer(place).into() });
        }
        above.push(here);
        self.reach = self.reach.max(above.len());
        *at_one_value = at_one_value.saturating_add(1);
        if above.len() > MAX_IN_A_ROW {
            return Err(self.limit(place, format!("more than {MAX_IN_A_ROW} schemas in a row for one value")));
        }
        if *at_one_value > MAX_AT_ONE_VALUE {
            return Err(self.limit(place, format!("more than {MAX_AT_ONE_VALUE} schemas for one value")));
        }
        self.parts(place, edges)?;
        // Checking what is left unevaluated goes through the same schemas a second time.
        let rounds = if place.get("unevaluatedProperties").or(place.get("unevaluatedItems")).is_some() {
            2
        } else {
            1
        };
        for _ in 0..rounds {
            for keyword in REFERENCES {
                if let Some(reference) = place.get(keyword).and_then(Value::as_str) {
                    let targets = self.refs.candidates(place, reference);
                    if targets.is_empty() {
                        return Err(SchemaError::External {
                            pointer: self.pointer(place).into(),
                            reference: shorten(reference, 200).into(),
                        });
                    }
                    for target in targets {
                        self.walk(target, above, at_one_value, edges)?;
                    }
                }
            }
            for inner in in_place(place.schema) {
                self.walk(place.enter(inner), above, at_one_value, edges)?;
            }
        }
        above.pop();
        Ok(())
    }

    /// Notes the schemas of the parts of the value.
    fn parts(&mut self, place: Place<'s>, edges: &mut Edges<'s>) -> Result<(), SchemaError> {
        let Some(members) = place.schema.as_object() else { return Ok(()) };
        for (keyword, value) in members {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(named)) => {
                    for (name, schema) in named {
                        self.part(Part::Key(name), place.enter(schema), edges)?;
                    }
                }
                ("patternProperties", Value::Object(named)) => {
                    for schema in named.values() {
                        self.part(Part::AnyKey, place.enter(schema), edges)?;
                    }
                }
                ("additionalProperties" | "unevaluatedProperties", schema) => {
                    self.part(Part::AnyKey, place.enter(schema), edges)?;
                }
                ("propertyNames", schema) => self.part(Part::KeyItself, place.enter(schema), edges)?,
                ("items" | "prefixItems", Value::Array(schemas)) => {
                    for schema in schemas {
                        self.part(Part::Item, place.enter(schema), edges)?;
                    }
                }
                ("items" | "additionalItems" | "contains" | "unevaluatedItems", schema) => {
                    self.part(Part::Item, place.enter(schema), edges)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'s>, place: Place<'s>, edges: &mut Edges<'s>) -> Result<(), SchemaError> {
        self.steps = self.steps.saturating_add(1);
        if self.steps > MAX_STEPS {
            return Err(too_complex("", "it takes too many steps to walk through".to_owned()));
        }
        if place.schema.is_object() {
            let number = self.number(place);
            let times = edges.entry((part, number)).or_default();
            *times = times.saturating_add(1);
        }
        Ok(())
    }

    fn limit(&self, place: Place<'s>, message: String) -> SchemaError {
        too_complex(&self.pointer(place), message)
    }

    /// The JSON Pointer of a schema, by its address. Slow; for errors.
    fn pointer(&self, place: Place<'s>) -> String {
        fn find(value: &Value, wanted: &Value, pointer: &mut String) -> bool {
            if std::ptr::eq(value, wanted) {
                return true;
            }
            let length = pointer.len();
            let mut step = |key: &str, inner: &Value| {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                let there = find(inner, wanted, pointer);
                if !there {
                    pointer.truncate(length);
                }
                there
            };
            match value {
                Value::Array(items) => items.iter().enumerate().any(|(i, item)| step(&i.to_string(), item)),
                Value::Object(members) => members.iter().any(|(key, member)| step(key, member)),
                _ => false,
            }
        }
        let mut pointer = String::new();
        find(self.refs.start().schema, place.schema, &mut pointer);
        pointer
    }
}

/// The most often that one value is checked because of overlaps on the way to it. Circles count once: the
/// compiled schema remembers the results of schemas that refer to themselves.
fn repeated(entries: &[Entry<'_>]) -> u64 {
    let mut known: Vec<Option<u64>> = vec![None; entries.len()];
    let mut open: HashSet<usize> = HashSet::new();
    // An own stack: definitions may refer to each other in long rows.
    let mut stack = vec![0_usize];
    while let Some(&entry) = stack.last() {
        if known.get(entry).is_some_and(Option::is_some) {
            stack.pop();
            continue;
        }
        let Some(edges) = entries.get(entry).map(|entry| &entry.edges) else { break };
        let value = |part: usize| known.get(part).copied().flatten();
        if open.insert(entry) {
            let before = stack.len();
            stack.extend(
                edges
                    .keys()
                    .map(|(_, part)| *part)
                    .filter(|part| value(*part).is_none() && !open.contains(part)),
            );
            if stack.len() > before {
                continue;
            }
        }
        let mut by_part: HashMap<Part<'_>, u64> = HashMap::new();
        for ((part, number), times) in edges {
            let sum = by_part.entry(*part).or_default();
            *sum = sum.saturating_add(times.saturating_mul(value(*number).unwrap_or(1)));
        }
        let any = by_part.remove(&Part::AnyKey).unwrap_or(0);
        let most = by_part.values().copied().max().unwrap_or(0).saturating_add(any).max(1);
        if let Some(slot) = known.get_mut(entry) {
            *slot = Some(most);
        }
        open.remove(&entry);
        stack.pop();
    }
    known.first().copied().flatten().unwrap_or(1)
}

fn too_complex(pointer: &str, message: String) -> SchemaError {
    SchemaError::TooComplex { pointer: pointer.into(), message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::{MAX_PATTERNS, written_out};

    #[test]
    fn repetitions_multiply_inside_each_other_and_add_up_beside_each_other() {
        assert_eq!(written_out("a{3,50}"), 50);
        assert_eq!(written_out("a{10}b{10}c{10}"), 30);
        assert_eq!(written_out("((a{10}){10}){10}"), 1_110);
        assert_eq!(written_out(r"\(a{2}"), 3);
        assert_eq!(written_out(r"\p{L}{20}\d{2}"), 2_020);
        assert_eq!(written_out("((((a{999}){999}){999}){999}"), MAX_PATTERNS / 8);
        assert!(written_out("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$") < 100);
        assert!(written_out("(((") >= 1 && written_out(")))") >= 1 && written_out("{{{") >= 1);
    }
}
