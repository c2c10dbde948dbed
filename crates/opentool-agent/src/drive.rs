//! The loop: asks the model, runs its calls, appends the results, until there is an answer.
//!
//! All decisions are in [`Run`], all calling is in [`crate::Dispatcher`]; what is left is to do what the run asks for.
//! The model is asked piece by piece where somebody watches, and at once where nobody does: the answer is the same.

use std::borrow::Cow;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use opentool_core::{
    BoxError, ChatReply, ChatRequest, Message, MissingContext, ModelError, ReplyEvent, ToolChoice,
    ToolContext,
};
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;

use crate::error::{ModelFailure, ToolFailure};
use crate::guard::{guarded, guarded_future};
use crate::spans;
use crate::{
    Agent, AgentError, AgentEvent, Finish, HostPanic, OutOfTurn, PerformError, RaisedError, Run, Step,
    TurnState,
};

impl Agent {
    /// Does what the run asks for until it is done.
    pub(crate) async fn drive(&self, run: &mut Run) -> Result<Finish, Stop> {
        let open = spans::invoke_agent(self, run);
        let result = self.drive_in_time(run).instrument(open.span()).await;
        spans::invoked(self, open, run, &result);
        result
    }

    async fn drive_in_time(&self, run: &mut Run) -> Result<Finish, Stop> {
        if run.messages().is_empty() {
            return Err(Stop::EmptyPrompt);
        }
        let started = Instant::now();
        let ends = self.settings.turn_timeout.and_then(|limit| started.checked_add(limit));
        let mut own = Cow::Borrowed(self);
        if let Some(ends) = ends {
            own = Cow::Owned(self.clone().extend_context(ToolContext::new().deadline(ends.into_std())));
        }
        if !self.dispatcher.is_watched() {
            return own.drive_from(run, started).await;
        }
        let mut own = own.into_owned();
        own.dispatcher.observers = own.dispatcher.observers.of_a_run();
        let finish = own.drive_from(run, started).await?;
        own.check_observers().map(|()| finish)
    }

    /// Whether all who watch could take what they were told.
    fn check_observers(&self) -> Result<(), Stop> {
        match self.dispatcher.observers.panicked() {
            None => Ok(()),
            Some(panic) => Err(Stop::HostPanicked(panic.clone())),
        }
    }

    async fn drive_from(&self, run: &mut Run, started: Instant) -> Result<Finish, Stop> {
        for tool in self.tools().definitions() {
            self.dispatcher.host().check_needs(tool).map_err(Stop::MissingContext)?;
        }
        // Whoever goes on with a turn that a rule ended wants it to go on.
        let mut goes_on = false;
        if let Step::Done(Finish::RoundLimit | Finish::CallLimit | Finish::Stopped) = run.step() {
            goes_on = true;
            run.allow(self.settings.limits.rounds);
        }
        self.write_down(run).await?;
        loop {
            self.pace().await;
            self.check_observers()?;
            // Where calls are to be run, it is told with them, so that they have their results first.
            if !run.untold.is_empty() && !matches!(run.step(), Step::Call(_)) {
                self.dispatcher.tell_refused(run)?;
            }
            match run.step() {
                Step::Done(finish) => return self.done(run, finish),
                Step::Ask(_) => {
                    if !std::mem::take(&mut goes_on) && self.is_enough(run, started.elapsed())? {
                        run.stop()?;
                    } else {
                        if self.settings.history.is_some() {
                            let compacting = guarded_future("what limits the history", self.compact(run));
                            self.unless_given_up(async { compacting.await? }).await?;
                        }
                        self.next_answer(run).await?;
                    }
                    self.write_down(run).await?;
                }
                Step::Call(_) => self.dispatcher.perform(run).await?,
                Step::Approve(_) => {
                    // What is not decided then can be later, in a run that is resumed.
                    let asking = async { Ok(self.dispatcher.ask_approver(run).await?) };
                    let all = self.unless_given_up(asking).await?;
                    self.write_down(run).await?;
                    if !all {
                        // What was allowed runs before the run waits for the rest.
                        self.dispatcher.perform(run).await?;
                        return Err(Stop::Suspended);
                    }
                }
            }
        }
    }

    fn done(&self, run: &Run, finish: Finish) -> Result<Finish, Stop> {
        let (rounds, usage) = (run.rounds(), run.usage());
        self.dispatcher.tell(|| AgentEvent::Finished { finish, rounds, usage });
        match finish {
            Finish::RoundLimit => Err(Stop::RoundLimit),
            Finish::CallLimit => Err(Stop::CallLimit),
            _ => Ok(finish),
        }
    }

    async fn write_down(&self, run: &Run) -> Result<(), Stop> {
        self.dispatcher.write_down(run).await.map_err(Stop::Checkpoint)
    }

    /// Whether a rule of the host ends the turn here.
    fn is_enough(&self, run: &Run, elapsed: Duration) -> Result<bool, Stop> {
        let turn = TurnState { run, tools: self.tools(), elapsed };
        let mut rules = self.settings.stop_when.iter();
        let enough =
            guarded("a rule that ends turns", || run.rounds() > 0 && rules.any(|rule| rule.holds(&turn)))?;
        Ok(enough)
    }

    async fn next_answer(&self, run: &mut Run) -> Result<(), Stop> {
        let round = run.rounds().saturating_add(1);
        self.dispatcher.tell(|| AgentEvent::RoundStarted { round });
        self.pace().await;
        let messages = match &self.settings.history {
            Some(limit) => guarded("what limits the history", || limit.view(run.messages()))?,
            None => Cow::Borrowed(run.messages()),
        };
        let reply = self.ask(&messages, round).await?;
        drop(messages);
        let (text, usage) = if self.dispatcher.is_watched() {
            (reply.message.to_text(), reply.usage)
        } else {
            Default::default()
        };
        run.answer(reply, self.tools())?;
        if !text.is_empty() {
            self.dispatcher.tell(|| AgentEvent::Text { text });
        }
        if usage != Default::default() {
            self.dispatcher.tell(|| AgentEvent::Usage { usage });
        }
        Ok(())
    }

