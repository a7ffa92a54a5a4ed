//! The G function of Blake2s on wires.

use stwo_constraint_framework::EvalAtRow;

use super::relation::{XOR_4, XOR_7, XOR_8, XOR_8_B, XOR_9, XOR_12};
use super::row::{Constraints, Row, number};
use super::words::low;

/// Four words are the G function of four others and two words of the message.
#[derive(Clone, Copy)]
pub(super) struct BlakeG;

/// The halves of a word, the low one first.
type Halves<E> = [<E as EvalAtRow>::F; 2];

impl Constraints for BlakeG {
    fn evaluate<E: EvalAtRow>(self, row: &mut Row<'_, E>) {
        let inputs: [Halves<E>; 6] = std::array::from_fn(|_| row.columns());
        let outputs: [Halves<E>; 4] = std::array::from_fn(|_| row.columns());
        let [a, b, c, d, f0, f1] = &inputs;
        let [a_out, b_out, c_out, d_out] = &outputs;
        let zero: Halves<E> = [number::<E>(0), number::<E>(0)];

        let a_1 = row.columns();
        sum(row, [a, b, f0], &a_1);
        let d_1 = xor_rotated_by_16(row, &a_1, d);
        let c_1 = row.columns();
        sum(row, [c, &d_1, &zero], &c_1);
        let b_1 = xor_rotated_by_12(row, b, &c_1);
        sum(row, [&a_1, &b_1, f1], a_out);
        is_xor_rotated(row, [a_out, &d_1, d_out], 8, [XOR_8, XOR_8]);
        sum(row, [&c_1, d_out, &zero], c_out);
        is_xor_rotated(row, [&b_1, c_out, b_out], 7, [XOR_9, XOR_7]);

        for (name, value) in ["a", "b", "c", "d", "f0", "f1"].iter().zip(&inputs) {
            row.uses_wire(&format!("blake_g_gate_input_addr_{name}"), value);
        }
        let multiplicity = row.preprocessed("blake_g_gate_multiplicity".to_owned());
        for (name, value) in ["a", "b", "c", "d"].iter().zip(&outputs) {
            row.yields_wire(multiplicity.clone(), &format!("blake_g_gate_output_addr_{name}"), value);
        }
    }
}

/// The sum of three words modulo `2^32` is this one: the carries out of both halves are 0, 1 or 2.
fn sum<E: EvalAtRow>(row: &mut Row<'_, E>, [x, y, z]: [&Halves<E>; 3], sum: &Halves<E>) {
    // 2^15 times 2^16 is 1.
    let inverse = number::<E>(1 << 15);
    let mut carry = number::<E>(0);
    for half in 0..2 {
        let total = x[half].clone() + y[half].clone() + z[half].clone() + carry - sum[half].clone();
        carry = total * inverse.clone();
        row.constrain(carry.clone() * (carry.clone() - number::<E>(1)) * (carry.clone() - number::<E>(2)));
    }
}

/// The parts of the halves of two words that are combined by xor.
struct Parts<E: EvalAtRow> {
    /// By word and half.
    low: [Halves<E>; 2],
    /// By word and half.
    high: [Halves<E>; 2],
}

impl<E: EvalAtRow> Parts<E> {
    /// With the high parts, from bit `bits` on, of the next columns.
    fn new(row: &mut Row<'_, E>, words: [&Halves<E>; 2], bits: u32) -> Self {
        let high: [Halves<E>; 2] = std::array::from_fn(|_| row.columns());
        let low = |word: usize| std::array::from_fn(|half| low::<E>(&words[word][half], &high[word][half], bits));
        Self { low: [low(0), low(1)], high }
    }

    /// The low parts of a half and this value.
    fn low(&self, half: usize, xor: &E::F) -> [E::F; 3] {
        [self.low[0][half].clone(), self.low[1][half].clone(), xor.clone()]
    }

    /// The high parts of a half and this value.
    fn high(&self, half: usize, xor: &E::F) -> [E::F; 3] {
        [self.high[0][half].clone(), self.high[1][half].clone(), xor.clone()]
    }
}

fn xor_rotated_by_16<E: EvalAtRow>(row: &mut Row<'_, E>, x: &Halves<E>, y: &Halves<E>) -> Halves<E> {
    let parts = Parts::new(row, [x, y], 8);
    let xors: [E::F; 4] = row.columns();
    let [low_0, high_0, low_1, high_1] = &xors;
    row.uses(XOR_8, parts.low(0, low_0));
    row.uses(XOR_8, parts.high(0, high_0));
    row.uses(XOR_8_B, parts.low(1, low_1));
    row.uses(XOR_8_B, parts.high(1, high_1));
    let joined = |low: &E::F, high: &E::F| low.clone() + number::<E>(1 << 8) * high.clone();
    [joined(low_1, high_1), joined(low_0, high_0)]
}

fn xor_rotated_by_12<E: EvalAtRow>(row: &mut Row<'_, E>, x: &Halves<E>, y: &Halves<E>) -> Halves<E> {
    let parts = Parts::new(row, [x, y], 12);
    let xors: [E::F; 4] = row.columns();
    let [low_0, high_0, low_1, high_1] = &xors;
    row.uses(XOR_12, parts.low(0, low_0));
    row.uses(XOR_4, parts.high(0, high_0));
    row.uses(XOR_12, parts.low(1, low_1));
    row.uses(XOR_4, parts.high(1, high_1));
    let joined = |high: &E::F, low: &E::F| high.clone() + number::<E>(1 << 4) * low.clone();
    [joined(high_0, low_1), joined(high_1, low_0)]
}

/// The result is the xor of two words, rotated by so many bits. The halves of the arguments are cut there, those of the
/// result at the other bits of a half. The kinds of tuples are for the parts above and below the arguments' cut.
fn is_xor_rotated<E: EvalAtRow>(
    row: &mut Row<'_, E>,
    [x, y, result]: [&Halves<E>; 3],
    bits: u32,
    [above, below]: [u32; 2],
) {
    let parts = Parts::new(row, [x, y], bits);
    let high: Halves<E> = row.columns();
    let low = |half: usize| low::<E>(&result[half], &high[half], 16 - bits);
    row.uses(above, parts.high(0, &low(0)));
    row.uses(below, parts.low(1, &high[0]));
    row.uses(above, parts.high(1, &low(1)));
    row.uses(below, parts.low(0, &high[1]));
}
