//! What may be said to an agent: a text, blocks of content, or messages of a conversation so far.
//!
//! It exists so that `run("…")` and `run(history)` are one method. It deliberately checks nothing: what the
//! messages mean for a run is said in `history.rs` and `run.rs`.

use opentool_core::{Content, Message};

/// What is said to the model: made from a text, from [`Content`], or from [`Message`]s.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompt(Vec<Message>);

impl Prompt {
    /// The messages.
    pub fn messages(&self) -> &[Message] {
        &self.0
    }

    /// The messages, by value.
    pub fn into_messages(self) -> Vec<Message> {
        self.0
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self(vec![Message::user(text)])
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self(vec![Message::user(text)])
    }
}

impl From<&String> for Prompt {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

/// One block that a person shows, such as a picture.
impl From<Content> for Prompt {
    fn from(block: Content) -> Self {
        vec![block].into()
    }
}

/// The blocks of one message of a person. No block is no message.
impl From<Vec<Content>> for Prompt {
    fn from(blocks: Vec<Content>) -> Self {
        if blocks.is_empty() { Self::default() } else { Self(vec![Message::User(blocks)]) }
    }
}

impl From<Message> for Prompt {
    fn from(message: Message) -> Self {
        Self(vec![message])
    }
}

/// A conversation so far, usually one that ends with what a person said.
impl From<Vec<Message>> for Prompt {
    fn from(messages: Vec<Message>) -> Self {
        Self(messages)
    }
}

impl From<&[Message]> for Prompt {
    fn from(messages: &[Message]) -> Self {
        Self(messages.to_vec())
    }
}
