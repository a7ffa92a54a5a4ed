//! Comparisons, divisions, products and square roots of integers.
//!
//! An integer of 256 bits or more is given by limbs of 128 bits, the least significant first.

use cairo_lang_casm::operand::{CellRef, ResOperand};
use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::{Machine, custom, operand};

/// Bits of a limb.
const LIMB_BITS: u32 = 128;

/// `Σ limb_i 2^(128 i)`.
pub(super) fn from_limbs(vm: &Machine<'_>, limbs: &[&ResOperand]) -> Result<BigUint, HintError> {
    limbs.iter().rev().try_fold(BigUint::zero(), |number, limb| Ok((number << LIMB_BITS) + operand::integer(vm, limb)?))
}

/// Writes a number in limbs of `bits` bits. The last cell takes the rest.
fn write_limbs(vm: &mut Machine<'_>, number: &BigUint, bits: u32, cells: &[&CellRef]) -> Result<(), HintError> {
    let mask = (BigUint::one() << bits) - 1u32;
    let mut rest = number.clone();
    for (index, cell) in cells.iter().enumerate() {
        let limb = if index + 1 == cells.len() { rest.clone() } else { &rest & &mask };
        operand::write(vm, cell, Felt252::from(limb))?;
        rest >>= bits;
    }
    Ok(())
}

/// `dst = 1` if the condition holds, else 0.
pub(super) fn write_flag(vm: &mut Machine<'_>, dst: &CellRef, condition: bool) -> Result<(), HintError> {
    operand::write(vm, dst, Felt252::from(condition))
}

/// The quotient and the remainder of limbs divided by limbs.
pub(super) fn div_mod(
    vm: &mut Machine<'_>,
    dividend: &[&ResOperand],
    divisor: &[&ResOperand],
    quotient: &[&CellRef],
    remainder: &[&CellRef],
) -> Result<(), HintError> {
    let (dividend, divisor) = (from_limbs(vm, dividend)?, from_limbs(vm, divisor)?);
    if divisor.is_zero() {
        return Err(custom("it divides by zero"));
    }
    write_limbs(vm, &(&dividend / &divisor), LIMB_BITS, quotient)?;
    write_limbs(vm, &(dividend % divisor), LIMB_BITS, remainder)
}

/// The product of two integers as a high and a low part of 128 bits.
pub(super) fn wide_mul(
    vm: &mut Machine<'_>,
    (lhs, rhs): (&ResOperand, &ResOperand),
    (high, low): (&CellRef, &CellRef),
) -> Result<(), HintError> {
    let product = operand::integer(vm, lhs)? * operand::integer(vm, rhs)?;
    write_limbs(vm, &product, LIMB_BITS, &[low, high])
}

/// `value = x * scalar + y` with the largest `x` that is at most `max_x`.
pub(super) fn linear_split(
    vm: &mut Machine<'_>,
    (value, scalar, max_x): (&ResOperand, &ResOperand, &ResOperand),
    (x, y): (&CellRef, &CellRef),
) -> Result<(), HintError> {
    let [value, scalar, max_x] =
        [operand::integer(vm, value)?, operand::integer(vm, scalar)?, operand::integer(vm, max_x)?];
    if scalar.is_zero() {
        return Err(custom("it divides by zero"));
    }
    let quotient = (&value / &scalar).min(max_x);
    operand::write(vm, y, Felt252::from(value - &quotient * scalar))?;
    operand::write(vm, x, Felt252::from(quotient))
}

/// The integer square root.
pub(super) fn square_root(vm: &mut Machine<'_>, value: &ResOperand, dst: &CellRef) -> Result<(), HintError> {
    let root = operand::integer(vm, value)?.sqrt();
    operand::write(vm, dst, Felt252::from(root))
}

