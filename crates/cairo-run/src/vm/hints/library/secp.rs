//! Hints of `cairo_secp` and its kin: arithmetic modulo the primes of secp256k1, secp256r1 and ed25519.
//!
//! A number is three limbs of 86 bits, which may be negative and unreduced. Values go from hint to hint by the names
//! that the library gives them.

use std::sync::LazyLock;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::hint_processor::builtin_hint_processor::secp::cairo0_hints;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;

use super::Hint;
use super::context::At;
use super::math::{divided, ensure, signed};
use crate::vm::hints::error::custom;

/// The hints on numbers by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[
    (hint_code::NONDET_BIGINT3_V1, set_value),
    (hint_code::NONDET_BIGINT3_V2, set_value),
    (hint_code::BIGINT_TO_UINT256, low_part),
    (hint_code::HI_MAX_BITLEN, highest_bit),
    (hint_code::QUAD_BIT, |at| pairs_of_bits(at, "quad_bit", 2)),
    (hint_code::DI_BIT, |at| pairs_of_bits(at, "dibit", 1)),
    (hint_code::VERIFY_ZERO_V1, |at| quotient_of(at, k1)),
    (hint_code::VERIFY_ZERO_V2, |at| quotient_of(at, k1)),
    (hint_code::VERIFY_ZERO_V3, |at| quotient_of(at, ed)),
    (hint_code::VERIFY_ZERO_EXTERNAL_SECP, |at| quotient_of(at, known)),
    (cairo0_hints::COMPUTE_Q_MOD_PRIME, |at| quotient_of(at, r1_fixed)),
    (hint_code::REDUCE_V1, |at| reduce(at, k1, "value")),
    (hint_code::REDUCE_V2, |at| reduce(at, known, "value")),
    (hint_code::REDUCE_ED25519, |at| reduce(at, ed, "value")),
    (cairo0_hints::SECP_REDUCE, |at| reduce(at, r1_fixed, "value")),
    (hint_code::IS_ZERO_PACK_V1, |at| reduce(at, k1, "x")),
    (hint_code::IS_ZERO_PACK_V2, |at| reduce(at, k1, "x")),
    (hint_code::IS_ZERO_PACK_EXTERNAL_SECP_V1, |at| reduce(at, known, "x")),
    (hint_code::IS_ZERO_PACK_EXTERNAL_SECP_V2, |at| reduce(at, known, "x")),
    (hint_code::IS_ZERO_PACK_ED25519, |at| reduce(at, ed, "x")),
    (cairo0_hints::SECP_REDUCE_X, |at| reduce(at, r1_fixed, "x")),
    (hint_code::IS_ZERO_NONDET, set_is_zero),
    (hint_code::IS_ZERO_INT, set_is_zero),
    (hint_code::IS_ZERO_ASSIGN_SCOPE_VARS, |at| invert(at, k1)),
    (hint_code::IS_ZERO_ASSIGN_SCOPE_VARS_EXTERNAL_SECP, |at| invert(at, known)),
    (hint_code::IS_ZERO_ASSIGN_SCOPE_VARS_ED25519, |at| invert(at, ed)),
    (cairo0_hints::COMPUTE_VALUE_DIV_MOD, |at| invert(at, r1_fixed)),
    (hint_code::IMPORT_SECP256R1_P, |at| keep(at, [(P, R1_P.clone())])),
    (hint_code::IMPORT_SECP256R1_N, |at| keep(at, [(N, R1_N.clone())])),
    (hint_code::IMPORT_SECP256R1_ALPHA, |at| keep(at, [("ALPHA", R1_ALPHA.clone())])),
    (hint_code::DIV_MOD_N_PACKED_DIVMOD_V1, |at| divide_packed(at, k1_order)),
    (hint_code::DIV_MOD_N_PACKED_DIVMOD_EXTERNAL_N, |at| divide_packed(at, known_order)),
    (hint_code::DIV_MOD_N_SAFE_DIV, |at| exact_quotient(at, ["a", "b"], 0)),
    (hint_code::DIV_MOD_N_SAFE_DIV_PLUS_ONE, |at| exact_quotient(at, ["a", "b"], 1)),
    (hint_code::XS_SAFE_DIV, |at| exact_quotient(at, ["x", "s"], 0)),
    (hint_code::PACK_MODN_DIV_MODN, |at| divide_reduced(at, k1_order)),
    (hint_code::EC_RECOVER_DIV_MOD_N_PACKED, |at| divide_reduced(at, given_order)),
    (hint_code::EC_RECOVER_SUB_A_B, |at| {
        let difference = number(at, "a")? - number(at, "b")?;
        keep(at, [("value", difference.clone()), ("res", difference)])
    }),
    (hint_code::EC_RECOVER_PRODUCT_MOD, product_modulo),
    (hint_code::EC_RECOVER_PRODUCT_DIV_M, |at| {
        let quotient = divided(get(at, "product")?, &positive(get(at, "m")?)?).0;
        keep(at, [("value", quotient.clone()), ("k", quotient)])
    }),
    (hint_code::BIGINT_PACK_DIV_MOD, divide_wide),
    (hint_code::BIGINT_SAFE_DIV, exact_wide_quotient),
    (cairo0_hints::GENERATE_NIBBLES, nibbles),
    (cairo0_hints::WRITE_NIBBLES_TO_MEM, next_nibble),
];

