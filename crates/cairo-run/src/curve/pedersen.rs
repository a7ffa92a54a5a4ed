//! Pedersen hashes: the x of `shift + low(a) P0 + high(a) P1 + low(b) P2 + high(b) P3`, where the low part of a number
//! has 248 bits.
//!
//! A number is cut into digits, which may be negative: a table of each digit has the multiples of its point by half of
//! the digit's values, and the others are opposite to these. With digits of a byte a hash is a sum of 67 points at
//! most, with those of 12 bits, whose tables take as long as some thousand hashes, of 47.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use field::stark252::inverse;
use field::stark252::lazy::{minus, multiple, product};

use super::{Affine, Number, PEDERSEN_POINTS, PEDERSEN_SHIFT, Point, canonical, number};
use crate::Felt252;

/// Bits of a low part and of a high part.
const LOW: usize = 248;
const HIGH: usize = 4;

/// Bits of a digit, in tables for many hashes and in tables for very many.
const MANY: usize = 8;
const VERY_MANY: usize = 12;

/// So many hashes a library computes in the time that tables take; and so many are asked for before the large tables
/// are made, which save as much time of as many further ones.
const PAYS: usize = 100;
const PAYS_MORE: usize = 10_000;

/// The multiples of a point, from once on.
type Multiples = Vec<Affine>;

/// The tables of all parts.
struct Tables {
    shift: Point,
    /// Bits of a digit.
    bits: usize,
    /// For each input the tables of its low part's windows, lowest first, then that of its high part.
    inputs: [Vec<Multiples>; 2],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::new(MANY));
static LARGE: LazyLock<Tables> = LazyLock::new(|| Tables::new(VERY_MANY));
/// The hashes that were asked for.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// The hash of two numbers below p; `None` if there are no tables yet, or the sum meets two points with the same x.
pub(crate) fn hash(a: Number, b: Number) -> Option<Number> {
    match ASKED.fetch_add(1, Relaxed) {
        ..PAYS => None,
        PAYS..PAYS_MORE => TABLES.hash(a, b),
        _ => LARGE.hash(a, b),
    }
}

impl Tables {
    fn new(bits: usize) -> Self {
        let affine = |[x, y]: [Felt252; 2]| [number(&x), number(&y)];
        let [low, high, other_low, other_high] = PEDERSEN_POINTS.map(affine);
        let of_input = |low: Affine, high: Affine| {
            let mut base = Point::from(low);
            let mut tables = Vec::new();
            for _ in 0..LOW.div_ceil(bits) {
                tables.push(multiples(base, 1 << (bits - 1)));
                (0..bits).for_each(|_| base = base.double());
            }
            // The low part is at most this, and the highest digit may be 0: what is carried from it is added here.
            tables.push(multiples(base, 1));
            tables.push(multiples(Point::from(high), (1 << HIGH) - 1));
            tables
        };
        let inputs = [of_input(low, high), of_input(other_low, other_high)];
        Self { shift: Point::from(affine(PEDERSEN_SHIFT)), bits, inputs }
    }

    fn hash(&self, a: Number, b: Number) -> Option<Number> {
        let mut sum = self.shift;
        for (number, tables) in [a, b].into_iter().zip(&self.inputs) {
            let [low @ .., carried, high] = &tables[..] else { return None };
            let mut carry = 0;
            for (window, multiples) in low.iter().enumerate() {
                let at = window * self.bits;
                let digit = carry + bits_of(number, at, self.bits.min(LOW - at));
                let opposite = (1 << self.bits) - digit;
                carry = usize::from(digit > multiples.len());
                if carry == 0 {
                    sum = plus(&sum, multiples, digit)?;
                } else if let Some(before) = opposite.checked_sub(1) {
                    let [x, y] = *multiples.get(before)?;
                    sum = sum.plus_affine(&[x, minus(multiple(2), y)]);
                }
            }
            sum = plus(&sum, carried, carry)?;
            sum = plus(&sum, high, bits_of(number, LOW, HIGH))?;
        }
        sum.affine().map(|[x, _]| canonical(x))
    }
}

/// So many bits of a number, 64 at most, from one on.
fn bits_of(number: Number, at: usize, bits: usize) -> usize {
    let above = number.get(at / 64 + 1).map_or(0, |limb| u128::from(*limb)) << 64;
    let limbs = above | u128::from(number[at / 64]);
    (limbs >> (at % 64)) as usize & ((1 << bits) - 1)
}

/// The sum with the multiple of a point by a number.
#[inline(always)]
fn plus(sum: &Point, multiples: &Multiples, times: usize) -> Option<Point> {
    match times.checked_sub(1) {
        None => Some(*sum),
        Some(before) => Some(sum.plus_affine(multiples.get(before)?)),
    }
}

/// The multiples of a point by the numbers from 1 up to one.
fn multiples(point: Point, number: usize) -> Multiples {
    let Some(base) = point.affine() else { return Multiples::new() };
    let mut points = vec![Point::from(base)];
    while points.len() < number {
        // The sum of a point with itself is none.
        let next = if points.len() == 1 { points[0].double() } else { points[points.len() - 1].plus_affine(&base) };
        points.push(next);
    }
    // The products of all Z up to each, so that one inverse serves them all.
    let mut products = Vec::with_capacity(points.len());
    for point in &points {
        products.push(products.last().map_or(point.z(), |before| product(*before, point.z())));
    }
    let mut rest = inverse(products[points.len() - 1]);
    let mut affine = vec![base; points.len()];
    for at in (1..points.len()).rev() {
        let inverse = product(rest, products[at - 1]);
        rest = product(rest, points[at].z());
        affine[at] = points[at].over(inverse);
    }
    affine
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use starknet_types_core::hash::{Pedersen, StarkHash};

    use super::*;
    use crate::felt::felts;

    proptest! {
        #[test]
        fn hashes_are_those_of_starknet(a in felts(), b in felts()) {
            for tables in [&TABLES, &LARGE] {
                let hash = tables.hash(a.to_le_digits(), b.to_le_digits()).map(|hash| {
                    Felt252::from_bytes_le(&std::array::from_fn(|byte| (hash[byte / 8] >> (byte % 8 * 8)) as u8))
                });
                prop_assert_eq!(hash, Some(Pedersen::hash(&a, &b)));
            }
        }
    }
}
