//! A tool with another definition and the same call: under another name, with a narrower schema, without a hint.
//!
//! What else would change a call (its arguments, its result) is for layers.

use std::sync::Arc;

use serde_json::Value;

use crate::tool::Started;
use crate::{Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};

/// A tool that does what the one inside does, and of which something else is said.
///
/// Calls are checked against the schema that it has now, and the tool inside gets what passed it.
///
/// ```
/// # use opentool_core::{tool_fn, Redefined, Tool, ToolSet};
/// # let sum = tool_fn("sum", "Adds.", async |(): ()| Ok::<_, String>(3));
/// let sum = std::sync::Arc::new(sum);
/// let mut told = sum.definition().clone();
/// told.description = "Adds what is in the basket.".to_owned();
/// let tools = ToolSet::from_tools([Redefined::new(sum, told.return_direct(true))])?;
/// # assert!(tools.get("sum").unwrap().definition().return_direct);
/// # Ok::<(), opentool_core::NameClash>(())
/// ```
pub struct Redefined {
    definition: ToolDefinition,
    inner: Arc<dyn Tool>,
    /// The arguments are checked as the tool inside has them checked, so its shortcut is one here as well.
    same_schema: bool,
}

impl Redefined {
    /// This tool under that definition.
    pub fn new(inner: Arc<dyn Tool>, definition: ToolDefinition) -> Self {
        let same_schema = definition.input_schema.is_clone_of(&inner.definition().input_schema);
        Self { definition, inner, same_schema }
    }
}

impl Tool for Redefined {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.inner.call(cx, arguments)
    }

    fn call_straight<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &Value,
        answer: &mut Option<Result<ToolOutput, ToolError>>,
    ) -> Option<Started<'a>> {
        if self.same_schema { self.inner.call_straight(cx, arguments, answer) } else { None }
    }
}

impl std::fmt::Debug for Redefined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redefined").field("definition", &self.definition).finish_non_exhaustive()
    }
}
