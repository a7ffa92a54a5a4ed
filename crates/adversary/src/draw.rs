//! Numbers that are a function of a seed ([`SplitMix64`]).

use field::{PrimeField, SplitMix64};

/// A stream of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Draw(SplitMix64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// 64 bits.
    pub(crate) fn word(&mut self) -> u64 {
        self.0.word()
    }

    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// A number in `low..=high`.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these, of which there is one at least.
    pub(crate) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Log2 of a height up to `2^max`: small ones more often, as they are no less telling and take less time.
    pub(crate) fn log_rows(&mut self, min: u32, max: u32) -> u32 {
        let span = (max.max(min) - min) as usize;
        min + self.below(span + 1).min(self.below(span + 1)) as u32
    }

    /// An element: often 0, 1, `p - 1` or small, where reductions go wrong.
    pub(crate) fn element<F: PrimeField>(&mut self) -> F {
        match self.below(8) {
            0 => F::from_u64(self.word() % 3),
            1 => F::from_u64(F::ORDER - 1 - self.word() % 3),
            2 => F::from_u64(self.word() % 256),
            _ => F::from_u64(self.word()),
        }
    }

    /// An element that is not zero.
    pub(crate) fn nonzero<F: PrimeField>(&mut self) -> F {
        loop {
            let value: F = self.element();
            if !value.is_zero() {
                return value;
            }
        }
    }

    pub(crate) fn elements<F: PrimeField>(&mut self, count: usize) -> Vec<F> {
        (0..count).map(|_| self.element()).collect()
    }

    /// The list in another order.
    pub(crate) fn shuffled<T>(&mut self, mut list: Vec<T>) -> Vec<T> {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
        list
    }
}
