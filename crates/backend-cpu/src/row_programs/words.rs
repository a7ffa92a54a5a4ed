//! Operations on single words, for all rows of a block.

use gpu_hal::ir::lowered::{Digit, JoinPart, ShiftOp, VectorOp};

/// Rows that are computed at once: a register, or a few.
pub(super) const WIDTH: usize = 16;
/// Rows of a block.
pub(super) const LANES: usize = 128;
pub(super) const CHUNKS: usize = LANES / WIDTH;

/// A word for some of the rows.
pub(super) type Chunk = [u32; WIDTH];

/// A word for each row of a block.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub(super) [Chunk; CHUNKS]);

impl Lanes {
    /// The same word for all rows.
    pub(super) fn splat(word: u32) -> Self {
        Self([[word; WIDTH]; CHUNKS])
    }

    /// The words in the order of the rows.
    #[inline(always)]
    pub(super) fn words(&self) -> &[u32] {
        self.0.as_flattened()
    }

    /// The words in the order of the rows.
    #[inline(always)]
    pub(super) fn words_mut(&mut self) -> &mut [u32] {
        self.0.as_flattened_mut()
    }
}

/// The register that an instruction names.
#[inline(always)]
pub(super) fn at(register: u32) -> usize {
    register as usize
}

trait Binary {
    fn of(a: u32, b: u32) -> u32;
}

macro_rules! binary {
    ($($name:ident |$a:ident, $b:ident| $value:expr;)+) => {$(
        struct $name;

        impl Binary for $name {
            #[inline(always)]
            fn of($a: u32, $b: u32) -> u32 {
                $value
            }
        }
    )+};
}

binary! {
    Add |a, b| a.wrapping_add(b);
    Sub |a, b| a.wrapping_sub(b);
    Mul |a, b| a.wrapping_mul(b);
    And |a, b| a & b;
    Or |a, b| a | b;
    Xor |a, b| a ^ b;
    Eq |a, b| u32::from(a == b);
    Lt |a, b| u32::from(a < b);
    // The shift is the second word, below 32.
    Left |a, b| a << (b & 31);
    Right |a, b| a >> (b & 31);
    Signed |a, b| (a as i32 >> (b & 31)) as u32;
}

/// One result of two chunks.
#[inline(always)]
fn of_chunks<O: Binary>(a: &Chunk, b: &Chunk) -> Chunk {
    let mut made = [0; WIDTH];
    for (made, (a, b)) in made.iter_mut().zip(a.iter().zip(b)) {
        *made = O::of(*a, *b);
    }
    made
}

#[inline(always)]
fn each<O: Binary>(words: &mut [Lanes], operands: &[u32], results: &[u32]) {
    let (a, b) = operands.split_at(results.len());
    for ((result, a), b) in results.iter().zip(a).zip(b) {
        for chunk in 0..CHUNKS {
            words[at(*result)].0[chunk] = of_chunks::<O>(&words[at(*a)].0[chunk], &words[at(*b)].0[chunk]);
        }
    }
}

/// [`super::instruction::Op::Vector`].
#[inline(always)]
pub(super) fn vector(words: &mut [Lanes], op: VectorOp, operands: &[u32], results: &[u32]) {
    match op {
        VectorOp::Add => each::<Add>(words, operands, results),
        VectorOp::Sub => each::<Sub>(words, operands, results),
        VectorOp::Mul => each::<Mul>(words, operands, results),
        VectorOp::And => each::<And>(words, operands, results),
        VectorOp::Or => each::<Or>(words, operands, results),
        VectorOp::Xor => each::<Xor>(words, operands, results),
        VectorOp::Eq => each::<Eq>(words, operands, results),
        VectorOp::Lt => each::<Lt>(words, operands, results),
    }
}

#[inline(always)]
fn each_by<O: Binary>(words: &mut [Lanes], bits: u32, operands: &[u32], results: &[u32]) {
    let by = [bits; WIDTH];
    for (result, a) in results.iter().zip(operands) {
        for chunk in 0..CHUNKS {
            words[at(*result)].0[chunk] = of_chunks::<O>(&words[at(*a)].0[chunk], &by);
        }
    }
}

