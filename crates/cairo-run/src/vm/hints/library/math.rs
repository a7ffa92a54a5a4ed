//! Hints of `math`, `math_cmp` and `pow`: comparisons, divisions and parts of felts.
//!
//! Assertions of the library are proven by instructions. A hint of one only finds a program that would fail.

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::hint_processor::builtin_hint_processor::secp::cairo0_hints;
use cairo_vm::types::relocatable::MaybeRelocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::{BigInt, BigUint, Sign};

use super::Hint;
use super::context::At;
use crate::vm::hints::error::custom;

/// The hints of this family by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[
    (hint_code::IS_NN, |at| is_not_in_range(at, |a| a)),
    (hint_code::IS_NN_OUT_OF_RANGE, |at| is_not_in_range(at, |a| -(a + Felt252::ONE))),
    (hint_code::IS_LE_FELT, is_not_at_most),
    (hint_code::IS_POSITIVE, is_positive),
    (hint_code::ASSERT_NN, |at| ensure(is_in_range(&at.felt("a")?), "a number is not in the range of range checks")),
    (hint_code::ASSERT_NOT_ZERO, |at| ensure(at.felt("value")? != Felt252::ZERO, "a number is 0")),
    (hint_code::ASSERT_NOT_EQUAL, assert_not_equal),
    (hint_code::ASSERT_LE_FELT, assert_le_felt),
    (hint_code::ASSERT_LE_FELT_EXCLUDED_0, |at| set_is_not_excluded(at, 0)),
    (hint_code::ASSERT_LE_FELT_EXCLUDED_1, |at| set_is_not_excluded(at, 1)),
    (hint_code::ASSERT_LE_FELT_EXCLUDED_2, |at| ensure(excluded(at)? == 2, "the excluded arc is not the third one")),
    (hint_code::ASSERT_LE_FELT_V_0_6, |at| ensure(at.felt("a")? <= at.felt("b")?, NOT_AT_MOST)),
    (hint_code::ASSERT_LE_FELT_V_0_8, assert_le_felt_0_8),
    (hint_code::ASSERT_LT_FELT, |at| ensure(at.felt("a")? < at.felt("b")?, "a number is not below its bound")),
    (hint_code::ASSERT_250_BITS, split_by_shift),
    (cairo0_hints::COMPUTE_IDS_HIGH_LOW, split_by_shift),
    (hint_code::IS_250_BITS, |at| at.set_flag("is_250", at.felt("addr")?.bits() <= 250)),
    (hint_code::IS_ADDR_BOUNDED, is_address_bounded),
    (hint_code::SPLIT_INT_ASSERT_RANGE, |at| {
        ensure(at.felt("value")? == Felt252::ZERO, "split_int: the value is out of range")
    }),
    (hint_code::SPLIT_INT, split_int),
    (hint_code::SPLIT_FELT, split_felt),
    (hint_code::SPLIT_64, |at| split_at(at, "a", 64, ["low", "high"])),
    (hint_code::UINT384_SPLIT_128, |at| split_at(at, "a", 128, ["low", "high"])),
    (hint_code::SPLIT_OUTPUT_0, |at| split_at(at, "output0", 128, ["output0_low", "output0_high"])),
    (hint_code::SPLIT_OUTPUT_1, |at| split_at(at, "output1", 128, ["output1_low", "output1_high"])),
    (hint_code::SQRT, square_root),
    (hint_code::UNSIGNED_DIV_REM, unsigned_div_rem),
    (hint_code::SIGNED_DIV_REM, signed_div_rem),
    (hint_code::IS_QUAD_RESIDUE, is_quadratic_residue),
    (hint_code::POW, next_bit_of_exponent),
    (hint_code::EC_MUL_INNER, |at| at.set_ap(at.integer("scalar")?.bit(0))),
    (hint_code::GET_FELT_BIT_LENGTH, |at| at.set("bit_length", Felt252::from(at.integer("x")?.bits()))),
    (hint_code::A_B_BITAND_1, lowest_bits),
    (hint_code::NONDET_N_GREATER_THAN_10, |at| at.set_ap(at.felt("n")? >= Felt252::from(10))),
    (hint_code::NONDET_N_GREATER_THAN_2, |at| at.set_ap(at.felt("n")? >= Felt252::TWO)),
    (hint_code::NONDET_ELEMENTS_OVER_TEN, |at| are_elements_over(at, 10)),
    (hint_code::NONDET_ELEMENTS_OVER_TWO, |at| are_elements_over(at, 2)),
];

const NOT_AT_MOST: &str = "a number is not less than or equal to its bound";

/// The arc between two numbers and the ends that an assertion leaves out.
const EXCLUDED: &str = "excluded";

