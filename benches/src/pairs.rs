//! Two that do the same, compared in pairs of short turns, one after the other: a machine whose speed changes while it
//! measures, as shared ones do, is as fast or slow for both.

use std::time::Duration;

const PAIRS: usize = 100;

/// Prints the speed of ours as a part of the peer's: the median over pairs of turns, and the middle half of them. Each
/// turn does the same work and says how long it took.
pub fn compare(mut peer: impl FnMut() -> Duration, mut ours: impl FnMut() -> Duration) {
    let mut ratios: Vec<f64> = (0..PAIRS + 5)
        .map(|_| peer().as_secs_f64() / ours().as_secs_f64())
        // The first ones warm up.
        .skip(5)
        .collect();
    ratios.sort_by(f64::total_cmp);
    let at = |quarter: usize| ratios.get(PAIRS * quarter / 4).copied().unwrap_or(f64::NAN);
    println!(
        "speed of opentool / peer in {PAIRS} pairs of turns: median {:.3}, quartiles {:.3} and {:.3}\n",
        at(2),
        at(1),
        at(3)
    );
}
