//! The checked call: the one place where a call passes from "asked for" to "run".
//!
//! The stages: find the tool ([`crate::names`]), read the arguments ([`crate::read`]), validate them, mend them if
//! they are not valid ([`crate::intake`]), run the tool behind a wall ([`crate::calling`]). Whoever runs tools (the
//! loop, a server, the command line) does it through here. It starts no timer and no task: the deadline of a
//! context is a fact for the tool, and enforced by hosts, which have a runtime.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use opentool_core::{
    Arguments, Failure, Tool, ToolCall, ToolContext, ToolError, ToolOutput, ToolSet, UnknownTool,
};
use serde_json::Value;

use crate::calling::Calling;
use crate::guard::guarded;
use crate::intake::{Called, mend};
use crate::names::resolve_name;
use crate::read::read;
use crate::{Change, Decoder, RepairPolicy, Repairs, SchemaError, Stage, Validator};

/// The key of an output's metadata that holds what was changed in the arguments.
pub(crate) const CHANGES: &str = "arguments.changes";

/// Calling tools of a [`ToolSet`] with validation.
pub trait ToolSetExt {
    /// Validates the arguments of `call` and runs the tool. Takes a call or a reference to one; a call that is
    /// handed over is not copied.
    ///
    /// Arguments that are not valid as they stand are mended first, as far as the [`RepairPolicy`] in the context
    /// allows. What was changed is in the host-only metadata of the output under `arguments.changes`: a list of
    /// [`Change`]s, absent if there was none.
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

    /// What [`ToolSetExt::call`] does before it runs the tool: finds it, and reads, mends and validates the
    /// arguments.
    ///
    /// # Errors
    /// [`ToolError::UnknownTool`], [`ToolError::InvalidArguments`], and [`ToolError::Failed`] where the tool's own
    /// schema cannot be used (the [`SchemaError`] is its source).
    fn check(&self, call: &ToolCall) -> Result<Arguments, ToolError>;

    /// [`ToolSetExt::check`] with a policy, and with every change between what the model wrote and the arguments
    /// that the tool would get: what an approval has to show.
    ///
    /// # Errors
    /// Those of [`ToolSetExt::check`].
    fn take(&self, call: &ToolCall, policy: &RepairPolicy) -> Result<(Arguments, Vec<Change>), ToolError>;

    /// The way back from the form in which a call says that its arguments are written ([`ToolCall::dialect`]); made once
    /// for each form of a tool, and kept.
    ///
    /// # Errors
    /// [`ToolError::UnknownTool`], and [`ToolError::Failed`] where there is no such form of the tool.
    fn decoder(&self, tool: &str, form: &str) -> Result<Decoder, ToolError>;
}

impl ToolSetExt for ToolSet {
    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        call: impl Into<Cow<'a, ToolCall>> + Send + 'a,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send + 'a {
        Calling::new(self, cx, call.into())
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
        guarded(|| checked(self, &mut Cow::Borrowed(call), None)).map(|checked| checked.arguments)
    }

    fn take(&self, call: &ToolCall, policy: &RepairPolicy) -> Result<(Arguments, Vec<Change>), ToolError> {
        guarded(|| checked(self, &mut Cow::Borrowed(call), Some(policy)))
            .map(|checked| (checked.arguments, checked.changes))
    }

    fn decoder(&self, tool: &str, form: &str) -> Result<Decoder, ToolError> {
        let name = &self.find(tool)?.definition().name;
        let (tool, validator) = compiled(self, name)?;
        decoder(tool, validator, form)
    }
}

/// A call that may run.
pub(crate) struct Checked<'a> {
    pub(crate) tool: &'a Arc<dyn Tool>,
    pub(crate) arguments: Arguments,
    pub(crate) changes: Vec<Change>,
}

