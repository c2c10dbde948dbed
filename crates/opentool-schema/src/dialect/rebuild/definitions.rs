//! Targets of references as definitions of the lowered schema: each made once, however often it is referred to.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::flat::{BOOLEAN, NULL, NUMBER, OBJECT, list};
use super::{Made, Open, Rebuild, Result, Spot, Stop, Sub, Where};
use crate::dialect::codec::Codec;
use crate::dialect::lower::fitting;
use crate::dialect::rules::{COMMON_NAMES, References};

/// Definitions inside each other that are made at once; those deeper down are put off.
const AT_ONCE: usize = 30;

/// The definitions, in the order in which they were met.
#[derive(Default)]
pub(super) struct Definitions {
    list: Vec<Definition>,
    by_target: HashMap<*const Value, usize>,
    by_name: HashMap<String, usize>,
    /// Those in work whose types nobody has asked for yet.
    unbound: Vec<usize>,
    /// Those that are to be made when the stack is short again.
    put_off: Vec<usize>,
}

impl Definitions {
    fn named(&self, name: &str) -> Option<&Definition> {
        self.list.get(*self.by_name.get(name)?)
    }

    /// The lowered definitions by name, and their codecs by number.
    pub(super) fn finish(self) -> (Map<String, Value>, Vec<Codec>) {
        let mut schemas = Map::new();
        let mut codecs = Vec::new();
        for definition in self.list {
            match definition.made {
                Some(made) => {
                    schemas.insert(definition.name, Value::Object(made.schema));
                    codecs.push(made.codec);
                }
                None => codecs.push(Codec::Same),
            }
        }
        (schemas, codecs)
    }
}

/// One definition.
struct Definition {
    pointer: Rc<str>,
    name: String,
    /// `None` while it is being made, and for one that nothing fits.
    made: Option<Made>,
    /// The types that its lowered form can have, where somebody asked while it was being made.
    bound: Option<Map<String, Value>>,
    state: State,
    /// Something refers to it while it is in work.
    referred: bool,
    /// Whether it takes `null`, once that is known.
    takes_null: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    InWork,
    Done,
}

