//! A JSON Schema as raw JSON, shared and built when first needed.
//!
//! It never passes through a fixed struct: what came in leaves byte-equivalent.

use std::sync::{Arc, LazyLock, OnceLock};

use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::enum_names as names;

/// A JSON Schema (Draft 2020-12 unless `$schema` says otherwise). Cheap to clone.
#[derive(Clone)]
pub struct Schema(Arc<Inner>);

type Make = Box<dyn FnOnce() -> Made + Send>;

enum Inner {
    Ready(Value),
    Lazy(LazyLock<Made, Make>),
    /// What is shown, and what it was cut from, if it was.
    Cut(Schema, LazyLock<Option<Schema>, Box<dyn FnOnce() -> Option<Schema> + Send>>),
}

/// A schema that was made.
struct Made {
    value: Value,
    /// With the names of the variants, where a type told them.
    named: Option<Value>,
}

impl Schema {
    /// This schema.
    pub fn new(schema: Value) -> Self {
        Self(Arc::new(Inner::Ready(schema)))
    }

    /// A schema that is made when somebody looks at it, once. `make` must always give the same value.
    pub fn lazy(make: impl FnOnce() -> Value + Send + 'static) -> Self {
        Self::made(move || Made { value: make(), named: None })
    }

    /// A schema that is made of Rust types: the names of variants (`x-enum-varnames`, by `#[enum_names]`) are taken
    /// out of it and kept beside it.
    #[doc(hidden)]
    pub fn of_types(make: impl FnOnce() -> Value + Send + 'static) -> Self {
        Self::made(move || {
            let named = make();
            let mut value = named.clone();
            let found = names::strip(&mut value);
            Made { value, named: found.then_some(named) }
        })
    }

    /// This schema as what is left of a larger one: models are shown this one, and arguments are checked by the whole
    /// ([`Schema::whole`]). That is made when the first call needs it; `None`: nothing was cut.
    pub fn cut_from(self, whole: impl FnOnce() -> Option<Self> + Send + 'static) -> Self {
        Self(Arc::new(Inner::Cut(self, LazyLock::new(Box::new(whole)))))
    }

    /// The schema that arguments are checked by: this one, or what it was cut from.
    pub fn whole(&self) -> &Self {
        match &*self.0 {
            Inner::Cut(shown, whole) => whole.as_ref().unwrap_or(shown),
            Inner::Ready(_) | Inner::Lazy(_) => self,
        }
    }

    fn made(make: impl FnOnce() -> Made + Send + 'static) -> Self {
        Self(Arc::new(Inner::Lazy(LazyLock::new(Box::new(make)))))
    }

    /// The schema of a tool without arguments.
    pub fn no_arguments() -> Self {
        static EMPTY: OnceLock<Schema> = OnceLock::new();
        EMPTY
            .get_or_init(|| {
                Self::new(json!({"type": "object", "properties": {}, "additionalProperties": false}))
            })
            .clone()
    }

    /// The schema of what `T` deserialises from, an object with no further properties at its root.
    ///
    /// A `()`, which stands for "no arguments", gives [`Schema::no_arguments`].
    ///
    /// # Where the schema and the type cannot agree
    /// An integer of 64 or 128 bits has no upper bound in the schema: most readers of JSON cannot represent
    /// it. A number beyond is refused when the arguments are read, with an error that names the argument.
    pub fn input_of<T: JsonSchema>() -> Self {
        Self::of_types(generate_input::<T> as fn() -> Value)
    }

    /// The schema of what `T` serialises to.
    pub fn output_of<T: JsonSchema>() -> Self {
        Self::of_types(generate_output::<T> as fn() -> Value)
    }

    /// The schema.
    pub fn as_value(&self) -> &Value {
        match &*self.0 {
            Inner::Ready(value) => value,
            Inner::Lazy(lazy) => &lazy.value,
            Inner::Cut(shown, _) => shown.as_value(),
        }
    }

    /// The schema with the names of enum values beside them, where somebody told them: `x-enum-varnames`, a list
    /// parallel to `enum`, as OpenAPI documents have it and as `#[enum_names]` gives it for a Rust enum. It is for
    /// what shows names in place of values; no model is sent it.
    pub fn as_named(&self) -> &Value {
        match &*self.0 {
            Inner::Ready(value) => value,
            Inner::Lazy(lazy) => lazy.named.as_ref().unwrap_or(&lazy.value),
            Inner::Cut(shown, _) => shown.as_named(),
        }
    }

