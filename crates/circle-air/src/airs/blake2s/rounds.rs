//! The component of rounds: one row each, the ten of a node one after the other.

use num_traits::{One, Zero};
use stwo::core::fields::m31::BaseField;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, ORIGINAL_TRACE_IDX};

use super::function::{START, Words, round};
use super::relation::{MESSAGE, STATE, TUPLE, XOR, entry, half};
use crate::airs::lookup::Lookup;

/// Node and round of the row; whether there is one, whether it is the first or the last of its node.
pub(super) const IDS: [&str; 5] = ["round_node", "round_number", "is_round", "is_first_round", "is_last_round"];

/// State, message, and 42 in each of eight mixings: four results of additions, four of exclusive ors (in bytes), eight
/// for the two rotations that are not by whole bytes, and two that check ranges.
pub(super) const COLUMNS: usize = 64 + 32 + 8 * 42;

#[derive(Clone)]
pub(super) struct Rounds {
    pub(super) log_size: u32,
    pub(super) lookup: Lookup<TUPLE>,
}

impl FrameworkEval for Rounds {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [node, number, is_round, is_first, is_last] =
            IDS.map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let cells: [[E::F; 2]; 64] = std::array::from_fn(|_| eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [0, 1]));
        let message: [[E::F; 2]; 16] = std::array::from_fn(|_| std::array::from_fn(|_| eval.next_trace_mask()));
        let state: [[E::F; 4]; 16] =
            std::array::from_fn(|word| std::array::from_fn(|byte| cells[4 * word + byte][0].clone()));
        let start = START.iter().flat_map(|word| word.to_le_bytes());
        for ([cell, _], byte) in cells.iter().zip(start) {
            eval.add_constraint(is_first.clone() * (cell.clone() - E::F::from(BaseField::from(u32::from(byte)))));
        }
        let after = round(&mut Expressions { eval: &mut eval, lookup: &self.lookup }, state, &message);
        let after: Vec<E::F> = after.into_iter().flatten().collect();
        let goes_on = is_round.clone() - is_last.clone();
        for ([_, next], value) in cells.iter().zip(&after) {
            eval.add_constraint(goes_on.clone() * (next.clone() - value.clone()));
        }
        let taken = [node.clone(), number].into_iter().chain(message.into_iter().flatten());
        entry(&mut eval, &self.lookup, E::EF::from(is_round), MESSAGE, taken);
        entry(&mut eval, &self.lookup, -E::EF::from(is_last), STATE, std::iter::once(node).chain(after));
        eval.finalize_logup_in_pairs();
        eval
    }
}

/// Words of four bytes, the lowest first, each an expression of degree 1.
struct Expressions<'a, E: EvalAtRow> {
    eval: &'a mut E,
    lookup: &'a Lookup<TUPLE>,
}

impl<E: EvalAtRow> Expressions<'_, E> {
    fn columns<const N: usize>(&mut self) -> [E::F; N] {
        std::array::from_fn(|_| self.eval.next_trace_mask())
    }

    fn looked_up(&mut self, x: E::F, y: E::F, xor: E::F) {
        entry(self.eval, self.lookup, E::EF::one(), XOR, [x, y, xor]);
    }
}

