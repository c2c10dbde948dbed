//! Who may call what: a policy that allows, denies, or asks a person.
//!
//! A policy is asked once a call is understood: its tool is known and its arguments passed the schema, so that what is
//! decided about is what will run. What needs a person becomes a [`PendingCall`], a value that can be stored; the
//! decision can come from another process. It deliberately shows nothing and asks nobody itself.

use std::fmt;
use std::sync::Arc;

use opentool_core::{Arguments, BoxFuture, ToolCall, ToolContext, ToolDefinition};
use opentool_schema::Change;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::HostPanic;
use crate::guard::{guarded, guarded_future};

/// A call that a policy judges.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CallRequest<'a> {
    /// The call as the model wrote it.
    pub call: &'a ToolCall,
    /// The tool that will run.
    pub tool: &'a ToolDefinition,
    /// The arguments that it will get.
    pub arguments: &'a Arguments,
    /// What was mended between what the model wrote and these arguments.
    pub changes: &'a [Change],
    /// What the host knows.
    pub context: &'a ToolContext,
}

/// What a policy says about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It runs.
    Allow,
    /// It does not run; the model reads why.
    Deny(String),
    /// A person decides; the text is for them.
    Ask(String),
}

type Rule = Arc<dyn Fn(&CallRequest<'_>) -> Option<Verdict> + Send + Sync>;

/// Rules about which calls run. The first one that has something to say decides; what none speaks about is allowed.
///
/// ```
/// use opentool_agent::{Approvals, Verdict};
///
/// let approvals = Approvals::new()
///     .allow(["get_order", "find_orders"])
///     .deny(["delete_everything"])
///     .rule(|request| {
///         let amount = request.arguments.get("amount")?.as_f64()?;
///         (amount > 100.0).then(|| Verdict::Ask(format!("it spends {amount} €")))
///     })
///     .ask_unless_read_only();
/// ```
#[derive(Clone, Default)]
pub struct Approvals(Vec<Rule>);

impl Approvals {
    /// No rule: everything is allowed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule, after those that are there. `None` is for the next one to decide.
    pub fn rule(
        mut self,
        rule: impl Fn(&CallRequest<'_>) -> Option<Verdict> + Send + Sync + 'static,
    ) -> Self {
        self.0.push(Arc::new(rule));
        self
    }

    /// Allows the tools of these names.
    pub fn allow<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.named(names, || Verdict::Allow)
    }

    /// Denies the tools of these names.
    pub fn deny<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.named(names, || Verdict::Deny("the host does not allow this tool".to_owned()))
    }

    /// Asks about the tools of these names.
    pub fn ask<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.named(names, || Verdict::Ask("this tool needs a person's approval".to_owned()))
    }

    /// Asks about every tool that does not say of itself that it changes nothing.
    pub fn ask_unless_read_only(self) -> Self {
        self.rule(|request| {
            (!is_read_only(request.tool)).then(|| Verdict::Ask("it may change something".to_owned()))
        })
    }

    /// Asks about every tool that says of itself that it may destroy something, and about those of MCP servers that do not
    /// say that they destroy nothing: the protocol has a tool without hints be taken for destructive. A function of one's own
    /// without a hint, or an operation of an API whose method does not tell (a `POST`), is not asked about:
    /// [`Approvals::ask_unless_read_only`] does.
    pub fn ask_if_destructive(self) -> Self {
        self.rule(|request| {
            let by_default = request.tool.origin.kind == "mcp";
            let destructive = request.tool.annotations.destructive.unwrap_or(by_default);
            (destructive && !is_read_only(request.tool))
                .then(|| Verdict::Ask("it may destroy something".to_owned()))
        })
    }

    /// Denies every tool that does not say of itself that it changes nothing.
    pub fn deny_unless_read_only(self) -> Self {
        self.rule(|request| {
            (!is_read_only(request.tool))
                .then(|| Verdict::Deny("only tools that change nothing are allowed here".to_owned()))
        })
    }

    /// Asks about everything that no rule before this one speaks about.
    pub fn ask_otherwise(self) -> Self {
        self.rule(|_| Some(Verdict::Ask("every call needs a person's approval".to_owned())))
    }

    /// Denies everything that no rule before this one speaks about.
    pub fn deny_otherwise(self) -> Self {
        self.rule(|_| Some(Verdict::Deny("the host does not allow this tool".to_owned())))
    }

    /// What the rules say about the call.
    pub fn verdict(&self, request: &CallRequest<'_>) -> Verdict {
        self.0.iter().find_map(|rule| rule(request)).unwrap_or(Verdict::Allow)
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same rules, and before them that the tool of this name is allowed.
    pub(crate) fn but_allow(mut self, name: String) -> Self {
        if !self.is_empty() {
            self.0.insert(0, Arc::new(move |request| (request.tool.name == name).then_some(Verdict::Allow)));
        }
        self
    }

    fn named<N: Into<String>>(
        self,
        names: impl IntoIterator<Item = N>,
        verdict: impl Fn() -> Verdict + Send + Sync + 'static,
    ) -> Self {
        let names: std::collections::HashSet<String> = names.into_iter().map(Into::into).collect();
        self.rule(move |request| names.contains(&request.tool.name).then(&verdict))
    }
}

/// Hints of a stranger's tool are hints: a host that does not trust its source names the tools it allows.
fn is_read_only(tool: &ToolDefinition) -> bool {
    tool.annotations.read_only == Some(true)
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals").field("rules", &self.0.len()).finish()
    }
}

/// A call that waits for a person's decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PendingCall {
    /// The id of the call.
    pub call_id: String,
    /// The tool that will run.
    pub tool: String,
    /// The arguments that it will get: exactly these are run if the call is allowed.
    pub arguments: Arguments,
    /// Why a person is asked.
    pub reason: String,
    /// It had begun when its run was interrupted, and may have done its work already: it is asked about by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// What was mended between what the model wrote and these arguments: [`Change`]s as JSON.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Value>,
}

impl PendingCall {
    /// The call as it will be run.
    pub(crate) fn to_call(&self) -> ToolCall {
        ToolCall::new(
            self.call_id.as_str(),
            self.tool.as_str(),
            Value::Object(self.arguments.clone().into_map()),
        )
    }
}

/// What a person decided about a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decision {
    /// It runs.
    Allow,
    /// It runs, and so does every further call of this tool in this conversation, whatever its arguments. A denial by
    /// the policy still holds.
    AllowTool,
    /// It does not run; the model reads why.
    Deny {
        /// Why, for the model; may be empty.
        reason: String,
    },
}

impl Decision {
    /// [`Decision::Deny`], for this reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

type Ask = dyn Fn(PendingCall) -> BoxFuture<'static, Option<Decision>> + Send + Sync;

/// Someone who decides while the run waits: a prompt at the terminal.
#[derive(Clone)]
pub(crate) struct Approver {
    ask: Arc<Ask>,
    /// A person is asked one thing at a time, whoever asks.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Approver {
    pub(crate) fn new<F, Fut>(ask: F) -> Self
    where
        F: Fn(PendingCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Option<Decision>> + Send + 'static,
    {
        Self { ask: Arc::new(move |pending| Box::pin(ask(pending))), turn: Arc::default() }
    }

    pub(crate) async fn ask(&self, pending: PendingCall) -> Result<Option<Decision>, HostPanic> {
        const PLACE: &str = "the approver";
        let _turn = self.turn.lock().await;
        let asking = guarded(PLACE, || (self.ask)(pending))?;
        guarded_future(PLACE, asking).await
    }
}
