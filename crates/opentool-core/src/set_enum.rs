//! An enum's values that are known at run time only: the list of cities of a database, the plans of a customer.
//!
//! The parameter's schema becomes the list; its description and default stay. What is wrong with the list is an error
//! here and not a schema that contradicts itself.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{Redefined, Schema, ToolDefinition, ToolSet, UnknownTool};

/// Why values cannot be those of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnumError {
    /// No tool of this name.
    #[error(transparent)]
    UnknownTool(UnknownTool),
    /// The tool has no parameter of this name.
    #[error("`{tool}` has no parameter `{parameter}`{}", known_ones(known))]
    UnknownParameter {
        /// The tool.
        tool: Box<str>,
        /// The name that was asked for.
        parameter: Box<str>,
        /// The names that there are.
        known: Box<[String]>,
    },
    /// A parameter that accepts nothing could never be given; give at least one value.
    #[error("`{parameter}` of a tool would accept no value: give at least one")]
    NoValues {
        /// The parameter.
        parameter: Box<str>,
    },
    /// The parameter's default is none of the values; add it to them.
    #[error("`{parameter}` has the default {default}, which is none of the values: add it to them")]
    DefaultLeftOut {
        /// The parameter.
        parameter: Box<str>,
        /// The default as JSON.
        default: Box<str>,
    },
}

fn known_ones(known: &[String]) -> String {
    match known {
        [] => "; it has none".to_owned(),
        known => format!("; it has `{}`", known.join("`, `")),
    }
}

impl ToolDefinition {
    /// The same definition, the parameter taking these values only: `definition.set_enum("b", ["yes", "no"])?`.
    ///
    /// The values may be of any kinds of JSON; equal ones count once. `null` stays allowed where the schema said so by
    /// itself (`Option`).
    ///
    /// # Errors
    /// [`EnumError`], but no [`EnumError::UnknownTool`].
    pub fn set_enum<V: Into<Value>>(
        mut self,
        parameter: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, EnumError> {
        let mut schema = self.input_schema.as_named().clone();
        let Some(property) = schema.get_mut("properties").and_then(|all| all.get_mut(parameter)) else {
            return Err(EnumError::UnknownParameter {
                tool: self.name.as_str().into(),
                parameter: parameter.into(),
                known: self.input_schema.properties().map(|(name, _)| name.to_owned()).collect(),
            });
        };
        let values = values.into_iter().map(Into::into).collect();
        *property = listed(parameter, property, values)?;
        self.input_schema = Schema::of_types(move || schema);
        Ok(self)
    }
}

/// The schema of a parameter that takes these values, made of the one that it had.
fn listed(parameter: &str, before: &Value, given: Vec<Value>) -> Result<Value, EnumError> {
    let mut values: Vec<Value> = Vec::with_capacity(given.len());
    for value in given {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    if values.is_empty() {
        return Err(EnumError::NoValues { parameter: parameter.into() });
    }
    if accepts_null(before) && !values.contains(&Value::Null) {
        values.push(Value::Null);
    }
    let mut kinds: Vec<&str> = Vec::new();
    for kind in values.iter().map(kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    // Whole numbers are numbers too.
    if kinds.contains(&"number") {
        kinds.retain(|kind| *kind != "integer");
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), if let [one] = kinds.as_slice() { (*one).into() } else { kinds.into() });
    for kept in ["title", "description", "deprecated"] {
        if let Some(text) = before.get(kept) {
            schema.insert(kept.to_owned(), text.clone());
        }
    }
    if let Some(default) = before.get("default") {
        if !values.contains(default) {
            let default = default.to_string().into();
            return Err(EnumError::DefaultLeftOut { parameter: parameter.into(), default });
        }
        schema.insert("default".to_owned(), default.clone());
    }
    schema.insert("enum".to_owned(), values.into());
    Ok(Value::Object(schema))
}

/// Whether the schema names `null` among what it accepts, as that of an `Option` does.
fn accepts_null(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null";
    let by_type = schema.get("type").is_some_and(|kind| match kind {
        Value::Array(kinds) => kinds.iter().any(is_null),
        kind => is_null(kind),
    });
    let branches = schema.get("anyOf").and_then(Value::as_array);
    by_type || branches.is_some_and(|all| all.iter().any(|one| one.get("type").is_some_and(is_null)))
}

fn kind(value: &Value) -> &'static str {
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

impl ToolSet {
    /// The same tools, one parameter of one of them taking these values only:
    /// `tools.set_enum("book", "city", ["Paris", "Rome"])?`. Calls are checked against them.
    ///
    /// # Errors
    /// [`EnumError`].
    pub fn set_enum<V: Into<Value>>(
        &self,
        tool: &str,
        parameter: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, EnumError> {
        let inner = self.find(tool).map_err(EnumError::UnknownTool)?;
        let definition = inner.definition().clone().set_enum(parameter, values)?;
        Ok(self.replace(tool, Redefined::new(Arc::clone(inner), definition)))
    }
}
