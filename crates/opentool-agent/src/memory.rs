//! Memory: conversations kept between turns, and between processes, under ids.
//!
//! What is kept are whole messages, tool calls and their results included, in their order. [`Memory`] is the store:
//! [`InProcess`], `Sqlite` (feature `sqlite`), `Redis` (feature `redis`), or one of your own. [`Conversations`] is an
//! agent with a memory. A loop of one's own uses the store directly: it appends what is said, each answer, and the
//! results of each round, and asks the model with what it loads.
//!
//! It deliberately shortens nothing: how much of a conversation goes to a model is the agent's business, and what is
//! kept stays whole. Texts are kept as they are; a store is as secret as what is said in it.

mod conversations;
mod error;
mod in_process;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;

use opentool_core::{BoxFuture, Message};

pub use conversations::{Conversations, Interrupted};
pub use error::MemoryError;
pub use in_process::InProcess;
#[cfg(feature = "redis")]
pub use redis::Redis;
#[cfg(feature = "sqlite")]
pub use sqlite::Sqlite;

/// A store of conversations. Clones and other processes may use it at the same time.
///
/// An id may be any text. A conversation exists as soon as it has a message.
pub trait Memory: Send + Sync + 'static {
    /// The messages of a conversation in their order; none if there is no such conversation.
    ///
    /// # Errors
    /// [`MemoryError`], as all methods here.
    fn load<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Vec<Message>, MemoryError>>;

    /// Appends messages, all or none.
    ///
    /// # Errors
    /// [`MemoryError::Conflict`] if the place is not the end.
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>>;

    /// Puts these messages in the place of all that are there: a summary, a correction.
    ///
    /// # Errors
    /// [`MemoryError::Conflict`] if the place is not the end.
    fn replace<'a>(
        &'a self,
        conversation: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>>;

    /// Forgets a conversation. One that is not there is forgotten already.
    fn forget<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), MemoryError>>;

    /// The ids of all conversations, sorted.
    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, MemoryError>>;
}

/// Where messages are to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At the end, wherever that is.
    End,
    /// At the end, which must be behind this many messages: nobody else wrote meanwhile.
    After(usize),
}

impl<M: Memory + ?Sized> Memory for std::sync::Arc<M> {
    fn load<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Vec<Message>, MemoryError>> {
        (**self).load(conversation)
    }

    fn append<'a>(
        &'a self,
        conversation: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        (**self).append(conversation, place, messages)
    }

    fn replace<'a>(
        &'a self,
        conversation: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        (**self).replace(conversation, place, messages)
    }

    fn forget<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), MemoryError>> {
        (**self).forget(conversation)
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, MemoryError>> {
        (**self).list()
    }
}
