//! The types that tool2schema knows, read off a JSON Schema.
//!
//! Python's `int`, `str`, `list[..]`, `Optional[..]`, `Literal[..]` and enums, and `object` for all the rest: maps,
//! structs, tuples, sets, dates and whatever has no type. References are followed; what refers to itself, and what is
//! larger than anybody writes, is an `object` too.

use serde_json::{Map, Value, json};

use super::EnumStyle;
use super::names::{KEYWORD, pairs};
use crate::refs::{Place, Refs};

/// Levels of references, lists and unions that are followed.
const MOST_LEVELS: usize = 64;
/// Places that are looked at for one tool.
const MOST_PLACES: usize = 10_000;

/// A type as tool2schema tells types apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// One word: `integer`, `number`, `string`, `boolean`, `null`, `object`.
    One(&'static str),
    /// `array`, with the type of its items if there is one.
    List(Option<Box<Shape>>),
    /// `anyOf`.
    Union(Vec<Shape>),
    /// `enum`: what is shown, and the value that it stands for.
    Enum(Vec<(Value, Value)>),
}

const OBJECT: Shape = Shape::One("object");

impl Shape {
    /// The JSON that tool2schema writes, its keys in its order.
    pub(super) fn write(&self) -> Map<String, Value> {
        let mut written = Map::new();
        match self {
            Self::One(word) => {
                written.insert("type".to_owned(), (*word).into());
            }
            Self::List(items) => {
                if let Some(items) = items {
                    written.insert("items".to_owned(), Value::Object(items.write()));
                }
                written.insert("type".to_owned(), "array".into());
            }
            Self::Union(branches) => {
                let branches = branches.iter().map(|branch| Value::Object(branch.write()));
                written.insert("anyOf".to_owned(), branches.collect());
            }
            Self::Enum(values) => {
                let shown = values.iter().map(|(shown, _)| shown.clone());
                written.insert("enum".to_owned(), shown.collect());
                // The type of the first value speaks for all.
                let first = values.first().map_or("null", |(shown, _)| word(shown));
                written.insert("type".to_owned(), first.into());
            }
        }
        written
    }

    /// A default as it is shown: members of enums by what stands for them.
    pub(super) fn encode(&self, value: &Value) -> Value {
        match (self, value) {
            (Self::Enum(values), value) => {
                let known = values.iter().find(|(_, meant)| meant == value);
                known.map_or_else(|| value.clone(), |(shown, _)| shown.clone())
            }
            (Self::List(Some(of)), Value::Array(items)) => items.iter().map(|item| of.encode(item)).collect(),
            (Self::Union(branches), value) => {
                let changed = branches.iter().map(|branch| branch.encode(value)).find(|shown| shown != value);
                changed.unwrap_or_else(|| value.clone())
            }
            _ => value.clone(),
        }
    }

    /// Whether `null` is one of its values.
    pub(super) fn is_optional(&self) -> bool {
        match self {
            Self::One(word) => *word == "null",
            Self::Union(branches) => branches.iter().any(Self::is_optional),
            _ => false,
        }
    }
}

fn word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Reads the shapes of one tool's parameters.
pub(super) struct Shapes<'s> {
    refs: Refs<'s>,
    style: EnumStyle,
    budget: usize,
}

impl<'s> Shapes<'s> {
    pub(super) fn of(schema: &'s Value, style: EnumStyle) -> Self {
        Self { refs: Refs::of(schema), style, budget: MOST_PLACES }
    }

    /// The shape of a property of the root.
    pub(super) fn property(&mut self, name: &str) -> Shape {
        let root = self.refs.start();
        let schema = root.get("properties").and_then(|all| all.get(name));
        schema.map_or(OBJECT, |schema| self.shape(root.enter(schema), 0))
    }

