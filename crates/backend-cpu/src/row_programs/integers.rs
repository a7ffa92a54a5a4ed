//! Integers of many words, least significant word first, for all rows of a block.

use gpu_hal::ir::MAX_WORDS;

use super::words::{CHUNKS, Chunk, LANES, Lanes, WIDTH, at};

/// [`super::instruction::Op::IntAdd`]. The last result is the carry.
#[inline(always)]
pub(super) fn add(words: &mut [Lanes], operands: &[u32], results: &[u32]) {
    let (a, b) = operands.split_at(operands.len() / 2);
    for chunk in 0..CHUNKS {
        let mut carry = [0; WIDTH];
        for ((a, b), result) in a.iter().zip(b).zip(results) {
            let (a, b) = (words[at(*a)].0[chunk], words[at(*b)].0[chunk]);
            let mut made = [0; WIDTH];
            for lane in 0..WIDTH {
                let sum = a[lane].wrapping_add(b[lane]);
                made[lane] = sum.wrapping_add(carry[lane]);
                carry[lane] = u32::from(sum < a[lane]) | u32::from(made[lane] < sum);
            }
            words[at(*result)].0[chunk] = made;
        }
        words[at(results[a.len()])].0[chunk] = carry;
    }
}

/// One word of a difference; the borrow before becomes that behind it.
#[inline(always)]
fn subtract(a: &Chunk, b: &Chunk, borrow: &mut Chunk) -> Chunk {
    let mut made = [0; WIDTH];
    for lane in 0..WIDTH {
        let difference = a[lane].wrapping_sub(b[lane]);
        made[lane] = difference.wrapping_sub(borrow[lane]);
        borrow[lane] = u32::from(a[lane] < b[lane]) | u32::from(difference < borrow[lane]);
    }
    made
}

/// [`super::instruction::Op::IntSub`].
#[inline(always)]
pub(super) fn sub(words: &mut [Lanes], operands: &[u32], results: &[u32]) {
    let (a, b) = operands.split_at(operands.len() / 2);
    for chunk in 0..CHUNKS {
        let mut borrow = [0; WIDTH];
        for ((a, b), result) in a.iter().zip(b).zip(results) {
            words[at(*result)].0[chunk] = subtract(&words[at(*a)].0[chunk], &words[at(*b)].0[chunk], &mut borrow);
        }
    }
}

/// [`super::instruction::Op::IntLt`]: whether the difference borrows.
#[inline(always)]
pub(super) fn less(words: &mut [Lanes], operands: &[u32], result: u32) {
    let (a, b) = operands.split_at(operands.len() / 2);
    for chunk in 0..CHUNKS {
        let mut borrow = [0; WIDTH];
        for (a, b) in a.iter().zip(b) {
            subtract(&words[at(*a)].0[chunk], &words[at(*b)].0[chunk], &mut borrow);
        }
        words[at(result)].0[chunk] = borrow;
    }
}

/// [`super::instruction::Op::IntMul`]: word `k` is the sum of the low halves of `a_i b_(k - i)`, the high halves of the
/// products before and the carry. No sum of 64 halves of 32 bits overflows.
#[inline(always)]
pub(super) fn mul(words: &mut [Lanes], first: usize, operands: &[u32], results: &[u32]) {
    let (a, b) = operands.split_at(first);
    for chunk in 0..CHUNKS {
        let mut carry = [0u64; WIDTH];
        for (k, result) in results.iter().enumerate() {
            let (mut low, mut high) = (carry, [0u64; WIDTH]);
            let from = (k + 1).saturating_sub(b.len());
            for i in from..(k + 1).min(a.len()) {
                let (a, b) = (&words[at(a[i])].0[chunk], &words[at(b[k - i])].0[chunk]);
                for lane in 0..WIDTH {
                    let product = u64::from(a[lane]) * u64::from(b[lane]);
                    low[lane] += product & u64::from(u32::MAX);
                    high[lane] += product >> 32;
                }
            }
            let mut made = [0; WIDTH];
            for lane in 0..WIDTH {
                made[lane] = low[lane] as u32;
                carry[lane] = (low[lane] >> 32) + high[lane];
            }
            words[at(*result)].0[chunk] = made;
        }
    }
}

