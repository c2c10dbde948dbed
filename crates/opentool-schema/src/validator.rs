//! A compiled input schema that explains what is wrong with arguments.

use opentool_core::{Arguments, InvalidArguments, Problem, Schema};
use serde_json::Value;

/// A schema that cannot be compiled.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the schema is not valid: {message} (at {pointer})")]
#[non_exhaustive]
pub struct SchemaError {
    /// What is wrong.
    pub message: String,
    /// The JSON Pointer of the culprit in the schema.
    pub pointer: String,
}

/// A compiled schema. Make it once per tool and share it.
#[derive(Debug)]
pub struct Validator {
    compiled: jsonschema::Validator,
    schema: Schema,
}

impl Validator {
    /// Compiles the schema. Nothing is ever fetched: a `$ref` to another document is an error.
    ///
    /// # Errors
    /// [`SchemaError`].
    pub fn new(schema: &Schema) -> Result<Self, SchemaError> {
        let compiled = jsonschema::options()
            .build(schema.as_value())
            .map_err(|e| SchemaError { message: e.to_string(), pointer: e.instance_path().to_string() })?;
        Ok(Self { compiled, schema: schema.clone() })
    }

    /// Checks arguments and reports every problem at once.
    ///
    /// # Errors
    /// [`InvalidArguments`] with at least one problem.
    pub fn check(&self, arguments: &Arguments) -> Result<(), InvalidArguments> {
        let _ = &self.schema;
        let value = Value::Object((**arguments).clone());
        let problems: Vec<Problem> = self
            .compiled
            .iter_errors(&value)
            .map(|e| Problem::new(e.instance_path().to_string(), e.kind().keyword()).expected(e.to_string()))
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(InvalidArguments::new(problems)) }
    }
}
