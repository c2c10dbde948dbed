//! Runs the calls of one answer: side by side, each to exactly one result, in the order of the calls.
//!
//! Usable alone, for a loop that its user writes. It deliberately knows nothing of models and messages, starts no
//! task and holds no state between calls: dropping the future of a call drops the tool's, and everything that
//! was going on with it. What happens to one call, from its name to its result, is in `dispatcher/call.rs`; when a call
//! may begin is in `batch.rs`.

mod attempt;
mod call;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use opentool_core::{
    BoxError, ChatReply, Message, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolResult,
    ToolSet,
};

use crate::approval::Approver;
use crate::batch::Batch;
use crate::checkpoint::{Checkpoint, Journal};
use crate::cut;
use crate::effects::{Effects, Order};
use crate::event::Observers;
use crate::history::Ids;
use crate::meant::meant;
use crate::resolver::Resolvers;
use crate::results::RESULT_LIMIT;
use crate::spans::SpanSettings;
use crate::{
    AgentEvent, Approvals, Decision, ErrorPolicy, HostPanic, OnInterrupted, OutOfTurn, PendingCall, Resolver,
    Run, Step, ToolRules,
};

use call::{Consent, Outcome};

/// How long a call may take if nobody says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How many calls of one answer run at the same time if nobody says otherwise.
const CONCURRENCY: usize = 8;

/// Runs tool calls. Clones share the tools.
///
/// Every call comes back with one result under the id that it had: an unknown name, bad arguments, a panic, a
/// timeout and a cancellation are results marked as errors, in words for the model. Calls run on the task that
/// waits for them; a tool that blocks its thread holds up the others.
#[derive(Clone)]
pub struct Dispatcher {
    tools: ToolSet,
    resolvers: Resolvers,
    context: ToolContext,
    timeout: Option<Duration>,
    concurrency: usize,
    result_limit: Option<usize>,
    rules: Arc<HashMap<String, ToolRules>>,
    pub(crate) approvals: Approvals,
    pub(crate) approver: Option<Approver>,
    errors: ErrorPolicy,
    pub(crate) observers: Observers,
    checkpoint: Option<Checkpoint>,
    on_interrupted: OnInterrupted,
    pub(crate) spans: SpanSettings,
}

/// A failure that the [`ErrorPolicy`] gives to the caller. The call has its result all the same.
#[derive(Debug, thiserror::Error)]
#[error("the call `{call_id}` of the tool `{name}` failed: {error}")]
#[non_exhaustive]
pub struct RaisedError {
    /// The id of the call.
    pub call_id: String,
    /// The name of the tool as the model wrote it.
    pub name: String,
    /// The definition of the tool that failed; none where the name means no tool.
    pub tool: Option<Box<ToolDefinition>>,
    /// Why it failed.
    pub error: ToolError,
}

/// Why the calls of a run were not performed, or not in silence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PerformError {
    /// A failure that the [`ErrorPolicy`] gives to the caller, the first in the order of the calls. All calls have their
    /// results.
    #[error(transparent)]
    Raised(Box<RaisedError>),
    /// The run could not be written down ([`Dispatcher::checkpoint`]). Calls that had not begun did not begin: the run asks
    /// for them again.
    #[error("the run could not be written down, and goes no further")]
    Checkpoint(#[source] BoxError),
}

impl Dispatcher {
    /// Runs calls of these tools, and of no others.
    pub fn new(tools: impl Into<ToolSet>) -> Self {
        Self {
            tools: tools.into(),
            resolvers: Resolvers::default(),
            context: ToolContext::new(),
            timeout: Some(TIMEOUT),
            concurrency: CONCURRENCY,
            result_limit: Some(RESULT_LIMIT),
            rules: Arc::default(),
            approvals: Approvals::default(),
            approver: None,
            errors: ErrorPolicy::default(),
            observers: Observers::default(),
            checkpoint: None,
            on_interrupted: OnInterrupted::default(),
            spans: SpanSettings::default(),
        }
    }

    /// Sets the tools.
    pub fn replace_tools(mut self, tools: impl Into<ToolSet>) -> Self {
        self.tools = tools.into();
        self
    }

