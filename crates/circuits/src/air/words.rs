//! Gates on words of 32 bits, which are two halves of 16 bits: the xor of three, and the word that a number is.

use stwo_constraint_framework::EvalAtRow;

use super::relation::{RANGE_CHECK_16, XOR_8};
use super::row::{Constraints, Row, number};

/// The low part of a half, of which the part from bit `bits` on is known.
pub(super) fn low<E: EvalAtRow>(half: &E::F, high: &E::F, bits: u32) -> E::F {
    half.clone() - number::<E>(1 << bits) * high.clone()
}

/// A word is the xor of three others.
#[derive(Clone, Copy)]
pub(super) struct TripleXor;

impl Constraints for TripleXor {
    fn evaluate<E: EvalAtRow>(self, row: &mut Row<'_, E>) {
        // The halves of a, b, c and the result, the low one first.
        let halves: [E::F; 8] = row.columns();
        let high: [E::F; 8] = row.columns();
        // a ^ b by bytes, from the lowest on.
        let [x0, x1, x2, x3]: [E::F; 4] = row.columns();
        let low = |half: usize| low::<E>(&halves[half], &high[half], 8);
        let high = |half: usize| high[half].clone();
        row.uses(XOR_8, [low(0), low(2), x0.clone()]);
        row.uses(XOR_8, [high(0), high(2), x1.clone()]);
        row.uses(XOR_8, [low(1), low(3), x2.clone()]);
        row.uses(XOR_8, [high(1), high(3), x3.clone()]);
        row.uses(XOR_8, [x0, low(4), low(6)]);
        row.uses(XOR_8, [x1, high(4), high(6)]);
        row.uses(XOR_8, [x2, low(5), low(7)]);
        row.uses(XOR_8, [x3, high(5), high(7)]);
        for input in 0..3 {
            row.uses_wire(&format!("triple_xor_input_addr_{input}"), &halves[2 * input..][..2]);
        }
        let multiplicity = row.preprocessed("triple_xor_multiplicity".to_owned());
        row.yields_wire(multiplicity, "triple_xor_output_addr", &halves[6..]);
    }
}

/// A word is the number below the prime that a base element is.
#[derive(Clone, Copy)]
pub(super) struct M31ToU32;

impl Constraints for M31ToU32 {
    fn evaluate<E: EvalAtRow>(self, row: &mut Row<'_, E>) {
        let [x, low, high, inverse]: [E::F; 4] = row.columns();
        row.uses(RANGE_CHECK_16, [low.clone()]);
        row.uses(RANGE_CHECK_16, [high.clone()]);
        row.uses(RANGE_CHECK_16, [number::<E>(0x7fff) - high.clone()]);
        // The prime itself has the halves 0xffff and 0x7fff, and is zero: zero has the low half 0.
        row.constrain((x.clone() * inverse - number::<E>(1)) * low.clone());
        row.constrain(x.clone() - (low.clone() + number::<E>(1 << 16) * high.clone()));
        row.uses_wire("m31_to_u32_input_addr", &[x]);
        let multiplicity = row.preprocessed("m31_to_u32_multiplicity".to_owned());
        row.yields_wire(multiplicity, "m31_to_u32_output_addr", &[low, high]);
    }
}
