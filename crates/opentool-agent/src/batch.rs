//! The calls of one answer under way: which may begin, and which one ended next.
//!
//! It starts no task: the futures are polled by whoever waits for the next result, and dropping the batch drops them.
//! A call begins once all earlier calls that are in its way have ended, the earliest first, as far as the limit goes.

use std::collections::BTreeSet;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use crate::effects::Effects;

/// Futures with an order between some of them.
pub(crate) struct Batch<F> {
    waiting: Vec<Option<F>>,
    /// How many earlier ones are still in the way of each.
    before: Vec<usize>,
    /// Those that each is in the way of.
    after: Vec<Vec<usize>>,
    ready: BTreeSet<usize>,
    running: FuturesUnordered<F>,
    limit: usize,
}

impl<F, T> Batch<F>
where
    F: Future<Output = (usize, T)>,
{
    /// None has begun. Each future gives its place beside its result.
    pub(crate) fn new(futures: Vec<F>, effects: &[Effects], limit: usize) -> Self {
        let count = futures.len();
        let (mut before, mut after) = (vec![0_usize; count], vec![Vec::new(); count]);
        // Most batches have nothing in anybody's way, and need no comparison of each with each.
        if effects.iter().any(|effects| *effects != Effects::Free) {
            for (later, own) in effects.iter().enumerate() {
                for (earlier, theirs) in effects.iter().enumerate().take(later) {
                    if own.conflict(theirs)
                        && let (Some(before), Some(after)) = (before.get_mut(later), after.get_mut(earlier))
                    {
                        *before = before.saturating_add(1);
                        after.push(later);
                    }
                }
            }
        }
        let ready =
            before.iter().enumerate().filter(|(_, before)| **before == 0).map(|(place, _)| place).collect();
        let waiting = futures.into_iter().map(Some).collect();
        Self { waiting, before, after, ready, running: FuturesUnordered::new(), limit: limit.max(1) }
    }

    /// The next one that ends; `None` once all have.
    pub(crate) async fn next(&mut self) -> Option<(usize, T)> {
        while self.running.len() < self.limit
            && let Some(place) = self.ready.pop_first()
        {
            if let Some(future) = self.waiting.get_mut(place).and_then(Option::take) {
                self.running.push(future);
            }
        }
        let (place, result) = self.running.next().await?;
        for later in self.after.get_mut(place).map(std::mem::take).unwrap_or_default() {
            if let Some(before) = self.before.get_mut(later) {
                *before = before.saturating_sub(1);
                if *before == 0 {
                    self.ready.insert(later);
                }
            }
        }
        Some((place, result))
    }
}