    fn shape(&mut self, place: Place<'s>, level: usize) -> Shape {
        let Some(left) = self.budget.checked_sub(1).filter(|_| level < MOST_LEVELS) else { return OBJECT };
        self.budget = left;
        let level = level.saturating_add(1);
        if let Some(listed) = self.listed(place) {
            return listed;
        }
        if let Some(reference) = place.get("$ref").and_then(Value::as_str) {
            let target = self.refs.resolve(place, reference);
            return target.map_or(OBJECT, |target| self.shape(target, level));
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = place.get(keyword).and_then(Value::as_array) {
                let shapes = branches.iter().map(|branch| self.shape(place.enter(branch), level)).collect();
                return self.union(place, shapes);
            }
        }
        if let Some([only]) = place.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            return self.shape(place.enter(only), level);
        }
        match place.get("type") {
            Some(Value::String(kind)) => self.kind(place, kind, level),
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                let shapes = kinds.map(|kind| self.kind(place, kind, level)).collect();
                self.union(place, shapes)
            }
            _ => OBJECT,
        }
    }

    fn kind(&mut self, place: Place<'s>, kind: &str, level: usize) -> Shape {
        match kind {
            "integer" => Shape::One("integer"),
            "number" => Shape::One("number"),
            "boolean" => Shape::One("boolean"),
            "null" => Shape::One("null"),
            // A string of a format is a type of its own in Python: a date, a UUID, bytes.
            "string" if ["format", "contentEncoding"].iter().any(|keyword| place.get(keyword).is_some()) => {
                OBJECT
            }
            "string" => Shape::One("string"),
            // So are tuples and sets.
            "array"
                if place.get("prefixItems").is_some() || place.get("uniqueItems") == Some(&json!(true)) =>
            {
                OBJECT
            }
            "array" => match place.get("items") {
                Some(Value::Array(_)) => OBJECT,
                Some(items) => Shape::List(Some(Box::new(self.shape(place.enter(items), level)))),
                None => Shape::List(None),
            },
            _ => OBJECT,
        }
    }

    /// The values of `enum` and `const`; `null` among the values of other types makes them optional.
    fn listed(&self, place: Place<'s>) -> Option<Shape> {
        let named = if self.style == EnumStyle::Names { pairs(place.schema) } else { None };
        let mut values: Vec<(Value, Value)> = match named {
            Some(pairs) => pairs.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            None => {
                let values = match (place.get("enum"), place.get("const")) {
                    (Some(Value::Array(values)), _) => values.as_slice(),
                    (None, Some(value)) => std::slice::from_ref(value),
                    _ => return None,
                };
                values.iter().map(|value| (value.clone(), value.clone())).collect()
            }
        };
        let by_itself = place.get("type").and_then(Value::as_array);
        let optional = by_itself.is_some_and(|kinds| kinds.iter().any(|kind| kind == "null"));
        if optional && values.len() > 1 {
            let before = values.len();
            values.retain(|(_, value)| !value.is_null());
            if values.len() < before {
                return Some(Shape::Union(vec![Shape::Enum(values), Shape::One("null")]));
            }
        }
        (!values.is_empty()).then_some(Shape::Enum(values))
    }

    /// The union as Python has it: flat, each type once, one type alone. Documented variants of one enum, which are
    /// branches in the schema, are one enum again.
    fn union(&self, place: Place<'s>, shapes: Vec<Shape>) -> Shape {
        let mut flat: Vec<Shape> = Vec::new();
        let parts = shapes.into_iter().flat_map(|shape| match shape {
            Shape::Union(branches) => branches,
            one => vec![one],
        });
        for part in parts {
            if !flat.contains(&part) {
                flat.push(part);
            }
        }
        let of_one_enum =
            place.get("oneOf").is_some() && flat.iter().all(|shape| matches!(shape, Shape::Enum(_)));
        if of_one_enum {
            let values = flat.iter_mut().flat_map(|shape| match shape {
                Shape::Enum(values) => std::mem::take(values),
                _ => Vec::new(),
            });
            let mut values: Vec<(Value, Value)> = values.collect();
            if let Some(declared) = place.get(KEYWORD).and_then(Value::as_array) {
                let rank = |shown: &Value| declared.iter().position(|name| name == shown);
                values.sort_by_key(|(shown, _)| rank(shown).unwrap_or(usize::MAX));
            }
            return if values.is_empty() { OBJECT } else { Shape::Enum(values) };
        }
        match flat.len() {
            0 => OBJECT,
            1 => flat.pop().unwrap_or(OBJECT),
            _ => Shape::Union(flat),
        }
    }
}
