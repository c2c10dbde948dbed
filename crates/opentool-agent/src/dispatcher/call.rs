//! What happens to one call, from the name that the model wrote to the result that it reads.
//!
//! The order is fixed: find the tool, read and validate the arguments, judge the call, run it (again, if a rule says
//! so), convert and bound its output, decide who hears of a failure. Where nobody watches and no rule judges, the
//! arguments are validated once, on the way into the tool.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use opentool_core::{
    Arguments, BoxError, Failure, ToolCall, ToolDefinition, ToolError, ToolOutput, ToolResult, ToolSet,
};
use opentool_schema::{Change, RepairPolicy, Stage, ToolSetExt as _};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout_at};
use tracing::Instrument as _;

use super::Dispatcher;
use crate::agent_tool::{TURN, spent};
use crate::checkpoint::Journal;
use crate::event::CallFailure;
use crate::guard::guarded;
use crate::meant::meant;
use crate::results::{Words, fit};
use crate::spans::{self, Asked};
use crate::{
    AgentError, AgentEvent, CallRequest, ErrorClass, HostPanic, OnError, OnInterrupted, PendingCall,
    PerformError, Run, ToolRules, Verdict,
};

/// The key of an output's host-only metadata for what was changed in the arguments.
const CHANGES: &str = "arguments.changes";

/// Why a person is asked about a call that had begun.
const INTERRUPTED: &str = "it had begun when the run was interrupted, and may have done its work already";

/// What a person has said about a call.
#[derive(Default)]
pub(super) enum Consent<'a> {
    /// Nothing.
    #[default]
    None,
    /// Nothing about the call, but they allowed the tools of these names.
    Of(&'a BTreeSet<String>),
    /// It may run as it was shown.
    Given(&'a PendingCall),
    /// It may not, for this reason.
    Denied(String),
    /// Nothing, and the host does not wait for it any more.
    NoTime,
}

/// What became of a call.
pub(super) enum Outcome {
    /// It has its result. A failure that the caller is to hear of is beside it.
    Done { result: ToolResult, raised: Option<ToolError> },
    /// A person has to decide first. Nothing was run.
    Held(PendingCall),
    /// It would run, but not before an earlier one that is not run now.
    Behind,
    /// It could not be written down that it begins, so that it did not.
    NotBegun(BoxError),
}

/// A call that is understood.
struct Prepared<'a> {
    tools: Cow<'a, ToolSet>,
    call: Cow<'a, ToolCall>,
    changes: Vec<Change>,
}

impl Dispatcher {
    /// Takes the call as far as it gets.
    pub(super) async fn process(
        &self,
        call: &ToolCall,
        consent: Consent<'_>,
        journal: Option<&Journal<'_>>,
        is_behind: bool,
    ) -> Outcome {
        let started = Instant::now();
        let doubt =
            journal.filter(|journal| journal.is_doubtful(call)).map(|_| self.doubt_about(call, &consent));
        let mut prepared = match doubt {
            Some(OnInterrupted::Tell) => Err(ToolError::Interrupted),
            doubt => self.prepare(call, &consent, doubt),
        };
        if let Ok(understood) = &prepared {
            let judged = match doubt {
                Some(OnInterrupted::Ask) => {
                    Ok(Some(PendingCall { interrupted: true, ..understood.pending(call, INTERRUPTED) }))
                }
                _ => self.judge(call, understood, &consent),
            };
            match judged {
                Ok(None) => {}
                Ok(Some(pending)) => {
                    self.tell(|| AgentEvent::ApprovalNeeded { pending: pending.clone() });
                    return Outcome::Held(pending);
                }
                Err(refused) => prepared = Err(refused),
            }
        }
        if is_behind && prepared.is_ok() {
            return Outcome::Behind;
        }
        if let (Ok(_), Some(journal)) = (&prepared, journal)
            && let Err(error) = journal.begin(call).await
        {
            return Outcome::NotBegun(error);
        }
        if !matches!(consent, Consent::Denied(_) | Consent::NoTime) {
            self.tell(|| AgentEvent::CallStarted {
                call_id: call.id.clone(),
                name: call.name.clone(),
                arguments: readable(&call.arguments),
            });
        }
        let known = || meant(&self.tools, &call.name);
        let asked = Asked { id: &call.id, name: &call.name };
        let tool = prepared.as_ref().ok().and_then(Prepared::tool).or_else(known);
        let open = spans::execute_tool(&self.spans, &asked, tool);
        let words = Words::of(tool);
        let span = open.span();
        let result = match &prepared {
            Ok(prepared) => {
                if self.spans.records_on(&span) {
                    spans::record_arguments(&self.spans, &span, &readable(&prepared.call.arguments));
                }
                if self.is_watched() {
                    self.tell_validated(prepared);
                }
                self.run(prepared).instrument(span.clone()).await
            }
            Err(_) => Err(ToolError::Cancelled),
        };
        // Of a call that was not understood only the reason is left.
        let (name, result) = match prepared {
            Ok(prepared) => (prepared.call.name.clone(), result),
            Err(error) => (call.name.clone(), Err(error)),
        };
        spans::executed(&self.spans, open, &result);
        self.finish(call, &name, result, words, started)
    }

