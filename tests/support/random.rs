//! Numbers without order, the same ones for the same seed.

/// A generator of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Different bytes give different numbers, and the same bytes the same.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let seed = |seed: u64, byte: &u8| (seed ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Random(bytes.iter().fold(0xcbf2_9ce4_8422_2325, seed))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, or 0 if `limit` is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % (limit as u64).max(1)) as usize
    }

    pub(crate) fn choose<'c, T>(&mut self, choices: &'c [T]) -> Option<&'c T> {
        choices.get(self.below(choices.len()))
    }
}