/// Every byte that is committed here is a byte because it is looked up: sums and the results of rotations by 12 and by
/// 7 as operands of a later exclusive or (for the last round, of the component of nodes), exclusive ors as results.
impl<E: EvalAtRow> Words for Expressions<'_, E> {
    type Word = [E::F; 4];
    type Message = [E::F; 2];

    /// By halves of 16 bits: the operands minus the result, plus the carry of the lower half, is `2^16` times a carry
    /// of 0, 1 or (of three operands) 2.
    fn add(&mut self, a: &[E::F; 4], b: &[E::F; 4], message: Option<&[E::F; 2]>) -> [E::F; 4] {
        let sum: [E::F; 4] = self.columns();
        // 2^-16 = 2^15, because 2^31 = 1.
        let inverse = BaseField::from(1 << 15);
        let mut carry = E::F::zero();
        for i in 0..2 {
            let bytes = 2 * i..2 * i + 2;
            let mut excess = half::<E>(&a[bytes.clone()]) + half::<E>(&b[bytes.clone()]) + carry;
            if let Some(message) = message {
                excess += message[i].clone();
            }
            carry = (excess - half::<E>(&sum[bytes])) * inverse;
            let mut values = carry.clone() * (carry.clone() - E::F::one());
            if message.is_some() {
                values *= carry.clone() - E::F::from(BaseField::from(2));
            }
            self.eval.add_constraint(values);
        }
        sum
    }

    fn xor(&mut self, a: &[E::F; 4], b: &[E::F; 4]) -> [E::F; 4] {
        let out: [E::F; 4] = self.columns();
        for i in 0..4 {
            self.looked_up(a[i].clone(), b[i].clone(), out[i].clone());
        }
        out
    }

    fn rotate_bytes(&mut self, word: &[E::F; 4], bytes: usize) -> [E::F; 4] {
        std::array::from_fn(|i| word[(i + bytes) % 4].clone())
    }

    /// With `h_i` the upper half of byte `i` and `l_i = z_i - 16 h_i` the lower, byte `i` of the result is
    /// `h_{i+1} + 16 l_{i+2}`. It suffices that `16 h_i` and the result are bytes: `l_i` is a difference of bytes, so
    /// `h_i` is small, and `16 h_i` a byte only if `0 <= h_i < 16`; then `16 l_i` is between -15 and 255, and
    /// `0 <= l_i < 16`.
    fn rotate_12(&mut self, word: &[E::F; 4]) -> [E::F; 4] {
        let upper: [E::F; 4] = self.columns();
        let shifted = upper.clone().map(|value| value * BaseField::from(16));
        for pair in shifted.chunks_exact(2) {
            let [xor] = self.columns();
            self.looked_up(pair[0].clone(), pair[1].clone(), xor);
        }
        let lower: [E::F; 4] = std::array::from_fn(|i| word[i].clone() - shifted[i].clone());
        std::array::from_fn(|i| upper[(i + 1) % 4].clone() + lower[(i + 2) % 4].clone() * BaseField::from(16))
    }

    /// With `t_i` the top bit of byte `i` and `l_i = z_i - 128 t_i` the rest, byte `i` of the result is
    /// `t_i + 2 l_{i+1}`. It is a byte only if `0 <= l_{i+1} < 128`.
    fn rotate_7(&mut self, word: &[E::F; 4]) -> [E::F; 4] {
        let top: [E::F; 4] = self.columns();
        for bit in &top {
            self.eval.add_constraint(bit.clone() * (bit.clone() - E::F::one()));
        }
        std::array::from_fn(|i| {
            let next = (i + 1) % 4;
            top[i].clone() + (word[next].clone() - top[next].clone() * BaseField::from(128)) * BaseField::from(2)
        })
    }
}

#[cfg(test)]
mod tests {
    use field::{Field, M31};

    fn is_byte(value: M31) -> bool {
        value.value() < 256
    }

    /// If `16 h` is a byte for both halves that meet in a byte of the result, and that is a byte, then the upper half
    /// is one of four bits and the lower the rest of its byte.
    #[test]
    fn a_rotation_by_12_splits_bytes_in_one_way() {
        let sixteenth = M31::new(16).inverse().unwrap();
        for (upper, shifted) in (0..256).flat_map(|upper| (0..256).map(move |shifted| (upper, shifted))) {
            for byte in 0..256u32 {
                let lower = M31::new(byte) - M31::new(shifted);
                let result = M31::new(upper) * sixteenth + lower * M31::new(16);
                let right = upper % 16 == 0 && lower.value() < 16;
                assert_eq!(is_byte(result), right, "16 h = {upper}, {shifted}, byte {byte}");
            }
        }
    }

    #[test]
    fn a_rotation_by_7_splits_bytes_in_one_way() {
        for (byte, top, other) in (0..256u32).flat_map(|byte| [(byte, 0, 0), (byte, 0, 1), (byte, 1, 0), (byte, 1, 1)])
        {
            let result = M31::new(other) + (M31::new(byte) - M31::new(128 * top)).double();
            assert_eq!(is_byte(result), top == byte >> 7, "byte {byte}, top bit {top}");
        }
    }
}