    /// Finds the tool and validates the arguments, as far as somebody has to know before it runs.
    fn prepare<'a>(
        &'a self,
        call: &'a ToolCall,
        consent: &Consent<'_>,
        doubt: Option<OnInterrupted>,
    ) -> Result<Prepared<'a>, ToolError> {
        match consent {
            // What was shown is what runs, whatever became of the policies meanwhile.
            Consent::Given(pending) => {
                let call = pending.to_call();
                let tools = self.tools_for(&call.name)?;
                return Ok(Prepared { tools, call: Cow::Owned(call), changes: Vec::new() });
            }
            Consent::Denied(reason) => return Err(ToolError::Refused(reason.as_str().into())),
            Consent::NoTime if self.context.cancel_signal().is_cancelled() => {
                return Err(ToolError::Cancelled);
            }
            Consent::NoTime => return Err(ToolError::TimedOut(Duration::ZERO)),
            Consent::None | Consent::Of(_) => {}
        }
        let tools = self.tools_for(&call.name)?;
        let is_looked_at = !self.approvals.is_empty() || self.is_watched() || doubt.is_some();
        if !is_looked_at && tools.contains(&call.name) {
            return Ok(Prepared { tools, call: Cow::Borrowed(call), changes: Vec::new() });
        }
        let usual = RepairPolicy::default();
        let (arguments, changes) = tools.take(call, self.context.get().unwrap_or(&usual))?;
        let named = changes.iter().find(|change| change.stage == Stage::Name);
        let name = named.and_then(|change| change.after.as_ref()?.as_str()).unwrap_or(&call.name);
        let call = ToolCall::new(call.id.as_str(), name, Value::Object(arguments.into_map()));
        Ok(Prepared { tools, call: Cow::Owned(call), changes })
    }

    /// The tools of the request, or those of a resolver for this name.
    pub(super) fn tools_for(&self, name: &str) -> Result<Cow<'_, ToolSet>, ToolError> {
        if self.tools.contains(name) {
            return Ok(Cow::Borrowed(&self.tools));
        }
        let resolved =
            guarded("a resolver", || self.resolvers.resolve(name)).map_err(HostPanic::before_the_call)?;
        Ok(resolved.map_or(Cow::Borrowed(&self.tools), Cow::Owned))
    }

    /// What becomes of a call that had begun, and whose result is not there.
    fn doubt_about(&self, call: &ToolCall, consent: &Consent<'_>) -> OnInterrupted {
        let name = match consent {
            Consent::Given(pending) => &pending.tool,
            _ => &call.name,
        };
        let tools = self.tools_for(name).unwrap_or(Cow::Borrowed(&self.tools));
        let tool = meant(&tools, name);
        let ruled = self.rules.get(tool.map_or(name, |tool| &tool.name)).and_then(|rules| rules.interrupted);
        ruled.unwrap_or(self.on_interrupted).settle(tool)
    }

    /// Whether the call may run: `None`, or what a person has to decide about.
    fn judge(
        &self,
        written: &ToolCall,
        prepared: &Prepared<'_>,
        consent: &Consent<'_>,
    ) -> Result<Option<PendingCall>, ToolError> {
        let Some(tool) = prepared.tool() else { return Ok(None) };
        if !tool.needs.is_empty()
            && let Err(missing) = self.context.check_needs(tool)
        {
            let told = "the tool is not set up; its operator has the details";
            return Err(Failure::new(told).source(missing).into());
        }
        if self.approvals.is_empty() || matches!(consent, Consent::Given(_)) {
            return Ok(None);
        }
        let arguments = prepared.arguments();
        let request = CallRequest {
            call: written,
            tool,
            arguments: &arguments,
            changes: &prepared.changes,
            context: &self.context,
        };
        // A rule that cannot say whether a call may run has not said that it may.
        let verdict = guarded("a rule of approval", || self.approvals.verdict(&request))
            .map_err(HostPanic::before_the_call)?;
        match verdict {
            Verdict::Allow => Ok(None),
            Verdict::Deny(why) => Err(ToolError::Refused(why.into())),
            Verdict::Ask(_) if matches!(consent, Consent::Of(tools) if tools.contains(&tool.name)) => {
                Ok(None)
            }
            Verdict::Ask(reason) => Ok(Some(prepared.pending(written, reason))),
        }
    }

    /// Runs the tool, again where a rule says so.
    async fn run(&self, prepared: &Prepared<'_>) -> Result<ToolOutput, ToolError> {
        let call = &*prepared.call;
        let rules = self.rules.get(&call.name);
        let _slot = match rules.and_then(|rules| rules.slots.as_ref()) {
            Some(slots) => self.patiently(slots.acquire()).await?.ok(),
            None => None,
        };
        let limit = rules.and_then(|rules| rules.timeout).unwrap_or(self.timeout);
        let mut attempt = 1_u32;
        let output = loop {
            let error = match (self.attempt(&prepared.tools, call, limit).await, rules) {
                (Ok(output), _) => break output,
                (Err(error), Some(rules)) if attempt <= rules.retries && worth_another(rules, &error)? => {
                    let factor = 2_u32.saturating_pow(attempt.saturating_sub(1));
                    let wait = rules.wait.saturating_mul(factor);
                    if !wait.is_zero() {
                        self.patiently(sleep(wait)).await?;
                    }
                    error
                }
                (Err(error), _) => return Err(error),
            };
            attempt = attempt.saturating_add(1);
            self.tell(|| AgentEvent::CallRetried {
                call_id: call.id.clone(),
                name: call.name.clone(),
                attempt,
                failure: CallFailure::new(&error),
            });
        };
        self.converted(output, prepared, rules)
    }

    fn converted(
        &self,
        output: ToolOutput,
        prepared: &Prepared<'_>,
        rules: Option<&ToolRules>,
    ) -> Result<ToolOutput, ToolError> {
        let spent = output.metadata.get(TURN).cloned();
        let mut output = match rules.and_then(|rules| rules.convert.as_ref()) {
            // What was not converted may hold what the host wanted out of it.
            Some(convert) => guarded("a converter", || convert(output)).map_err(|panic| {
                let told = "the tool did its work, but its result could not be prepared; its operator has the details";
                ToolError::from(Failure::new(told).source(panic))
            })?,
            None => output,
        };
        if let Some(spent) = spent {
            // What was made of the result is another matter than what it took.
            output.metadata.entry(TURN).or_insert(spent);
        }
        let limit = rules.and_then(|rules| rules.result_limit).unwrap_or(self.result_limit);
        let output = fit(output, Words::of(prepared.tool()), limit);
        if prepared.changes.is_empty() {
            return Ok(output);
        }
        Ok(output.metadata(CHANGES, prepared.changes.iter().map(Value::from).collect::<Value>()))
    }

    /// Whether the host gave up, or its time is over.
    pub(super) fn has_given_up(&self) -> bool {
        let is_over = |at: std::time::Instant| Instant::from_std(at) <= Instant::now();
        self.context.cancel_signal().is_cancelled() || self.context.ends_at().is_some_and(is_over)
    }

    /// Waits before a call begins, unless the host gives up or has no time for it.
    pub(super) async fn patiently<T>(&self, waiting: impl Future<Output = T>) -> Result<T, ToolError> {
        let started = Instant::now();
        let waiting = async {
            match self.context.ends_at().map(Instant::from_std) {
                None => Ok(waiting.await),
                Some(at) => timeout_at(at, waiting)
                    .await
                    .map_err(|_| ToolError::TimedOut(at.saturating_duration_since(started))),
            }
        };
        match select(pin!(waiting), self.context.cancel_signal().cancelled()).await {
            Either::Left((waited, _)) => waited,
            Either::Right(((), _)) => Err(ToolError::Cancelled),
        }
    }

    /// The result, told to those who watch, and to the caller where the policy says so.
    fn finish(
        &self,
        call: &ToolCall,
        tool: &str,
        result: Result<ToolOutput, ToolError>,
        words: Words,
        started: Instant,
    ) -> Outcome {
        let (output, failure, raised) = match result {
            Ok(output) => (output, None, None),
            Err(error) => {
                let (then, error) = self.judged(tool, error);
                let (told, words) = match &then {
                    OnError::TellAs(text) => (text.clone(), Words::Own),
                    _ => (error.for_model(), words),
                };
                let output = if told.trim().is_empty() {
                    ToolOutput::error(format!("the tool `{tool}` failed and did not say why"))
                } else {
                    ToolOutput::error(told)
                };
                let mut output = fit(output.metadata("error.code", error.code()), words, self.result_limit);
                if let Some(run) = error.cause::<AgentError>().and_then(AgentError::run) {
                    // An agent that came to no answer has had its tokens all the same.
                    output = output.metadata(TURN, spent(run.rounds(), run.usage(), run.inner_usage()));
                }
                let failure = self.is_watched().then(|| CallFailure::new(&error));
                (output, failure, (then == OnError::Raise).then_some(error))
            }
        };
        self.tell(|| AgentEvent::CallFinished {
            call_id: call.id.clone(),
            name: call.name.clone(),
            output: output.clone(),
            failure,
            duration: started.elapsed(),
        });
        Outcome::Done { result: ToolResult::new(call, output), raised }
    }

    /// What becomes of a failure. Whom a policy that panicked would have told nobody knows: the caller hears of it.
    fn judged(&self, tool: &str, error: ToolError) -> (OnError, ToolError) {
        match guarded("a policy of errors", || self.on_error(tool, &error)) {
            Ok(then) => (then, error),
            Err(panic) => (OnError::Raise, Failure::new(error.for_model()).source(panic).into()),
        }
    }

    /// Tells of the calls whose results the run made itself: those that a limit or a person refused. Who hears of a limit, and
    /// in which words, is the policy's to say.
    ///
    /// # Errors
    /// The first that the policy gives to the caller.
    pub(crate) fn tell_refused(&self, run: &mut Run) -> Result<(), PerformError> {
        let mut raised = Ok(());
        for id in std::mem::take(&mut run.untold) {
            let Some((call, mut output)) = run.result_of(&id) else { continue };
            let is_limit = output.metadata.get("error.code").is_some_and(|code| code == "limit_reached");
            let detail = output.to_text();
            let why = detail.as_str().into();
            let tool = meant(&self.tools, &call.name);
            let (then, error) = match is_limit {
                true => self.judged(tool.map_or(&call.name, |tool| &tool.name), ToolError::LimitReached(why)),
                false => (OnError::Tell, ToolError::Refused(why)),
            };
            if let OnError::TellAs(text) = &then {
                output = ToolOutput::error(text.as_str()).metadata("error.code", error.code());
                run.reword(&id, output.clone());
            }
            let open = spans::execute_tool(&self.spans, &Asked { id: &call.id, name: &call.name }, tool);
            let code = error.code();
            let failed = Err(error);
            spans::executed(&self.spans, open, &failed);
            self.tell(|| AgentEvent::CallFinished {
                call_id: call.id.clone(),
                name: call.name.clone(),
                output,
                failure: Some(CallFailure { code, detail }),
                duration: Duration::ZERO,
            });
            if let (OnError::Raise, Err(error), Ok(())) = (then, failed, &raised) {
                raised = Err(self.raised(&call, error));
            }
        }
        raised
    }

    fn on_error(&self, tool: &str, error: &ToolError) -> OnError {
        if self.errors.always_raises(error) {
            return OnError::Raise;
        }
        let class = ErrorClass::of(error);
        let own = self.rules.get(tool).and_then(|rules| {
            rules.errors.iter().find(|(ruled, _)| *ruled == class).map(|(_, then)| then.clone())
        });
        own.unwrap_or_else(|| self.errors.decide(tool, error))
    }

    fn tell_validated(&self, prepared: &Prepared<'_>) {
        let Value::Object(arguments) = &prepared.call.arguments else { return };
        self.tell(|| AgentEvent::CallValidated {
            call_id: prepared.call.id.clone(),
            name: prepared.call.name.clone(),
            arguments: arguments.clone().into(),
            changes: prepared.changes.iter().map(Value::from).collect(),
        });
    }
}

impl Prepared<'_> {
    fn arguments(&self) -> Arguments {
        match &self.call.arguments {
            Value::Object(members) => Arguments::from(members.clone()),
            _ => Arguments::new(),
        }
    }

    /// The call, to be decided about by a person.
    fn pending(&self, written: &ToolCall, reason: impl Into<String>) -> PendingCall {
        PendingCall {
            call_id: written.id.clone(),
            tool: self.call.name.clone(),
            arguments: self.arguments(),
            reason: reason.into(),
            interrupted: false,
            changes: self.changes.iter().map(Value::from).collect(),
        }
    }

    fn tool(&self) -> Option<&ToolDefinition> {
        self.tools.get(&self.call.name).map(|tool| tool.definition())
    }
}

/// Whether the host wants a failed call made again.
fn worth_another(rules: &ToolRules, error: &ToolError) -> Result<bool, ToolError> {
    guarded("a rule of retries", || rules.is_worth_another(error))
        .map_err(|panic| Failure::new(error.for_model()).source(panic).into())
}

/// Arguments as a person wants to see them.
fn readable(arguments: &Value) -> Value {
    match arguments {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| arguments.clone()),
        other => other.clone(),
    }
}
