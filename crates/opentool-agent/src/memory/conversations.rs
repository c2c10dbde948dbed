//! An agent with a memory: turns under ids, each begun with what was said before.
//!
//! What a turn adds is kept when the turn is over, whether it came to an answer or not: finished calls are never done
//! twice because their results were forgotten. The agent's own instructions are not kept, so that changed ones hold for
//! old conversations too.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use opentool_core::{BoxFuture, Message};
use tokio::sync::Mutex as Turn;

use super::{Memory, MemoryError, Place};
use crate::guard::guarded_future;
use crate::{Agent, AgentError, Prompt, Reply, Run, Step};

/// An agent whose conversations are kept in a memory. Clones share both.
///
/// Turns of one conversation come one after the other in a process; where another process writes in between, the later
/// one has [`MemoryError::Conflict`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use opentool_agent::memory::{Conversations, InProcess};
/// use opentool_agent::{Agent, chat};
/// use opentool_core::ToolSet;
///
/// let agent = Agent::new(chat::script().text("Hello Ada.").text("You are Ada."), ToolSet::new());
/// let conversations = Conversations::new(agent, InProcess::new());
/// conversations.say("ada-1", "I am Ada.").await?;
/// let reply = conversations.say("ada-1", "Who am I?").await?;
/// assert_eq!(reply.text, "You are Ada.");
/// assert_eq!(reply.messages.len(), 4);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Conversations {
    agent: Agent,
    memory: Arc<dyn Memory>,
    turns: Arc<Mutex<HashMap<String, Weak<Turn<()>>>>>,
}

/// Why a turn has no reply.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Interrupted {
    /// The agent came to no answer. What was done is kept, but for a run that waits for a person: that one is in the
    /// error, to be stored and given to [`Conversations::resume`].
    #[error(transparent)]
    Agent(Box<AgentError>),
    /// The memory could not be read. Nothing was done.
    #[error("the conversation could not be read")]
    NotLoaded(#[source] Box<MemoryError>),
    /// The memory could not be written. The turn came to this, but is not kept.
    #[error("the turn could not be kept")]
    NotKept {
        /// Why.
        source: Box<MemoryError>,
        /// What the turn came to, if it came to an answer.
        reply: Option<Box<Reply>>,
    },
}

impl Conversations {
    /// Conversations with this agent, kept in this memory.
    pub fn new(agent: Agent, memory: impl Memory) -> Self {
        Self { agent, memory: Arc::new(memory), turns: Arc::default() }
    }

    /// The same conversations, with this agent.
    pub(crate) fn by(&self, agent: Agent) -> Self {
        Self { agent, ..self.clone() }
    }

    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The memory.
    pub fn memory(&self) -> &dyn Memory {
        &*self.memory
    }