/// [`super::instruction::Op::Shift`].
#[inline(always)]
pub(super) fn shift(words: &mut [Lanes], op: ShiftOp, bits: u32, operands: &[u32], results: &[u32]) {
    match op {
        ShiftOp::Left => each_by::<Left>(words, bits, operands, results),
        ShiftOp::Right => each_by::<Right>(words, bits, operands, results),
        ShiftOp::Signed => each_by::<Signed>(words, bits, operands, results),
    }
}

/// [`super::instruction::Op::Select`].
#[inline(always)]
pub(super) fn select(words: &mut [Lanes], operands: &[u32], results: &[u32]) {
    let (condition, values) = operands.split_at(1);
    let (a, b) = values.split_at(results.len());
    for chunk in 0..CHUNKS {
        let mut mask = words[at(condition[0])].0[chunk];
        for word in &mut mask {
            *word = 0u32.wrapping_sub(u32::from(*word != 0));
        }
        for ((result, a), b) in results.iter().zip(a).zip(b) {
            let (a, b) = (words[at(*a)].0[chunk], words[at(*b)].0[chunk]);
            let mut made = b;
            for ((made, a), mask) in made.iter_mut().zip(&a).zip(&mask) {
                *made ^= (*made ^ a) & mask;
            }
            words[at(*result)].0[chunk] = made;
        }
    }
}

/// [`super::instruction::Op::Sum`].
#[inline(always)]
pub(super) fn sum(words: &mut [Lanes], operands: &[u32], result: u32) {
    for chunk in 0..CHUNKS {
        let mut sum = [0; WIDTH];
        for operand in operands {
            sum = of_chunks::<Add>(&sum, &words[at(*operand)].0[chunk]);
        }
        words[at(result)].0[chunk] = sum;
    }
}

/// [`super::instruction::Op::Convolve`]: result `k` is the sum of `a_i b_(k - i)`.
#[inline(always)]
pub(super) fn convolve(words: &mut [Lanes], first: usize, operands: &[u32], results: &[u32]) {
    let (a, b) = operands.split_at(first);
    for chunk in 0..CHUNKS {
        for (k, result) in results.iter().enumerate() {
            let mut sum: Chunk = [0; WIDTH];
            let low = (k + 1).saturating_sub(b.len());
            let high = (k + 1).min(a.len());
            for (a, b) in a[low..high].iter().zip(b[..=k - low].iter().rev()) {
                let (a, b) = (&words[at(*a)].0[chunk], &words[at(*b)].0[chunk]);
                for (sum, (a, b)) in sum.iter_mut().zip(a.iter().zip(b)) {
                    *sum = sum.wrapping_add(a.wrapping_mul(*b));
                }
            }
            words[at(*result)].0[chunk] = sum;
        }
    }
}

/// [`super::instruction::Op::Digit`].
#[inline(always)]
pub(super) fn digit(words: &mut [Lanes], digit: Digit, operands: &[u32], result: u32) {
    for chunk in 0..CHUNKS {
        let mut made = words[at(operands[0])].0[chunk];
        if let [_, high] = operands {
            // There is a high word only behind a shift.
            let high = words[at(*high)].0[chunk];
            for (made, high) in made.iter_mut().zip(&high) {
                *made = *made >> digit.shift | high << (32 - digit.shift);
            }
        } else {
            for made in &mut made {
                *made >>= digit.shift;
            }
        }
        for made in &mut made {
            *made &= digit.mask;
        }
        words[at(result)].0[chunk] = made;
    }
}

/// [`super::instruction::Op::Join`].
#[inline(always)]
pub(super) fn join(words: &mut [Lanes], parts: &[JoinPart], operands: &[u32], result: u32) {
    for chunk in 0..CHUNKS {
        let mut made = [0; WIDTH];
        for (operand, part) in operands.iter().zip(parts) {
            let digits = words[at(*operand)].0[chunk];
            let (left, right) = (part.shift.max(0) as u32, (-part.shift).max(0) as u32);
            for (made, digit) in made.iter_mut().zip(&digits) {
                *made |= (digit & part.mask) << left >> right;
            }
        }
        words[at(result)].0[chunk] = made;
    }
}
