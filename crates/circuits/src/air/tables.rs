//! Fixed tables, whose main columns say how often each row is looked up.

use stwo_constraint_framework::EvalAtRow;

use super::relation::{RANGE_CHECK_16, XOR_4, XOR_7, XOR_8, XOR_8_B, XOR_9, XOR_12};
use super::row::{Constraints, Row, number};

/// Pairs of numbers of a few bits, with their xor: a column for each kind of tuple.
#[derive(Clone, Copy)]
pub(super) struct Xor {
    bits: u32,
    kinds: &'static [u32],
}

pub(super) const OF_4_BITS: Xor = Xor { bits: 4, kinds: &[XOR_4] };
pub(super) const OF_7_BITS: Xor = Xor { bits: 7, kinds: &[XOR_7] };
pub(super) const OF_8_BITS: Xor = Xor { bits: 8, kinds: &[XOR_8, XOR_8_B] };
pub(super) const OF_9_BITS: Xor = Xor { bits: 9, kinds: &[XOR_9] };

fn xor_columns<E: EvalAtRow>(row: &mut Row<'_, E>, bits: u32) -> [E::F; 3] {
    [0, 1, 2].map(|column| row.preprocessed(format!("bitwise_xor_{bits}_{column}")))
}

impl Constraints for Xor {
    fn evaluate<E: EvalAtRow>(self, row: &mut Row<'_, E>) {
        let tuple = xor_columns(row, self.bits);
        for kind in self.kinds {
            let [multiplicity] = row.columns();
            row.yields(multiplicity, *kind, tuple.clone());
        }
    }
}

/// Pairs of numbers of 12 bits with their xor: a column for each value of the two high bits of both, rows by the low
/// ten bits.
#[derive(Clone, Copy)]
pub(super) struct XorOf12Bits;

impl Constraints for XorOf12Bits {
    fn evaluate<E: EvalAtRow>(self, row: &mut Row<'_, E>) {
        let low = xor_columns(row, 10);
        for (x, y) in (0..4).flat_map(|x| (0..4).map(move |y| (x, y))) {
            let [multiplicity] = row.columns();
            let [a, b, c] = low.clone();
            let high = |bits: u32| number::<E>(bits << 10);
            row.yields(multiplicity, XOR_12, [a + high(x), b + high(y), c + high(x ^ y)]);
        }
    }
}

/// The numbers of 16 bits.
#[derive(Clone, Copy)]
pub(super) struct RangeCheck16;

impl Constraints for RangeCheck16 {
    fn evaluate<E: EvalAtRow>(self, row: &mut Row<'_, E>) {
        let value = row.preprocessed("seq_16".to_owned());
        let [multiplicity] = row.columns();
        row.yields(multiplicity, RANGE_CHECK_16, [value]);
    }
}