/// Bits of a range check.
const RANGE_BITS: usize = 128;

pub(super) fn ensure(condition: bool, otherwise: &str) -> Result<(), HintError> {
    if condition { Ok(()) } else { Err(custom(otherwise)) }
}

/// A felt as a number from `-p / 2` to `p / 2`.
pub(super) fn signed(felt: &Felt252, prime: &BigUint) -> BigInt {
    let number = felt.to_biguint();
    if number > prime / 2_u32 { BigInt::from(number) - BigInt::from(prime.clone()) } else { number.into() }
}

/// The quotient, rounded down, and the remainder, which is not below 0. The divisor is above 0.
pub(super) fn divided(number: BigInt, divisor: &BigInt) -> (BigInt, BigInt) {
    let remainder = ((&number % divisor) + divisor) % divisor;
    ((number - &remainder) / divisor, remainder)
}

fn is_in_range(felt: &Felt252) -> bool {
    felt.bits() <= RANGE_BITS
}

fn is_not_in_range(at: &mut At<'_>, of: fn(Felt252) -> Felt252) -> Result<(), HintError> {
    let number = of(at.felt("a")?);
    at.set_ap(!is_in_range(&number))
}

fn is_not_at_most(at: &mut At<'_>) -> Result<(), HintError> {
    let is_above = at.felt("a")? > at.felt("b")?;
    at.set_ap(is_above)
}

fn is_positive(at: &mut At<'_>) -> Result<(), HintError> {
    let value = signed(&at.felt("value")?, &Felt252::prime());
    ensure(value.bits() <= RANGE_BITS as u64, "a number is out of the range of range checks")?;
    at.set_flag("is_positive", value.sign() == Sign::Plus)
}

fn assert_not_equal(at: &mut At<'_>) -> Result<(), HintError> {
    let differ = match (at.value("a")?, at.value("b")?) {
        (MaybeRelocatable::Int(a), MaybeRelocatable::Int(b)) => a != b,
        (MaybeRelocatable::RelocatableValue(a), MaybeRelocatable::RelocatableValue(b)) => {
            a.segment_index == b.segment_index && a.offset != b.offset
        }
        _ => false,
    };
    ensure(differ, "two values are equal, or cannot be compared")
}

/// Writes the lengths of the two short ones of the three arcs `[0, a]`, `[a, b]`, `[b, p - 1]`, each in two parts.
fn assert_le_felt(at: &mut At<'_>) -> Result<(), HintError> {
    let (a, b) = (at.integer("a")?, at.integer("b")?);
    ensure(a <= b, NOT_AT_MOST)?;
    let last = Felt252::prime() - 1_u32 - &b;
    let mut arcs = [(a.clone(), 0), (b - a, 1), (last, 2)];
    arcs.sort();
    let start = at.pointer("range_check_ptr")?;
    for (index, divisor) in ["PRIME_OVER_3_HIGH", "PRIME_OVER_2_HIGH"].into_iter().enumerate() {
        let divisor = at.constant(divisor)?.to_biguint();
        ensure(divisor != BigUint::ZERO, "it divides by 0")?;
        at.write(start, 2 * index, &arcs[index].0 % &divisor)?;
        at.write(start, 2 * index + 1, &arcs[index].0 / divisor)?;
    }
    let excluded: usize = arcs[2].1;
    at.scopes.insert_value(EXCLUDED, excluded);
    Ok(())
}

fn excluded(at: &At<'_>) -> Result<usize, HintError> {
    at.scopes.get(EXCLUDED)
}

fn set_is_not_excluded(at: &mut At<'_>, arc: usize) -> Result<(), HintError> {
    let excluded = excluded(at)?;
    at.set_ap(excluded != arc)
}

fn assert_le_felt_0_8(at: &mut At<'_>) -> Result<(), HintError> {
    let (a, b) = (at.felt("a")?, at.felt("b")?);
    ensure(a <= b, NOT_AT_MOST)?;
    at.set_flag("small_inputs", is_in_range(&a) && is_in_range(&(b - a)))
}

/// `high` and `low`: quotient and remainder of a number of at most `UPPER_BOUND`, divided by `SHIFT`.
fn split_by_shift(at: &mut At<'_>) -> Result<(), HintError> {
    let value = at.felt("value")?;
    ensure(value <= at.constant("UPPER_BOUND")?, "a number is above its bound")?;
    let shift = at.constant("SHIFT")?.to_biguint();
    ensure(shift != BigUint::ZERO, "it divides by 0")?;
    let value = value.to_biguint();
    at.set_number("high", &value / &shift)?;
    at.set_number("low", value % shift)
}

