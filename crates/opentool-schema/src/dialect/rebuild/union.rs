//! Alternatives: written as `anyOf`, multiplied out where something stands beside them.

use serde_json::{Map, Value, json};

use super::flat::{Flat, OBJECT, Union, list};
use super::{Made, Rebuild, Result, Spot, Stop, Sub};
use crate::dialect::codec::{Codec, disjoint};
use crate::dialect::lower::Effect;

/// How many alternatives may come of multiplying.
const MOST: usize = 32;

/// How many alternatives are compared with each other.
const COMPARED: usize = 64;

/// Keywords that only explain.
const TEXTS: [&str; 17] = [
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "$comment",
    "$defs",
    "definitions",
    "anyOf",
    "oneOf",
    "allOf",
    "$schema",
    "$id",
    "readOnly",
    "writeOnly",
    "discriminator",
];

impl<'r> Rebuild<'r, '_> {
    /// What a conjunction with alternatives becomes.
    pub(super) fn union(&mut self, mut flat: Flat<'r>, spot: &Spot) -> Result<Made> {
        let unions = std::mem::take(&mut flat.unions);
        let mut branches = Vec::new();
        match &unions[..] {
            [only] if self.stands_alone(&flat, only, spot)? => {
                for branch in &only.branches {
                    branches.extend(self.node(branch, &spot.in_union())?);
                }
            }
            _ => {
                let mut base = flat.clone();
                base.told = base.subs.len();
                for chosen in self.combinations(&unions) {
                    branches.extend(self.combined(&base, &chosen, spot)?);
                }
            }
        }
        let made = branches.len();
        for union in &unions {
            let apart = union.keyword == "oneOf" && self.are_apart(union, spot);
            match union.keyword {
                "oneOf" if apart || made < 2 => {
                    self.note(&union.pointer, "oneOf", Effect::Exact, "became `anyOf`: no two overlap");
                }
                "oneOf" => {
                    self.note(
                        &union.pointer,
                        "oneOf",
                        Effect::Wider,
                        "became `anyOf`: more than one may fit",
                    );
                }
                "anyOf" => {}
                keyword => {
                    self.note(&union.pointer, keyword, Effect::Wider, "became alternatives that may overlap");
                    // Its parts are in the alternatives, and what they demand is no longer tied to the condition.
                    if keyword == "if" {
                        for part in ["then", "else"] {
                            self.note(&union.pointer, part, Effect::Wider, "became an alternative");
                        }
                    }
                    for sub in union.branches.iter().flatten() {
                        self.lose(sub, "no longer tied to its condition");
                    }
                }
            }
        }
        let Some(mut made) = self.alternatives(branches, &flat.pointer()) else { return Ok(None) };
        let mut outer = Map::new();
        self.tell(&mut outer, &flat, &made.codec, Vec::new());
        // The outer text speaks for the whole; the inner one for an only branch.
        if let (Some(Value::String(outer)), Some(Value::String(inner))) =
            (outer.get_mut("description"), made.schema.get("description"))
            && outer != inner
        {
            outer.push_str("\n\n");
            outer.push_str(inner);
        }
        for (keyword, value) in made.schema {
            outer.entry(keyword).or_insert(value);
        }
        made.schema = outer;
        Ok(Some(made))
    }

    /// One way of choosing, together with what stands beside the alternatives.
    fn combined(&mut self, base: &Flat<'r>, chosen: &[&Sub<'r>], spot: &Spot) -> Result<Made> {
        let mut all = base.clone();
        for sub in chosen {
            match self.add(&mut all, sub, spot) {
                Ok(()) if all.kinds == 0 => return Ok(None),
                Ok(()) => {}
                // Only this alternative leads back; the others may well end.
                Err(Stop::Circle(pointer)) => {
                    let all: Vec<Sub<'r>> = base.subs.iter().chain(chosen.iter().copied()).cloned().collect();
                    return Ok(Some(self.circle(&all, &pointer, &spot.in_union())?));
                }
                Err(error) => return Err(error),
            }
        }
        self.flat_node(all, &spot.in_union())
    }

    /// Whether nothing beside the alternatives limits them.
    fn stands_alone(
        &mut self,
        flat: &Flat<'r>,
        union: &Union<'r>,
        spot: &Spot,
    ) -> std::result::Result<bool, Stop> {
        let is_text = |keyword: &String| TEXTS.contains(&keyword.as_str()) || keyword.starts_with("x-");
        let types = |keyword: &String| keyword == "type";
        let members = || flat.subs.iter().filter_map(|sub| sub.schema.as_object()).flat_map(Map::keys);
        if matches!(union.keyword, "if" | "dependentSchemas") {
            return Ok(false);
        }
        if members().all(is_text) {
            return Ok(flat.kinds == super::flat::ALL);
        }
        if !members().all(|keyword| is_text(keyword) || types(keyword)) {
            return Ok(false);
        }
        // A type that every alternative has anyway.
        for branch in &union.branches {
            match self.flatten(branch, spot) {
                Ok(inner) if inner.kinds & !flat.kinds == 0 => {}
                Ok(_) | Err(Stop::Circle(_)) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// One branch of each, in all ways; the last ones are given up where that is too much.
    fn combinations<'u>(&mut self, unions: &'u [Union<'r>]) -> Vec<Vec<&'u Sub<'r>>> {
        let mut all: Vec<Vec<&Sub<'r>>> = vec![Vec::new()];
        // Conditions first to be given up: without them only a rule is lost.
        let mut ordered: Vec<&Union<'r>> = unions.iter().collect();
        ordered.sort_by_key(|union| matches!(union.keyword, "if" | "dependentSchemas"));
        for union in ordered {
            if all.len().saturating_mul(union.branches.len()) > MOST.max(union.branches.len()) {
                let done = "left out: too many alternatives come together here";
                self.note(&union.pointer, union.keyword, Effect::Narrower, done);
                for sub in union.branches.iter().flatten() {
                    self.lose(sub, "inside alternatives that were left out");
                }
                continue;
            }
            let with = |chosen: &Vec<&'u Sub<'r>>, branch: &'u Vec<Sub<'r>>| {
                chosen.iter().copied().chain(branch).collect::<Vec<_>>()
            };
            all = all
                .iter()
                .flat_map(|chosen| union.branches.iter().map(move |branch| with(chosen, branch)))
                .collect();
        }
        all
    }

    /// Whether no value fits two branches as they came: by types, or by what a property they all require must be.
    fn are_apart(&mut self, union: &Union<'r>, spot: &Spot) -> bool {
        if union.branches.len() > COMPARED {
            return false;
        }
        let mut all = Vec::new();
        for branch in &union.branches {
            let Ok(flat) = self.flatten(branch, spot) else { return false };
            all.push(flat);
        }
        pairs(&all).all(|(a, b)| {
            let common = a.kinds & b.kinds;
            if common == 0 {
                return true;
            }
            if let (Some(a), Some(b)) = (self.values(a), self.values(b)) {
                return !a.iter().any(|value| b.contains(value));
            }
            common == OBJECT && self.objects_apart(a, b)
        })
    }

    fn objects_apart(&self, a: &Flat<'r>, b: &Flat<'r>) -> bool {
        let required = |flat: &Flat<'r>| {
            let lists = flat.subs.iter().map(|sub| list(sub.get("required")));
            lists.flatten().filter_map(Value::as_str).collect::<Vec<&str>>()
        };
        let property = |flat: &Flat<'r>, name: &str| {
            let found = flat
                .subs
                .iter()
                .filter_map(|sub| Some(sub.entry("properties", name, sub.get("properties")?.get(name)?)));
            Flat {
                subs: found.collect(),
                kinds: super::flat::ALL,
                unions: Vec::new(),
                opened: Vec::new(),
                told: 0,
            }
        };
        let shut_out = |flat: &Flat<'r>, name: &str| {
            flat.subs.iter().any(|sub| {
                sub.get("additionalProperties") == Some(&Value::Bool(false))
                    && sub.get("patternProperties").is_none()
                    && sub.get("properties").and_then(|properties| properties.get(name)).is_none()
            })
        };
        let (of_a, of_b) = (required(a), required(b));
        if of_a.iter().any(|name| shut_out(b, name)) || of_b.iter().any(|name| shut_out(a, name)) {
            return true;
        }
        of_a.iter().filter(|name| of_b.contains(name)).any(|name| {
            match (self.values(&property(a, name)), self.values(&property(b, name))) {
                (Some(a), Some(b)) => !a.iter().any(|value| b.contains(value)),
                _ => false,
            }
        })
    }

    /// Made alternatives as one schema. Where the codec could not tell two of them apart, each gets a name.
    pub(super) fn alternatives(&mut self, mut branches: Vec<Made>, pointer: &str) -> Option<Made> {
        if branches.len() <= COMPARED {
            let mut once: Vec<Made> = Vec::with_capacity(branches.len());
            for made in branches.drain(..) {
                if !once.contains(&made) {
                    once.push(made);
                }
            }
            branches = once;
        }
        if branches.len() < 2 {
            return branches.pop();
        }
        let as_values = |branches: &[Made]| {
            branches.iter().map(|made| Value::Object(made.schema.clone())).collect::<Vec<_>>()
        };
        if branches.iter().all(|made| made.codec.is_same()) {
            return Some(Made::new(json!({"anyOf": as_values(&branches)}), Codec::Same));
        }
        if branches.len() <= COMPARED {
            self.bound_those_in_work();
        }
        // Where two are read in the same way it does not matter which one was meant.
        let told_apart = branches.len() <= COMPARED
            && pairs(&branches)
                .all(|(a, b)| a.codec == b.codec || disjoint(&a.schema, &b.schema, &|name| self.shape(name)));
        let schemas = as_values(&branches);
        if told_apart {
            let codecs = branches.into_iter().map(|made| made.codec);
            let choice = Codec::Choice(schemas.iter().cloned().zip(codecs).collect());
            return Some(Made::new(json!({"anyOf": schemas}), choice));
        }
        self.note(pointer, "anyOf", Effect::Exact, "each alternative stands under a name of its own");
        let mut codecs = Vec::new();
        let mut named = Vec::new();
        for (i, (schema, made)) in schemas.into_iter().zip(branches).enumerate() {
            let name = format!("option_{}", i.saturating_add(1));
            let mut tagged = Map::new();
            tagged.insert("type".to_owned(), "object".into());
            tagged.insert("properties".to_owned(), json!({name.as_str(): &schema}));
            tagged.insert("required".to_owned(), json!([name]));
            tagged.insert("additionalProperties".to_owned(), false.into());
            named.push(Value::Object(tagged));
            codecs.push((name, schema, made.codec));
        }
        Some(Made::new(json!({"anyOf": named}), Codec::Tagged(codecs)))
    }
}

/// All pairs of different items.
fn pairs<T>(items: &[T]) -> impl Iterator<Item = (&T, &T)> {
    items.iter().enumerate().flat_map(|(i, a)| items.iter().skip(i.saturating_add(1)).map(move |b| (a, b)))
}
