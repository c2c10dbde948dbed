//! Targets of references as definitions of the lowered schema: each made once, however often it is referred to.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::flat::{BOOLEAN, NULL, NUMBER, OBJECT, list};
use super::{Made, Open, Rebuild, Result, Spot, Stop, Sub, Where};
use crate::dialect::codec::Codec;
use crate::dialect::lower::fitting;
use crate::dialect::rules::{COMMON_NAMES, References};

/// Schemas that are looked at to find the types of a definition that is not made yet.
const LOOKED_AT: usize = 200;

/// One definition.
pub(super) struct Definition {
    pointer: Rc<str>,
    pub(super) name: String,
    /// `None` while it is being made, and for one that nothing fits.
    pub(super) made: Option<Made>,
    /// The types that its lowered form can have, where somebody asked while it was being made.
    bound: Option<Map<String, Value>>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    InWork,
    Done,
}

/// A schema that is nothing but a reference, with its texts.
pub(super) struct Reference<'r> {
    pub(super) holder: Sub<'r>,
    pub(super) target: Rc<str>,
    pub(super) has_texts: bool,
}

impl<'r> Rebuild<'r, '_> {
    /// The reference that a conjunction is, if it says nothing else about the value.
    pub(super) fn lone_reference(&self, all: &[Sub<'r>]) -> std::result::Result<Option<Reference<'r>>, Stop> {
        let [sub] = all else { return Ok(None) };
        let Some(members) = sub.schema.as_object() else { return Ok(None) };
        let texts = [
            "title",
            "description",
            "default",
            "examples",
            "deprecated",
            "$comment",
            "readOnly",
            "writeOnly",
        ];
        let is_text = |keyword: &str| texts.contains(&keyword) || keyword.starts_with("x-");
        let others = members.keys().filter(|keyword| !is_text(keyword)).collect::<Vec<_>>();
        let [keyword] = others[..] else { return Ok(None) };
        let has_texts = members.len() > 1;
        match keyword.as_str() {
            "$ref" => {
                let Some(reference) = sub.get("$ref").and_then(Value::as_str) else { return Ok(None) };
                let (target, _) = self.target(reference, &sub.pointer)?;
                Ok(Some(Reference { holder: sub.clone(), target, has_texts }))
            }
            // How drafts in which a reference stands alone write a reference with a description.
            "allOf" => match list(sub.get("allOf")) {
                [inner] => {
                    let inner = sub.entry("allOf", "0", inner);
                    let found = self.lone_reference(std::slice::from_ref(&inner))?;
                    Ok(found.map(|found| Reference {
                        holder: if has_texts { sub.clone() } else { found.holder },
                        target: found.target,
                        has_texts: has_texts || found.has_texts,
                    }))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// A reference to a definition.
    ///
    /// # Errors
    /// [`Stop::Circle`] where the dialect has no circles and this would be one.
    pub(super) fn referred(&mut self, target: &Rc<str>) -> Result<Made> {
        let known = self.definitions.iter().position(|definition| definition.pointer == *target);
        let number = match known {
            Some(number) => number,
            None => self.define(target)?,
        };
        let Some(definition) = self.definitions.get(number) else { return Ok(None) };
        if definition.state == State::InWork && self.rules.references == References::AloneNoCircle {
            return Err(Stop::Circle(Rc::clone(target)));
        }
        let codec = match &definition.made {
            None if definition.state == State::Done => return Ok(None),
            Some(made) if made.codec.is_same() => Codec::Same,
            _ => Codec::Definition(number),
        };
        let reference = json!({"$ref": format!("#/$defs/{}", definition.name)});
        Ok(Some(Made::new(reference, codec)))
    }

    fn define(&mut self, pointer: &Rc<str>) -> std::result::Result<usize, Stop> {
        let number = self.definitions.len();
        let last = pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
        let last = if last.is_empty() { "arguments" } else { &last };
        let taken = |name: &str| self.definitions.iter().any(|definition| definition.name == name);
        let name = fitting(last, &COMMON_NAMES, taken);
        self.definitions.push(Definition {
            pointer: Rc::clone(pointer),
            name,
            made: None,
            bound: None,
            state: State::InWork,
        });
        let Some(schema) = self.root.pointer(pointer) else { return Ok(number) };
        let sub = Sub { schema, pointer: Rc::clone(pointer) };
        let spot = Spot {
            level: 0,
            open: Some(Rc::new(Open { pointer: Rc::clone(pointer), outer: None })),
            place: Where::Inside,
        };
        let made = self.node(&[sub], &spot)?;
        if let Some(definition) = self.definitions.get_mut(number) {
            definition.made = made;
            definition.state = State::Done;
        }
        Ok(number)
    }

    /// A definition that is made, by name.
    pub(super) fn defined(&self, name: &str) -> Option<&Map<String, Value>> {
        let definition = self.definitions.iter().find(|definition| definition.name == name)?;
        Some(&definition.made.as_ref()?.schema)
    }
}

impl<'r> Rebuild<'r, '_> {
    /// The schema of a definition that is still being made.
    pub(super) fn in_work(&self, name: &str) -> Option<Sub<'r>> {
        let definition = self.definitions.iter().find(|definition| definition.name == name)?;
        let schema = self.root.pointer(&definition.pointer)?;
        Some(Sub { schema, pointer: Rc::clone(&definition.pointer) })
    }

    /// What is known of a lowered definition by its name: all of it, or its types while it is being made.
    pub(super) fn shape(&self, name: &str) -> Option<&Map<String, Value>> {
        let definition = self.definitions.iter().find(|definition| definition.name == name)?;
        definition.made.as_ref().map(|made| &made.schema).or(definition.bound.as_ref())
    }

    /// Finds the types of the definitions that are still being made.
    pub(super) fn bound_those_in_work(&mut self) {
        for number in 0..self.definitions.len() {
            let open = self.definitions.get(number).filter(|definition| {
                definition.state == State::InWork && definition.made.is_none() && definition.bound.is_none()
            });
            let Some(pointer) = open.map(|definition| Rc::clone(&definition.pointer)) else { continue };
            let bound = self.bound(&pointer);
            if let Some(definition) = self.definitions.get_mut(number) {
                definition.bound = Some(bound);
            }
        }
    }

    /// The types that the lowered form of a schema can have; no limit where that is not soon found.
    fn bound(&mut self, pointer: &Rc<str>) -> Map<String, Value> {
        let Some(schema) = self.root.pointer(pointer) else { return Map::new() };
        let sub = Sub { schema, pointer: Rc::clone(pointer) };
        let spot = Spot { level: 0, open: None, place: Where::Inside };
        let left = self.steps;
        self.steps = left.min(LOOKED_AT);
        let flat = self.flatten(&[sub], &spot);
        self.steps = left;
        let Ok(flat) = flat else { return Map::new() };
        let named = flat
            .subs
            .iter()
            .any(|sub| sub.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty()));
        let plain = flat.unions.is_empty() && self.values(&flat).is_none();
        let types = if flat.kinds == OBJECT && named && plain && self.rules.objects.empty {
            vec!["object"]
        } else {
            // A list of entries, an object of places, a text, a name for each alternative: any of these may come
            // of it. What is never made of anything else is `null`, a number, a truth value.
            let others = [(NULL, "null"), (NUMBER, "number"), (BOOLEAN, "boolean")];
            let others = others.into_iter().filter(|(kind, _)| flat.kinds & kind != 0).map(|(_, name)| name);
            ["object", "array", "string"].into_iter().chain(others).collect()
        };
        Map::from_iter([("type".to_owned(), types.into())])
    }
}