    async fn ask(&self, messages: &[Message], round: u32) -> Result<ChatReply, Stop> {
        let choice = choice_of(&self.settings.tool_choice, round);
        let request = ChatRequest::new(messages, self.tools())
            .tool_choice(&choice)
            .parallel_calls(self.settings.parallel_calls)
            .strict(self.settings.strict);
        let asking = guarded_future("the model", self.traced_answer(request));
        self.unless_given_up(async { asking.await?.map_err(Stop::Model) }).await
    }

    /// Does this, unless the host gives up first or its time is over.
    async fn unless_given_up<T>(&self, doing: impl Future<Output = Result<T, Stop>>) -> Result<T, Stop> {
        let cx = self.dispatcher.host();
        if cx.cancel_signal().is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let deadline = cx.ends_at().map(Instant::from_std);
        if deadline.is_some_and(|at| at <= Instant::now()) {
            return Err(Stop::TimedOut);
        }
        let in_time = async {
            match deadline {
                Some(at) => timeout_at(at, doing).await.map_err(|_| Stop::TimedOut)?,
                None => doing.await,
            }
        };
        match select(pin!(in_time), cx.cancel_signal().cancelled()).await {
            Either::Left((result, _)) => result,
            Either::Right(((), _)) => Err(Stop::Cancelled),
        }
    }

    async fn traced_answer(&self, request: ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        let settings = &self.dispatcher.spans;
        let open = spans::chat(settings, &*self.model, &request);
        let result = self.answer_to(request).instrument(open.span()).await;
        spans::answered(settings, open, &result);
        result
    }

    async fn answer_to(&self, request: ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        if !self.dispatcher.is_watched() {
            return self.model.reply(request).await;
        }
        let asked = Instant::now();
        let mut began = false;
        let mut events = self.model.stream(request);
        while let Some(event) = events.next().await {
            let event = event?;
            if !std::mem::replace(&mut began, true) {
                spans::first_piece(asked.elapsed().as_secs_f64());
            }
            let told = match event {
                ReplyEvent::Text { text } => AgentEvent::TextDelta { text },
                ReplyEvent::Reasoning { text } => AgentEvent::ReasoningDelta { text },
                ReplyEvent::CallStarted { index, name } => AgentEvent::CallWriting { index, name },
                ReplyEvent::Arguments { index, text } => AgentEvent::ArgumentsDelta { index, text },
                ReplyEvent::Done { reply } => return Ok(reply),
                // What the answer costs so far is told once it is known.
                _ => continue,
            };
            self.dispatcher.tell(|| told);
            self.pace().await;
        }
        Err(ModelError::Protocol("the answer broke off without an end".into()))
    }
}

/// What the model must call, it must in the first answer: later it could else never come to an end.
fn choice_of(choice: &ToolChoice, round: u32) -> Cow<'_, ToolChoice> {
    match choice {
        _ if round <= 1 => Cow::Borrowed(choice),
        ToolChoice::Required | ToolChoice::Tool(_) => Cow::Owned(ToolChoice::Auto),
        ToolChoice::OneOf(names) => Cow::Owned(ToolChoice::Among(names.clone())),
        _ => Cow::Borrowed(choice),
    }
}

/// Why the driving stopped before the run was done.
pub(crate) enum Stop {
    Model(ModelError),
    RoundLimit,
    CallLimit,
    Suspended,
    Tool(RaisedError),
    MissingContext(MissingContext),
    Summary(BoxError),
    Checkpoint(BoxError),
    HostPanicked(HostPanic),
    Cancelled,
    TimedOut,
    EmptyPrompt,
    OutOfTurn(OutOfTurn),
}

impl Stop {
    pub(crate) fn with(self, run: Run) -> AgentError {
        let run = Box::new(run);
        match self {
            Self::Model(error) => AgentError::Model(Box::new(ModelFailure::new(error, *run))),
            Self::RoundLimit => AgentError::RoundLimit(run),
            Self::CallLimit => AgentError::CallLimit(run),
            Self::Suspended => AgentError::Suspended(run),
            Self::Tool(error) => AgentError::Tool(Box::new(ToolFailure::new(error, *run))),
            Self::MissingContext(missing) => AgentError::MissingContext(Box::new(missing)),
            Self::Summary(error) => AgentError::Summary { source: error, run },
            Self::Checkpoint(error) => AgentError::Checkpoint { source: error, run },
            Self::HostPanicked(panic) => AgentError::HostPanicked { panic: Box::new(panic), run },
            Self::Cancelled => AgentError::Cancelled(run),
            Self::TimedOut => AgentError::TimedOut(run),
            Self::EmptyPrompt => AgentError::EmptyPrompt,
            Self::OutOfTurn(error) => error.into(),
        }
    }
}

impl From<HostPanic> for Stop {
    fn from(panic: HostPanic) -> Self {
        Self::HostPanicked(panic)
    }
}

impl From<PerformError> for Stop {
    fn from(error: PerformError) -> Self {
        match error {
            PerformError::Raised(error) => Self::Tool(*error),
            PerformError::Checkpoint(error) => Self::Checkpoint(error),
        }
    }
}

impl From<OutOfTurn> for Stop {
    fn from(error: OutOfTurn) -> Self {
        Self::OutOfTurn(error)
    }
}