/// The tool, and its arguments once they are known to be good. They are moved out of a call that was handed over.
pub(crate) fn checked<'a>(
    tools: &'a ToolSet,
    call: &mut Cow<'_, ToolCall>,
    policy: Option<&RepairPolicy>,
) -> Result<Checked<'a>, ToolError> {
    let repairs = |name: &str| policy.map_or_else(Repairs::default, |policy| policy.of(name));
    let mut changes = Vec::new();
    let mut name = call.name.as_str();
    if !tools.contains(name) {
        name = meant(tools, name, repairs)?;
        changes.push(
            Change::new(Stage::Name, "", "tool name")
                .before(&Value::from(call.name.as_str()))
                .after(&Value::from(name)),
        );
    }
    let (tool, validator) = compiled(tools, name)?;
    let called = Some(Called { name, tools });
    if let Some(form) = &call.dialect {
        let decoder = decoder(tool, validator, form)?;
        let arguments =
            validator.taken_decoded(&call.arguments, &decoder, repairs(name), called, &mut changes)?;
        return Ok(Checked { tool, arguments, changes });
    }
    let arguments = match read(&call.arguments) {
        Ok(arguments) if validator.accepts(&arguments) => arguments,
        read => {
            let arguments = mend(validator, &call.arguments, read, repairs(name), called, &mut changes)?;
            return Ok(Checked { tool, arguments, changes });
        }
    };
    // Text that was parsed is moved, and so is a call that was handed over; a borrowed object is copied, only now.
    let parsed = match arguments {
        Cow::Owned(parsed) => Some(parsed),
        Cow::Borrowed(_) => None,
    };
    let arguments = match parsed.unwrap_or_else(|| match call {
        Cow::Owned(call) => std::mem::take(&mut call.arguments),
        Cow::Borrowed(call) => call.arguments.clone(),
    }) {
        Value::Object(members) => members.into(),
        _ => Arguments::new(),
    };
    Ok(Checked { tool, arguments, changes })
}

/// The tool of a name that is there, and its validator, which is compiled once.
fn compiled<'a>(tools: &'a ToolSet, name: &str) -> Result<(&'a Arc<dyn Tool>, &'a Validator), ToolError> {
    let compiled = tools.derived(name, |definition| {
        // A panic here would be met again at every call; as an error it is made once.
        guarded(|| Ok(Validator::of_calls(&definition.input_schema)))
    });
    let Some((tool, compiled)) = compiled else {
        // The slot for the validator holds something else: a mistake of the host, not of the model.
        return Err(unusable("the tool set keeps something else in the place of its validator"));
    };
    let compiled: &Result<Result<Validator, SchemaError>, ToolError> = compiled;
    match compiled {
        Ok(Ok(validator)) => Ok((tool, validator)),
        Ok(Err(error)) => Err(unusable(error.clone())),
        Err(error) => Err(unusable(error.to_string())),
    }
}

/// The way back from a form in which arguments are written.
fn decoder(tool: &Arc<dyn Tool>, validator: &Validator, form: &str) -> Result<Decoder, ToolError> {
    let unknown = "the arguments are in a form that is not known here; its operator has the details";
    let decoder = validator.decoder(tool.definition(), form);
    decoder.map_err(|error| Failure::new(unknown).source(error).into())
}

/// The tool that was meant by a name that no tool has.
fn meant<'a>(
    tools: &'a ToolSet,
    written: &str,
    repairs: impl Fn(&str) -> Repairs,
) -> Result<&'a str, ToolError> {
    match resolve_name(written, tools.names(), repairs(written)) {
        // A tool whose calls are not to be mended is called by its own name only.
        Ok(name) if repairs(name) != Repairs::Off => Ok(name),
        Ok(name) => Err(UnknownTool::new(written, vec![name.to_owned()]).into()),
        Err(unknown) => match tools.find(written) {
            Err(first) if !first.nearest.is_empty() => Err(first.into()),
            _ => Err(unknown.into()),
        },
    }
}

fn unusable(source: impl Into<opentool_core::BoxError>) -> ToolError {
    Failure::new("the tool's input schema is not usable; its operator has the details").source(source).into()
}
