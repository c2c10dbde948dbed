//! What a function may return to be a tool.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{Failure, Schema, ToolError, ToolOutput};

/// A value that a tool can return: anything serialisable with a schema, `()`, or a [`ToolOutput`].
///
/// A type without any content (`()`, a unit struct) has no output schema and gives the text "Done."; an absent
/// `Option` is the value `null`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a tool: derive `serde::Serialize` and `schemars::JsonSchema` for it, or return a `ToolOutput`",
    label = "this is not both `serde::Serialize` and `schemars::JsonSchema`"
)]
pub trait ToolReturn: Sized {
    /// The schema of the structured value, if there is one.
    fn output_schema() -> Option<Schema>;

    /// The output that a model and a program read.
    ///
    /// # Errors
    /// [`ToolError::Failed`] if the value cannot be written as JSON.
    fn into_output(self) -> Result<ToolOutput, ToolError>;
}

impl<T: Serialize + JsonSchema> ToolReturn for T {
    fn output_schema() -> Option<Schema> {
        let schema = Schema::output_of::<T>();
        // Only a type without content can be a unit; the others need not be generated yet.
        let unit =
            std::mem::size_of::<T>() == 0 && schema.as_value().get("type").is_some_and(|t| t == "null");
        (!unit).then_some(schema)
    }

    #[inline]
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        match serde_json::to_value(self) {
            // A unit: a model wants to read that something happened. An absent `Option` is a value, below.
            Ok(Value::Null) if std::mem::size_of::<T>() == 0 => Ok(ToolOutput::text("Done.")),
            Ok(value) => Ok(ToolOutput::json(value)),
            Err(error) => {
                Err(Failure::new("the tool's result cannot be written as JSON; its operator has the details")
                    .source(error)
                    .into())
            }
        }
    }
}

impl ToolReturn for ToolOutput {
    fn output_schema() -> Option<Schema> {
        None
    }

    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self)
    }
}