fn is_address_bounded(at: &mut At<'_>) -> Result<(), HintError> {
    let (bound, one) = (at.constant("ADDR_BOUND")?.to_biguint(), BigUint::from(1_u32));
    let is_usable = bound > &one << 250 && bound <= one << 251 && &bound * 2_u32 > Felt252::prime();
    ensure(is_usable, "normalize_address cannot be used with this ADDR_BOUND")?;
    at.set_flag("is_small", at.integer("addr")? < bound)
}

/// Writes a limb of a number.
fn split_int(at: &mut At<'_>) -> Result<(), HintError> {
    let (value, base, bound) = (at.integer("value")?, at.integer("base")?, at.integer("bound")?);
    ensure(base != BigUint::ZERO, "it divides by 0")?;
    let limb = value % base;
    ensure(limb <= bound, "split_int: a limb is out of range")?;
    at.write(at.pointer("output")?, 0, limb)
}

/// The two parts of a felt, if the constants are those of the prime.
fn split_felt(at: &mut At<'_>) -> Result<(), HintError> {
    let [high, low] = ["MAX_HIGH", "MAX_LOW"].map(|name| at.constant(name));
    let (high, low) = (high?, low?);
    let is_of_prime = is_in_range(&high)
        && is_in_range(&low)
        && (high.to_biguint() << 128) + low.to_biguint() + 1_u32 == Felt252::prime();
    ensure(is_of_prime, "split_felt: MAX_HIGH and MAX_LOW are not those of the prime")?;
    split_at(at, "value", 128, ["low", "high"])
}

/// The bits of a number below a place, and those from there on.
fn split_at(at: &mut At<'_>, name: &str, bits: usize, [low, high]: [&str; 2]) -> Result<(), HintError> {
    let number = at.integer(name)?;
    let above = &number >> bits;
    at.set_number(low, number - (&above << bits))?;
    at.set_number(high, above)
}

fn square_root(at: &mut At<'_>) -> Result<(), HintError> {
    let value = at.integer("value")?;
    ensure(value <= BigUint::from(1_u32) << 250, "a square has more than 250 bits")?;
    at.set_number("root", value.sqrt())
}

/// `div`, if it is one that the library divides by.
fn divisor(at: &At<'_>) -> Result<BigUint, HintError> {
    let divisor = at.integer("div")?;
    let is_in_range = divisor != BigUint::ZERO && divisor <= Felt252::prime() >> RANGE_BITS;
    ensure(is_in_range, "a divisor is out of the valid range")?;
    Ok(divisor)
}

fn unsigned_div_rem(at: &mut At<'_>) -> Result<(), HintError> {
    let (value, divisor) = (at.integer("value")?, divisor(at)?);
    at.set_number("r", &value % &divisor)?;
    at.set_number("q", value / divisor)
}

fn signed_div_rem(at: &mut At<'_>) -> Result<(), HintError> {
    let (divisor, bound) = (divisor(at)?, at.integer("bound")?);
    ensure(bound <= BigUint::from(1_u32) << (RANGE_BITS - 1), "a bound is out of the valid range")?;
    let value = signed(&at.felt("value")?, &Felt252::prime());
    let (quotient, remainder) = divided(value, &divisor.into());
    ensure(*quotient.magnitude() <= bound, "a quotient is out of its bound")?;
    at.set_number("r", remainder)?;
    at.set_number("biased_q", quotient + BigInt::from(bound))
}

/// `y`: the root of `x` or, if it has none, of its third.
fn is_quadratic_residue(at: &mut At<'_>) -> Result<(), HintError> {
    let x = at.felt("x")?;
    if x == Felt252::ZERO {
        return at.set_number("y", x);
    }
    let third = || x.field_div(&Felt252::THREE.try_into().ok()?).sqrt();
    let root = x.sqrt().or_else(third).ok_or_else(|| custom("neither a number nor its third has a root"))?;
    at.set_number("y", root)
}

/// Where the exponent stands in the state of the loop before.
const EXPONENT: usize = 4;

fn next_bit_of_exponent(at: &mut At<'_>) -> Result<(), HintError> {
    let bit = at.read(at.address("prev_locs")?, EXPONENT)?.to_biguint().bit(0);
    at.set_flag("locs", bit)
}

fn lowest_bits(at: &mut At<'_>) -> Result<(), HintError> {
    for (number, bit) in [("a", "a_lsb"), ("b", "b_lsb")] {
        at.set_flag(bit, at.integer(number)?.bit(0))?;
    }
    Ok(())
}

/// `memory[ap]`: whether a list has at least so many elements.
fn are_elements_over(at: &mut At<'_>, least: usize) -> Result<(), HintError> {
    let elements = (at.pointer("elements_end")? - at.pointer("elements")?)?;
    at.set_ap(elements >= least)
}
