//! Which calls of one answer may run at the same time: what a tool reads and writes, and what follows from it.
//!
//! Calls run side by side unless something says that they must not. What is said, by the host or by a tool's hints,
//! becomes one question about two calls: are they in each other's way? If they are, they run in the order in which the
//! model wrote them. It deliberately guesses nothing from names or arguments.

use std::collections::BTreeSet;

use opentool_core::ToolDefinition;

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
    /// What follows from a tool's hints: what may destroy something is a barrier.
    pub(crate) fn of(definition: &ToolDefinition) -> Self {
        let hints = &definition.annotations;
        if hints.destructive == Some(true) && hints.read_only != Some(true) {
            Self::Barrier
        } else {
            Self::Free
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
