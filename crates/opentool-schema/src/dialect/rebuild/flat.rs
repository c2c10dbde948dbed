//! A conjunction without references and `allOf`: the schemas that apply, their types, their alternatives.

use std::rc::Rc;

use serde_json::Value;

use super::{Rebuild, Spot, Stop, Sub, bytes};
use crate::SchemaError;
use crate::dialect::lower::pointed;

pub(super) const NULL: u8 = 1;
pub(super) const BOOLEAN: u8 = 2;
pub(super) const STRING: u8 = 4;
pub(super) const INTEGER: u8 = 8;
/// Numbers that are no integers.
pub(super) const FRACTION: u8 = 16;
pub(super) const NUMBER: u8 = INTEGER | FRACTION;
pub(super) const ARRAY: u8 = 32;
pub(super) const OBJECT: u8 = 64;
pub(super) const ALL: u8 = 127;

/// Schemas in a row that speak about one value, by reference or `allOf`.
const IN_A_ROW: usize = 128;

pub(super) static ANY: Value = Value::Bool(true);

/// What applies to one value.
#[derive(Debug, Clone)]
pub(super) struct Flat<'r> {
    /// The schemas, the outermost first.
    pub(super) subs: Vec<Sub<'r>>,
    /// The types that all of them allow.
    pub(super) kinds: u8,
    pub(super) unions: Vec<Union<'r>>,
    /// The targets of references that were written out.
    pub(super) opened: Vec<&'r Value>,
    /// Where the first schema stands, also where it says nothing.
    pub(super) place: Option<Rc<str>>,
    /// How many of the schemas have had their texts used by what is around.
    pub(super) told: usize,
}

impl<'r> Flat<'r> {
    /// These schemas as they are, of any type.
    pub(super) fn of(subs: Vec<Sub<'r>>) -> Self {
        Self { subs, kinds: ALL, unions: Vec::new(), opened: Vec::new(), place: None, told: 0 }
    }
}

/// Alternatives, of which one must apply.
#[derive(Debug, Clone)]
pub(super) struct Union<'r> {
    pub(super) keyword: &'static str,
    pub(super) pointer: Rc<str>,
    pub(super) branches: Vec<Vec<Sub<'r>>>,
}

