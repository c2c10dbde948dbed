//! The memory that requests may take while they are under way, over all clients.
//!
//! A value of a request takes far more room than its text: two million ones are four megabytes on the wire and
//! hundreds in memory. So a request is weighed by its text, by how many values it can have, and holds its share until
//! its tool has ended. Who finds no room is told to come back; nobody waits.
//!
//! Answers are not weighed: what a tool may answer is bounded where it is made.

use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::model::Extensions;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::skim::skim;

/// The unit of shares, in bytes: a semaphore counts up to 2^29 or more on every machine.
const UNIT: usize = 1024;

/// What a request without arguments takes, in bytes: its task, its messages.
const LEAST: usize = 4 * UNIT;

/// What one value takes, in bytes: as the SDK reads it, and as the arguments of a tool.
const VALUE: usize = 160;

/// The room for requests that are under way.
#[derive(Debug)]
pub(crate) struct Budget {
    room: Arc<Semaphore>,
    all: u32,
}

/// A part of the room; free again when the last clone is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Share {
    _permit: Option<Arc<OwnedSemaphorePermit>>,
}

impl Budget {
    /// Room for this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let all = units(bytes).min(u32::MAX / 8);
        Self { room: Arc::new(Semaphore::new(all as usize)), all }
    }

    /// Room for a message of this text; `None` if too much is under way. A message that is larger than the whole
    /// room gets all of it, and a short one that wants no answer needs none: a cancellation makes room.
    pub(crate) fn admit(&self, text: &[u8]) -> Option<Share> {
        let free = || (text.len() <= LEAST && skim(text).unanswered).then_some(Share { _permit: None });
        self.take(weight(text)).or_else(free)
    }

    /// Room for bytes that are still to be read.
    pub(crate) fn take(&self, bytes: usize) -> Option<Share> {
        let units = units(bytes).min(self.all);
        let permit = Arc::clone(&self.room).try_acquire_many_owned(units).ok()?;
        Some(Share { _permit: Some(Arc::new(permit)) })
    }
}

impl Share {
    /// The share of the request with these extensions.
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        let of_http = || extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Self>());
        extensions.get::<Self>().or_else(of_http).cloned()
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

/// The most that the message can take. Commas in texts count as values too, which does no harm.
fn weight(text: &[u8]) -> usize {
    /// As many as a byte counts, so that the compiler counts many bytes in one step.
    const STEP: usize = 255;
    let is_before_value = |byte: &u8| {
        u8::from(*byte == b',') | u8::from(*byte == b'[') | u8::from(*byte == b'{') | u8::from(*byte == b':')
    };
    let values: usize =
        text.chunks(STEP).map(|step| usize::from(step.iter().map(is_before_value).sum::<u8>())).sum();
    let texts = text.len().saturating_mul(2);
    values.saturating_mul(VALUE).saturating_add(texts).saturating_add(LEAST)
}

#[cfg(test)]
mod tests {
    use super::{Budget, weight};

    #[test]
    fn many_values_weigh_more_than_one_text() {
        let ones = format!("[{}1]", "1,".repeat(2_000_000));
        let text = format!("[\"{}\"]", "x".repeat(ones.len()));
        assert!(weight(ones.as_bytes()) > 300_000_000);
        assert!(weight(text.as_bytes()) < 10_000_000);
    }

    #[test]
    fn room_is_taken_and_comes_back() {
        let budget = Budget::new(100 * 1024);
        let first = budget.take(60 * 1024).unwrap();
        assert!(budget.take(60 * 1024).is_none());
        let second = budget.take(40 * 1024).unwrap();
        assert!(budget.take(1).is_none());
        assert!(budget.admit(br#"{"id":1,"method":"x"}"#).is_none());
        assert!(budget.admit(br#"{"method":"notifications/cancelled"}"#).is_some());
        let clone = first.clone();
        drop(first);
        assert!(budget.take(1).is_none());
        drop(clone);
        drop(second);
        assert!(budget.take(usize::MAX).is_some(), "alone, it may take all");
    }
}
