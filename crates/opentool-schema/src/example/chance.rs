//! Numbers that look like chance and are the same for the same seed, on every machine. No secret may depend on them.

/// A source of such numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance {
    state: u64,
    /// Whether anything is left to chance.
    on: bool,
}

impl Chance {
    /// Seed 0 leaves nothing to chance.
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed, on: seed != 0 }
    }

    /// Whether anything is left to chance.
    pub(super) fn is_on(self) -> bool {
        self.on
    }

    /// A number below `end`; 0 where nothing is left to chance.
    pub(super) fn below(&mut self, end: usize) -> usize {
        if !self.on {
            return 0;
        }
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        mixed.checked_rem(end).and_then(|number| usize::try_from(number).ok()).unwrap_or(0)
    }
}
