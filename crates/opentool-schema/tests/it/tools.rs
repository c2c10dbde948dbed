//! Tools that the tests call.

use std::sync::Arc;

use opentool_core::{
    Arguments, BoxFuture, Schema, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet,
};
use serde_json::{Map, Value};

type Run =
    dyn for<'a> Fn(&'a ToolContext, Arguments) -> BoxFuture<'a, Result<ToolOutput, ToolError>> + Send + Sync;

/// A tool that does what a test says.
pub(crate) struct Scripted {
    definition: ToolDefinition,
    run: Arc<Run>,
}

impl Scripted {
    pub(crate) fn new(
        name: &str,
        schema: Value,
        run: impl for<'a> Fn(&'a ToolContext, Arguments) -> BoxFuture<'a, Result<ToolOutput, ToolError>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let definition = ToolDefinition::new(name, "For a test.").input_schema(Schema::new(schema));
        Self { definition, run: Arc::new(run) }
    }

    /// A tool of which only the definition matters.
    pub(crate) fn known(definition: ToolDefinition) -> Self {
        Self { definition, run: Arc::new(|_, _| Box::pin(async { Ok(ToolOutput::new()) })) }
    }

    /// A tool that gives its arguments back.
    pub(crate) fn echo(schema: Value) -> Self {
        Self::new("echo", schema, |_, arguments| {
            Box::pin(async { Ok(ToolOutput::json(Value::Object(arguments.into_map()))) })
        })
    }
}

impl Tool for Scripted {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (self.run)(cx, arguments)
    }
}

/// A set of one tool.
pub(crate) fn set(tool: Scripted) -> ToolSet {
    ToolSet::from_tools([tool]).expect("one tool has a unique name")
}

pub(crate) fn call(name: &str, arguments: impl Into<Value>) -> ToolCall {
    ToolCall::new("call-1", name, arguments)
}

/// `levels` objects inside each other.
pub(crate) fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| Value::Object(Map::from_iter([("a".to_owned(), inner)])))
}

/// Runs `test` with a value that nests so deep that `serde_json`'s own drop would overflow a test's stack: it is
/// taken apart level by level.
pub(crate) fn with_deep(value: Value, test: impl FnOnce(&Value)) {
    test(&value);
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.into_iter().map(|(_, member)| member)),
            _ => {}
        }
    }
}
