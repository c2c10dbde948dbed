//! Whether two lowered schemas can have no value in common, seen from types, keys and enumerated values.
//!
//! "No" means "not known". It looks at just what deciding between alternatives looks at.

use serde_json::{Map, Value};

/// Levels of properties that are looked into.
const LEVELS: usize = 3;

const ALL: u8 = 0b11_1111;

/// Finds a lowered definition by its name.
pub(crate) type Known<'d> = dyn Fn(&str) -> Option<&'d Schema> + 'd;
type Schema = Map<String, Value>;

/// Whether no value fits both. Takes what it looks at from `left`; with nothing left it is not known.
pub(crate) fn disjoint<'d>(a: &Schema, b: &Schema, known: &Known<'d>, left: &mut usize) -> bool {
    Look { known, left }.apart(a, b, LEVELS)
}

struct Look<'k, 'd> {
    known: &'k Known<'d>,
    left: &'k mut usize,
}

impl Look<'_, '_> {
    fn apart(&mut self, a: &Schema, b: &Schema, levels: usize) -> bool {
        let Some(below) = levels.checked_sub(1) else { return false };
        *self.left = self.left.saturating_sub(4);
        if *self.left == 0 {
            return false;
        }
        for (one, other) in [(a, b), (b, a)] {
            if let Some(target) = target(one, self.known) {
                return self.apart(target, other, below);
            }
            if let Some(branches) = one.get("anyOf").and_then(Value::as_array)
                && branches
                    .iter()
                    .all(|branch| branch.as_object().is_some_and(|branch| self.apart(branch, other, below)))
            {
                return true;
            }
        }
        let common = self.kinds(a) & self.kinds(b);
        if common == 0 {
            return true;
        }
        if let (Some(a), Some(b)) = (values(a), values(b)) {
            *self.left = self.left.saturating_sub(a.len().saturating_mul(b.len()));
            return *self.left > 0 && a.iter().all(|value| !b.contains(value));
        }
        common == OBJECT && self.objects_apart(a, b, below)
    }

    /// The types that a schema allows, a bit each; integers are numbers.
    fn kinds(&mut self, schema: &Schema) -> u8 {
        match (schema.get("type"), schema.get("anyOf").and_then(Value::as_array)) {
            (Some(Value::String(kind)), _) => bit(kind),
            (Some(Value::Array(kinds)), _) => {
                kinds.iter().filter_map(Value::as_str).fold(0, |all, kind| all | bit(kind))
            }
            (_, Some(branches)) => {
                *self.left = self.left.saturating_sub(branches.len());
                if *self.left == 0 {
                    return ALL;
                }
                branches
                    .iter()
                    .fold(0, |all, branch| all | branch.as_object().map_or(ALL, |branch| self.kinds(branch)))
            }
            _ => ALL,
        }
    }

    fn objects_apart(&mut self, a: &Schema, b: &Schema, levels: usize) -> bool {
        let (of_a, of_b) = (required(a).count(), required(b).count());
        *self.left = self.left.saturating_sub(of_a.saturating_mul(of_b).saturating_add(of_a));
        if *self.left == 0 {
            return false;
        }
        for (one, other) in [(a, b), (b, a)] {
            let closed = other.get("additionalProperties") == Some(&Value::Bool(false));
            if closed && required(one).any(|key| property(other, key).is_none()) {
                return true;
            }
        }
        required(a).any(|key| {
            let both = required(b).any(|other| other == key);
            match (property(a, key), property(b, key)) {
                (Some(a), Some(b)) if both => self.apart(a, b, levels),
                _ => false,
            }
        })
    }
}

fn required(schema: &Schema) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn property<'s>(schema: &'s Schema, key: &str) -> Option<&'s Schema> {
    schema.get("properties")?.get(key)?.as_object()
}

fn target<'d>(schema: &Schema, known: &Known<'d>) -> Option<&'d Schema> {
    known(schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?)
}

fn values(schema: &Schema) -> Option<&[Value]> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), _) => Some(values),
        (_, Some(constant)) => Some(std::slice::from_ref(constant)),
        _ => None,
    }
}

const OBJECT: u8 = 0b10_0000;

/// The bit of a type.
fn bit(kind: &str) -> u8 {
    match kind {
        "null" => 0b1,
        "boolean" => 0b10,
        "string" => 0b100,
        "number" | "integer" => 0b1000,
        "array" => 0b1_0000,
        "object" => OBJECT,
        _ => ALL,
    }
}
