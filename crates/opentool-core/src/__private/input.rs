//! The input schema of a function: one property per parameter, shared definitions, nothing else allowed.

use schemars::SchemaGenerator;
use schemars::generate::Contract;
use serde_json::{Map, Value, json};

use crate::schema::{generator, tidy};

/// An input schema in the making.
#[derive(Debug)]
pub struct Input {
    generator: SchemaGenerator,
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl Input {
    /// No parameter yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let generator = generator(Contract::Deserialize);
        Self { generator, properties: Map::new(), required: Vec::new() }
    }

    /// What makes the schemas of the parameters' types, and keeps their definitions.
    pub fn generator(&mut self) -> &mut SchemaGenerator {
        &mut self.generator
    }

    /// Adds a parameter.
    pub fn push(&mut self, property: Property) {
        if !property.optional {
            self.required.push(property.name.into());
        }
        self.properties.insert(property.name.to_owned(), Value::Object(property.schema));
    }

    /// The schema.
    pub fn finish(mut self) -> Value {
        let mut root = Map::new();
        root.insert("type".to_owned(), json!("object"));
        root.insert("properties".to_owned(), Value::Object(self.properties));
        if !self.required.is_empty() {
            root.insert("required".to_owned(), Value::Array(self.required));
        }
        root.insert("additionalProperties".to_owned(), json!(false));
        let definitions = self.generator.take_definitions(true);
        if !definitions.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
        let mut schema = Value::Object(root);
        tidy(&mut schema);
        schema
    }
}

/// One parameter in an input schema.
#[derive(Debug)]
pub struct Property {
    name: &'static str,
    schema: Map<String, Value>,
    /// The type accepts `null`, as `Option` does.
    nullable: bool,
    /// The argument may be absent.
    optional: bool,
}

impl Property {
    /// A parameter of a type with this schema.
    pub fn new(name: &'static str, schema: Value, optional: bool) -> Self {
        let schema = match schema {
            Value::Object(schema) => schema,
            // `false`: no value is accepted. `true`, which is what `serde_json::Value` has: every value is.
            Value::Bool(false) => Map::from_iter([("not".to_owned(), json!({}))]),
            _ => Map::new(),
        };
        Self { name, schema, nullable: optional, optional }
    }

    /// Says what the argument means.
    pub fn description(self, description: impl Into<Value>) -> Self {
        self.rule("description", description)
    }

    /// Leaves out what the type itself says about its meaning.
    pub fn no_description(mut self) -> Self {
        self.schema.shift_remove("description");
        self
    }

    /// The argument may be absent; the value then, where it can be written as JSON.
    pub fn default(mut self, default: Option<Value>) -> Self {
        self.optional = true;
        match default {
            Some(default) => self.rule("default", default),
            None => self,
        }
    }

    /// A keyword with its value.
    pub fn rule(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.schema.insert(keyword.to_owned(), value.into());
        self
    }

    /// The only values allowed.
    pub fn values(self, values: impl IntoIterator<Item = Value>) -> Self {
        let null = self.nullable.then_some(Value::Null);
        let values = values.into_iter().chain(null).collect::<Vec<_>>();
        self.rule("enum", values)
    }

    /// Values that show what is meant.
    pub fn examples(self, examples: impl IntoIterator<Item = Value>) -> Self {
        self.rule("examples", examples.into_iter().collect::<Vec<_>>())
    }
}
