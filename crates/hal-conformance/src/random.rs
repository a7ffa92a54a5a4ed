//! Test data: cheap, reproducible from one number, and full of edge values.

use field::{ExtensionField, PrimeField, SplitMix64};

/// A generator of test data ([`SplitMix64`]).
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0.word()
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below((high - low + 1) as usize) as u32
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A base element: often 0, 1, `p - 1` or small, where reductions go wrong.
    pub fn base<F: PrimeField>(&mut self) -> F {
        match self.below(12) {
            0 => F::ZERO,
            1 => F::ONE,
            2 => F::from_u64(F::ORDER - 1),
            3 => F::from_u64(self.word() % 16),
            4 => F::from_u64(F::ORDER - 1 - self.word() % (1 << 20)),
            5 => F::from_u64(u64::from(u32::MAX) - self.word() % 3),
            _ => F::from_u64(self.word()),
        }
    }

    /// A base element that is not zero.
    pub fn nonzero<F: PrimeField>(&mut self) -> F {
        loop {
            let value: F = self.base();
            if !value.is_zero() {
                return value;
            }
        }
    }

    /// A list of base elements.
    pub fn elements<F: PrimeField>(&mut self, len: usize) -> Vec<F> {
        (0..len).map(|_| self.base()).collect()
    }

    /// An extension element.
    pub fn ext<F: PrimeField, E: ExtensionField<F>>(&mut self) -> E {
        if self.one_in(8) {
            return E::from(self.base::<F>());
        }
        (0..E::DEGREE).map(|i| E::basis(i) * self.base::<F>()).sum()
    }

    /// An extension element that no small domain contains: all coordinates random.
    pub fn point<F: PrimeField, E: ExtensionField<F>>(&mut self) -> E {
        (0..E::DEGREE).map(|i| E::basis(i) * F::from_u64(self.word())).sum()
    }
}