impl<'r> Rebuild<'r, '_> {
    /// Flattens a conjunction.
    pub(super) fn flatten(&mut self, all: &[Sub<'r>], spot: &Spot<'r>) -> Result<Flat<'r>, Stop> {
        let mut flat = Flat::of(Vec::with_capacity(all.len()));
        flat.place = all.first().map(|sub| Rc::clone(&sub.pointer));
        for sub in all {
            self.add(&mut flat, sub, spot)?;
        }
        Ok(flat)
    }

    /// Adds one more schema that applies.
    pub(super) fn add(&mut self, flat: &mut Flat<'r>, sub: &Sub<'r>, spot: &Spot<'r>) -> Result<(), Stop> {
        self.add_within(flat, sub, spot, IN_A_ROW)
    }

    fn add_within(
        &mut self,
        flat: &mut Flat<'r>,
        sub: &Sub<'r>,
        spot: &Spot<'r>,
        left: usize,
    ) -> Result<(), Stop> {
        self.step(&sub.pointer)?;
        let Some(left) = left.checked_sub(1) else {
            let message = format!("more than {IN_A_ROW} schemas in a row for one value");
            let error = SchemaError::TooComplex { pointer: (&*sub.pointer).into(), message: message.into() };
            return Err(Stop::Error(error.into()));
        };
        let members = match sub.schema {
            Value::Object(members) => members,
            Value::Bool(true) => return Ok(()),
            _ => {
                flat.kinds = 0;
                return Ok(());
            }
        };
        flat.subs.push(sub.clone());
        if let Some(kind) = members.get("type") {
            flat.kinds &= kinds_of(kind);
        }
        if let Some(Value::String(reference)) = members.get("$ref") {
            let (pointer, target) = self.target(reference, &sub.pointer)?;
            // What applies already applies no more the second time.
            self.spend(flat.opened.len() / 8, &pointer)?;
            if !flat.opened.iter().any(|opened| std::ptr::eq(*opened, target)) {
                if spot.is_open(target) {
                    return Err(Stop::Circle(pointer));
                }
                flat.opened.push(target);
                self.add_within(flat, &Sub { schema: target, pointer }, spot, left)?;
            }
        }
        for (i, inner) in list(members.get("allOf")).iter().enumerate() {
            self.add_within(flat, &sub.entry("allOf", &i.to_string(), inner), spot, left)?;
        }
        for keyword in ["anyOf", "oneOf"] {
            match list(members.get(keyword)) {
                [] => {}
                [only] => self.add_within(flat, &sub.entry(keyword, "0", only), spot, left)?,
                several => {
                    self.spend(
                        several.len().saturating_mul(bytes(&sub.pointer).saturating_add(2)),
                        &sub.pointer,
                    )?;
                    let branches = several.iter().enumerate();
                    let branches = branches.map(|(i, inner)| vec![sub.entry(keyword, &i.to_string(), inner)]);
                    let (pointer, branches) = (Rc::clone(&sub.pointer), branches.collect());
                    flat.unions.push(Union { keyword, pointer, branches });
                }
            }
        }
        self.conditions(flat, sub);
        Ok(())
    }

    /// The same once more, to be added to.
    pub(super) fn again(&mut self, flat: &Flat<'r>) -> Result<Flat<'r>, Stop> {
        let (subs, opened) = (flat.subs.len(), flat.opened.len());
        self.spend(subs.saturating_add(opened).saturating_add(flat.unions.len()), "")?;
        Ok(flat.clone())
    }

    /// Conditions as alternatives, without the negation that would keep them apart.
    fn conditions(&mut self, flat: &mut Flat<'r>, sub: &Sub<'r>) {
        if let Some(condition) = sub.get("if")
            && (sub.get("then").is_some() || sub.get("else").is_some())
        {
            let mut fits = vec![sub.below("if", condition)];
            fits.extend(sub.get("then").map(|then| sub.below("then", then)));
            let other = sub.get("else").map_or_else(Vec::new, |other| vec![sub.below("else", other)]);
            flat.unions.push(Union {
                keyword: "if",
                pointer: Rc::clone(&sub.pointer),
                branches: vec![fits, other],
            });
        }
        for (key, inner) in sub.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten() {
            flat.unions.push(Union {
                keyword: "dependentSchemas",
                pointer: Rc::clone(&sub.pointer),
                branches: vec![vec![sub.entry("dependentSchemas", key, inner)], Vec::new()],
            });
        }
    }

    /// What a reference leads to.
    pub(super) fn target(&self, reference: &str, from: &str) -> Result<(Rc<str>, &'r Value), Stop> {
        let found = pointed(reference).and_then(|pointer| Some((self.root.pointer(&pointer)?, pointer)));
        match found {
            Some((target, pointer)) => Ok((pointer.into(), target)),
            None => Err(Stop::Error(
                SchemaError::External {
                    pointer: from.into(),
                    reference: crate::text::shorten(reference, 100).into(),
                }
                .into(),
            )),
        }
    }
}

/// The items of a list; nothing for what is none.
pub(super) fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The types that a `type` allows.
fn kinds_of(kind: &Value) -> u8 {
    match kind {
        Value::Array(kinds) => kinds.iter().fold(0, |all, kind| all | kinds_of(kind)),
        Value::String(name) => match name.as_str() {
            "null" => NULL,
            "boolean" => BOOLEAN,
            "string" => STRING,
            "integer" => INTEGER,
            "number" => NUMBER,
            "array" => ARRAY,
            "object" => OBJECT,
            _ => 0,
        },
        _ => ALL,
    }
}

/// The type of a value.
pub(super) fn kind_of(value: &Value) -> u8 {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOLEAN,
        Value::String(_) => STRING,
        Value::Number(number) if number.is_i64() || number.is_u64() => INTEGER,
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => INTEGER,
        Value::Number(_) => FRACTION,
        Value::Array(_) => ARRAY,
        Value::Object(_) => OBJECT,
    }
}

/// The name of one type; `number` for both of its kinds.
pub(super) fn name_of(kind: u8) -> &'static str {
    match kind {
        NULL => "null",
        BOOLEAN => "boolean",
        STRING => "string",
        INTEGER => "integer",
        ARRAY => "array",
        OBJECT => "object",
        _ => "number",
    }
}
