//! What a model is told about a tool, and what the host keeps about it.

use std::any::{Any, TypeId};

use serde_json::{Map, Value};

use crate::{Annotations, Need, Schema};

/// The description of one tool.
///
/// The fields up to `annotations` are for the model and for other hosts; the rest stays in this one. That is why it has
/// no `Serialize`: as JSON it is written for somebody, in the form that they read and without what is not theirs
/// (`opentool_schema::lower`, with a dialect).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The name that a model calls it by. Unique within a [`crate::ToolSet`].
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it does and when to use it. A model decides by this text.
    pub description: String,
    /// The JSON Schema (2020-12) of the arguments; an object at its root.
    pub input_schema: Schema,
    /// The JSON Schema of the structured result.
    pub output_schema: Option<Schema>,
    /// Hints about what it does to the world.
    pub annotations: Annotations,
    /// Words to choose tools by. Never sent to a model.
    pub tags: Vec<String>,
    /// The result goes to the caller as it is; the model does not see it.
    pub return_direct: bool,
    /// What the tool cannot do without of the host's. Never sent to a model.
    pub needs: Vec<Need>,
    /// Where the tool came from.
    pub origin: Origin,
    /// Anything else that the host wants to keep with the tool. Never sent to a model.
    pub metadata: Map<String, Value>,
}

impl ToolDefinition {
    /// A tool without arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            input_schema: Schema::no_arguments(),
            output_schema: None,
            annotations: Annotations::default(),
            tags: Vec::new(),
            return_direct: false,
            needs: Vec::new(),
            origin: Origin::default(),
            metadata: Map::new(),
        }
    }

    /// Sets the name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the schema of the arguments.
    pub fn input_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.input_schema = schema.into();
        self
    }

    /// Sets the schema of the structured result.
    pub fn output_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.output_schema = Some(schema.into());
        self
    }

    /// Sets the hints.
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Adds a tag.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Says whether the result goes straight to the caller.
    pub fn return_direct(mut self, yes: bool) -> Self {
        self.return_direct = yes;
        self
    }

    /// Says that the tool cannot do without the host's value under this key. An agent that does not have it fails
    /// before it asks the model.
    pub fn needs(mut self, key: impl Into<String>) -> Self {
        self.needs.push(Need::Value(key.into()));
        self
    }

    /// Says that the tool cannot do without the host's fact of this type. An agent that does not have it fails before
    /// it asks the model.
    pub fn needs_fact<T: Any + Send + Sync>(mut self) -> Self {
        self.needs.push(Need::Fact(TypeId::of::<T>(), std::any::type_name::<T>()));
        self
    }

    /// Says where the tool came from.
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// Keeps a value with the tool.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// Whether the tool bears the tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|t| t == tag)
    }
}

/// Where a tool came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin {
    /// The kind of source: `rust`, `openapi`, `mcp`, `definitions`. Empty when nobody said.
    pub kind: String,
    /// The document or address, as the user wrote it, without secrets.
    pub location: Option<String>,
    /// The thing inside it: `GET /pet/{petId}`, `crate::module::function`.
    pub item: Option<String>,
}

impl Origin {
    /// A source of this kind.
    pub fn new(kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), location: None, item: None }
    }

    /// The document or address.
    pub fn location(mut self, location: impl Into<String>) -> Self {
        self.location = Some(location.into());
        self
    }

    /// The thing inside it.
    pub fn item(mut self, item: impl Into<String>) -> Self {
        self.item = Some(item.into());
        self
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.kind.is_empty() { "unknown" } else { &self.kind })?;
        if let Some(location) = &self.location {
            write!(f, " {location}")?;
        }
        if let Some(item) = &self.item {
            write!(f, " {item}")?;
        }
        Ok(())
    }
}
