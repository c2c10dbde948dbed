//! Approval of calls that no agent makes: of tools that are served, or called by hand.
//!
//! Inside an agent the agent's own approvals are the better place: they can hold a run until a person has time, in another
//! process. Here somebody decides while the call waits, or it is refused.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use opentool_core::{Arguments, Layer, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput};
use serde_json::Value;

use super::around::Around;
use crate::approval::Approver;
use crate::{Approvals, CallRequest, Decision, PendingCall, Verdict};

/// The rules of [`Approvals`] before every call of the tools that it is put around.
///
/// A call that is denied, and one that needs a person where there is none, is [`ToolError::Refused`] with the reason, which
/// the model reads; the tool does not run. What was mended in the arguments before is not known here:
/// [`CallRequest::changes`] is empty.
///
/// ```
/// use opentool_agent::layers::Approve;
/// use opentool_agent::{Approvals, Decision};
/// # use opentool_core::{NameClash, ToolSet};
/// # fn f(tools: ToolSet) -> Result<ToolSet, NameClash> {
/// let rules = Approvals::new().deny(["delete_pet"]).ask_unless_read_only();
/// let tools = tools.layer(&Approve::new(rules).approver(async |call| {
///     Some(if call.tool == "add_pet" { Decision::Allow } else { Decision::deny("not on a Sunday") })
/// }))?;
/// # Ok(tools)
/// # }
/// ```
#[derive(Clone)]
pub struct Approve {
    rules: Approvals,
    approver: Option<Approver>,
    /// The tools that a person allowed once and for all, of this layer and its clones.
    allowed: Arc<Mutex<HashSet<String>>>,
}

impl Approve {
    /// These rules, and nobody to ask.
    pub fn new(rules: Approvals) -> Self {
        Self { rules, approver: None, allowed: Arc::default() }
    }

    /// Sets who decides about calls that need a person's approval. `None` is no decision: the call is refused.
    pub fn approver<F, Fut>(mut self, ask: F) -> Self
    where
        F: Fn(PendingCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Option<Decision>> + Send + 'static,
    {
        self.approver = Some(Approver::new(ask));
        self
    }

    /// Comes back without an error if the call may run.
    async fn pass(
        &self,
        cx: &ToolContext,
        tool: &ToolDefinition,
        arguments: &Arguments,
    ) -> Result<(), ToolError> {
        let written = Value::Object(arguments.clone().into_map());
        let call = ToolCall::new(cx.id().unwrap_or_default(), tool.name.as_str(), written);
        let request = CallRequest { call: &call, tool, arguments, changes: &[], context: cx };
        let reason = match self.rules.verdict(&request) {
            Verdict::Allow => return Ok(()),
            Verdict::Deny(reason) => return Err(ToolError::Refused(reason.into())),
            Verdict::Ask(_) if self.allowed().contains(&tool.name) => return Ok(()),
            Verdict::Ask(reason) => reason,
        };
        let nobody = || ToolError::Refused("it needs a person's approval, and there is nobody to ask".into());
        let Some(approver) = &self.approver else { return Err(nobody()) };
        let pending = PendingCall {
            call_id: call.id,
            tool: call.name,
            arguments: arguments.clone(),
            reason,
            interrupted: false,
            changes: Vec::new(),
        };
        // An approver that panics has not allowed anything.
        match approver.ask(pending).await.unwrap_or_default() {
            Some(Decision::Allow) => Ok(()),
            Some(Decision::AllowTool) => {
                self.allowed().insert(tool.name.clone());
                Ok(())
            }
            Some(Decision::Deny { reason }) if reason.is_empty() => {
                Err(ToolError::Refused("a person denied it".into()))
            }
            Some(Decision::Deny { reason }) => Err(ToolError::Refused(reason.into())),
            None => Err(nobody()),
        }
    }

    fn allowed(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Approve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approve").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Layer for Approve {
    fn layer(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        self.clone().around(inner)
    }
}

impl Around for Approve {
    async fn call(
        &self,
        inner: &dyn Tool,
        cx: &ToolContext,
        arguments: Arguments,
    ) -> Result<ToolOutput, ToolError> {
        self.pass(cx, inner.definition(), &arguments).await?;
        inner.call(cx, arguments).await
    }
}