/// The names of the prime of a curve, and of its order.
const P: &str = "SECP_P";
const N: &str = "N";

/// Bits of a limb.
const LIMB: usize = 86;
/// Limbs of a number.
pub(super) const LIMBS: usize = 3;

fn parsed(digits: &str) -> BigInt {
    BigInt::parse_bytes(digits.as_bytes(), 16).unwrap_or_default()
}

/// The primes of secp256k1, secp256r1 and ed25519.
static K1_P: LazyLock<BigInt> =
    LazyLock::new(|| parsed("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"));
pub(super) static R1_P: LazyLock<BigInt> =
    LazyLock::new(|| parsed("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"));
static ED_P: LazyLock<BigInt> =
    LazyLock::new(|| parsed("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed"));
/// The orders of secp256k1 and secp256r1.
static K1_N: LazyLock<BigInt> =
    LazyLock::new(|| parsed("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"));
static R1_N: LazyLock<BigInt> =
    LazyLock::new(|| parsed("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"));
/// `y^2 = x^3 + ALPHA x + BETA` of secp256r1.
pub(super) static R1_ALPHA: LazyLock<BigInt> = LazyLock::new(|| &*R1_P - 3);
pub(super) static R1_BETA: LazyLock<BigInt> =
    LazyLock::new(|| parsed("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"));

/// Keeps a value under a name, and returns it.
fn define(at: &mut At<'_>, name: &str, value: &BigInt) -> Result<BigInt, HintError> {
    at.scopes.insert_value(name, value.clone());
    Ok(value.clone())
}

