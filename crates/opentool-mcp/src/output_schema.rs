//! The form in which structured results travel, and the schema that announces it.
//!
//! Clients up to 2025-11-25 want an object, so a value of another kind is wrapped as `{"result": value}`, and
//! its schema alike: for every revision, so that a tool looks the same to all clients. Whether a result is
//! wrapped is decided by the schema where there is one, never by the luck of one value.

use std::sync::Arc;

use opentool_core::{InvalidArguments, Schema, ToolDefinition};
use opentool_schema::Validator;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Which tools announce an output schema.
///
/// An announcement is a promise: clients check results against it, and several raise an exception where it is
/// broken, so that the model gets nothing. A result that breaks an announced schema is therefore sent as an
/// error result that holds the answer as it came and says what is wrong, without structured content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputSchemas {
    /// Those whose results are made by types of this program (`origin.kind` is `rust`). Imported documents
    /// describe what a foreign service should answer, and services deviate.
    #[default]
    Guaranteed,
    /// All that have one.
    All,
    /// None.
    None,
}

/// The form of the structured results of one tool.
#[derive(Debug)]
pub(crate) struct OutputSchema {
    wrap: Wrap,
    announced: Option<(Arc<JsonObject>, Validator)>,
}

/// What is wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrap {
    /// Every value: the schema allows others than objects.
    Always,
    /// Values that are no objects: the schema says that there are none, or there is no schema.
    NonObjects,
}

/// The property of a wrapped value.
const RESULT: &str = "result";

impl OutputSchema {
    pub(crate) fn new(definition: &ToolDefinition, which: OutputSchemas) -> Self {
        let Some(schema) = definition.output_schema.as_ref().map(Schema::as_value) else {
            return Self { wrap: Wrap::NonObjects, announced: None };
        };
        let wrap = if is_object(schema) { Wrap::NonObjects } else { Wrap::Always };
        let promised = match which {
            OutputSchemas::Guaranteed => definition.origin.kind == "rust",
            OutputSchemas::All => true,
            OutputSchemas::None => false,
        };
        let announced = promised.then(|| match wrap {
            Wrap::Always => wrapped(schema),
            Wrap::NonObjects => with_type(schema),
        });
        let announced =
            announced.and_then(|schema| match Validator::new(&Schema::new(Value::Object(schema.clone()))) {
                Ok(validator) => Some((Arc::new(schema), validator)),
                Err(error) => {
                    tracing::warn!(tool = definition.name, %error, "the output schema is not announced");
                    None
                }
            });
        Self { wrap, announced }
    }

    /// The schema that clients are shown.
    pub(crate) fn announced(&self) -> Option<&Arc<JsonObject>> {
        self.announced.as_ref().map(|(schema, _)| schema)
    }

    /// A value in the form in which it travels.
    ///
    /// # Errors
    /// How the value breaks the announced schema.
    pub(crate) fn structure(&self, value: Value) -> Result<Value, InvalidArguments> {
        let value = match self.wrap {
            Wrap::NonObjects if value.is_object() => value,
            Wrap::NonObjects | Wrap::Always => {
                Value::Object([(RESULT.to_owned(), value)].into_iter().collect())
            }
        };
        if let Some((_, validator)) = &self.announced {
            validator.check(&value)?;
        }
        Ok(value)
    }
}

/// Whether every value that the schema allows is an object; "no" also where that takes long to find out.
fn is_object(schema: &Value) -> bool {
    /// References may go round in circles, and circles may multiply.
    const MOST_STEPS: usize = 1_000;
    Search { root: schema, steps: MOST_STEPS }.is_object(schema)
}

struct Search<'s> {
    root: &'s Value,
    steps: usize,
}

impl<'s> Search<'s> {
    fn is_object(&mut self, schema: &'s Value) -> bool {
        let Some(left) = self.steps.checked_sub(1) else { return false };
        self.steps = left;
        if let Some(kind) = schema.get("type") {
            return kind == "object";
        }
        let branches = |keyword| schema.get(keyword).and_then(Value::as_array).filter(|all| !all.is_empty());
        let reference = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
        reference.and_then(|pointer| self.root.pointer(pointer)).is_some_and(|target| self.is_object(target))
            || branches("anyOf").is_some_and(|all| all.iter().all(|branch| self.is_object(branch)))
            || branches("oneOf").is_some_and(|all| all.iter().all(|branch| self.is_object(branch)))
            || branches("allOf").is_some_and(|all| all.iter().any(|part| self.is_object(part)))
    }
}

/// An object's schema, saying at its root that it is one.
fn with_type(schema: &Value) -> JsonObject {
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.entry("type").or_insert_with(|| json!("object"));
    schema
}

/// The schema of the wrapped value. Definitions move to the root, where references to them go on to hold; other
/// local references are turned to the new place.
fn wrapped(schema: &Value) -> JsonObject {
    let mut inner = schema.clone();
    redirect(&mut inner);
    let mut outer = JsonObject::new();
    if let Some(members) = inner.as_object_mut() {
        for keyword in ["$schema", "$id"] {
            if let Some(value) = members.shift_remove(keyword) {
                outer.insert(keyword.to_owned(), value);
            }
        }
    }
    let definitions: Vec<_> = ["$defs", "definitions"]
        .into_iter()
        .filter_map(|keyword| Some((keyword, inner.as_object_mut()?.shift_remove(keyword)?)))
        .collect();
    outer.insert("type".to_owned(), json!("object"));
    outer.insert("properties".to_owned(), json!({ RESULT: inner }));
    outer.insert("required".to_owned(), json!([RESULT]));
    outer.extend(definitions.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)));
    outer
}

fn redirect(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(redirect),
        Value::Object(members) => {
            for (keyword, member) in members {
                match (keyword.as_str(), member) {
                    // Values of these are data, not schemas.
                    ("default" | "const" | "enum" | "examples", _) => {}
                    ("$ref" | "$dynamicRef", Value::String(reference)) => {
                        let stays =
                            reference.starts_with("#/$defs/") || reference.starts_with("#/definitions/");
                        let pointer = reference.strip_prefix('#').filter(|_| !stays);
                        if let Some(pointer) = pointer.filter(|p| p.is_empty() || p.starts_with('/')) {
                            *reference = format!("#/properties/{RESULT}{pointer}");
                        }
                    }
                    (_, member) => redirect(member),
                }
            }
        }
        _ => {}
    }
}