    /// Says something in the conversation of this id and runs the turn to its answer.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub async fn say(
        &self,
        conversation: &str,
        prompt: impl Into<Prompt> + Send,
    ) -> Result<Reply, Interrupted> {
        let prompt = prompt.into();
        if prompt.messages().is_empty() {
            return Err(Interrupted::Agent(Box::new(AgentError::EmptyPrompt)));
        }
        let turn = self.turn(conversation);
        let _turn = turn.lock().await;
        let kept = self.load(conversation).await?;
        let mut messages = kept.clone();
        messages.extend(prompt.into_messages());
        let run = self.agent.start(messages);
        self.finish(conversation, kept, self.resumed(conversation, run).await).await
    }

    /// Goes on with a run of this conversation that stopped to wait for a person's decision.
    ///
    /// Before a call begins, the memory takes note of what the run brings: whoever else resumes the same run, in this
    /// process or another one, finds that it went on, and the call is not made twice. If this process dies in between, the
    /// run cannot be resumed here again; the conversation goes on with [`Conversations::say`], and the model reads that
    /// nobody knows of a result.
    ///
    /// # Errors
    /// [`Interrupted`]; [`MemoryError::Conflict`] if the conversation went on without the run, or the run was resumed
    /// already. Nothing was done then.
    pub async fn resume(&self, conversation: &str, run: Run) -> Result<Reply, Interrupted> {
        let turn = self.turn(conversation);
        let _turn = turn.lock().await;
        let kept = self.load(conversation).await?;
        let brought = run.to_messages();
        let brought = without_instructions(&brought, &kept);
        let is_waiting = matches!(run.step(), Step::Approve(_));
        let is_taken = !run.allowed.is_empty() && brought.len() <= kept.len();
        if !holds(&run, &kept) || (is_taken && !is_waiting) {
            let (expected, found) = (run.messages().len(), kept.len());
            let conflict = Box::new(MemoryError::Conflict { expected, found });
            return Err(Interrupted::NotKept { source: conflict, reply: None });
        }
        if is_waiting || brought.len() <= kept.len() {
            return self.finish(conversation, kept, self.resumed(conversation, run).await).await;
        }
        let not_kept = |source| Interrupted::NotKept { source: Box::new(source), reply: None };
        self.write(conversation, &kept, brought).await.map_err(not_kept)?;
        let result = self.resumed(conversation, run).await;
        if let Err(AgentError::Suspended(again)) = &result
            && without_instructions(&again.to_messages(), &kept) == brought
        {
            // Nothing was done: it can be resumed as it was.
            let place = Place::After(brought.len());
            of_the_host(self.memory.replace(conversation, place, &kept)).await.map_err(not_kept)?;
        }
        self.finish(conversation, brought.to_vec(), result).await
    }

    /// Puts these messages where `kept` is.
    async fn write(&self, conversation: &str, kept: &[Message], all: &[Message]) -> Result<(), MemoryError> {
        let place = Place::After(kept.len());
        match all.strip_prefix(kept) {
            Some(new) => of_the_host(self.memory.append(conversation, place, new)).await,
            // The history had holes, which the run mended; or results came in another order.
            None => of_the_host(self.memory.replace(conversation, place, all)).await,
        }
    }

    /// The run, driven as a turn of this conversation.
    async fn resumed(&self, conversation: &str, run: Run) -> Result<Reply, AgentError> {
        self.agent.clone().conversation_id(conversation).resume(run).await
    }

    async fn load(&self, conversation: &str) -> Result<Vec<Message>, Interrupted> {
        let loaded = of_the_host(self.memory.load(conversation)).await;
        loaded.map_err(|error| Interrupted::NotLoaded(Box::new(error)))
    }

    /// Keeps what the turn added.
    async fn finish(
        &self,
        conversation: &str,
        kept: Vec<Message>,
        result: Result<Reply, AgentError>,
    ) -> Result<Reply, Interrupted> {
        let all = match &result {
            Ok(reply) => reply.messages.clone(),
            // It goes on elsewhere, as a whole.
            Err(AgentError::Suspended(_)) => Vec::new(),
            Err(error) => error.run().map(Run::to_messages).unwrap_or_default(),
        };
        let all = without_instructions(&all, &kept);
        let written = if all.is_empty() { Ok(()) } else { self.write(conversation, &kept, all).await };
        match (written, result) {
            (Ok(()), Ok(reply)) => Ok(reply),
            (Ok(()), Err(error)) => Err(Interrupted::Agent(Box::new(error))),
            (Err(error), result) => {
                Err(Interrupted::NotKept { source: Box::new(error), reply: result.ok().map(Box::new) })
            }
        }
    }

    /// The lock of a conversation's turns, there as long as somebody holds or waits for it.
    fn turn(&self, conversation: &str) -> Arc<Turn<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = turns.get(conversation).and_then(Weak::upgrade) {
            return turn;
        }
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = Arc::new(Turn::new(()));
        turns.insert(conversation.to_owned(), Arc::downgrade(&turn));
        turn
    }
}

/// Waits for a memory, which may be one of the host's own: a panic in it must not lose the turn.
async fn of_the_host<T>(work: BoxFuture<'_, Result<T, MemoryError>>) -> Result<T, MemoryError> {
    guarded_future("the memory", work).await.unwrap_or_else(|panic| {
        Err(MemoryError::Unavailable { message: "it panicked".into(), source: Some(panic.into()) })
    })
}

/// Whether the run holds all that is kept. Results may stand in another order: they were noted as they came.
fn holds(run: &Run, kept: &[Message]) -> bool {
    let messages = without_instructions(run.messages(), kept);
    let same = messages.iter().zip(kept).take_while(|(a, b)| a == b).count();
    let (rest, noted) = (messages.get(same..).unwrap_or_default(), kept.get(same..).unwrap_or_default());
    noted.iter().all(|message| match message {
        Message::Tool(noted) => rest.contains(message) || run.results().any(|result| result == noted),
        _ => false,
    })
}

/// The messages without instructions in front that the memory does not have there.
fn without_instructions<'m>(messages: &'m [Message], kept: &[Message]) -> &'m [Message] {
    match messages {
        [Message::System(_), rest @ ..] if !matches!(kept.first(), Some(Message::System(_))) => rest,
        all => all,
    }
}

impl fmt::Debug for Conversations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversations").field("agent", &self.agent).finish_non_exhaustive()
    }
}