    /// Adds a place to look for tools that the model was not told of. Without one, and that is the default, a tool that
    /// is not in the request cannot be run. Resolvers are asked in the order in which they were added.
    pub fn resolver(mut self, resolver: impl Resolver) -> Self {
        self.resolvers.add(resolver);
        self
    }

    /// Sets how long one call may take; `None` for no limit. Default: 60 seconds. A deadline in the context
    /// holds as well.
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.timeout = limit.into();
        self
    }

    /// Sets how many calls of one answer run at the same time, at least 1. Default: 8, which services behind tools can take;
    /// a hundred calls that each wait 50 ms take 650 ms then, and 50 with `concurrency(100)`. With 1 they run one after
    /// the other, in the order of the answer.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls.max(1);
        self
    }

    /// Sets how many bytes of a result the model gets; `None` for all. Default: 256 KiB. What is longer is cut, with a
    /// notice for the model, and loses its structured value. A picture's bytes count as a 64th.
    pub fn result_limit(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.result_limit = bytes.into();
        self
    }

    /// Sets what holds for the tool of this name, beyond what holds for all. It takes the place of what was said about
    /// that tool before.
    pub fn rules(mut self, tool: impl Into<String>, rules: ToolRules) -> Self {
        Arc::make_mut(&mut self.rules).insert(tool.into(), rules);
        self
    }

    /// Sets which calls run, which do not, and about which a person is asked. Default: all run.
    pub fn approvals(mut self, approvals: Approvals) -> Self {
        self.approvals = approvals;
        self
    }

    /// Sets who is asked while the run waits: a prompt at the terminal. Calls are asked about one after the other, over all
    /// runs of this dispatcher and its clones, and while no other call of the same answer runs. `None` means that nobody can
    /// say now: the run is suspended. Without this, every call that needs a person suspends the run. An agent that is a
    /// tool asks the same person if it has none of its own, while its call runs.
    pub fn approver<F, Fut>(mut self, ask: F) -> Self
    where
        F: Fn(PendingCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Option<Decision>> + Send + 'static,
    {
        self.approver = Some(Approver::new(ask));
        self
    }

    /// Sets who hears of failed calls. Default: the model.
    pub fn errors(mut self, policy: ErrorPolicy) -> Self {
        self.errors = policy;
        self
    }

    /// Sets where a run is written down while [`Dispatcher::perform`] works on it: before each call begins, and after each
    /// result. A call does not begin before it is written that it does.
    pub fn checkpoint<F, Fut, E>(mut self, write: F) -> Self
    where
        F: Fn(&Run) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.checkpoint = Some(Checkpoint::new(write));
        self
    }

    /// Sets what becomes of calls that had begun when their run was interrupted. Default:
    /// [`OnInterrupted::AgainIfHarmless`].
    pub fn on_interrupted(mut self, then: OnInterrupted) -> Self {
        self.on_interrupted = then;
        self
    }

    /// Sets what the tools get to know of the host: facts, deadline, cancellation, a receiver of progress.
    pub fn context(mut self, context: ToolContext) -> Self {
        self.context = context;
        self
    }

    /// Adds to what the tools get to know of the host: [`ToolContext::merge`].
    pub fn extend_context(mut self, context: ToolContext) -> Self {
        self.context = self.context.merge(context);
        self
    }

    /// Adds someone who is told what happens, while it happens. It must not block.
    pub fn observe(mut self, observer: impl Fn(&AgentEvent) + Send + Sync + 'static) -> Self {
        self.observers.add(observer);
        self
    }

    /// The tools.
    pub fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// Tells those who watch.
    pub(crate) fn tell(&self, event: impl FnOnce() -> AgentEvent) {
        self.observers.tell(event);
    }

    /// Whether anybody watches.
    pub(crate) fn is_watched(&self) -> bool {
        !self.observers.is_empty()
    }

    /// What the host said.
    pub(crate) fn host(&self) -> &ToolContext {
        &self.context
    }

    /// Puts an answer of the model behind a conversation, and behind it the results of its calls in their order, which are
    /// made as [`Dispatcher::dispatch`] does. Where the answer was cut off, refused, or ended for a reason of which nothing
    /// is known, no call is run, and the results say so. Calls without an id, or with one that another call of the
    /// conversation has, get a new one. The conversation is as it was if the future is dropped. With it, a loop of your
    /// own is five lines:
    ///
    /// ```
    /// # use opentool_agent::{chat, Dispatcher};
    /// # use opentool_core::{ChatModel, ChatRequest, Message, ToolSet};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), opentool_core::ModelError> {
    /// # let (model, tools) = (chat::script().calls([("clock", serde_json::json!({}))]).text("Noon."), ToolSet::new());
    /// # let dispatcher = Dispatcher::new(tools);
    /// # let mut messages = vec![Message::user("What is the time?")];
    /// let mut reply = model.reply(ChatRequest::new(&messages, dispatcher.tools())).await?;
    /// while reply.has_tool_calls() {
    ///     dispatcher.carry_out(&mut messages, reply).await;
    ///     reply = model.reply(ChatRequest::new(&messages, dispatcher.tools())).await?;
    /// }
    /// # assert_eq!(reply.message.to_text(), "Noon.");
    /// # assert_eq!(messages.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn carry_out(&self, messages: &mut Vec<Message>, reply: ChatReply) {
        let mut message = reply.message;
        Ids::of(&*messages).give(&mut message);
        let calls = &message.tool_calls;
        let results = match cut::refusal(&reply.stop) {
            None => self.dispatch(calls).await,
            Some(error) => calls.iter().map(|call| ToolResult::new(call, ToolOutput::from(&error))).collect(),
        };
        messages.push(Message::Assistant(message));
        messages.extend(results.into_iter().map(Message::Tool));
    }

    /// Runs the calls of one answer and gives their results in the order of the calls.
    ///
    /// A call that needs a person's approval is refused if there is nobody to ask ([`Dispatcher::approver`]); those behind it
    /// that it is in the way of wait for the decision. Where the host gives up, or has no more time, before it is made, the
    /// call has that as its result, and the others keep theirs. With a [`Run`], see [`Dispatcher::perform`]. Failures that the
    /// [`ErrorPolicy`] raises are results as well.
    pub async fn dispatch(&self, calls: &[ToolCall]) -> Vec<ToolResult> {
        let effects = self.effects(calls);
        let mut results: Vec<Option<ToolResult>> = vec![None; calls.len()];
        let mut decided: BTreeMap<usize, (PendingCall, Option<Decision>)> = BTreeMap::new();
        let mut tools = BTreeSet::new();
        loop {
            let open: Vec<(usize, &ToolCall)> = calls
                .iter()
                .enumerate()
                .filter(|(place, _)| matches!(results.get(*place), Some(None)))
                .collect();
            if open.is_empty() {
                return results.into_iter().flatten().collect();
            }
            let order = Order::new(effects.clone());
            let each = open.iter().enumerate().map(|(n, (place, call))| {
                let consent = match decided.get(place) {
                    Some((_, None)) => Consent::NoTime,
                    Some((_, Some(Decision::Deny { reason }))) => Consent::Denied(reason.clone()),
                    Some((pending, Some(_))) => Consent::Given(pending),
                    None => Consent::Of(&tools),
                };
                let order = &order;
                async move { (n, self.in_order(call, *place, consent, None, order).await) }
            });
            let own = order.effects_of(open.iter().map(|(place, _)| *place));
            let mut batch = Batch::new(each.collect(), &own, self.concurrency);
            let mut held = BTreeMap::new();
            while let Some((n, outcome)) = batch.next().await {
                let Some((place, call)) = open.get(n) else { continue };
                let result = match outcome {
                    Outcome::Done { result, .. } => result,
                    // Where nothing is written nothing fails to be.
                    Outcome::NotBegun(_) => never_run(call),
                    Outcome::Behind => continue,
                    Outcome::Held(pending) => {
                        held.insert(*place, pending);
                        continue;
                    }
                };
                if let Some(slot) = results.get_mut(*place) {
                    *slot = Some(result);
                }
            }
            drop(batch);
            for (place, pending) in held {
                let decision = if tools.contains(&pending.tool) {
                    Some(Decision::AllowTool)
                } else if self.has_given_up() {
                    // A person is not asked what no longer matters.
                    None
                } else {
                    self.patiently(self.decision_about(&pending)).await.ok()
                };
                if let Some(decision) = &decision {
                    self.decided(&pending, decision);
                }
                if decision == Some(Decision::AllowTool) {
                    tools.insert(pending.tool.clone());
                }
                decided.insert(place, (pending, decision));
            }
        }
    }

    /// Runs one call. Dropping the future cancels it.
    pub async fn call(&self, call: &ToolCall) -> ToolResult {
        self.dispatch(std::slice::from_ref(call)).await.pop().unwrap_or_else(|| never_run(call))
    }

    /// What is decided about a call outside a run, which cannot wait for anybody.
    async fn decision_about(&self, pending: &PendingCall) -> Decision {
        let asked = match &self.approver {
            Some(approver) => approver.ask(pending.clone()).await,
            None => Ok(None),
        };
        let nobody = || Decision::deny("it needs a person's approval, and there is nobody to ask");
        asked.ok().flatten().unwrap_or_else(nobody)
    }

    /// Takes a call as far as it may get now: not before the earlier ones that are in its way.
    async fn in_order(
        &self,
        call: &ToolCall,
        place: usize,
        consent: Consent<'_>,
        journal: Option<&Journal<'_>>,
        order: &Order,
    ) -> Outcome {
        let outcome = self.process(call, consent, journal, order.is_behind(place)).await;
        if !matches!(outcome, Outcome::Done { .. }) {
            order.stop(place);
        }
        outcome
    }

    /// Runs the calls that the run asks for ([`Step::Call`]), and puts each result into it as soon as it is there, so
    /// that what finished survives whatever comes next, a dropped future included. Calls that need a person are held:
    /// the run then asks for decisions ([`Step::Approve`]). Calls behind one that is held and in their way (it is exclusive,
    /// it writes what they read) wait with it, and run after it. Does nothing if the run asks for something else.
    ///
    /// Each call is marked in the run before it begins ([`Run::begun_calls`]). One that is marked already was interrupted,
    /// and becomes what [`Dispatcher::on_interrupted`] says.
    ///
    /// # Errors
    /// [`PerformError`].
    pub async fn perform(&self, run: &mut Run) -> Result<(), PerformError> {
        let refused = self.tell_refused(run);
        let Step::Call(_) = run.step() else { return refused };
        let calls: Vec<ToolCall> = run.open().cloned().collect();
        let order = Order::new(self.effects(&calls));
        let mut asked: Vec<(usize, &ToolCall, Option<PendingCall>)> = Vec::with_capacity(calls.len());
        for (place, call) in calls.iter().enumerate() {
            if run.asks_for(call) {
                asked.push((place, call, run.allowed.get(&call.id).cloned()));
            } else {
                order.stop(place);
            }
        }
        let tools: BTreeSet<String> = run.allowed_tools.clone();
        let journal = Journal::new(run, self.checkpoint.as_ref());
        let journal = &journal;
        let each = asked.iter().enumerate().map(|(n, (place, call, allowed))| {
            let consent = allowed.as_ref().map_or(Consent::Of(&tools), Consent::Given);
            let order = &order;
            async move { (n, self.perform_one(call, *place, consent, journal, order).await) }
        });
        let own = order.effects_of(asked.iter().map(|(place, ..)| *place));
        let mut batch = Batch::new(each.collect(), &own, self.concurrency);
        let (mut raised, mut unwritten): (Option<(usize, ToolError)>, Option<BoxError>) = (None, None);
        while let Some((place, (error, written))) = batch.next().await {
            if let Some(error) = error
                && raised.as_ref().is_none_or(|(first, _)| place < *first)
            {
                raised = Some((place, error));
            }
            if let Err(error) = written {
                unwritten.get_or_insert(error);
            }
        }
        if let Some(error) = unwritten {
            return Err(PerformError::Checkpoint(error));
        }
        match raised.and_then(|(place, error)| Some((asked.get(place)?, error))) {
            None => refused,
            Some(((_, call, _), error)) => Err(self.raised(call, error)),
        }
    }

    /// The failure of a call, for the caller.
    fn raised(&self, call: &ToolCall, error: ToolError) -> PerformError {
        let tools = self.tools_for(&call.name).unwrap_or(Cow::Borrowed(&self.tools));
        let tool = meant(&tools, &call.name).cloned().map(Box::new);
        let (call_id, name) = (call.id.clone(), call.name.clone());
        PerformError::Raised(Box::new(RaisedError { call_id, name, tool, error }))
    }

    /// One call of a run: the failure that the caller is to hear of, and whether what came of it is written down.
    async fn perform_one(
        &self,
        call: &ToolCall,
        place: usize,
        consent: Consent<'_>,
        journal: &Journal<'_>,
        order: &Order,
    ) -> (Option<ToolError>, Result<(), BoxError>) {
        match self.in_order(call, place, consent, Some(journal), order).await {
            Outcome::Behind => (None, journal.change(|run| run.wait_behind(&call.id)).await),
            Outcome::Held(pending) => (None, journal.change(|run| run.hold(pending)).await),
            Outcome::Done { result, raised } => (raised, journal.change(|run| run.result(result)).await),
            Outcome::NotBegun(error) => (None, Err(error)),
        }
    }

    /// Asks for the decisions that the run waits for, as far as there is somebody to ask. Says whether all are made.
    pub(crate) async fn ask_approver(&self, run: &mut Run) -> Result<bool, HostPanic> {
        let Some(approver) = &self.approver else { return Ok(false) };
        let waiting: Vec<PendingCall> = run.pending_calls().cloned().collect();
        for pending in waiting {
            if !run.pending.contains_key(&pending.call_id) {
                continue;
            }
            let Some(decision) = approver.ask(pending.clone()).await? else { return Ok(false) };
            let taken = self.decide(run, &pending.call_id, decision);
            debug_assert!(taken.is_ok(), "the run waits for this decision");
        }
        Ok(true)
    }

    /// [`Run::decide`], told to those who watch.
    pub(crate) fn decide(&self, run: &mut Run, call_id: &str, decision: Decision) -> Result<(), OutOfTurn> {
        let waiting: Vec<PendingCall> = run.pending_calls().cloned().collect();
        run.decide(call_id, decision.clone())?;
        // One decision may have been about several calls.
        for pending in waiting.iter().filter(|pending| !run.pending.contains_key(&pending.call_id)) {
            self.decided(pending, &decision);
        }
        // Limits were told of before anybody was asked, and who denied a call knows of it.
        let _ = self.tell_refused(run);
        Ok(())
    }

    /// Writes the run down, if somebody wants it.
    pub(crate) async fn write_down(&self, run: &Run) -> Result<(), BoxError> {
        match &self.checkpoint {
            Some(checkpoint) => checkpoint.write(run).await,
            None => Ok(()),
        }
    }

    fn decided(&self, pending: &PendingCall, decision: &Decision) {
        self.tell(|| AgentEvent::CallDecided {
            call_id: pending.call_id.clone(),
            name: pending.tool.clone(),
            decision: decision.clone(),
        });
    }

    /// What the calls do to each other.
    fn effects(&self, calls: &[ToolCall]) -> Vec<Effects> {
        let of = |call: &ToolCall| {
            let tools = self.tools_for(&call.name).unwrap_or(Cow::Borrowed(&self.tools));
            // What means no tool is not run.
            let Some(tool) = meant(&tools, &call.name) else { return Effects::Free };
            let ruled = self.rules.get(&tool.name).and_then(|rules| rules.effects.clone());
            ruled.unwrap_or_else(|| Effects::of(tool))
        };
        match calls {
            [] | [_] => vec![Effects::Free; calls.len()],
            calls => calls.iter().map(of).collect(),
        }
    }
}

/// The result of a call that something in its host kept from running.
fn never_run(call: &ToolCall) -> ToolResult {
    ToolResult::new(call, ToolOutput::from(&ToolError::Cancelled))
}

impl std::fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dispatcher")
            .field("tools", &self.tools)
            .field("context", &self.context)
            .field("timeout", &self.timeout)
            .field("concurrency", &self.concurrency)
            .field("approvals", &self.approvals)
            .finish_non_exhaustive()
    }
}
