//! The places of connections: as many as allowed, and the rule by which one is given up for another.
//!
//! Who only holds a place, without a request that is answered, has to give it up when somebody else comes: the one that has been
//! silent longest goes first. Otherwise a stranger could shut everybody out by doing nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::pulse::Pulse;
use crate::{Rules, Untaken};

/// How often the operator is told the same.
const TELL: Duration = Duration::from_secs(30);

/// How long until the connections are looked at again where none has left.
const AGAIN: Duration = Duration::from_millis(100);

/// The places.
pub(crate) struct Places {
    free: Arc<Semaphore>,
    taken: Arc<Mutex<Taken>>,
    untaken: Untaken,
    full: Told,
}

#[derive(Default)]
struct Taken {
    next: u64,
    by: BTreeMap<u64, (Arc<Pulse>, CancellationToken)>,
}

/// A place that a connection has, until it is dropped.
pub(crate) struct Place {
    number: u64,
    taken: Arc<Mutex<Taken>>,
    /// What the connection does.
    pub(crate) pulse: Arc<Pulse>,
    /// Somebody else needs the place.
    pub(crate) leave: CancellationToken,
    _permit: OwnedSemaphorePermit,
}

impl Places {
    pub(crate) fn new(rules: &Rules) -> Self {
        let free = Arc::new(Semaphore::new(rules.most.min(Semaphore::MAX_PERMITS)));
        Self { free, taken: Arc::default(), untaken: rules.untaken, full: Told::default() }
    }

    /// A place for a connection that is there; if there is none, the connection that has been idle longest is ended.
    /// `None` if there will never be one again.
    pub(crate) async fn take(&mut self) -> Option<Place> {
        let mut permit = Arc::clone(&self.free).try_acquire_owned().ok();
        while permit.is_none() {
            if self.full.is_due() {
                tracing::warn!("there are as many connections as allowed; idle ones are ended for new ones");
            }
            self.end_the_idlest();
            // The one that was chosen may have begun a request in this moment, and keeps its place until that is over.
            permit = match timeout(AGAIN, Arc::clone(&self.free).acquire_owned()).await {
                Ok(permit) => Some(permit.ok()?),
                Err(_) => None,
            };
        }
        let (pulse, leave) = (Pulse::new(self.untaken), CancellationToken::new());
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let number = taken.next;
        taken.next = number.wrapping_add(1);
        taken.by.insert(number, (Arc::clone(&pulse), leave.clone()));
        drop(taken);
        Some(Place { number, taken: Arc::clone(&self.taken), pulse, leave, _permit: permit? })
    }

    /// Ends the connection that has been idle longest, if one is idle.
    pub(crate) fn end_the_idlest(&self) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = taken.by.values().filter(|(_, leave)| !leave.is_cancelled());
        let idlest = idle
            .filter_map(|(pulse, leave)| Some((pulse.idle_since()?, leave)))
            .min_by_key(|(since, _)| *since);
        if let Some((_, leave)) = idlest {
            leave.cancel();
        }
    }
}

/// When the operator was last told of something that happens often while it happens.
#[derive(Debug, Default)]
pub(crate) struct Told(Option<Instant>);

impl Told {
    /// Whether it is time to tell it again; if so, that is done now.
    pub(crate) fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.0.is_none_or(|told| now.duration_since(told) >= TELL);
        if due {
            self.0 = Some(now);
        }
        due
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).by.remove(&self.number);
    }
}
