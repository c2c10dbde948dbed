//! Tools that the tests call.

use std::future::Future;
use std::sync::Arc;

use opentool_core::{
    Annotations, Arguments, BoxFuture, Message, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
    ToolSet, tool_fn,
};
use serde_json::{Value, json};

/// A tool without a declared type, from a closure that gets the context.
pub(crate) struct Raw<F> {
    definition: ToolDefinition,
    run: F,
}

/// A tool with any arguments.
pub(crate) fn raw<F, Fut>(name: &str, run: F) -> Raw<F>
where
    F: Fn(ToolContext, Arguments) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    let definition =
        ToolDefinition::new(name, format!("The tool {name}.")).input_schema(json!({"type": "object"}));
    Raw { definition, run }
}

impl<F> Raw<F> {
    pub(crate) fn return_direct(mut self) -> Self {
        self.definition = self.definition.return_direct(true);
        self
    }

    pub(crate) fn annotated(mut self, annotations: Annotations) -> Self {
        self.definition = self.definition.annotations(annotations);
        self
    }

    pub(crate) fn define(mut self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        self.definition = change(self.definition);
        self
    }
}

impl<F, Fut> Tool for Raw<F>
where
    F: Fn(ToolContext, Arguments) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin((self.run)(cx.clone(), arguments))
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Sum {
    a: i64,
    b: i64,
}

pub(crate) fn add() -> impl Tool {
    tool_fn("add", "Adds two numbers.", async |sum: Sum| {
        sum.a.checked_add(sum.b).ok_or("the sum is too large")
    })
}

/// Says back what it was given.
pub(crate) fn echo() -> impl Tool {
    raw("echo", async |_, arguments| Ok(ToolOutput::json(Value::Object(arguments.into_map()))))
}

/// Never comes back by itself.
pub(crate) fn hangs() -> impl Tool {
    raw("hangs", async |_, _| std::future::pending().await)
}

pub(crate) fn panics() -> impl Tool {
    raw("panics", async |_, _| panic!("secret of the operator"))
}

pub(crate) fn collect<const N: usize>(tools: [Arc<dyn Tool>; N]) -> ToolSet {
    ToolSet::from_tools(tools).expect("distinct names")
}

/// What the results of a conversation say, in order.
pub(crate) fn texts(messages: &[Message]) -> Vec<String> {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool(result) => Some(result.output.to_text()),
            _ => None,
        })
        .collect()
}

/// A set of tools of any types.
macro_rules! set {
    ($($tool:expr),* $(,)?) => {
        $crate::fixtures::collect([$(std::sync::Arc::new($tool) as std::sync::Arc<dyn opentool_core::Tool>),*])
    };
}

pub(crate) use set;
