//! Alternatives: written as `anyOf`, multiplied out where something stands beside them.

use serde_json::{Map, Value, json};

use std::hash::{DefaultHasher, Hash, Hasher};

use super::describe::{Note, OVERRIDDEN};
use super::flat::{Flat, OBJECT, Union, list};
use super::{Made, Rebuild, Result, Spot, Stop, Sub, single};
use crate::dialect::codec::{Codec, disjoint};
use crate::dialect::lower::Effect;

/// How many alternatives may come of multiplying.
const MOST: usize = 32;

/// How many alternatives are compared with each other.
const COMPARED: usize = 64;

/// Ways of choosing, and the alternatives that are left out.
type Combinations<'u, 'r> = (Vec<Vec<&'u Sub<'r>>>, Vec<&'u Union<'r>>);

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
    pub(super) fn union(&mut self, mut flat: Flat<'r>, spot: &Spot<'r>) -> Result<Made> {
        let unions = std::mem::take(&mut flat.unions);
        let (mut branches, mut notes) = (Vec::new(), Vec::<Note<'r>>::new());
        match &unions[..] {
            [only] if self.stands_alone(&flat, only, spot)? => {
                for branch in &only.branches {
                    branches.extend(self.node(branch, &spot.in_union())?);
                }
            }
            _ => {
                let mut base = self.again(&flat)?;
                base.told = base.subs.len();
                let (chosen, left_out) = self.combinations(&unions)?;
                for union in left_out {
                    let parts = self.parts(union);
                    let is_new =
                        |(_, part): &Note<'r>| !notes.iter().any(|(_, told)| std::ptr::eq(*told, *part));
                    let new: Vec<Note<'r>> = parts.into_iter().filter(is_new).collect();
                    notes.extend(new);
                }
                for chosen in chosen {
                    branches.extend(self.combined(&base, &chosen, spot)?);
                }
            }
        }
        let made = branches.len();
        for union in &unions {
            let apart = union.keyword == "oneOf" && self.are_apart(union, spot)?;
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
        let Some(mut made) = self.alternatives(branches, &flat.pointer())? else { return Ok(None) };
        let default = flat.subs.iter().skip(flat.told).find_map(|sub| sub.get("default"));
        if let Some(outer) = default.filter(|_| made.codec.is_same())
            && let Some(inner) = self.lone(&mut made.schema).and_then(|only| only.shift_remove("default"))
            && inner != *outer
        {
            self.override_defaults(&unions, spot)?;
        }
        Ok(Some(self.told_around(&flat, made, notes)))
    }

    /// Lists the defaults of alternatives in place of which the one around them stands.
    fn override_defaults(&mut self, unions: &[Union<'r>], spot: &Spot<'r>) -> std::result::Result<(), Stop> {
        for branch in unions.iter().flat_map(|union| &union.branches) {
            let flat = match self.flatten(branch, spot) {
                Ok(flat) => flat,
                Err(Stop::Circle(_)) => continue,
                Err(error) => return Err(error),
            };
            for sub in flat.subs.iter().filter(|sub| sub.get("default").is_some()) {
                self.note(&sub.pointer, "default", Effect::Hint, OVERRIDDEN);
            }
            self.deeper(|making| {
                if making.is_too_deep() { Ok(()) } else { making.override_defaults(&flat.unions, spot) }
            })?;
        }
        Ok(())
    }

    /// The keywords of alternatives that are left out, for the description.
    fn parts(&self, union: &Union<'r>) -> Vec<Note<'r>> {
        let keywords: &[&'static str] = match union.keyword {
            "if" => &["if", "then", "else"],
            "oneOf" => &["oneOf"],
            "dependentSchemas" => &["dependentSchemas"],
            _ => &["anyOf"],
        };
        let holder = self.root.pointer(&union.pointer);
        keywords.iter().filter_map(|keyword| Some((*keyword, holder?.get(keyword)?))).collect()
    }

    /// One way of choosing, together with what stands beside the alternatives.
    fn combined(&mut self, base: &Flat<'r>, chosen: &[&Sub<'r>], spot: &Spot<'r>) -> Result<Made> {
        if self.is_too_deep() {
            let all: Vec<Sub<'r>> = base.subs.iter().chain(chosen.iter().copied()).cloned().collect();
            return Ok(Some(self.as_text(&all, "it nests too deep to be written out")));
        }
        let mut all = self.again(base)?;
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
        self.deeper(|making| making.flat_node(all, &spot.in_union()))
    }

    /// Whether nothing beside the alternatives limits them.
    fn stands_alone(
        &mut self,
        flat: &Flat<'r>,
        union: &Union<'r>,
        spot: &Spot<'r>,
    ) -> std::result::Result<bool, Stop> {
        let is_text = |keyword: &String| TEXTS.contains(&keyword.as_str()) || keyword.starts_with("x-");
        let types = |keyword: &String| keyword == "type";
        let looks = flat.subs.iter().filter_map(|sub| sub.schema.as_object()).map(Map::len).sum::<usize>();
        self.spend(looks, &union.pointer)?;
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

    /// One branch of each, in all ways; the last ones are given up where that is too much, and come back as well.
    fn combinations<'u>(
        &mut self,
        unions: &'u [Union<'r>],
    ) -> std::result::Result<Combinations<'u, 'r>, Stop> {
        let mut left_out = Vec::new();
        let mut all: Vec<Vec<&Sub<'r>>> = vec![Vec::new()];
        // Conditions first to be given up: without them only a rule is lost.
        let mut ordered: Vec<&Union<'r>> = unions.iter().collect();
        ordered.sort_by_key(|union| matches!(union.keyword, "if" | "dependentSchemas"));
        for union in ordered {
            if all.len().saturating_mul(union.branches.len()) > MOST.max(union.branches.len()) {
                let done = "moved to the description: too many alternatives come together here";
                self.note(&union.pointer, union.keyword, Effect::Narrower, done);
                for sub in union.branches.iter().flatten() {
                    self.lose(sub, "inside alternatives that were left out");
                }
                left_out.push(union);
                continue;
            }
            let parts = union.branches.len().saturating_add(all.first().map_or(0, Vec::len));
            self.spend(all.len().saturating_mul(parts), &union.pointer)?;
            let with = |chosen: &Vec<&'u Sub<'r>>, branch: &'u Vec<Sub<'r>>| {
                chosen.iter().copied().chain(branch).collect::<Vec<_>>()
            };
            all = all
                .iter()
                .flat_map(|chosen| union.branches.iter().map(move |branch| with(chosen, branch)))
                .collect();
        }
        Ok((all, left_out))
    }

    /// Whether no value fits two branches as they came: by types, or by what a property they all require must be.
    fn are_apart(&mut self, union: &Union<'r>, spot: &Spot<'r>) -> std::result::Result<bool, Stop> {
        if union.branches.len() > COMPARED {
            return Ok(false);
        }
        let mut all = Vec::new();
        for branch in &union.branches {
            match self.flatten(branch, spot) {
                Ok(flat) => all.push(flat),
                Err(Stop::Circle(_)) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        for (a, b) in pairs(&all) {
            let common = a.kinds & b.kinds;
            self.spend(1, &union.pointer)?;
            if common == 0 {
                continue;
            }
            let apart = match (self.values(a)?, self.values(b)?) {
                (Some(a), Some(b)) => !self.overlap(&a, &b)?,
                _ => common == OBJECT && self.objects_apart(a, b)?,
            };
            if !apart {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn overlap(&mut self, a: &[&Value], b: &[&Value]) -> std::result::Result<bool, Stop> {
        self.spend(a.len().saturating_mul(b.len()), "")?;
        Ok(a.iter().any(|value| b.contains(value)))
    }

    fn objects_apart(&mut self, a: &Flat<'r>, b: &Flat<'r>) -> std::result::Result<bool, Stop> {
        let required = |flat: &Flat<'r>| {
            let lists = flat.subs.iter().map(|sub| list(sub.get("required")));
            lists.flatten().filter_map(Value::as_str).collect::<Vec<&str>>()
        };
        let property = |flat: &Flat<'r>, name: &str| {
            let found = flat
                .subs
                .iter()
                .filter_map(|sub| Some(sub.entry("properties", name, sub.get("properties")?.get(name)?)));
            Flat::of(found.collect())
        };
        let shut_out = |flat: &Flat<'r>, name: &str| {
            flat.subs.iter().any(|sub| {
                sub.get("additionalProperties") == Some(&Value::Bool(false))
                    && sub.get("patternProperties").is_none()
                    && sub.get("properties").and_then(|properties| properties.get(name)).is_none()
            })
        };
        let (of_a, of_b) = (required(a), required(b));
        let (subs_of_a, subs_of_b) = (a.subs.len(), b.subs.len());
        let looks = of_a.len().saturating_mul(subs_of_b).saturating_add(of_b.len().saturating_mul(subs_of_a));
        self.spend(looks.saturating_add(of_a.len().saturating_mul(of_b.len())), "")?;
        if of_a.iter().any(|name| shut_out(b, name)) || of_b.iter().any(|name| shut_out(a, name)) {
            return Ok(true);
        }
        for name in of_a.iter().filter(|name| of_b.contains(name)) {
            self.spend(subs_of_a.saturating_add(subs_of_b), "")?;
            if let (Some(a), Some(b)) = (self.values(&property(a, name))?, self.values(&property(b, name))?)
                && !self.overlap(&a, &b)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether two lowered schemas have no value in common.
    pub(super) fn are_disjoint(
        &mut self,
        a: &Map<String, Value>,
        b: &Map<String, Value>,
    ) -> std::result::Result<bool, Stop> {
        let before = self.work.left();
        let mut left = before;
        let apart = disjoint(a, b, &|name| self.shape(name), &mut left);
        self.spend(before.saturating_sub(left), "")?;
        // With nothing left there is no answer.
        if left == 0 { self.spend(1, "").map(|()| false) } else { Ok(apart) }
    }

    /// Made alternatives as one schema. Where the codec could not tell two of them apart, each gets a name.
    pub(super) fn alternatives(&mut self, branches: Vec<Made>, pointer: &str) -> Result<Made> {
        let mut branches = if branches.len() > COMPARED { branches } else { self.once(branches, pointer)? };
        if branches.len() < 2 {
            return Ok(branches.pop());
        }
        if branches.iter().all(|made| made.codec.is_same()) {
            let schemas = branches.into_iter().map(|made| Value::Object(made.schema)).collect();
            return Ok(Some(Made { schema: any_of(schemas), codec: Codec::Same }));
        }
        let told_apart = branches.len() <= COMPARED && self.are_told_apart(&branches)?;
        if told_apart {
            let mut schemas = Vec::with_capacity(branches.len());
            let mut choice = Vec::with_capacity(branches.len());
            for made in branches {
                choice.push((self.copied(&made.schema, pointer)?, made.codec));
                schemas.push(Value::Object(made.schema));
            }
            return Ok(Some(Made { schema: any_of(schemas), codec: Codec::Choice(choice) }));
        }
        self.note(pointer, "anyOf", Effect::Exact, "each alternative stands under a name of its own");
        let mut codecs = Vec::new();
        let mut named = Vec::new();
        for (i, made) in branches.into_iter().enumerate() {
            let name = format!("option_{}", i.saturating_add(1));
            codecs.push((name.clone(), self.copied(&made.schema, pointer)?, made.codec));
            let mut tagged = Map::new();
            tagged.insert("type".to_owned(), "object".into());
            tagged.insert("properties".to_owned(), single(&name, made.schema));
            tagged.insert("required".to_owned(), json!([name]));
            tagged.insert("additionalProperties".to_owned(), false.into());
            named.push(Value::Object(tagged));
        }
        Ok(Some(Made { schema: any_of(named), codec: Codec::Tagged(codecs) }))
    }

    /// The alternatives without those that are there already.
    fn once(&mut self, branches: Vec<Made>, pointer: &str) -> std::result::Result<Vec<Made>, Stop> {
        let mut once: Vec<(u64, Made)> = Vec::with_capacity(branches.len());
        for made in branches {
            let weight = made.weight();
            self.spend(weight, pointer)?;
            let mark = mark(&made.schema);
            let mut known = false;
            for (_, other) in once.iter().filter(|(other, _)| *other == mark) {
                // Their codecs may still differ.
                self.work.spend(weight, pointer).map_err(|error| Stop::Error(error.into()))?;
                known |= *other == made;
            }
            if !known {
                once.push((mark, made));
            }
        }
        Ok(once.into_iter().map(|(_, made)| made).collect())
    }

    /// Whether the form of a value says which alternative was meant. Where two are read in the same way it does not
    /// matter.
    fn are_told_apart(&mut self, branches: &[Made]) -> std::result::Result<bool, Stop> {
        self.bound_those_in_work()?;
        let marks: Vec<u64> = branches.iter().map(|made| mark(&made.codec)).collect();
        let marked: Vec<(&Made, u64)> = branches.iter().zip(marks).collect();
        for ((a, mark_of_a), (b, mark_of_b)) in pairs(&marked) {
            let alike = mark_of_a == mark_of_b && {
                self.spend(a.codec.weight(), "")?;
                a.codec == b.codec
            };
            if !alike && !self.are_disjoint(&a.schema, &b.schema)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What is the same for what is equal, and nearly always differs for what is not.
fn mark(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// `anyOf` of these.
fn any_of(schemas: Vec<Value>) -> Map<String, Value> {
    Map::from_iter([("anyOf".to_owned(), Value::Array(schemas))])
}

/// All pairs of different items.
fn pairs<T>(items: &[T]) -> impl Iterator<Item = (&T, &T)> {
    items.iter().enumerate().flat_map(|(i, a)| items.iter().skip(i.saturating_add(1)).map(move |b| (a, b)))
}
