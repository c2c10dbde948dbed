//! An agent: a model, tools, and what a host says about both.
//!
//! What is decided is in [`Run`], what is called in [`Dispatcher`]; the loop between them is in `drive.rs`. An agent is
//! a value whose clones are cheap: settings for one request are those of a clone.

use std::sync::Arc;
use std::time::Duration;

use opentool_core::{
    BoxError, ChatModel, Message, NameClash, ParallelCalls, Strict, ToolChoice, ToolContext, ToolSet,
};

use crate::structured::REPAIRS;
use crate::{
    AgentError, AgentEvent, Approvals, Conversation, Decision, Dispatcher, ErrorPolicy, HistoryLimit, Limits,
    OnInterrupted, PendingCall, Prompt, Reply, Resolver, Run, RunStream, StopWhen, ToolRules,
};

/// A model with tools. Clones are cheap, and many runs can share one agent.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use opentool_agent::{Agent, chat};
/// use opentool_core::{ToolSet, tool_fn};
/// use serde_json::json;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Place { city: String }
///
/// let weather = tool_fn("weather", "Current weather of a city.", async |place: Place| {
///     Ok::<_, std::io::Error>(format!("rain in {}", place.city))
/// });
/// let model = chat::script()
///     .calls([("weather", json!({"city": "Paris"}))])
///     .text("Yes, take an umbrella.");
///
/// let agent = Agent::new(model, ToolSet::from_tools([weather])?);
/// let reply = agent.run("Do I need an umbrella in Paris?").await?;
/// assert_eq!(reply.to_string(), "Yes, take an umbrella.");
/// assert_eq!(reply.messages.len(), 4);
/// # Ok(())
/// # }
/// ```
///
/// Settings hold for every run of the agent. For one run, change a clone:
/// `agent.clone().extend_context(cx).tool_choice(ToolChoice::Required).run("…")`.
#[derive(Clone)]
pub struct Agent {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) system: Option<Arc<str>>,
    pub(crate) settings: Arc<Settings>,
    /// Somebody reads the events one by one: the run waits for them.
    pub(crate) paced: bool,
}

/// What is said about the turns of an agent.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) limits: Limits,
    pub(crate) turn_timeout: Option<Duration>,
    pub(crate) tool_choice: ToolChoice,
    pub(crate) parallel_calls: ParallelCalls,
    pub(crate) strict: Strict,
    pub(crate) stop_when: Vec<StopWhen>,
    pub(crate) history: Option<HistoryLimit>,
    pub(crate) answer_repairs: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::new(),
            turn_timeout: None,
            tool_choice: ToolChoice::Auto,
            parallel_calls: ParallelCalls::Any,
            strict: Strict::Never,
            stop_when: Vec::new(),
            history: None,
            answer_repairs: REPAIRS,
        }
    }
}

impl Agent {
    /// A model that may call these tools, and no others.
    pub fn new(model: impl ChatModel, tools: impl Into<ToolSet>) -> Self {
        Self {
            model: Arc::new(model),
            dispatcher: Dispatcher::new(tools),
            system: None,
            settings: Arc::default(),
            paced: false,
        }
    }