    /// Whether both are the same value, made once: clones.
    pub(crate) fn is_clone_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The names and schemas of the root's properties, in order.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.as_value().get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    /// Whether the root requires the property.
    pub fn requires(&self, property: &str) -> bool {
        let required = self.as_value().get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|name| name == property))
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_value().fmt(f)
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.is_clone_of(other) || self.as_value() == other.as_value()
    }
}

impl From<Value> for Schema {
    fn from(schema: Value) -> Self {
        Self::new(schema)
    }
}

impl From<Map<String, Value>> for Schema {
    fn from(schema: Map<String, Value>) -> Self {
        Self::new(Value::Object(schema))
    }
}

fn generate_input<T: JsonSchema>() -> Value {
    let mut schema = generate::<T>(Contract::Deserialize);
    let Some(root) = schema.as_object_mut() else { return Schema::no_arguments().as_value().clone() };
    if root.get("type").is_some_and(|kind| kind == "null") {
        return Schema::no_arguments().as_value().clone();
    }
    root.entry("type").or_insert_with(|| json!("object"));
    // `additionalProperties` sees its own object's `properties` only, `unevaluatedProperties` those of the
    // branches of a tagged enum too.
    let branches =
        ["oneOf", "anyOf", "allOf", "$ref", "if"].iter().any(|keyword| root.contains_key(*keyword));
    if branches {
        if !root.contains_key("additionalProperties") {
            root.entry("unevaluatedProperties").or_insert(Value::Bool(false));
        }
    } else {
        root.entry("properties").or_insert_with(|| json!({}));
        if !root.contains_key("unevaluatedProperties") {
            root.entry("additionalProperties").or_insert(Value::Bool(false));
        }
    }
    schema
}

fn generate_output<T: JsonSchema>() -> Value {
    generate::<T>(Contract::Serialize)
}

fn generate<T: JsonSchema>(contract: Contract) -> Value {
    let mut schema = generator(contract).into_root_schema_for::<T>().to_value();
    if let Some(root) = schema.as_object_mut() {
        // The name of the type, unless its author gave a title.
        if root.get("title").and_then(Value::as_str).is_some_and(|title| *title == T::schema_name()) {
            root.shift_remove("title");
        }
    }
    tidy(&mut schema);
    schema
}

/// What makes schemas here: Draft 2020-12, without `$schema`.
pub(crate) fn generator(contract: Contract) -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = contract;
    settings.meta_schema = None;
    settings.into_generator()
}

/// Takes out what no reader of a schema knows: `format: uint32` and its like become bounds.
pub(crate) fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(members) => {
            if let Some((min, max)) = members.get("format").and_then(Value::as_str).and_then(number_format) {
                members.shift_remove("format");
                if let Some(min) = min {
                    members.entry("minimum").or_insert(min);
                }
                if let Some(max) = max {
                    members.entry("maximum").or_insert(max);
                }
            }
            for (keyword, member) in members {
                match keyword.as_str() {
                    // Values of these are data, not schemas.
                    "default" | "const" | "enum" | "examples" => {}
                    // The keys of these are names, which may look like keywords.
                    "properties" | "patternProperties" | "$defs" | "dependentSchemas" => {
                        member.as_object_mut().into_iter().flatten().for_each(|(_, schema)| tidy(schema));
                    }
                    _ => tidy(member),
                }
            }
        }
        _ => {}
    }
}

type Bound = Option<Value>;

/// The bounds that one of schemars' number formats stands for; `None` for other formats.
fn number_format(format: &str) -> Option<(Bound, Bound)> {
    Some(match format {
        "int32" => (Some(json!(i32::MIN)), Some(json!(i32::MAX))),
        "uint32" => (Some(json!(0)), Some(json!(u32::MAX))),
        "int8" | "int16" | "int64" | "int128" | "int" | "float" | "double" => (None, None),
        "uint8" | "uint16" | "uint64" | "uint128" | "uint" => (Some(json!(0)), None),
        _ => return None,
    })
}
