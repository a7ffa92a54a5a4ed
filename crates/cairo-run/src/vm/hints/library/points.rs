//! Hints on points of the curves of [`super::secp`]: slopes, sums, roots.

use std::sync::LazyLock;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::hint_processor::builtin_hint_processor::secp::cairo0_hints;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::{BigInt, BigUint};

use super::Hint;
use super::context::At;
use super::secp::{
    LIMBS, Modulus, R1_ALPHA, R1_BETA, R1_P, ed, get, k1, keep, known, modulo, number, number_at, quotient, r1,
    r1_fixed,
};

/// The hints of this family by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[
    (hint_code::EC_NEGATE, |at| negate(at, k1)),
    (hint_code::EC_NEGATE_EMBEDDED_SECP, |at| negate(at, ed)),
    (hint_code::EC_DOUBLE_SLOPE_V1, |at| tangent(at, "point", k1, |_| Ok(BigInt::ZERO), &Felt252::prime())),
    (hint_code::EC_DOUBLE_SLOPE_V2, |at| tangent(at, "point", ed, |_| Ok(ED_ALPHA.clone()), &Felt252::prime())),
    (hint_code::EC_DOUBLE_SLOPE_V3, |at| tangent(at, "pt", k1, |_| Ok(BigInt::ZERO), &Felt252::prime())),
    (hint_code::EC_DOUBLE_SLOPE_V4, |at| tangent(at, "point", r1, |_| Ok(R1_ALPHA.clone()), R1_P.magnitude())),
    (hint_code::EC_DOUBLE_SLOPE_V5, |at| tangent(at, "point", r1, |_| Ok(R1_ALPHA.clone()), &Felt252::prime())),
    (hint_code::EC_DOUBLE_SLOPE_EXTERNAL_CONSTS, |at| {
        tangent(at, "point", known, |at| get(at, "ALPHA"), &Felt252::prime())
    }),
    (hint_code::COMPUTE_SLOPE_V1, |at| chord(at, ["point0", "point1"], k1)),
    (hint_code::COMPUTE_SLOPE_V2, |at| chord(at, ["point0", "point1"], ed)),
    (hint_code::COMPUTE_SLOPE_SECP256R1_V1, |at| chord(at, ["point0", "point1"], known)),
    (hint_code::COMPUTE_SLOPE_SECP256R1_V2, |at| chord(at, ["point0", "point1"], r1)),
    (hint_code::COMPUTE_SLOPE_WHITELIST, |at| chord(at, ["pt0", "pt1"], k1)),
    (hint_code::EC_DOUBLE_ASSIGN_NEW_X_V1, |at| double(at, "point", k1, &Felt252::prime())),
    (hint_code::EC_DOUBLE_ASSIGN_NEW_X_V2, |at| double(at, "point", known, &Felt252::prime())),
    (hint_code::EC_DOUBLE_ASSIGN_NEW_X_V3, |at| double(at, "point", ed, &Felt252::prime())),
    (hint_code::EC_DOUBLE_ASSIGN_NEW_X_V4, |at| double(at, "pt", k1, &Felt252::prime())),
    (cairo0_hints::SECP_DOUBLE_ASSIGN_NEW_X, |at| double(at, "point", r1_fixed, R1_P.magnitude())),
    (cairo0_hints::SECP_DOUBLE_ASSIGN_NEW_X_V2, |at| double(at, "point", r1_fixed, &Felt252::prime())),
    (hint_code::EC_DOUBLE_ASSIGN_NEW_Y, |at| third_y(at, ["x", "y"], known)),
    (cairo0_hints::FAST_SECP_ADD_ASSIGN_NEW_Y, |at| third_y(at, ["x", "y"], r1_fixed)),
    (hint_code::FAST_EC_ADD_ASSIGN_NEW_X, |at| add(at, ["point0", "point1"], k1)),
    (hint_code::FAST_EC_ADD_ASSIGN_NEW_X_V2, |at| add(at, ["point0", "point1"], ed)),
    (hint_code::FAST_EC_ADD_ASSIGN_NEW_X_V3, |at| add(at, ["pt0", "pt1"], k1)),
    (hint_code::SQUARE_SLOPE_X_MOD_P, |at| add(at, ["point0", "point1"], known)),
    (hint_code::FAST_EC_ADD_ASSIGN_NEW_Y, |at| third_y(at, ["x0", "y0"], known)),
    (hint_code::GET_POINT_FROM_X, |at| {
        let prime = k1(at)?;
        let square = number(at, "x_cube")? + BigInt::from(at.constant("BETA")?.to_biguint());
        root(at, square, &prime)
    }),
    (cairo0_hints::SECP_R1_GET_POINT_FROM_X, |at| root_of_r1(at, R1_P.magnitude())),
    (cairo0_hints::SECP_R1_GET_POINT_FROM_X_V2, |at| root_of_r1(at, &Felt252::prime())),
    (cairo0_hints::IS_ON_CURVE_2, |at| {
        let is_on_curve = modulo(get(at, "y")?.pow(2), &R1_P) == get(at, "y_square_int")?;
        at.set_flag("is_on_curve", is_on_curve)
    }),
];

