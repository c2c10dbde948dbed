//! An agent with a memory: turns under ids, each begun with what was said before.
//!
//! What a turn adds is kept when the turn is over, whether it came to an answer or not: finished calls are never done
//! twice because their results were forgotten. A turn whose future was dropped is not over: nothing of it is kept, and a
//! host that may drop one sets a checkpoint ([`Agent::checkpoint`]). What is kept is what was said, also where the agent
//! summarises: the summary is for the model, and made anew from what was said. The agent's own instructions are not kept, so that changed ones hold for
//! old conversations too.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use opentool_core::{BoxFuture, Message};
use tokio::sync::{Mutex as Turn, MutexGuard};

use super::{Memory, MemoryError, Place};
use crate::agent::finished;
use crate::drive::Stop;
use crate::guard::guarded_future;
use crate::{Agent, AgentError, Finish, Prompt, Reply, Run, Step};

tokio::task_local! {
    /// The turns that this task is in the middle of: whose, and of which conversation.
    static AROUND: Vec<(usize, String)>;
}

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
    /// A turn of this conversation is going on, and this is asked by a tool of that very turn: it would wait for itself.
    /// Nothing was done.
    #[error("a tool cannot take a turn in the conversation that it is called in")]
    InTurn,
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
        let _turn = self.own(conversation, &turn).await?;
        let kept = self.load(conversation).await?;
        let mut messages = kept.clone();
        messages.extend(prompt.into_messages());
        let mut run = self.agent.start(messages);
        let driven = self.drive(conversation, &mut run).await;
        self.finish(conversation, kept, run, driven).await
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
    pub async fn resume(&self, conversation: &str, mut run: Run) -> Result<Reply, Interrupted> {
        let turn = self.turn(conversation);
        let _turn = self.own(conversation, &turn).await?;
        let kept = self.load(conversation).await?;
        let brought = run.to_transcript();
        let brought = without_instructions(&brought, &kept);
        let is_waiting = matches!(run.step(), Step::Approve(_));
        // Who was first has noted what the run brings, whatever was decided.
        let is_taken = run.decided && brought.len() <= kept.len();
        if !holds(brought, &kept) || (is_taken && !is_waiting) {
            let (expected, found) = (brought.len(), kept.len());
            let conflict = Box::new(MemoryError::Conflict { expected, found });
            return Err(Interrupted::NotKept { source: conflict, reply: None });
        }
        if is_waiting || brought.len() <= kept.len() {
            let driven = self.drive(conversation, &mut run).await;
            return self.finish(conversation, kept, run, driven).await;
        }
        let not_kept = |source| Interrupted::NotKept { source: Box::new(source), reply: None };
        self.write(conversation, &kept, brought).await.map_err(not_kept)?;
        let was_decided = std::mem::take(&mut run.decided);
        let driven = self.drive(conversation, &mut run).await;
        if matches!(driven, Err(Stop::Suspended))
            && without_instructions(&run.to_transcript(), &kept) == brought
        {
            // Nothing was done: it can be resumed as it was.
            run.decided |= was_decided;
            let place = Place::After(brought.len());
            of_the_host(self.memory.replace(conversation, place, &kept)).await.map_err(not_kept)?;
        }
        let brought = brought.to_vec();
        self.finish(conversation, brought, run, driven).await
    }

    /// Waits until no other turn of this conversation goes on.
    async fn own<'t>(
        &self,
        conversation: &str,
        turn: &'t Turn<()>,
    ) -> Result<MutexGuard<'t, ()>, Interrupted> {
        let around = AROUND.try_with(|around| around.contains(&self.name_of(conversation)));
        match around {
            Ok(true) => Err(Interrupted::InTurn),
            _ => Ok(turn.lock().await),
        }
    }

    /// What a turn is known by in its task.
    fn name_of(&self, conversation: &str) -> (usize, String) {
        (Arc::as_ptr(&self.turns).addr(), conversation.to_owned())
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

    /// Drives the run as a turn of this conversation.
    async fn drive(&self, conversation: &str, run: &mut Run) -> Result<Finish, Stop> {
        let agent = self.agent.clone().conversation_id(conversation);
        let mut around = AROUND.try_with(Clone::clone).unwrap_or_default();
        around.push(self.name_of(conversation));
        AROUND.scope(around, agent.drive(run)).await
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
        mut run: Run,
        driven: Result<Finish, Stop>,
    ) -> Result<Reply, Interrupted> {
        if !matches!(driven, Err(Stop::Suspended)) {
            // What was decided is done, or will be by whoever goes on with this run.
            run.decided = false;
        }
        let all = match &driven {
            // It goes on elsewhere, as a whole; or it has not begun.
            Err(Stop::Suspended | Stop::MissingContext(_) | Stop::EmptyPrompt | Stop::OutOfTurn(_)) => {
                Vec::new()
            }
            _ => run.to_transcript(),
        };
        let result: Result<Reply, AgentError> = match driven {
            Ok(finish) => Ok(finished(finish, run)),
            Err(stop) => Err(stop.with(run)),
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

/// Whether what the run brings holds all that is kept. Results may stand in another order: they were noted as they came.
fn holds(brought: &[Message], kept: &[Message]) -> bool {
    let same = brought.iter().zip(kept).take_while(|(a, b)| a == b).count();
    let (rest, noted) = (brought.get(same..).unwrap_or_default(), kept.get(same..).unwrap_or_default());
    noted.iter().all(|message| matches!(message, Message::Tool(_)) && rest.contains(message))
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
