//! Random elements.

use field::{ExtensionField, PrimeField};

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    /// One in four is 0, 1 or `p - 1`.
    pub(crate) fn base<F: PrimeField>(&mut self) -> F {
        match self.below(12) {
            0 => F::ZERO,
            1 => F::ONE,
            2 => -F::ONE,
            _ => F::from_u64(self.word()),
        }
    }

    /// One in eight is in the base field.
    pub(crate) fn ext<F: PrimeField, E: ExtensionField<F>>(&mut self) -> E {
        let degree = if self.below(8) == 0 { 1 } else { E::DEGREE };
        (0..degree).map(|i| E::basis(i) * self.base::<F>()).sum()
    }
}