/// `ALPHA` of the curve that is birationally equivalent to ed25519.
static ED_ALPHA: LazyLock<BigInt> = LazyLock::new(|| {
    let digits = b"42204101795669822316448953119945047945709099015225996174933988943478124189485";
    BigInt::parse_bytes(digits, 10).unwrap_or_default()
});

/// The coordinates of a point.
fn point(at: &At<'_>, name: &str, prime: &BigUint) -> Result<[BigInt; 2], HintError> {
    let start = at.address(name)?;
    Ok([number_at(at, start, prime)?, number_at(at, (start + LIMBS)?, prime)?])
}

fn negate(at: &mut At<'_>, prime: Modulus) -> Result<(), HintError> {
    let prime = prime(at)?;
    let [_, y] = point(at, "point", &Felt252::prime())?;
    keep(at, [("value", modulo(-y, &prime))])
}

/// `value`, `slope`: of the tangent in a point. Limbs are taken as negative above half of `limb_prime`.
fn tangent(
    at: &mut At<'_>,
    name: &str,
    prime: Modulus,
    alpha: fn(&At<'_>) -> Result<BigInt, HintError>,
    limb_prime: &BigUint,
) -> Result<(), HintError> {
    let (prime, alpha) = (prime(at)?, alpha(at)?);
    let [x, y] = point(at, name, limb_prime)?;
    let slope = quotient(&(x.pow(2) * 3 + alpha), &(y * 2), &prime)?;
    keep(at, [("value", slope.clone()), ("slope", slope)])
}

/// `value`, `slope`: of the line through two points.
fn chord(at: &mut At<'_>, names: [&str; 2], prime: Modulus) -> Result<(), HintError> {
    let prime = prime(at)?;
    let [first, second] = names.map(|name| point(at, name, &Felt252::prime()));
    let ([x0, y0], [x1, y1]) = (first?, second?);
    let slope = quotient(&(y0 - y1), &(x0 - x1), &prime)?;
    keep(at, [("value", slope.clone()), ("slope", slope)])
}

/// `value`, `new_x`: of the double of a point, where the slope is known.
fn double(at: &mut At<'_>, name: &str, prime: Modulus, limb_prime: &BigUint) -> Result<(), HintError> {
    let prime = prime(at)?;
    let slope = number_at(at, at.address("slope")?, limb_prime)?;
    let [x, y] = point(at, name, limb_prime)?;
    let new = modulo(slope.pow(2) - &x * 2, &prime);
    keep(at, [("slope", slope), ("x", x), ("y", y), ("value", new.clone()), ("new_x", new)])
}

/// `value`, `new_x`: of the sum of two points, where the slope is known.
fn add(at: &mut At<'_>, names: [&str; 2], prime: Modulus) -> Result<(), HintError> {
    let prime = prime(at)?;
    let slope = number(at, "slope")?;
    let [first, second] = names.map(|name| point(at, name, &Felt252::prime()));
    let ([x0, y0], [x1, _]) = (first?, second?);
    let new = modulo(slope.pow(2) - &x0 - &x1, &prime);
    keep(at, [("slope", slope), ("x0", x0), ("x1", x1), ("y0", y0), ("value", new.clone()), ("new_x", new)])
}

/// `value`, `new_y`: the other coordinate.
fn third_y(at: &mut At<'_>, [x, y]: [&str; 2], prime: Modulus) -> Result<(), HintError> {
    let prime = prime(at)?;
    let new = modulo(get(at, "slope")? * (get(at, x)? - get(at, "new_x")?) - get(at, y)?, &prime);
    keep(at, [("value", new.clone()), ("new_y", new)])
}

/// `value`: the root of a number, if it has one, that is as even as `v`. The prime is 3 modulo 4.
fn root(at: &mut At<'_>, square: BigInt, prime: &BigInt) -> Result<(), HintError> {
    let square = modulo(square, prime);
    let y = square.modpow(&((prime + 1) >> 2), prime);
    let is_as_even = at.integer("v")?.bit(0) == y.bit(0);
    let value = if is_as_even { y.clone() } else { modulo(-&y, prime) };
    keep(at, [("y_square_int", square), ("y", y), ("value", value)])
}

fn root_of_r1(at: &mut At<'_>, limb_prime: &BigUint) -> Result<(), HintError> {
    let x = number_at(at, at.address("x")?, limb_prime)?;
    root(at, x.pow(3) + &*R1_ALPHA * &x + &*R1_BETA, &R1_P)
}