    /// Sets the instructions that stand before a conversation. One that has its own keeps them.
    pub fn system(mut self, text: impl Into<Arc<str>>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Sets the tools, in place of those that the agent has.
    pub fn replace_tools(self, tools: impl Into<ToolSet>) -> Self {
        self.dispatching(|dispatcher| dispatcher.replace_tools(tools))
    }

    /// Adds tools to those that the agent has.
    ///
    /// # Errors
    /// [`NameClash`] if it has one of the same name.
    pub fn extend_tools(self, tools: impl Into<ToolSet>) -> Result<Self, NameClash> {
        let tools = self.tools().clone().merge(tools)?;
        Ok(self.replace_tools(tools))
    }

    /// Adds a place to look for tools that the model was not told of: [`Dispatcher::resolver`].
    pub fn resolver(self, resolver: impl Resolver) -> Self {
        self.dispatching(|dispatcher| dispatcher.resolver(resolver))
    }

    /// Sets whether the model may, must, or must not call tools. Default: it decides.
    ///
    /// What it *must* call holds for the first answer of a turn; from then on it decides, among the same tools, because
    /// it could else never come to an end.
    pub fn tool_choice(self, choice: ToolChoice) -> Self {
        self.setting(|settings| settings.tool_choice = choice)
    }

    /// Sets how many calls an answer may hold. Default: what the provider does by itself.
    pub fn parallel_calls(self, calls: ParallelCalls) -> Self {
        self.setting(|settings| settings.parallel_calls = calls)
    }

    /// Sets whether arguments are held to their schema while they are written. Default: no.
    pub fn strict(self, strict: Strict) -> Self {
        self.setting(|settings| settings.strict = strict)
    }

    /// Sets how much one turn may take.
    pub fn limits(self, limits: Limits) -> Self {
        self.setting(|settings| settings.limits = limits)
    }

    /// Sets how many answers of the model one turn may take, at least 1. Default: 25. Others: [`Agent::limits`].
    pub fn max_rounds(self, rounds: u32) -> Self {
        self.setting(|settings| settings.limits = std::mem::take(&mut settings.limits).rounds(rounds))
    }

    /// Adds a rule that ends a turn although the model would go on. It is no error: [`crate::Finish::Stopped`].
    pub fn stop_when(self, rule: StopWhen) -> Self {
        self.setting(|settings| settings.stop_when.push(rule))
    }

    /// Sets how much of a conversation the model is sent. Default: all.
    pub fn history(self, limit: HistoryLimit) -> Self {
        self.setting(|settings| settings.history = Some(limit))
    }

    /// Sets how often [`Agent::run_as`] sends a wrong answer back. Default: 3.
    pub fn answer_repairs(self, times: u32) -> Self {
        self.setting(|settings| settings.answer_repairs = times)
    }

    /// Sets how long one turn may take: the model, the tools, and whoever is asked meanwhile; a run that ran out of time
    /// waits for decisions as one that was suspended does. `None` for no limit, which is the default. A
    /// deadline in the context holds as well.
    pub fn turn_timeout(self, limit: impl Into<Option<Duration>>) -> Self {
        let limit = limit.into();
        self.setting(|settings| settings.turn_timeout = limit)
    }

    /// Sets how long one call of a tool may take; `None` for no limit. Default: 60 seconds. How long the model
    /// may take is said at the model.
    pub fn timeout(self, limit: impl Into<Option<Duration>>) -> Self {
        self.dispatching(|dispatcher| dispatcher.timeout(limit))
    }

    /// Sets how many calls of one answer run at the same time, at least 1. Default: 8; tools that only wait can take 100.
    /// With 1 they run one after the other.
    pub fn concurrency(self, calls: usize) -> Self {
        self.dispatching(|dispatcher| dispatcher.concurrency(calls))
    }

    /// Sets how many bytes of a tool's result the model gets: [`Dispatcher::result_limit`].
    pub fn result_limit(self, bytes: impl Into<Option<usize>>) -> Self {
        self.dispatching(|dispatcher| dispatcher.result_limit(bytes))
    }

    /// Sets what holds for the tool of this name, beyond what holds for all.
    pub fn rules(self, tool: impl Into<String>, rules: ToolRules) -> Self {
        self.dispatching(|dispatcher| dispatcher.rules(tool, rules))
    }

    /// Sets which calls run, which do not, and about which a person is asked. Default: all run.
    pub fn approvals(self, approvals: Approvals) -> Self {
        self.dispatching(|dispatcher| dispatcher.approvals(approvals))
    }

    /// Sets who decides while the run waits: [`Dispatcher::approver`].
    pub fn approver<F, Fut>(self, ask: F) -> Self
    where
        F: Fn(PendingCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Option<Decision>> + Send + 'static,
    {
        self.dispatching(|dispatcher| dispatcher.approver(ask))
    }

    /// Sets who hears of failed calls. Default: the model.
    pub fn errors(self, policy: ErrorPolicy) -> Self {
        self.dispatching(|dispatcher| dispatcher.errors(policy))
    }

    /// Sets where a run is written down while it goes on, so that another process can go on with it whatever happens to this
    /// one: after each answer, before each call begins, after each result and each decision. The run waits until it is
    /// written; if it cannot be, it stops with [`AgentError::Checkpoint`].
    ///
    /// ```no_run
    /// # use opentool_agent::{Agent, Run};
    /// # async fn f(agent: Agent) -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = agent.checkpoint(|run| {
    ///     let json = serde_json::to_vec(run);
    ///     async move {
    ///         // As a whole or not at all: half a run is none.
    ///         std::fs::write("run.new", json?)?;
    ///         std::fs::rename("run.new", "run.json")
    ///     }
    /// });
    /// // In the next process:
    /// let run: Run = serde_json::from_slice(&std::fs::read("run.json")?)?;
    /// let reply = agent.resume(run).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A call that had begun and has no result may have done its work: what becomes of it is
    /// [`Agent::on_interrupted`]'s to say.
    pub fn checkpoint<F, Fut, E>(self, write: F) -> Self
    where
        F: Fn(&Run) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.dispatching(|dispatcher| dispatcher.checkpoint(write))
    }

    /// Sets what becomes of calls that had begun when their run was interrupted, and have no result. Default:
    /// [`OnInterrupted::AgainIfHarmless`]; single tools: [`ToolRules::on_interrupted`].
    pub fn on_interrupted(self, then: OnInterrupted) -> Self {
        self.dispatching(|dispatcher| dispatcher.on_interrupted(then))
    }

    /// Sets what the tools get to know of the host. Its cancellation and its deadline end runs as well.
    pub fn context(self, context: ToolContext) -> Self {
        self.dispatching(|dispatcher| dispatcher.context(context))
    }

    /// Adds to what the tools get to know of the host; what is said later wins, key by key. For one run only:
    /// `agent.clone().extend_context(cx).run(..)`.
    pub fn extend_context(self, context: ToolContext) -> Self {
        self.dispatching(|dispatcher| dispatcher.extend_context(context))
    }

    /// Adds someone who is told what happens, while it happens. It must not block.
    pub fn observe(self, observer: impl Fn(&AgentEvent) + Send + Sync + 'static) -> Self {
        self.dispatching(|dispatcher| dispatcher.observe(observer))
    }

    /// The tools.
    pub fn tools(&self) -> &ToolSet {
        self.dispatcher.tools()
    }

    /// The model.
    pub fn model(&self) -> &dyn ChatModel {
        &*self.model
    }

    /// What runs the calls.
    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// Runs a turn: from what a person said to an answer. Dropping the future cancels what is going on.
    ///
    /// The prompt may be a whole conversation ([`Message`]s, those of an earlier [`Reply`] for example) that ends
    /// with what is to be answered. To keep talking, see [`Agent::conversation`].
    ///
    /// # Errors
    /// [`AgentError`], with everything that was done so far. A tool that fails is no error: the model reads it.
    pub async fn run(&self, prompt: impl Into<Prompt> + Send) -> Result<Reply, AgentError> {
        self.resume(self.start(prompt)).await
    }

    /// Runs a turn and tells what happens as it comes: the model's words, its calls, their results, and at the end the
    /// reply.
    ///
    /// ```
    /// # use futures_util::StreamExt as _;
    /// # use opentool_agent::{Agent, AgentEvent, chat};
    /// # use opentool_core::ToolSet;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), opentool_agent::AgentError> {
    /// # let agent = Agent::new(chat::script().text("Rain."), ToolSet::new());
    /// let mut events = agent.stream("What is the weather?");
    /// while let Some(event) = events.next().await {
    ///     match event? {
    ///         AgentEvent::TextDelta { text } => print!("{text}"),
    ///         AgentEvent::CallStarted { name, .. } => println!("[{name}]"),
    ///         AgentEvent::Done { reply } => assert_eq!(reply.text, "Rain."),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(&self, prompt: impl Into<Prompt>) -> RunStream {
        self.resume_stream(self.start(prompt))
    }

