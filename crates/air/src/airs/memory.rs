//! The accesses that both memory AIRs argue about.

use alloc::vec;
use alloc::vec::Vec;

use field::{ExtensionField, Goldilocks};

/// `n` reads of `k = 3n/4` cells: read `i` is of address `((5i + 3) mod k) + 1`, and the cell at address `a` holds
/// `3a + 1`. 5 does not divide k, so every address occurs: n/4 of them twice, the others once.
#[derive(Clone, Debug)]
pub(super) struct Accesses {
    rows: usize,
}

impl Accesses {
    pub(super) fn new(log_rows: u32) -> Self {
        Self { rows: 1 << log_rows }
    }

    /// `k`.
    pub(super) fn cells(&self) -> usize {
        self.rows / 4 * 3
    }

    /// The address of read `i`.
    pub(super) fn address(&self, i: usize) -> u64 {
        ((5 * i + 3) % self.cells()) as u64 + 1
    }

    /// The value at an address.
    pub(super) fn value(address: u64) -> Goldilocks {
        Goldilocks::new(3 * address + 1)
    }

    /// Addresses and values of the reads, in order.
    pub(super) fn reads(&self) -> [Vec<Goldilocks>; 2] {
        let addresses = || (0..self.rows).map(|i| self.address(i));
        [addresses().map(Goldilocks::new).collect(), addresses().map(Self::value).collect()]
    }

    /// How often address 1 is read. Its first read is the `i < k` with `5i + 3 = t k` (`1 <= t <= 5`), the second would
    /// be read `i + k`.
    pub(super) fn first_count(&self) -> u64 {
        let k = self.cells();
        let first = (1..=5).map(|t| t * k - 3).find(|multiple| multiple % 5 == 0).map(|multiple| multiple / 5);
        1 + u64::from(first.is_some_and(|first| first + k < self.rows))
    }

    /// How often each address 1, 2, ..., k is read.
    pub(super) fn counts(&self) -> Vec<u8> {
        let mut counts = vec![0; self.cells()];
        (0..self.rows).for_each(|i| counts[self.address(i) as usize - 1] += 1);
        counts
    }
}

/// `mu - (address + alpha value)`: the value for a pair once the challenges `mu, alpha` are known.
pub(super) fn fingerprint<E: ExtensionField<Goldilocks>>(
    challenges: &[E],
    address: Goldilocks,
    value: Goldilocks,
) -> E {
    let (mu, alpha) = (challenges[0], challenges[1]);
    mu - (alpha * value + E::from(address))
}
