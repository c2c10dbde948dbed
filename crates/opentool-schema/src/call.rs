//! The checked call: the one place where a call passes from "asked for" to "run".
//!
//! Text becomes JSON, JSON is validated, the tool runs; a panic and a cancellation become errors. Whoever runs
//! tools (the loop, a server, the command line) does it through here. Repair and coercion are stages that will
//! stand between parsing and validation.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use futures_util::future::{Either, select};
use opentool_core::{
    Arguments, InvalidArguments, Problem, ToolCall, ToolContext, ToolError, ToolOutput, ToolSet,
};
use serde_json::Value;

use crate::{SchemaError, Validator};

/// Calling tools of a [`ToolSet`] with validation.
pub trait ToolSetExt {
    /// Validates the arguments of `call` and runs the tool.
    ///
    /// Always comes back: a panic of the tool is [`ToolError::Panicked`], and the context's cancellation ends
    /// the call with [`ToolError::Cancelled`] by dropping the tool's future.
    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        call: &'a ToolCall,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send + 'a;

    /// What [`ToolSetExt::call`] does before it runs the tool: finds it, and reads and validates the arguments.
    ///
    /// # Errors
    /// [`ToolError::UnknownTool`] and [`ToolError::InvalidArguments`].
    fn check(&self, call: &ToolCall) -> Result<Arguments, ToolError>;
}

impl ToolSetExt for ToolSet {
    async fn call<'a>(&'a self, cx: &'a ToolContext, call: &'a ToolCall) -> Result<ToolOutput, ToolError> {
        let arguments = self.check(call)?;
        let tool = self.find(&call.name)?;
        if cx.cancel_signal().is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        // The making of the future is guarded too: a tool may panic before its first await.
        let running = AssertUnwindSafe(async { tool.call(cx, arguments).await }).catch_unwind();
        match select(std::pin::pin!(running), cx.cancel_signal().cancelled()).await {
            Either::Left((Ok(result), _)) => result,
            Either::Left((Err(panic), _)) => Err(ToolError::Panicked(panic_text(&*panic).into())),
            Either::Right(((), _)) => Err(ToolError::Cancelled),
        }
    }

    fn check(&self, call: &ToolCall) -> Result<Arguments, ToolError> {
        let compiled = self.derived(&call.name, |definition| Validator::new(&definition.input_schema));
        let Some((_, validator)) = compiled else {
            return Err(self.find(&call.name).err().map_or(ToolError::Cancelled, Into::into));
        };
        let validator: &Result<Validator, SchemaError> = &validator;
        let validator = validator.as_ref().map_err(|error| {
            opentool_core::Failure::new("the tool's input schema is not usable; its operator has the details")
                .source(error.clone())
        })?;
        let arguments = read(&call.arguments)?;
        validator.check(&arguments)?;
        Ok(arguments)
    }
}

fn read(arguments: &Value) -> Result<Arguments, InvalidArguments> {
    let problem = match arguments {
        Value::Object(map) => return Ok(map.clone().into()),
        Value::Null => return Ok(Arguments::new()),
        Value::String(text) if text.trim().is_empty() => return Ok(Arguments::new()),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(map)) => return Ok(map.into()),
            Ok(other) => Problem::new("", "type").expected("expected a JSON object").found(kind(&other)),
            Err(error) => Problem::new("", "json").expected(format!("expected JSON: {error}")),
        },
        other => Problem::new("", "type").expected("expected a JSON object").found(kind(other)),
    };
    Err(InvalidArguments::new(vec![problem]))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
