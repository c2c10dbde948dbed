//! The checked call: the one place where a call passes from "asked for" to "run".
//!
//! The stages: find the tool, read the arguments ([`crate::read`]), validate them, run the tool behind a wall
//! ([`crate::guard`]). Whoever runs tools (the loop, a server, the command line) does it through here. Repair and
//! coercion are stages that will stand between reading and validation. It starts no timer and no task: the
//! deadline of a context is a fact for the tool, and enforced by hosts, which have a runtime.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::{Either, select};
use opentool_core::{Arguments, Failure, Tool, ToolCall, ToolContext, ToolError, ToolOutput, ToolSet};
use serde_json::Value;

use crate::guard::{Guarded, guarded};
use crate::read::read;
use crate::{SchemaError, Validator};

/// Calling tools of a [`ToolSet`] with validation.
pub trait ToolSetExt {
    /// Validates the arguments of `call` and runs the tool. Takes a call or a reference to one; a call that is
    /// handed over is not copied.
    ///
    /// Always comes back if the tool does: a panic of the tool, also one while its future is dropped, is
    /// [`ToolError::Panicked`], and the context's cancellation ends the call with [`ToolError::Cancelled`] by
    /// dropping the tool's future. The context's deadline ([`ToolContext::ends_at`]) is *not* enforced here: a
    /// host with a runtime wraps this future in its timeout, and dropping it drops the tool's.
    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        call: impl Into<Cow<'a, ToolCall>> + Send + 'a,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send + 'a;

    /// [`ToolSetExt::call`] for those who always need an output: an error becomes a marked output with the text
    /// for the model, and its kind ([`ToolError::code`]) is in the host-only metadata under `error`.
    fn answer<'a>(
        &'a self,
        cx: &'a ToolContext,
        call: impl Into<Cow<'a, ToolCall>> + Send + 'a,
    ) -> impl Future<Output = ToolOutput> + Send + 'a;

    /// What [`ToolSetExt::call`] does before it runs the tool: finds it, and reads and validates the arguments.
    ///
    /// # Errors
    /// [`ToolError::UnknownTool`], [`ToolError::InvalidArguments`], and [`ToolError::Failed`] where the tool's own
    /// schema cannot be used (the [`SchemaError`] is its source).
    fn check(&self, call: &ToolCall) -> Result<Arguments, ToolError>;
}

impl ToolSetExt for ToolSet {
    async fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        call: impl Into<Cow<'a, ToolCall>> + Send + 'a,
    ) -> Result<ToolOutput, ToolError> {
        // Checking runs code of others too: a schema that is made when first needed, the pattern engine.
        let (tool, arguments) = guarded(|| checked(self, call.into()))?;
        if cx.cancel_signal().is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        // The making of the future is guarded too: a tool may panic before its first await.
        let running = Guarded::new(guarded(|| Ok(tool.call(cx, arguments)))?);
        match select(running, cx.cancel_signal().cancelled()).await {
            Either::Left((result, _)) => result,
            Either::Right(((), _)) => Err(ToolError::Cancelled),
        }
    }

    async fn answer<'a>(
        &'a self,
        cx: &'a ToolContext,
        call: impl Into<Cow<'a, ToolCall>> + Send + 'a,
    ) -> ToolOutput {
        match ToolSetExt::call(self, cx, call).await {
            Ok(output) => output,
            Err(error) => ToolOutput::from(&error).metadata("error", error.code()),
        }
    }

    fn check(&self, call: &ToolCall) -> Result<Arguments, ToolError> {
        guarded(|| checked(self, Cow::Borrowed(call))).map(|(_, arguments)| arguments)
    }
}

/// The tool, and its arguments once they are known to be good.
fn checked<'a>(
    tools: &'a ToolSet,
    call: Cow<'_, ToolCall>,
) -> Result<(&'a Arc<dyn Tool>, Arguments), ToolError> {
    let compiled = tools.derived(&call.name, |definition| {
        // A panic here would be met again at every call; as an error it is made once.
        guarded(|| Ok(Validator::new(&definition.input_schema)))
    });
    let Some((tool, compiled)) = compiled else {
        return Err(unknown(tools, &call.name));
    };
    let compiled: &Result<Result<Validator, SchemaError>, ToolError> = &compiled;
    let validator = match compiled {
        Ok(Ok(validator)) => validator,
        Ok(Err(error)) => return Err(unusable(error.clone())),
        Err(error) => return Err(unusable(error.to_string())),
    };
    let arguments = read(&call.arguments)?;
    validator.check(&arguments)?;
    // Text that was parsed is moved, and so is a call that was handed over; a borrowed object is copied, only now.
    let parsed = match arguments {
        Cow::Owned(parsed) => Some(parsed),
        Cow::Borrowed(_) => None,
    };
    let arguments = match parsed.unwrap_or_else(|| match call {
        Cow::Owned(call) => call.arguments,
        Cow::Borrowed(call) => call.arguments.clone(),
    }) {
        Value::Object(members) => members.into(),
        _ => Arguments::new(),
    };
    Ok((tool, arguments))
}

fn unknown(tools: &ToolSet, name: &str) -> ToolError {
    match tools.find(name) {
        Err(unknown) => unknown.into(),
        // The slot for the validator holds something else: a mistake of the host, not of the model.
        Ok(_) => unusable("the tool set keeps something else in the place of its validator"),
    }
}

fn unusable(source: impl Into<opentool_core::BoxError>) -> ToolError {
    Failure::new("the tool's input schema is not usable; its operator has the details").source(source).into()
}
