//! Which calls of one answer may run at the same time: what a tool reads and writes, and what follows from it.
//!
//! Calls run side by side unless something says that they must not. What is said, by the host or by a tool's hints,
//! becomes one question about two calls: are they in each other's way? If they are, they run in the order in which the
//! model wrote them. It deliberately guesses nothing from names or arguments.
//!
//! Of the host's own tools nothing is taken for granted: without a hint they overlap. Behind imported tools there is a
//! service with a state of its own, and who imports a hundred of them writes no rule for each: what does not say that it
//! only reads is taken to write what the others of its source read.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use opentool_core::ToolDefinition;

use crate::agent_tool::AGENT;

/// What a call does to what others see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Effects {
    /// Nothing that another call could notice, or nobody said so: it overlaps with any.
    #[default]
    Free,
    /// It reads and writes the things of these names.
    Named { reads: BTreeSet<String>, writes: BTreeSet<String> },
    /// It runs alone: what was asked for before it ends first, what comes after it waits.
    Barrier,
}

impl Effects {
    /// What follows from a tool's hints: what says that it may destroy something is a barrier, and an imported tool that
    /// does not say that it only reads writes what its source's other tools read.
    pub(crate) fn of(definition: &ToolDefinition) -> Self {
        let hints = &definition.annotations;
        let reads = hints.read_only == Some(true);
        let origin = &definition.origin;
        match origin.kind.as_str() {
            _ if hints.destructive == Some(true) && !reads => Self::Barrier,
            "" | "rust" | AGENT => Self::Free,
            kind => {
                // No host writes a line break into the name of a thing.
                let source = format!("{kind}\n{}", origin.location.as_deref().unwrap_or_default());
                if reads { Self::Free.reads(source) } else { Self::Free.writes(source) }
            }
        }
    }

    pub(crate) fn reads(self, name: String) -> Self {
        self.named(|reads, _| reads.insert(name))
    }

    pub(crate) fn writes(self, name: String) -> Self {
        self.named(|_, writes| writes.insert(name))
    }

    fn named(self, add: impl FnOnce(&mut BTreeSet<String>, &mut BTreeSet<String>) -> bool) -> Self {
        let (mut reads, mut writes) = match self {
            // What runs alone is in the way of everything already.
            Self::Barrier => return Self::Barrier,
            Self::Free => (BTreeSet::new(), BTreeSet::new()),
            Self::Named { reads, writes } => (reads, writes),
        };
        add(&mut reads, &mut writes);
        Self::Named { reads, writes }
    }

    /// Whether the two may not run at the same time.
    pub(crate) fn conflict(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Barrier, _) | (_, Self::Barrier) => true,
            (Self::Named { reads, writes }, Self::Named { reads: their_reads, writes: their_writes }) => {
                !writes.is_disjoint(their_writes)
                    || !writes.is_disjoint(their_reads)
                    || !reads.is_disjoint(their_writes)
            }
            _ => false,
        }
    }
}

/// The calls of one answer in their order: what they do to each other, and which of them do not run now.
pub(crate) struct Order {
    effects: Vec<Effects>,
    stopped: Vec<AtomicBool>,
}

impl Order {
    pub(crate) fn new(effects: Vec<Effects>) -> Self {
        let stopped = effects.iter().map(|_| AtomicBool::new(false)).collect();
        Self { effects, stopped }
    }

    /// Takes note that a call does not run now: what it is in the way of does not either.
    pub(crate) fn stop(&self, place: usize) {
        if let Some(stopped) = self.stopped.get(place) {
            stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a call is behind one that does not run now.
    pub(crate) fn is_behind(&self, place: usize) -> bool {
        self.effects.iter().zip(&self.stopped).take(place).any(|(earlier, stopped)| {
            stopped.load(Ordering::Relaxed)
                && self.effects.get(place).is_some_and(|own| own.conflict(earlier))
        })
    }

    /// What the calls at these places do.
    pub(crate) fn effects_of(&self, places: impl Iterator<Item = usize>) -> Vec<Effects> {
        places.filter_map(|place| self.effects.get(place).cloned()).collect()
    }
}
