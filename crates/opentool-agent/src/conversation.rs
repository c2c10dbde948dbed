//! Several turns with one agent, the messages carried from one to the next.
//!
//! What is kept between turns is a [`Run`], so a turn that failed, or whose future was dropped, leaves a
//! conversation that is whole and can go on. It deliberately stores nothing: that is for a memory to do.

use opentool_core::{Message, ToolSet};

use crate::agent::finished;
use crate::{Agent, AgentError, Decision, OutOfTurn, Prompt, Reply, Run};

/// A conversation with an agent.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use opentool_agent::{Agent, chat};
/// # use opentool_core::ToolSet;
/// let agent = Agent::new(chat::script().text("Hello Ada.").text("You are Ada."), ToolSet::new());
/// let mut conversation = agent.conversation();
/// conversation.say("I am Ada.").await?;
/// let reply = conversation.say("Who am I?").await?;
/// assert_eq!(reply.text, "You are Ada.");
/// assert_eq!(conversation.messages().len(), 4);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Conversation {
    agent: Agent,
    run: Run,
}

impl Conversation {
    pub(crate) fn new(agent: Agent, run: Run) -> Self {
        Self { agent, run }
    }

    /// Begins with messages of an earlier conversation.
    pub fn history(self, messages: impl Into<Prompt>) -> Self {
        Self { run: self.agent.start(messages), agent: self.agent }
    }

    /// Says something and runs the turn to its answer.
    ///
    /// Calls that an earlier turn left without a result get one that says so.
    ///
    /// # Errors
    /// Those of [`Agent::run`]. What was said stays in the conversation: [`Conversation::resume`] tries again.
    pub async fn say(&mut self, prompt: impl Into<Prompt> + Send) -> Result<Reply, AgentError> {
        let prompt = prompt.into();
        if prompt.messages().is_empty() {
            return Err(AgentError::EmptyPrompt);
        }
        self.begin(prompt);
        self.resume().await
    }

    fn begin(&mut self, prompt: Prompt) {
        if self.run.messages().is_empty() {
            self.run = self.agent.start(prompt);
        } else {
            self.run.say(prompt);
        }
    }

    /// Sets the tools from here on, because a server has others now. A call of an earlier answer that waits for a decision and
    /// whose tool is gone gets the result of an unknown tool.
    ///
    /// What a person allowed ([`Decision::AllowTool`], or a call that did not run so far) holds only as long as the tool is
    /// defined as it was: a tool of the same name that says something else of itself is asked about again.
    pub fn replace_tools(&mut self, tools: impl Into<ToolSet>) {
        let agent = self.agent.clone().replace_tools(tools);
        let (old, new) = (self.agent.tools(), agent.tools());
        self.run.allowed_tools.retain(|name| is_same(name, old, new));
        let changed = self.run.allowed.extract_if(.., |_, call| !is_same(&call.tool, old, new));
        self.run.pending.extend(changed);
        self.agent = agent;
    }

    /// Decides about a call that waits for a person, after [`AgentError::Suspended`]; [`Conversation::resume`] goes on.
    ///
    /// # Errors
    /// [`OutOfTurn`] if the call does not wait for a decision.
    pub fn decide(&mut self, call_id: &str, decision: Decision) -> Result<(), OutOfTurn> {
        self.agent.dispatcher.decide(&mut self.run, call_id, decision)
    }

    /// Takes what the model had said when the future of its turn was dropped: [`Run::break_off`].
    ///
    /// # Errors
    /// [`OutOfTurn`] if the model was not about to answer.
    pub fn break_off(&mut self, said: impl Into<String>) -> Result<(), OutOfTurn> {
        self.run.break_off(said)
    }

    /// Goes on with a turn that stopped at an error, or whose future was dropped. Finished calls are not run
    /// again; those that had begun are [`Agent::on_interrupted`]'s business. After a turn that came to its end this gives the same reply again.
    ///
    /// # Errors
    /// Those of [`Agent::run`].
    pub async fn resume(&mut self) -> Result<Reply, AgentError> {
        match self.agent.drive(&mut self.run).await {
            Ok(finish) => Ok(finished(finish, self.run.clone())),
            Err(stop) => Err(stop.with(self.run.clone())),
        }
    }

    /// Everything said so far: a value that can be stored and given to [`Conversation::history`].
    pub fn messages(&self) -> &[Message] {
        self.run.messages()
    }

    /// The conversation in progress: also a value, with the results of a turn that was interrupted.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }
}

/// The names of the tools that both sets have, and that the second one defines in another way: what a server changed.
pub fn redefined<'t>(old: &ToolSet, new: &'t ToolSet) -> Vec<&'t str> {
    new.names().filter(|name| old.contains(name) && !is_same(name, old, new)).collect()
}

/// Whether both sets have a tool of this name, and what a person can know of it is the same.
fn is_same(name: &str, old: &ToolSet, new: &ToolSet) -> bool {
    let (Some(old), Some(new)) = (old.get(name), new.get(name)) else { return false };
    let (old, new) = (old.definition(), new.definition());
    old.title == new.title
        && old.description == new.description
        && old.input_schema == new.input_schema
        && old.output_schema == new.output_schema
        && old.annotations == new.annotations
        && old.origin == new.origin
}