/// A schema that is nothing but a reference, with its texts.
pub(super) struct Reference<'r> {
    /// Where its texts stand, the outermost first.
    pub(super) holders: Vec<Sub<'r>>,
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
                let holders = if has_texts { vec![sub.clone()] } else { Vec::new() };
                Ok(Some(Reference { holders, target, has_texts }))
            }
            // How drafts in which a reference stands alone write a reference with a description.
            "allOf" => match list(sub.get("allOf")) {
                [inner] => {
                    let inner = sub.entry("allOf", "0", inner);
                    let found = self.lone_reference(std::slice::from_ref(&inner))?;
                    Ok(found.map(|mut found| {
                        if has_texts {
                            found.holders.insert(0, sub.clone());
                            found.has_texts = true;
                        }
                        found
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
        let Some(schema) = self.root.pointer(target) else { return Ok(None) };
        let known = self.definitions.by_target.get(&std::ptr::from_ref(schema));
        let number = match known {
            Some(number) => *number,
            None => self.define(target, schema)?,
        };
        let Some(definition) = self.definitions.list.get_mut(number) else { return Ok(None) };
        if definition.state == State::InWork {
            if self.rules.references == References::AloneNoCircle {
                return Err(Stop::Circle(Rc::clone(target)));
            }
            definition.referred = true;
        }
        let codec = match &definition.made {
            None if definition.state == State::Done => return Ok(None),
            Some(made) if made.codec.is_same() => Codec::Same,
            _ => Codec::Definition(number),
        };
        let reference = format!("#/$defs/{}", definition.name);
        let schema = Map::from_iter([("$ref".to_owned(), reference.into())]);
        Ok(Some(Made { schema, codec }))
    }

    fn define(&mut self, pointer: &Rc<str>, schema: &'r Value) -> std::result::Result<usize, Stop> {
        let number = self.definitions.list.len();
        let last = pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
        let last = if last.is_empty() { "arguments" } else { &last };
        let name = fitting(last, &COMMON_NAMES, |name| self.definitions.by_name.contains_key(name));
        self.definitions.by_target.insert(std::ptr::from_ref(schema), number);
        self.definitions.by_name.insert(name.clone(), number);
        self.definitions.unbound.push(number);
        self.definitions.list.push(Definition {
            pointer: Rc::clone(pointer),
            name,
            made: None,
            bound: None,
            state: State::InWork,
            referred: false,
            takes_null: None,
        });
        // Where circles are refused, they have to be met on the way.
        if self.depth > AT_ONCE && self.rules.references != References::AloneNoCircle {
            self.definitions.put_off.push(number);
        } else {
            self.make(number, schema)?;
        }
        Ok(number)
    }

    /// Makes the definitions that were put off, and those that this puts off.
    pub(super) fn put_off(&mut self) -> std::result::Result<(), Stop> {
        while let Some(number) = self.definitions.put_off.pop() {
            let pointer = self.definitions.list.get(number).map(|definition| Rc::clone(&definition.pointer));
            if let Some(schema) = pointer.and_then(|pointer| self.root.pointer(&pointer)) {
                self.make(number, schema)?;
            }
        }
        Ok(())
    }

    fn make(&mut self, number: usize, schema: &'r Value) -> std::result::Result<(), Stop> {
        let Some(definition) = self.definitions.list.get(number) else { return Ok(()) };
        let sub = Sub { schema, pointer: Rc::clone(&definition.pointer) };
        let open = Some(Rc::new(Open { target: schema, outer: None }));
        let all = [sub];
        let mut made = self.node(&all, &Spot { level: 0, open, place: Where::Inside })?;
        let is_referred = self.definitions.list.get(number).is_some_and(|definition| definition.referred);
        if made.is_none() && is_referred {
            // It is too late to take the references back.
            made = Some(self.as_text(&all, "no value fits"));
        }
        if let Some(definition) = self.definitions.list.get_mut(number) {
            definition.made = made;
            definition.state = State::Done;
        }
        // Nearly always the last one.
        if let Some(place) = self.definitions.unbound.iter().rposition(|open| *open == number) {
            self.definitions.unbound.swap_remove(place);
        }
        Ok(())
    }

    /// What is known of a lowered definition by its name: all of it, or its types while it is being made.
    pub(super) fn shape(&self, name: &str) -> Option<&Map<String, Value>> {
        let definition = self.definitions.named(name)?;
        definition.made.as_ref().map(|made| &made.schema).or(definition.bound.as_ref())
    }

    /// A definition by name: its lowered form, or the schema that it is being made of.
    pub(super) fn defined(&self, name: &str) -> Option<std::result::Result<&Map<String, Value>, Sub<'r>>> {
        let definition = self.definitions.named(name)?;
        Some(match &definition.made {
            Some(made) => Ok(&made.schema),
            None => {
                let pointer = Rc::clone(&definition.pointer);
                Err(Sub { schema: self.root.pointer(&pointer)?, pointer })
            }
        })
    }

    /// Whether a definition that is made takes `null`, if that is known.
    pub(super) fn known_null(&self, name: &str) -> Option<bool> {
        self.definitions.named(name)?.takes_null
    }

    pub(super) fn know_null(&mut self, name: &str, takes_null: bool) {
        let number = self.definitions.by_name.get(name).copied();
        if let Some(definition) = number.and_then(|number| self.definitions.list.get_mut(number)) {
            definition.takes_null = Some(takes_null);
        }
    }

    /// Finds the types of the definitions that are still being made.
    pub(super) fn bound_those_in_work(&mut self) -> std::result::Result<(), Stop> {
        for number in std::mem::take(&mut self.definitions.unbound) {
            let pointer = self.definitions.list.get(number).map(|definition| Rc::clone(&definition.pointer));
            let Some(pointer) = pointer else { continue };
            let bound = self.bound(&pointer)?;
            if let Some(definition) = self.definitions.list.get_mut(number) {
                definition.bound = Some(bound);
            }
        }
        Ok(())
    }

    /// The types that the lowered form of a schema can have; no limit where it never says.
    fn bound(&mut self, pointer: &Rc<str>) -> std::result::Result<Map<String, Value>, Stop> {
        let Some(schema) = self.root.pointer(pointer) else { return Ok(Map::new()) };
        let sub = Sub { schema, pointer: Rc::clone(pointer) };
        let spot = Spot { level: 0, open: None, place: Where::Inside };
        let flat = match self.flatten(&[sub], &spot) {
            Ok(flat) => flat,
            Err(Stop::Circle(_)) => return Ok(Map::new()),
            Err(error) => return Err(error),
        };
        let named = flat
            .subs
            .iter()
            .any(|sub| sub.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty()));
        let plain = flat.unions.is_empty() && self.values(&flat)?.is_none();
        let types = if flat.kinds == OBJECT && named && plain && self.rules.objects.empty {
            vec!["object"]
        } else {
            // A list of entries, an object of places, a text, a name for each alternative: any of these may come
            // of it. What is never made of anything else is `null`, a number, a truth value.
            let others = [(NULL, "null"), (NUMBER, "number"), (BOOLEAN, "boolean")];
            let others = others.into_iter().filter(|(kind, _)| flat.kinds & kind != 0).map(|(_, name)| name);
            ["object", "array", "string"].into_iter().chain(others).collect()
        };
        Ok(Map::from_iter([("type".to_owned(), types.into())]))
    }
}