    /// [`Agent::resume`], told as it comes.
    pub fn resume_stream(&self, run: Run) -> RunStream {
        RunStream::new(self.clone(), run)
    }

    /// A run that has not begun, with this agent's instructions and limits: to step by hand, or to store.
    pub fn start(&self, prompt: impl Into<Prompt>) -> Run {
        let run = Run::new(prompt).limits(self.settings.limits.clone());
        match &self.system {
            // A prompt without any message stays one.
            Some(text) if !run.messages().is_empty() => run.system(&**text),
            _ => run,
        }
    }

    /// Goes on with a run where it stopped: one from an error, or one that another process stored. Finished calls
    /// are not run again, and what becomes of those that had begun is [`Agent::on_interrupted`]'s to say. One that stopped at a limit, or by [`Agent::stop_when`], gets this agent's number of rounds
    /// more, and its calls are counted anew.
    ///
    /// # Errors
    /// Those of [`Agent::run`].
    pub async fn resume(&self, mut run: Run) -> Result<Reply, AgentError> {
        match self.drive(&mut run).await {
            Ok(finish) => Ok(finished(finish, run)),
            Err(stop) => Err(stop.with(run)),
        }
    }

    /// A conversation without a message so far.
    pub fn conversation(&self) -> Conversation {
        Conversation::new(self.clone(), Run::new(Vec::<Message>::new()))
    }

    fn dispatching(mut self, change: impl FnOnce(Dispatcher) -> Dispatcher) -> Self {
        self.dispatcher = change(self.dispatcher);
        self
    }

    fn setting(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(Arc::make_mut(&mut self.settings));
        self
    }
}

/// The reply of a run that is done.
pub(crate) fn finished(finish: crate::Finish, run: Run) -> Reply {
    let (rounds, usage) = (run.rounds(), run.usage());
    run.into_reply().unwrap_or_else(|run| Reply::new(finish, run.messages().to_vec(), rounds, usage))
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("model", &self.model.name())
            .field("dispatcher", &self.dispatcher)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
