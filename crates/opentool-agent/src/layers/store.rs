//! What caches keep: values by a text, bounded in number, bytes and age. It deliberately knows nothing of what may be kept.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

/// How much is kept at most.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) entries: usize,
    pub(super) bytes: usize,
}

pub(super) struct Store<V> {
    kept: HashMap<Arc<str>, Kept<V>>,
    /// By the last use.
    order: BTreeMap<u64, Arc<str>>,
    uses: u64,
    bytes: usize,
}

struct Kept<V> {
    value: V,
    since: Instant,
    used: u64,
    bytes: usize,
}

impl<V> Default for Store<V> {
    fn default() -> Self {
        Self { kept: HashMap::new(), order: BTreeMap::new(), uses: 0, bytes: 0 }
    }
}

impl<V: Clone> Store<V> {
    /// The value and its age.
    pub(super) fn get(&mut self, key: &str, ttl: Duration) -> Option<(V, Duration)> {
        let age = self.kept.get(key)?.since.elapsed();
        if age >= ttl {
            self.remove(key);
            return None;
        }
        self.uses = self.uses.wrapping_add(1);
        let kept = self.kept.get_mut(key)?;
        if let Some(key) = self.order.remove(&kept.used) {
            self.order.insert(self.uses, key);
        }
        kept.used = self.uses;
        Some((kept.value.clone(), age))
    }

    /// Keeps a value of so many bytes; the one that was not asked for the longest goes first.
    pub(super) fn put(&mut self, key: String, value: V, bytes: usize, room: Room) {
        self.remove(&key);
        if bytes > room.bytes || room.entries == 0 {
            return;
        }
        while self.kept.len() >= room.entries || self.bytes.saturating_add(bytes) > room.bytes {
            let Some(oldest) = self.order.values().next().cloned() else { break };
            self.remove(&oldest);
        }
        self.uses = self.uses.wrapping_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
        let key: Arc<str> = key.into();
        self.order.insert(self.uses, Arc::clone(&key));
        self.kept.insert(key, Kept { value, since: Instant::now(), used: self.uses, bytes });
    }

    fn remove(&mut self, key: &str) {
        if let Some(kept) = self.kept.remove(key) {
            self.order.remove(&kept.used);
            self.bytes = self.bytes.saturating_sub(kept.bytes);
        }
    }
}