/// The integer square root of a number of 256 bits: two limbs of 64 bits; its remainder `value - root^2` in two limbs
/// of 128 bits; and whether `2 root - remainder` is at least 2^128.
pub(super) fn u256_square_root(
    vm: &mut Machine<'_>,
    value: &[&ResOperand; 2],
    root: &[&CellRef; 2],
    remainder: &[&CellRef; 2],
    large_gap: &CellRef,
) -> Result<(), HintError> {
    let value = from_limbs(vm, value)?;
    let number = value.sqrt();
    let rest = value - &number * &number;
    write_limbs(vm, &number, 64, root)?;
    write_limbs(vm, &rest, LIMB_BITS, remainder)?;
    // Both sides move the remainder over, so that no difference is negative.
    write_flag(vm, large_gap, number * 2u32 >= rest + (BigUint::one() << LIMB_BITS))
}

/// The cells of [`u256_inverse`].
pub(super) struct InverseCells<'a> {
    /// The common divisor, or a single 0 if there is an inverse.
    pub divisor: [&'a CellRef; 2],
    /// The inverse `r`, or `s = b / g`.
    pub s_or_r: [&'a CellRef; 2],
    /// `k = (r b - 1) / n`, or `t = n / g`.
    pub t_or_k: [&'a CellRef; 2],
}

/// The inverse of `b` modulo `n`, or a common divisor that shows that there is none: 2 if both are even, else the
/// greatest one. With `n = 1` the divisor is 1.
pub(super) fn u256_inverse(
    vm: &mut Machine<'_>,
    b: &[&ResOperand; 2],
    n: &[&ResOperand; 2],
    cells: &InverseCells<'_>,
) -> Result<(), HintError> {
    let (b, n) = (from_limbs(vm, b)?, from_limbs(vm, n)?);
    if n.is_zero() {
        return Err(custom("it inverts modulo zero"));
    }
    let (gcd, inverse) = inverse(&b, &n);
    if gcd.is_one() && !n.is_one() {
        let k = (&inverse * &b - 1u32) / &n;
        operand::write(vm, cells.divisor[0], Felt252::ZERO)?;
        write_limbs(vm, &inverse, LIMB_BITS, &cells.s_or_r)?;
        return write_limbs(vm, &k, LIMB_BITS, &cells.t_or_k);
    }
    let divisor = if gcd.bit(0) { gcd } else { BigUint::from(2u32) };
    write_limbs(vm, &divisor, LIMB_BITS, &cells.divisor)?;
    write_limbs(vm, &(b / &divisor), LIMB_BITS, &cells.s_or_r)?;
    write_limbs(vm, &(n / divisor), LIMB_BITS, &cells.t_or_k)
}

/// `gcd(b, n)`, and `r` in `0..n` with `r b = gcd mod n`, by the extended Euclidean algorithm. `n` is not zero.
pub(super) fn inverse(b: &BigUint, n: &BigUint) -> (BigUint, BigUint) {
    let modulus = BigInt::from(n.clone());
    // Invariant: `r_i = s_i b mod n` for both rows.
    let (mut row, mut next) = ((modulus.clone(), BigInt::zero()), (BigInt::from(b % n), BigInt::one()));
    while !next.0.is_zero() {
        let quotient = &row.0 / &next.0;
        let new = (&row.0 - &quotient * &next.0, &row.1 - &quotient * &next.1);
        row = std::mem::replace(&mut next, new);
    }
    let (gcd, factor) = row;
    let factor = ((factor % &modulus) + &modulus) % &modulus;
    (gcd.magnitude().clone(), factor.magnitude().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_and_common_divisors() {
        let number = |n: u64| BigUint::from(n);
        // 3 * 5 = 1 mod 7; 2^-1 mod 2^61 - 1 = 2^60; 6 and 9 share 3; everything is 0 mod 1.
        assert_eq!(inverse(&number(3), &number(7)), (number(1), number(5)));
        assert_eq!(inverse(&number(2), &number((1 << 61) - 1)), (number(1), number(1 << 60)));
        assert_eq!(inverse(&number(10), &number(7)), (number(1), number(5)));
        assert_eq!(inverse(&number(6), &number(9)).0, number(3));
        assert_eq!(inverse(&number(0), &number(12)).0, number(12));
        assert_eq!(inverse(&number(5), &number(1)), (number(1), number(0)));
    }
}
