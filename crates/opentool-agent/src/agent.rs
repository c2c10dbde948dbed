//! The loop: asks the model, runs its calls, appends the results, until there is an answer.
//!
//! All decisions are in [`Run`], all calling is in [`Dispatcher`]; what is left is to do what the run asks for.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use opentool_core::{ChatModel, ChatReply, ChatRequest, Message, ModelError, ToolCall, ToolContext, ToolSet};

use tokio::time::{Instant, timeout_at};

use crate::error::ModelFailure;
use crate::run::ROUNDS;
use crate::{AgentError, AgentEvent, Conversation, Dispatcher, Finish, OutOfTurn, Prompt, Reply, Run, Step};

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
#[derive(Clone)]
pub struct Agent {
    model: Arc<dyn ChatModel>,
    dispatcher: Dispatcher,
    system: Option<Arc<str>>,
    max_rounds: u32,
}

impl Agent {
    /// A model that may call these tools, and no others.
    pub fn new(model: impl ChatModel, tools: impl Into<ToolSet>) -> Self {
        Self { model: Arc::new(model), dispatcher: Dispatcher::new(tools), system: None, max_rounds: ROUNDS }
    }

    /// Sets the instructions that stand before a conversation. One that has its own keeps them.
    pub fn system(mut self, text: impl Into<Arc<str>>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Sets how many answers of the model one turn may take, at least 1. Default: 25.
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.max_rounds = rounds.max(1);
        self
    }

    /// Sets how long one call of a tool may take; `None` for no limit. Default: 60 seconds. How long the model
    /// may take is said at the model.
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.dispatcher = self.dispatcher.timeout(limit);
        self
    }

    /// Sets how many calls of one answer run at the same time, at least 1. Default: 8.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.dispatcher = self.dispatcher.concurrency(calls);
        self
    }

    /// Sets what the tools get to know of the host. Its cancellation and its deadline end runs as well. For one
    /// run only:
    /// `agent.clone().context(cx).run(..)`.
    pub fn context(mut self, context: ToolContext) -> Self {
        self.dispatcher = self.dispatcher.context(context);
        self
    }

    /// Adds someone who is told what happens, while it happens. It must not block.
    pub fn observe(mut self, observer: impl Fn(&AgentEvent) + Send + Sync + 'static) -> Self {
        self.dispatcher = self.dispatcher.observe(observer);
        self
    }

    /// The tools.
    pub fn tools(&self) -> &ToolSet {
        self.dispatcher.tools()
    }

    /// The model.
    pub fn model(&self) -> &dyn ChatModel {
        &*self.model
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

    /// A run that has not begun, with this agent's instructions and limits: to step by hand, or to store.
    pub fn start(&self, prompt: impl Into<Prompt>) -> Run {
        let run = Run::new(prompt).max_rounds(self.max_rounds);
        match &self.system {
            // A prompt without any message stays one.
            Some(text) if !run.messages().is_empty() => run.system(&**text),
            _ => run,
        }
    }

    /// Goes on with a run where it stopped: one from an error, or one that another process stored. Finished calls
    /// are not run again. One that stopped at its limit of rounds gets this agent's number of rounds more.
    ///
    /// # Errors
    /// Those of [`Agent::run`].
    pub async fn resume(&self, mut run: Run) -> Result<Reply, AgentError> {
        match self.drive(&mut run).await {
            Ok(finish) => Ok(self.finished(finish, run)),
            Err(stop) => Err(stop.with(run)),
        }
    }

    /// A conversation without a message so far.
    pub fn conversation(&self) -> Conversation {
        Conversation::new(self.clone(), Run::new(Vec::<Message>::new()))
    }

    pub(crate) fn finished(&self, finish: Finish, run: Run) -> Reply {
        let (rounds, usage) = (run.rounds(), run.usage());
        run.into_reply().unwrap_or_else(|run| Reply::new(finish, run.messages().to_vec(), rounds, usage))
    }

    /// Does what the run asks for until it is done.
    pub(crate) async fn drive(&self, run: &mut Run) -> Result<Finish, Stop> {
        if run.messages().is_empty() {
            return Err(Stop::EmptyPrompt);
        }
        if run.step() == Step::Done(Finish::RoundLimit) {
            run.allow(self.max_rounds);
        }
        loop {
            match run.step() {
                Step::Done(finish) => {
                    let (rounds, usage) = (run.rounds(), run.usage());
                    self.dispatcher.tell(|| AgentEvent::Finished { finish, rounds, usage });
                    return if finish == Finish::RoundLimit { Err(Stop::RoundLimit) } else { Ok(finish) };
                }
                Step::Ask(messages) => {
                    let round = run.rounds().saturating_add(1);
                    self.dispatcher.tell(|| AgentEvent::RoundStarted { round });
                    let reply = self.ask(messages).await?;
                    let text = reply.message.to_text();
                    run.answer(reply, self.tools())?;
                    if !text.is_empty() {
                        self.dispatcher.tell(|| AgentEvent::Text { text });
                    }
                }
                Step::Call(calls) => {
                    let calls: Vec<ToolCall> = calls.into_iter().cloned().collect();
                    let mut results = pin!(self.dispatcher.as_they_finish(&calls));
                    // Each result is in the run at once: what finished survives whatever comes next.
                    while let Some(result) = results.next().await {
                        run.result(result)?;
                    }
                }
            }
        }
    }

    async fn ask(&self, messages: &[Message]) -> Result<ChatReply, Stop> {
        let cx = self.dispatcher.host();
        if cx.cancel_signal().is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let deadline = cx.ends_at().map(Instant::from_std);
        if deadline.is_some_and(|at| at <= Instant::now()) {
            return Err(Stop::TimedOut);
        }
        let asking = async {
            let asking = self.model.reply(ChatRequest::new(messages, self.tools()));
            match deadline {
                Some(at) => timeout_at(at, asking).await.map_err(|_| Stop::TimedOut)?,
                None => asking.await,
            }
            .map_err(Stop::Model)
        };
        match select(pin!(asking), cx.cancel_signal().cancelled()).await {
            Either::Left((reply, _)) => reply,
            Either::Right(((), _)) => Err(Stop::Cancelled),
        }
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("model", &self.model.name())
            .field("dispatcher", &self.dispatcher)
            .field("max_rounds", &self.max_rounds)
            .finish_non_exhaustive()
    }
}

/// Why the driving stopped before the run was done.
pub(crate) enum Stop {
    Model(ModelError),
    RoundLimit,
    Cancelled,
    TimedOut,
    EmptyPrompt,
    OutOfTurn(OutOfTurn),
}

impl Stop {
    pub(crate) fn with(self, run: Run) -> AgentError {
        match self {
            Self::Model(error) => AgentError::Model(Box::new(ModelFailure::new(error, run))),
            Self::RoundLimit => AgentError::RoundLimit(Box::new(run)),
            Self::Cancelled => AgentError::Cancelled(Box::new(run)),
            Self::TimedOut => AgentError::TimedOut(Box::new(run)),
            Self::EmptyPrompt => AgentError::EmptyPrompt,
            Self::OutOfTurn(error) => error.into(),
        }
    }
}

impl From<OutOfTurn> for Stop {
    fn from(error: OutOfTurn) -> Self {
        Self::OutOfTurn(error)
    }
}
