//! Nodes whose values are words.

use alloc::vec;
use alloc::vec::Vec;

use field::PrimeField;

use super::super::bounds;
use super::super::instruction::{Digit, JoinPart, Op, ShiftOp, VectorOp};
use super::Lowering;
use crate::program::NodeId;
use crate::rows::program::RowOp;

impl<F: PrimeField> Lowering<'_, F> {
    fn vector(&mut self, op: VectorOp, a: NodeId, b: NodeId) -> Vec<u32> {
        let (mut a, mut b) = (self.words(a), self.words(b));
        let len = a.len().max(b.len());
        for side in [&mut a, &mut b] {
            side.resize(len, side[0]);
        }
        let most: Vec<u32> =
            self.most_of(&a).into_iter().zip(self.most_of(&b)).map(|(a, b)| bounds::of_vector(op, a, b)).collect();
        a.append(&mut b);
        self.make(Op::Vector(op), a, most)
    }

    fn shift(&mut self, op: ShiftOp, a: NodeId, bits: u32) -> Vec<u32> {
        let a = self.words(a);
        let most: Vec<u32> = self.most_of(&a).into_iter().map(|most| bounds::of_shift(op, most, bits)).collect();
        self.make(Op::Shift(op, bits), a, most)
    }

    /// The words of two nodes, one after the other, and how many the first has.
    fn both(&mut self, a: NodeId, b: NodeId) -> (Vec<u32>, usize) {
        let mut both = self.words(a);
        let first = both.len();
        both.extend(self.words(b));
        (both, first)
    }

    pub(super) fn words_node(&mut self, op: &RowOp<F>) -> Vec<u32> {
        // The largest value of an element that is a word.
        let (of_element, is_large) = ((F::ORDER - 1).min(u64::from(u32::MAX)) as u32, F::ORDER >> 32 != 0);
        match *op {
            RowOp::Row => self.make(Op::Row, Vec::new(), [((1u64 << self.log_height) - 1) as u32]),
            RowOp::Input(k) => {
                let result = self.new_word(of_element);
                self.push(Op::Input(k), Vec::new(), vec![result], is_large);
                vec![result]
            }
            RowOp::Words(ref values) => values.iter().map(|value| self.constant(*value)).collect(),
            RowOp::Read { table, column, index, when } => {
                let index = self.word(index);
                let beyond = u64::from(self.most[index as usize]) >> self.tables[table as usize] != 0;
                let operands = [Some(index), when.map(|when| self.word(when))].into_iter().flatten().collect();
                let result = self.new_word(of_element);
                self.push(Op::Read { table, column }, operands, vec![result], beyond || is_large);
                vec![result]
            }
            RowOp::Pack(ref parts) => parts.iter().flat_map(|part| self.words(*part)).collect(),
            RowOp::Slice { of, from, len } => self.words(of)[from as usize..][..len as usize].to_vec(),
            RowOp::Add(a, b) => self.vector(VectorOp::Add, a, b),
            RowOp::Sub(a, b) => self.vector(VectorOp::Sub, a, b),
            RowOp::Mul(a, b) => self.vector(VectorOp::Mul, a, b),
            RowOp::And(a, b) => self.vector(VectorOp::And, a, b),
            RowOp::Or(a, b) => self.vector(VectorOp::Or, a, b),
            RowOp::Xor(a, b) => self.vector(VectorOp::Xor, a, b),
            RowOp::Eq(a, b) => self.vector(VectorOp::Eq, a, b),
            RowOp::Lt(a, b) => self.vector(VectorOp::Lt, a, b),
            RowOp::Shl(a, bits) => self.shift(ShiftOp::Left, a, bits),
            RowOp::Shr(a, bits) => self.shift(ShiftOp::Right, a, bits),
            RowOp::Sar(a, bits) => self.shift(ShiftOp::Signed, a, bits),
            RowOp::Select(condition, a, b) => {
                let condition = self.word(condition);
                let (both, len) = self.both(a, b);
                let most = self.most_of(&both);
                let most: Vec<u32> = most[..len].iter().zip(&most[len..]).map(|(a, b)| *a.max(b)).collect();
                self.make(Op::Select, [vec![condition], both].concat(), most)
            }
            RowOp::Sum(a) => {
                let words = self.words(a);
                let most = bounds::sum(self.most_of(&words).into_iter().map(u64::from));
                self.make(Op::Sum, words, [most])
            }
            RowOp::Convolve(a, b) => {
                let (both, first) = self.both(a, b);
                let most = self.most_of(&both);
                let most = bounds::of_product(&most[..first], &most[first..]);
                self.make(Op::Convolve(first), both, most)
            }
            RowOp::Split { of, bits, count } => {
                let words = self.words(of);
                (0..count).map(|digit| self.digit(&words, bits, digit)).collect()
            }
            RowOp::Join { of, bits, words } => {
                let digits = self.words(of);
                (0..words).map(|word| self.join(&digits, bits, word)).collect()
            }
            RowOp::IntAdd(a, b) => {
                let (both, len) = self.both(a, b);
                self.make(Op::IntAdd, both, (0..=len).map(|k| if k == len { 1 } else { u32::MAX }))
            }
            RowOp::IntSub(a, b) => {
                let (both, len) = self.both(a, b);
                self.make(Op::IntSub, both, vec![u32::MAX; len])
            }
            RowOp::IntLt(a, b) => {
                let (both, _) = self.both(a, b);
                self.make(Op::IntLt, both, [1])
            }
            RowOp::IntMul(a, b) => {
                let (both, first) = self.both(a, b);
                let len = both.len();
                self.make(Op::IntMul(first), both, vec![u32::MAX; len])
            }
            RowOp::IntDivRem(a, b) => {
                let (both, first) = self.both(a, b);
                let len = both.len();
                self.make(Op::IntDivRem(first), both, vec![u32::MAX; len])
            }
            RowOp::ToWord(a) => {
                let (element, result) = (self.element(a), self.new_word(of_element));
                self.push(Op::ToWord, vec![element], vec![result], is_large);
                vec![result]
            }
            _ => unreachable!("the other operations make felts and elements"),
        }
    }

    /// Bits `bits * digit..` of an integer, `bits` of them.
    fn digit(&mut self, words: &[u32], bits: u32, digit: u32) -> u32 {
        let (word, shift) = ((bits * digit / 32) as usize, bits * digit % 32);
        let mask = u32::MAX >> (32 - bits);
        let Some(low) = words.get(word) else { return self.constant(0) };
        let most = self.most[*low as usize] >> shift;
        match words.get(word + 1) {
            Some(high) if shift + bits > 32 => {
                self.make(Op::Digit(Digit { shift, mask }), vec![*low, *high], [mask])[0]
            }
            _ if shift == 0 && most <= mask => *low,
            _ => self.make(Op::Digit(Digit { shift, mask }), vec![*low], [most.min(mask)])[0],
        }
    }

    /// Word `word` of the integer of digits of `bits` bits.
    fn join(&mut self, digits: &[u32], bits: u32, word: u32) -> u32 {
        let mask = u32::MAX >> (32 - bits);
        let (mut operands, mut parts, mut most) = (Vec::new(), Vec::new(), 0);
        for (digit, at) in digits.iter().zip((0..).step_by(bits as usize)) {
            let shift: i32 = at - 32 * word as i32;
            if shift >= 32 || shift + bits as i32 <= 0 {
                continue;
            }
            operands.push(*digit);
            parts.push(JoinPart { mask, shift });
            most |= bounds::of_part(self.most[*digit as usize].min(mask), shift);
        }
        match (&operands[..], &parts[..]) {
            ([], _) => self.constant(0),
            ([digit], [JoinPart { shift: 0, .. }]) if self.most[*digit as usize] <= mask => *digit,
            _ => self.make(Op::Join(parts.into()), operands, [bounds::ones(most)])[0],
        }
    }
}