/// The number that others are reduced by. The prime or the order of a hint's own is kept for the hints that follow.
pub(super) type Modulus = fn(&mut At<'_>) -> Result<BigInt, HintError>;

pub(super) fn k1(at: &mut At<'_>) -> Result<BigInt, HintError> {
    define(at, P, &K1_P)
}

pub(super) fn r1(at: &mut At<'_>) -> Result<BigInt, HintError> {
    define(at, P, &R1_P)
}

pub(super) fn ed(at: &mut At<'_>) -> Result<BigInt, HintError> {
    define(at, P, &ED_P)
}

/// The prime of secp256r1, which is not kept.
pub(super) fn r1_fixed(_: &mut At<'_>) -> Result<BigInt, HintError> {
    Ok(R1_P.clone())
}

/// The prime that a hint before has kept.
pub(super) fn known(at: &mut At<'_>) -> Result<BigInt, HintError> {
    get(at, P)
}

fn k1_order(at: &mut At<'_>) -> Result<BigInt, HintError> {
    define(at, N, &K1_N)
}

fn known_order(at: &mut At<'_>) -> Result<BigInt, HintError> {
    get(at, N)
}

/// The order `n`.
fn given_order(at: &mut At<'_>) -> Result<BigInt, HintError> {
    number(at, "n")
}

/// Keeps values under their names.
pub(super) fn keep<const K: usize>(at: &mut At<'_>, values: [(&str, BigInt); K]) -> Result<(), HintError> {
    values.into_iter().for_each(|(name, value)| at.scopes.insert_value(name, value));
    Ok(())
}

/// The value of a name.
pub(super) fn get(at: &At<'_>, name: &str) -> Result<BigInt, HintError> {
    at.scopes.get(name)
}

/// The number from a cell on, with limbs from `-prime / 2` to `prime / 2`.
pub(super) fn number_at(at: &At<'_>, start: Relocatable, prime: &BigUint) -> Result<BigInt, HintError> {
    (0..LIMBS).try_fold(BigInt::ZERO, |sum, limb| Ok(sum + (signed(&at.read(start, limb)?, prime) << (LIMB * limb))))
}

/// The number `ids.NAME`.
pub(super) fn number(at: &At<'_>, name: &str) -> Result<BigInt, HintError> {
    number_at(at, at.address(name)?, &Felt252::prime())
}

/// A number modulo another one, which is above 0.
pub(super) fn modulo(number: BigInt, modulus: &BigInt) -> BigInt {
    divided(number, modulus).1
}

fn positive(modulus: BigInt) -> Result<BigInt, HintError> {
    ensure(modulus.sign() == Sign::Plus, "a modulus is not above 0")?;
    Ok(modulus)
}

/// `a / b` modulo a number.
pub(super) fn quotient(a: &BigInt, b: &BigInt, modulus: &BigInt) -> Result<BigInt, HintError> {
    let inverse = modulo(b.clone(), modulus).modinv(modulus);
    Ok(modulo(a * inverse.ok_or_else(|| custom("a number has no inverse"))?, modulus))
}

/// `a / b`, which is whole.
fn exact(a: BigInt, b: &BigInt) -> Result<BigInt, HintError> {
    ensure(!b.is_zero() && (&a % b).is_zero(), "a quotient is not whole")?;
    Ok(a / b)
}

/// Writes `value` to `res`.
fn set_value(at: &mut At<'_>) -> Result<(), HintError> {
    let value = get(at, "value")?;
    ensure(value.sign() != Sign::Minus && value.bits() <= (LIMB * LIMBS) as u64, "a number has more than three limbs")?;
    let (start, mask) = (at.address("res")?, (BigInt::from(1) << LIMB) - 1);
    at.write_all(start, (0..LIMBS).map(|limb| (&value >> (LIMB * limb)) & &mask))
}

fn low_part(at: &mut At<'_>) -> Result<(), HintError> {
    let start = at.address("x")?;
    let sum = at.read(start, 0)? + at.read(start, 1)? * at.constant("BASE")?;
    at.set_number("low", sum.to_biguint() & BigUint::from(u128::MAX))
}

/// The place of the highest bit of the third limbs of two numbers; -1 if there is none.
fn highest_bit(at: &mut At<'_>) -> Result<(), HintError> {
    let [u, v] = ["scalar_u", "scalar_v"].map(|name| Ok::<_, HintError>(at.read(at.address(name)?, 2)?.bits()));
    at.set_number("len_hi", Felt252::from(u?.max(v?)) - Felt252::ONE)
}

/// Bits of a scalar, at most: above there are none.
const SCALAR_BITS: u64 = 253;

/// The bits of `scalar_u` and `scalar_v` at place `m` and below, so many pairs.
fn pairs_of_bits(at: &mut At<'_>, name: &str, pairs: u64) -> Result<(), HintError> {
    let (u, v, place) = (at.integer("scalar_u")?, at.integer("scalar_v")?, at.integer("m")?);
    let place = u64::try_from(place).unwrap_or(SCALAR_BITS);
    if place >= SCALAR_BITS {
        return at.set_number(name, Felt252::ZERO);
    }
    ensure(place + 1 >= pairs, "there is no bit below the lowest")?;
    let bits = (0..pairs).map(|below| 2 * u64::from(v.bit(place - below)) + u64::from(u.bit(place - below)));
    at.set_number(name, bits.fold(0, |sum, pair| 4 * sum + pair))
}

/// `q`: `val` divided by the prime, which leaves nothing.
fn quotient_of(at: &mut At<'_>, prime: Modulus) -> Result<(), HintError> {
    let prime = prime(at)?;
    let (quotient, remainder) = divided(number(at, "val")?, &prime);
    ensure(remainder.is_zero(), "a number is not 0 modulo the prime")?;
    at.set_number("q", quotient)
}

fn reduce(at: &mut At<'_>, prime: Modulus, name: &str) -> Result<(), HintError> {
    let prime = prime(at)?;
    let reduced = modulo(number(at, "x")?, &prime);
    keep(at, [(name, reduced)])
}

fn set_is_zero(at: &mut At<'_>) -> Result<(), HintError> {
    let is_zero = get(at, "x")?.is_zero();
    at.set_ap(is_zero)
}

/// `value`: the inverse of `x`.
fn invert(at: &mut At<'_>, prime: Modulus) -> Result<(), HintError> {
    let prime = prime(at)?;
    let inverse = quotient(&1.into(), &get(at, "x")?, &prime)?;
    keep(at, [("value", inverse.clone()), ("x_inv", inverse)])
}

fn divide_packed(at: &mut At<'_>, order: Modulus) -> Result<(), HintError> {
    let order = order(at)?;
    let (a, b) = (number(at, "a")?, number(at, "b")?);
    let quotient = quotient(&a, &b, &order)?;
    keep(at, [("a", a), ("b", b), ("value", quotient.clone()), ("res", quotient)])
}

fn divide_reduced(at: &mut At<'_>, order: Modulus) -> Result<(), HintError> {
    let order = positive(order(at)?)?;
    let (x, s) = (modulo(number(at, "x")?, &order), modulo(number(at, "s")?, &order));
    let quotient = quotient(&x, &s, &order)?;
    keep(at, [("x", x), ("s", s), ("value", quotient.clone()), ("res", quotient)])
}

/// `value`: `(res b - a) / N` and a number.
fn exact_quotient(at: &mut At<'_>, [a, b]: [&str; 2], more: u32) -> Result<(), HintError> {
    let quotient = exact(get(at, "res")? * get(at, b)? - get(at, a)?, &get(at, N)?)?;
    keep(at, [("value", quotient + more)])
}

fn product_modulo(at: &mut At<'_>) -> Result<(), HintError> {
    let (product, modulus) = (number(at, "a")? * number(at, "b")?, positive(number(at, "m")?)?);
    let rest = modulo(product.clone(), &modulus);
    keep(at, [("product", product), ("m", modulus), ("value", rest.clone()), ("res", rest)])
}

/// `value`: `x / y` modulo `P`, where `x` has five limbs.
fn divide_wide(at: &mut At<'_>) -> Result<(), HintError> {
    let prime = positive(number(at, "P")?)?;
    let (start, base) = (at.address("x")?, BigInt::from(at.constant("BASE")?.to_biguint()));
    let limb = |index: usize| Ok::<_, HintError>(signed(&at.read(start, index)?, &Felt252::prime()));
    let x = number_at(at, start, &Felt252::prime())? + limb(3)? * base.pow(3) + limb(4)? * base.pow(4);
    let y = number(at, "y")?;
    let quotient = quotient(&x, &y, &prime)?;
    keep(at, [("x", x), ("y", y), ("p", prime), ("value", quotient.clone()), ("res", quotient)])
}

fn exact_wide_quotient(at: &mut At<'_>) -> Result<(), HintError> {
    let quotient = exact(get(at, "res")? * get(at, "y")? - get(at, "x")?, &get(at, "p")?)?;
    let is_positive = quotient.sign() == Sign::Plus;
    keep(at, [("k", quotient.clone()), ("value", BigInt::from(quotient.magnitude().clone()))])?;
    at.set_flag("flag", is_positive)
}

/// The name of the parts of four bits of a scalar that are still to be written.
const NIBBLES: &str = "nibbles";

fn nibbles(at: &mut At<'_>) -> Result<(), HintError> {
    let scalar = at.packed("scalar", 2)?;
    let nibble = |index: u32| ((&scalar >> (4 * index)) & BigUint::from(15_u32)).into();
    let mut nibbles: Vec<Felt252> = (0..64).map(nibble).collect();
    let (first, last) = (nibbles.pop().unwrap_or_default(), nibbles[0]);
    at.scopes.insert_value(NIBBLES, nibbles);
    at.set("first_nibble", first)?;
    at.set("last_nibble", last)
}

fn next_nibble(at: &mut At<'_>) -> Result<(), HintError> {
    let nibble = at.scopes.get_mut_list_ref::<Felt252>(NIBBLES)?.pop();
    let fp = at.vm.get_fp();
    at.write(fp, 0, nibble.ok_or_else(|| custom("a scalar has no further parts"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_curves() {
        let one = BigInt::from(1);
        assert_eq!(*K1_P, (&one << 256) - (&one << 32) - 977);
        assert_eq!(*R1_P, (&one << 256) - (&one << 224) + (&one << 192) + (&one << 96) - 1);
        assert_eq!(*ED_P, (&one << 255) - 19);
        assert!([&*K1_N, &*R1_N, &*R1_BETA].iter().all(|number| number.bits() >= 255));
    }
}
