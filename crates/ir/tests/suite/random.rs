//! Random elements.

use field::{ExtensionField, PrimeField, SplitMix64};

/// Elements of [`SplitMix64`].
pub(crate) struct Random(SplitMix64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// One in four is 0, 1 or `p - 1`.
    pub(crate) fn base<F: PrimeField>(&mut self) -> F {
        match self.below(12) {
            0 => F::ZERO,
            1 => F::ONE,
            2 => -F::ONE,
            _ => F::from_u64(self.0.word()),
        }
    }

    /// One in eight is in the base field.
    pub(crate) fn ext<F: PrimeField, E: ExtensionField<F>>(&mut self) -> E {
        let degree = if self.below(8) == 0 { 1 } else { E::DEGREE };
        (0..degree).map(|i| E::basis(i) * self.base::<F>()).sum()
    }
}