/// [`super::instruction::Op::IntDivRem`], row by row.
pub(super) fn div_rem(words: &mut [Lanes], first: usize, operands: &[u32], results: &[u32]) {
    let (mut a, mut b, mut quotient) = ([0; MAX_WORDS + 1], [0; MAX_WORDS], [0; MAX_WORDS]);
    let second = operands.len() - first;
    for lane in 0..LANES {
        let (dividends, divisors) = operands.split_at(first);
        dividends.iter().zip(&mut a).for_each(|(operand, word)| *word = words[at(*operand)].words()[lane]);
        divisors.iter().zip(&mut b).for_each(|(operand, word)| *word = words[at(*operand)].words()[lane]);
        divide(&mut a[..=first], &mut b[..second], &mut quotient[..first]);
        // The remainder has no more words than the divisor, and no more than the dividend.
        let remainder = a[..first].iter().chain(std::iter::repeat(&0)).take(second);
        for (result, word) in results.iter().zip(quotient[..first].iter().chain(remainder)) {
            words[at(*result)].words_mut()[lane] = *word;
        }
    }
}

/// Schoolbook division (Knuth, algorithm D). `a` has one word more than the dividend, of any value, and becomes the
/// remainder; `b` may change. By zero both results are zero.
fn divide(a: &mut [u32], b: &mut [u32], quotient: &mut [u32]) {
    quotient.fill(0);
    let len = b.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
    if let Some(last) = a.last_mut() {
        *last = 0;
    }
    if len == 0 {
        return a.fill(0);
    }
    let words = a.len() - 1;
    if words < len {
        return;
    }
    // So that the divisor begins with a one bit: then two of its words tell a digit of the quotient up to one or two.
    let shift = b[len - 1].leading_zeros();
    shift_left(a, shift);
    shift_left(&mut b[..len], shift);
    let (top, next) = (u64::from(b[len - 1]), if len > 1 { u64::from(b[len - 2]) } else { 0 });
    for k in (0..=words - len).rev() {
        let part = &mut a[k..=k + len];
        let head = u64::from(part[len]) << 32 | u64::from(part[len - 1]);
        let below = if len > 1 { u64::from(part[len - 2]) } else { 0 };
        let (mut digit, mut rest) = (head / top, head % top);
        while digit >> 32 != 0 || digit * next > (rest << 32 | below) {
            digit -= 1;
            rest += top;
            if rest >> 32 != 0 {
                break;
            }
        }
        if subtract_multiple(part, &b[..len], digit) {
            digit -= 1;
            add_back(part, &b[..len]);
        }
        quotient[k] = digit as u32;
    }
    shift_right(a, shift);
}

/// `part -= digit b`; whether that is negative.
fn subtract_multiple(part: &mut [u32], b: &[u32], digit: u64) -> bool {
    let (mut carry, mut borrow) = (0u64, false);
    for (word, b) in part.iter_mut().zip(b.iter().chain(&[0])) {
        let product = digit * u64::from(*b) + carry;
        carry = product >> 32;
        let (difference, first) = word.overflowing_sub(product as u32);
        let (difference, second) = difference.overflowing_sub(u32::from(borrow));
        borrow = first | second;
        *word = difference;
    }
    borrow
}

/// `part += b`, modulo the range of `part`.
fn add_back(part: &mut [u32], b: &[u32]) {
    let mut carry = 0;
    for (word, b) in part.iter_mut().zip(b.iter().chain(&[0])) {
        let sum = u64::from(*word) + u64::from(*b) + carry;
        *word = sum as u32;
        carry = sum >> 32;
    }
}

/// Nothing that is shifted out is kept. Less than a word.
fn shift_left(words: &mut [u32], shift: u32) {
    let mut carry = 0;
    for word in words {
        let wide = u64::from(*word) << shift | carry;
        *word = wide as u32;
        carry = wide >> 32;
    }
}

fn shift_right(words: &mut [u32], shift: u32) {
    let mut above = 0;
    for word in words.iter_mut().rev() {
        let wide = u64::from(*word) << 32 >> shift;
        let carried = above;
        above = wide as u32;
        *word = (wide >> 32) as u32 | carried;
    }
}
