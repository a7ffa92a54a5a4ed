//! Cosets of two-adic subgroups of the multiplicative group.

use alloc::vec::Vec;

use crate::{TwoAdicField, bit_reverse, powers};

use super::Domain;

/// A coset `shift * <root(log_size)>` of a two-adic subgroup. Natural order: point `i` is `shift * root^i`; storage
/// order is the bit reversal of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CosetDomain<F> {
    /// First point.
    pub shift: F,
    /// Log2 of the number of points.
    pub log_size: u32,
}

impl<F: TwoAdicField> CosetDomain<F> {
    /// The coset of the given first point.
    pub fn new(shift: F, log_size: u32) -> Self {
        Self { shift, log_size }
    }

    /// The subgroup itself.
    pub fn subgroup(log_size: u32) -> Self {
        Self { shift: F::ONE, log_size }
    }

    /// Generator of the subgroup.
    pub fn generator(&self) -> F {
        F::two_adic_generator(self.log_size)
    }

    /// The points at these storage indices.
    pub fn points_at(&self, indices: impl IntoIterator<Item = usize>) -> impl Iterator<Item = F> {
        let (shift, generator, log_size) = (self.shift, self.generator(), self.log_size);
        indices.into_iter().map(move |index| shift * generator.pow(bit_reverse(index, log_size) as u64))
    }

    /// The coset of the first `2^log_size` points in storage order: same first point, smaller subgroup. `log_size` is
    /// at most this domain's.
    pub fn prefix(&self, log_size: u32) -> Self {
        Self { shift: self.shift, log_size }
    }
}

impl<F: TwoAdicField> Domain for CosetDomain<F> {
    type Field = F;
    type At = F;

    const LIFTS: bool = false;

    fn log_size(&self) -> u32 {
        self.log_size
    }

    /// A block of a coset is a coset like any other.
    fn log_whole(&self) -> u32 {
        self.log_size
    }

    fn block_index(&self) -> u32 {
        0
    }

    fn is_valid(&self) -> bool {
        self.log_size <= F::TWO_ADICITY && !self.shift.is_zero()
    }

    fn row_to_storage(&self, row: usize) -> usize {
        bit_reverse(row, self.log_size)
    }

    fn points(&self) -> Vec<F> {
        let natural: Vec<F> =
            powers(self.generator()).take(1 << self.log_size).map(|power| self.shift * power).collect();
        (0..natural.len()).map(|index| natural[bit_reverse(index, self.log_size)]).collect()
    }

    fn power(at: F, log_power: u32) -> F {
        at.pow_two_to(log_power)
    }

    fn neighbour(&self, index: usize, offset: i32, log_trace: u32) -> usize {
        // x * g^offset, with g the generator of the trace domain: 2^(log_size - log_trace) points on for every row.
        let rows = i64::from(offset).rem_euclid(1 << log_trace) as usize;
        let natural = bit_reverse(index, self.log_size) + (rows << (self.log_size - log_trace));
        bit_reverse(natural % (1 << self.log_size), self.log_size)
    }

    /// Storage indices of a block share their high bits, natural ones their low bits: the block number reversed.
    fn block(&self, log_size: u32, index: u32) -> Option<Self> {
        let log_blocks = self.log_size.checked_sub(log_size)?;
        if u64::from(index) >> log_blocks != 0 {
            return None;
        }
        let first = bit_reverse(index as usize, log_blocks);
        Some(Self { shift: self.shift * self.generator().pow(first as u64), log_size })
    }

    fn folded(&self) -> Option<Self> {
        let log_size = self.log_size.checked_sub(1)?;
        Some(Self { shift: self.shift.square(), log_size })
    }

    fn twin(&self, at: F) -> F {
        at
    }

    fn fold_point(&self, at: F) -> F {
        at.square()
    }

    fn same_basis(&self, _: &Self) -> bool {
        true
    }

    fn lift_index(index: usize, log_height: u32, log_table: u32) -> usize {
        index >> (log_height - log_table)
    }

    fn split_index(index: usize, part: usize, parts: usize, _: u32) -> usize {
        index * parts + part
    }
}
