//! The places of connections: as many as allowed, and the rule by which one is given up for another.
//!
//! Who only holds a place, without a call that runs, has to give it up when somebody else comes: the one that has been
//! silent longest goes first. Otherwise a stranger without a key could shut everybody out by doing nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::pulse::Pulse;

/// How often the operator is told that there are too many.
const TELL: Duration = Duration::from_secs(30);

/// How long until the connections are looked at again where none has left.
const AGAIN: Duration = Duration::from_millis(100);

/// The places.
pub(super) struct Places {
    free: Arc<Semaphore>,
    taken: Arc<Mutex<Taken>>,
    told: Option<Instant>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    by: BTreeMap<u64, (Arc<Pulse>, CancellationToken)>,
}

/// A place that a connection has, until it is dropped.
pub(super) struct Place {
    number: u64,
    taken: Arc<Mutex<Taken>>,
    /// What the connection does.
    pub(super) pulse: Arc<Pulse>,
    /// Somebody else needs the place.
    pub(super) leave: CancellationToken,
    _permit: OwnedSemaphorePermit,
}

impl Places {
    pub(super) fn new(most: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(most)), taken: Arc::default(), told: None }
    }

    /// A place for a connection that is there; if there is none, the connection that has been idle longest is ended.
    /// `None` if there will never be one again.
    pub(super) async fn take(&mut self) -> Option<Place> {
        let mut permit = Arc::clone(&self.free).try_acquire_owned().ok();
        while permit.is_none() {
            self.tell();
            self.end_the_idlest();
            // The one that was chosen may have begun a call in this moment, and keeps its place until that is over.
            permit = match timeout(AGAIN, Arc::clone(&self.free).acquire_owned()).await {
                Ok(permit) => Some(permit.ok()?),
                Err(_) => None,
            };
        }
        let (pulse, leave) = (Pulse::new(), CancellationToken::new());
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let number = taken.next;
        taken.next = number.wrapping_add(1);
        taken.by.insert(number, (Arc::clone(&pulse), leave.clone()));
        drop(taken);
        Some(Place { number, taken: Arc::clone(&self.taken), pulse, leave, _permit: permit? })
    }

    fn end_the_idlest(&self) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = taken.by.values().filter(|(_, leave)| !leave.is_cancelled());
        let idlest = idle
            .filter_map(|(pulse, leave)| Some((pulse.idle_since()?, leave)))
            .min_by_key(|(since, _)| *since);
        if let Some((_, leave)) = idlest {
            leave.cancel();
        }
    }

    fn tell(&mut self) {
        let now = Instant::now();
        if self.told.is_none_or(|told| now.duration_since(told) >= TELL) {
            self.told = Some(now);
            tracing::warn!("there are as many connections as allowed; idle ones are ended for new ones");
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).by.remove(&self.number);
    }
}
