//! Hints of `uint256` and its kin: integers of limbs of 128 bits.

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;

use super::Hint;
use super::context::At;
use super::math::ensure;
use crate::vm::hints::error::custom;

/// The hints of this family by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[
    (hint_code::UINT256_ADD, |at| carries(at, &["carry_low", "carry_high"])),
    (hint_code::UINT256_ADD_LOW, |at| carries(at, &["carry_low"])),
    (hint_code::ADD_NO_UINT384_CHECK, |at| carries(at, &["carry_d0", "carry_d1", "carry_d2"])),
    (hint_code::UINT128_ADD, |at| {
        let carries = at.felt("a")? + at.felt("b")? >= shift();
        at.set_flag("carry", carries)
    }),
    (hint_code::UINT256_SUB, |at| {
        let modulus = BigUint::from(1_u32) << 256;
        let (a, b) = (at.packed("a", 2)?, at.packed("b", 2)? % &modulus);
        at.set_packed("res", &((a + &modulus - b) % modulus), 2)
    }),
    (hint_code::SUB_REDUCED_A_AND_REDUCED_B, |at| {
        let (a, b, modulus) = (at.packed("a", 3)?, at.packed("b", 3)?, nonzero(at.packed("p", 3)?)?);
        let difference = (a + &modulus - b % &modulus) % modulus;
        at.set_packed("res", &difference, 3)
    }),
    (hint_code::UINT256_SQRT, |at| {
        let root = root(at, "n", 2, 128)?;
        at.set_packed("root", &root, 2)
    }),
    (hint_code::UINT256_SQRT_FELT, |at| {
        let root = root(at, "n", 2, 128)?;
        at.set_number("root", root)
    }),
    (hint_code::UINT384_SQRT, |at| {
        let root = nonzero(root(at, "a", 3, 192)?)?;
        at.set_packed("root", &root, 3)
    }),
    (hint_code::UINT256_SIGNED_NN, |at| is_not_negative(at, 1)),
    (hint_code::UINT384_SIGNED_NN, |at| is_not_negative(at, 2)),
    (hint_code::UINT256_UNSIGNED_DIV_REM, |at| {
        let (a, divisor) = (at.packed("a", 2)?, at.packed("div", 2)?);
        divide(at, &a, &divisor, (2, 2))
    }),
    (hint_code::UINT256_EXPANDED_UNSIGNED_DIV_REM, |at| {
        // The divisor is split into halves of its limbs, too; its limbs are the second and the fourth one.
        let (a, start) = (at.packed("a", 2)?, at.address("div")?);
        let divisor = at.read(start, 1)?.to_biguint() + (at.read(start, 3)?.to_biguint() << 128);
        divide(at, &a, &divisor, (2, 2))
    }),
    (hint_code::UINT384_UNSIGNED_DIV_REM, |at| {
        let (a, divisor) = (at.packed("a", 3)?, at.packed("div", 3)?);
        divide(at, &a, &divisor, (3, 3))
    }),
    (hint_code::UNSIGNED_DIV_REM_UINT768_BY_UINT384, divide_768),
    (hint_code::UNSIGNED_DIV_REM_UINT768_BY_UINT384_STRIPPED, divide_768),
    (hint_code::UINT512_UNSIGNED_DIV_REM, |at| {
        let (x, divisor) = (at.packed("x", 4)?, at.packed("div", 2)?);
        divide(at, &x, &divisor, (4, 2))
    }),
    (hint_code::UINT256_MUL_DIV_MOD, |at| {
        let (a, b, divisor) = (at.packed("a", 2)?, at.packed("b", 2)?, nonzero(at.packed("div", 2)?)?);
        let product = a * b;
        let quotient = &product / &divisor;
        at.set_packed("quotient_low", &quotient, 2)?;
        at.set_packed("quotient_high", &(quotient >> 256), 2)?;
        at.set_packed("remainder", &(product % divisor), 2)
    }),
    (hint_code::UINT384_DIV, |at| invert(at, ("b", 3), ("p", 3), "b_inverse_mod_p")),
    (hint_code::INV_MOD_P_UINT256, |at| invert(at, ("b", 2), ("p", 2), "b_inverse_mod_p")),
    (hint_code::UINT256_MUL_INV_MOD_P, |at| invert(at, ("b", 2), ("p", 2), "b_inverse_mod_p")),
];

/// `2^128`.
fn shift() -> Felt252 {
    Felt252::from(u128::MAX) + Felt252::ONE
}

fn nonzero(number: BigUint) -> Result<BigUint, HintError> {
    ensure(number != BigUint::ZERO, "a number is 0")?;
    Ok(number)
}

/// The carries of the limbs of `a + b`.
fn carries(at: &mut At<'_>, names: &[&str]) -> Result<(), HintError> {
    let (a, b) = (at.address("a")?, at.address("b")?);
    let mut carry = false;
    for (limb, name) in names.iter().enumerate() {
        carry = at.read(a, limb)? + at.read(b, limb)? + Felt252::from(carry) >= shift();
        at.set_flag(name, carry)?;
    }
    Ok(())
}

/// The root of a number, of so many bits at most.
fn root(at: &At<'_>, name: &str, limbs: usize, bits: u64) -> Result<BigUint, HintError> {
    let root = at.packed(name, limbs)?.sqrt();
    ensure(root.bits() <= bits, "a root has too many bits")?;
    Ok(root)
}

/// `memory[ap]`: whether the highest limb of `a` is below `2^127`.
fn is_not_negative(at: &mut At<'_>, highest: usize) -> Result<(), HintError> {
    let limb = at.read(at.address("a")?, highest)?;
    at.set_ap(limb.bits() <= 127)
}

/// `quotient` and `remainder`, in so many limbs.
fn divide(
    at: &mut At<'_>,
    number: &BigUint,
    divisor: &BigUint,
    (of_quotient, of_remainder): (usize, usize),
) -> Result<(), HintError> {
    ensure(*divisor != BigUint::ZERO, "it divides by 0")?;
    at.set_packed("quotient", &(number / divisor), of_quotient)?;
    at.set_packed("remainder", &(number % divisor), of_remainder)
}

fn divide_768(at: &mut At<'_>) -> Result<(), HintError> {
    let (a, divisor) = (at.packed("a", 6)?, at.packed("div", 3)?);
    divide(at, &a, &divisor, (6, 3))
}

fn invert(
    at: &mut At<'_>,
    (name, limbs): (&str, usize),
    (modulus, of_modulus): (&str, usize),
    to: &str,
) -> Result<(), HintError> {
    let (number, modulus) = (at.packed(name, limbs)?, nonzero(at.packed(modulus, of_modulus)?)?);
    let inverse = (number % &modulus).modinv(&modulus).ok_or_else(|| custom("a number has no inverse"))?;
    at.set_packed(to, &inverse, of_modulus)
}
