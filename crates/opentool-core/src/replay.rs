//! A turn of a model exactly as its provider wrote it, kept beside what we made of it.
//!
//! Providers demand members back that only they understand: signatures of thoughts, encrypted reasoning, ids of
//! items. They are opaque here. A turn that was changed since (shortened, redacted, calls dropped) is not given out
//! any more, because it would bring back what the host took out.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::AssistantMessage;

/// A turn as it came. Made by [`AssistantMessage::keep`], read by [`AssistantMessage::replay`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    format: String,
    items: Vec<Value>,
    /// What the message said when the turn was kept, as a number.
    mark: u64,
}

impl AssistantMessage {
    /// Keeps the turn as the provider wrote it, in the message format of this name, for the next request to the same
    /// kind of provider. Content and calls must be in the message already: a later change of theirs makes the turn
    /// unusable.
    pub fn keep(mut self, format: impl Into<String>, items: Vec<Value>) -> Self {
        self.replay = Some(Replay { format: format.into(), items, mark: mark(&self) });
        self
    }

    /// The turn as the provider wrote it, in the message format of this name; `None` if there is none, if it came in
    /// another format, or if the message was changed since. New ids of calls are no change.
    pub fn replay(&self, format: &str) -> Option<&[Value]> {
        let replay = self.replay.as_ref()?;
        (replay.format == format && replay.mark == mark(self)).then_some(&*replay.items)
    }

    /// Drops the kept turn unless it may stay, whatever its format: it holds texts that the message does not have, such as
    /// thoughts, and a part of it cannot be changed.
    pub fn retain_kept(&mut self, may_stay: impl FnOnce(&[Value]) -> bool) {
        self.replay.take_if(|replay| !may_stay(&replay.items));
    }

    /// The message without its reasoning and without the turn that holds it. Providers that demand signatures back may
    /// refuse the rest of the same turn; those of finished turns can go.
    pub fn without_reasoning(mut self) -> Self {
        self.reasoning = String::new();
        self.replay = None;
        self
    }
}

/// FNV-1a over content and calls: stable for ever, because it is stored.
fn mark(message: &AssistantMessage) -> u64 {
    struct Fnv(u64);
    impl std::io::Write for Fnv {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let calls: Vec<(&str, &Value)> =
        message.tool_calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    // Values whose keys are texts always serialise; a hash of a part would still be a mark.
    let _ = serde_json::to_writer(&mut hash, &(&message.content, calls));
    hash.0
}
