//! The ec_op builtin: `P + m Q` on the curve `y^2 = x^3 + x + β`, as its component computes it.
//!
//! The component doubles Q 252 times and adds it to the sum in every round, whether the bit of m is set or not. No
//! round may meet two points with the same x, so a few inputs whose result exists cannot be proven.

use crate::Felt252;

/// β of the STARK curve.
pub(crate) const BETA: Felt252 =
    Felt252::from_hex_unchecked("0x6f21413efbe40de150e596d72f7a8c5609ad26c15c915c1f4cdfcb99cee9e89");

const ROUNDS: usize = 252;

/// A point in Jacobian coordinates, `(X / Z^2, Y / Z^3)`, so that a round needs no division.
#[derive(Clone, Copy)]
struct Point {
    x: Felt252,
    y: Felt252,
    z: Felt252,
}

/// Why the component cannot prove an instance.
pub(super) fn check(p: (Felt252, Felt252), q: (Felt252, Felt252), m: &Felt252) -> Result<(), &'static str> {
    rounds(p, q, m, ROUNDS).map(drop)
}

/// `P + m Q`, in as many rounds as `m` has bits, and these at most.
///
/// # Errors
/// Why there is no such sum.
#[cfg(feature = "vm")]
pub(crate) fn sum(
    p: (Felt252, Felt252),
    q: (Felt252, Felt252),
    m: &Felt252,
    most: usize,
) -> Result<(Felt252, Felt252), &'static str> {
    let sum = rounds(p, q, m, most.min(m.bits()))?;
    let inverse = sum.z.inverse().ok_or("ec_op has no result")?;
    let square = inverse.square();
    Ok((sum.x * square, sum.y * square * inverse))
}

fn rounds(p: (Felt252, Felt252), q: (Felt252, Felt252), m: &Felt252, number: usize) -> Result<Point, &'static str> {
    if [p, q].iter().any(|(x, y)| y * y != x * x * x + x + BETA) {
        return Err("a point of ec_op is not on the curve");
    }
    let [mut sum, mut doubled] = [p, q].map(|(x, y)| Point { x, y, z: Felt252::ONE });
    let m = m.to_biguint();
    for round in 0..number {
        let (sum_z2, doubled_z2) = (sum.z.square(), doubled.z.square());
        if sum.x * doubled_z2 == doubled.x * sum_z2 {
            return Err("ec_op meets two points with the same x");
        }
        if m.bit(round as u64) {
            sum = add(&sum, &doubled);
        }
        doubled = double(&doubled);
    }
    Ok(sum)
}

/// The sum of two points with different x.
fn add(a: &Point, b: &Point) -> Point {
    let (az2, bz2) = (a.z.square(), b.z.square());
    let (u1, u2) = (a.x * bz2, b.x * az2);
    let (s1, s2) = (a.y * bz2 * b.z, b.y * az2 * a.z);
    let (h, r) = (u2 - u1, s2 - s1);
    let (h2, h3) = (h.square(), h.square() * h);
    let x = r.square() - h3 - u1 * h2 * Felt252::TWO;
    Point { x, y: r * (u1 * h2 - x) - s1 * h3, z: h * a.z * b.z }
}

/// Twice a point. The curve's order is an odd prime, so no point has y = 0.
fn double(a: &Point) -> Point {
    let (y2, z2) = (a.y.square(), a.z.square());
    let s = a.x * y2 * Felt252::from(4);
    let slope = a.x.square() * Felt252::THREE + z2.square();
    let x = slope.square() - s * Felt252::TWO;
    Point { x, y: slope * (s - x) - y2.square() * Felt252::from(8), z: a.y * a.z * Felt252::TWO }
}
