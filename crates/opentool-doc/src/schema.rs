//! The Schema object of the format: six types, and what belongs to them. It is not JSON Schema.

use std::fmt;

use indexmap::IndexMap;
use opentool_text::Tree;
use serde_json::{Number, Value};

use crate::{Extra, reference};

/// Which values are meant. Either a type, or a reference to a schema of the document.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Schema {
    /// `$ref`: the schema of the document that is meant, as it is written: `#/schemas/Pet`. Apart from a description,
    /// nothing else counts then.
    pub reference: Option<String>,
    /// `type`. A schema without a type and without a reference breaks the rules, and is read as "any value".
    pub kind: Option<SchemaType>,
    /// What the values mean.
    pub description: Option<String>,
    /// Of an object: its properties, in order.
    pub properties: Option<IndexMap<String, Schema>>,
    /// Of a list: its items.
    pub items: Option<Box<Schema>>,
    /// `enum`: the only values that are allowed.
    pub values: Option<Vec<Value>>,
    /// Of an object: the properties that must be there.
    pub required: Option<Vec<String>>,
    /// Everything else.
    pub extra: Extra,
    /// While it is made of a JSON Schema: what the format has no keyword for, and goes to the end of the description.
    pub(crate) notes: Vec<String>,
}

impl Schema {
    /// Values of this type. An object and a list need more: [`Schema::object`], [`Schema::array`].
    pub fn of(kind: SchemaType) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }

    /// An object without properties.
    pub fn object() -> Self {
        Self { properties: Some(IndexMap::new()), ..Self::of(SchemaType::Object) }
    }

    /// A list of such items.
    pub fn array(items: Schema) -> Self {
        Self { items: Some(Box::new(items)), ..Self::of(SchemaType::Array) }
    }

    /// The schema of this name in the document.
    pub fn reference(name: &str) -> Self {
        Self { reference: Some(reference::to(name)), ..Self::default() }
    }

    /// Sets what the values mean.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the only values that are allowed.
    pub fn values(mut self, values: impl IntoIterator<Item = impl Into<Value>>) -> Self {
        self.values = Some(values.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a property that must be there.
    pub fn required(mut self, name: impl Into<String>, schema: Schema) -> Self {
        let name = name.into();
        self.required.get_or_insert_default().push(name.clone());
        self.optional(name, schema)
    }

    /// Adds a property that may be left out.
    pub fn optional(mut self, name: impl Into<String>, schema: Schema) -> Self {
        self.properties.get_or_insert_default().insert(name.into(), schema);
        self
    }

    /// The name of the schema of the document that this one refers to.
    pub fn referred(&self) -> Option<std::borrow::Cow<'_, str>> {
        reference::name(self.reference.as_deref()?)
    }

    /// The schemas directly inside this one.
    pub(crate) fn inner(&self) -> impl Iterator<Item = &Schema> {
        self.properties.iter().flat_map(IndexMap::values).chain(self.items.as_deref())
    }

    /// The same, to change.
    pub(crate) fn inner_mut(&mut self) -> impl Iterator<Item = &mut Schema> {
        self.properties.iter_mut().flat_map(IndexMap::values_mut).chain(self.items.as_deref_mut())
    }
}

/// One of the six types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaType {
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// A text.
    String,
    /// A list.
    Array,
    /// An object.
    Object,
}

impl SchemaType {
    /// All of them, in the specification's order.
    pub const ALL: [Self; 6] =
        [Self::Boolean, Self::Integer, Self::Number, Self::String, Self::Array, Self::Object];

    /// As it stands in a document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// The type of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Whether a value is of this type. `1.0` is an integer, as in JSON Schema.
    pub fn fits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Boolean, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::String, Value::String(_))
            | (Self::Array, Value::Array(_))
            | (Self::Object, Value::Object(_)) => true,
            (Self::Integer, Value::Number(number)) => is_whole(number),
            _ => false,
        }
    }

    /// The same for what was only read to be looked at.
    pub(crate) fn takes(self, value: &Tree<'_>) -> bool {
        match (self, value) {
            (Self::Boolean, Tree::Bool(_))
            | (Self::Number, Tree::Number(_))
            | (Self::String, Tree::String(_))
            | (Self::Array, Tree::Array(_))
            | (Self::Object, Tree::Object(_)) => true,
            (Self::Integer, Tree::Number(number)) => is_whole(number),
            _ => false,
        }
    }
}

fn is_whole(number: &Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

impl fmt::Display for SchemaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
