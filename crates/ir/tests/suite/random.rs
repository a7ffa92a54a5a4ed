//! Fields of programs, and random elements of them.

use field::{ExtensionField, Fp3, Goldilocks, M31, PrimeField, QM31};
use ir::Fields;

/// Goldilocks with the cubic extension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Cubic;

/// Goldilocks alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Plain;

/// M31 with the extension of degree 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Quartic;

impl Fields for Cubic {
    const NAME: &'static str = "goldilocks";
    type Base = Goldilocks;
    type Ext = Fp3;
}

impl Fields for Plain {
    const NAME: &'static str = "goldilocks";
    type Base = Goldilocks;
    type Ext = Goldilocks;
}

impl Fields for Quartic {
    const NAME: &'static str = "circle";
    type Base = M31;
    type Ext = QM31;
}

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
