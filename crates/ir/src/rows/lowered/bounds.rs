//! The most that a word can be, from the most that its operands can be: so superfluous masks and checks are known
//! before.

use alloc::vec;
use alloc::vec::Vec;

use super::instruction::{ShiftOp, VectorOp};

/// A number as a bound of words that wrap around.
fn wrapped(most: u64) -> u32 {
    u32::try_from(most).unwrap_or(u32::MAX)
}

/// As many ones as the number has bits.
pub(super) fn ones(most: u32) -> u32 {
    u32::MAX.checked_shr(most.leading_zeros()).unwrap_or(0)
}

pub(super) fn of_vector(op: VectorOp, a: u32, b: u32) -> u32 {
    match op {
        VectorOp::Add => wrapped(u64::from(a) + u64::from(b)),
        VectorOp::Sub => u32::MAX,
        VectorOp::Mul => wrapped(u64::from(a) * u64::from(b)),
        VectorOp::And => a.min(b),
        VectorOp::Or | VectorOp::Xor => ones(a | b),
        VectorOp::Eq | VectorOp::Lt => 1,
    }
}

pub(super) fn of_shift(op: ShiftOp, a: u32, bits: u32) -> u32 {
    match op {
        ShiftOp::Left => wrapped(u64::from(a) << bits),
        ShiftOp::Right => a >> bits,
        // A negative number may become any other.
        ShiftOp::Signed if a >> 31 != 0 => u32::MAX,
        ShiftOp::Signed => a >> bits,
    }
}

/// The bound of a sum that wraps around. There are so few summands that the sum of their bounds does not.
pub(super) fn sum(mosts: impl Iterator<Item = u64>) -> u32 {
    wrapped(mosts.fold(0, u64::saturating_add))
}

/// The bounds of the coefficients of a product of polynomials.
pub(super) fn of_product(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut sums = vec![0u64; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            sums[i + j] = sums[i + j].saturating_add(u64::from(*x) * u64::from(*y));
        }
    }
    sums.into_iter().map(wrapped).collect()
}

/// The bound of the bits of a digit that fall into a word.
pub(super) fn of_part(most: u32, shift: i32) -> u32 {
    if shift < 0 { most >> -shift } else { wrapped(u64::from(most) << shift) }
}
