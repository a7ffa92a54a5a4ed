//! Pedersen hashes: the x of `shift + low(a) P0 + high(a) P1 + low(b) P2 + high(b) P3`, where the low part of a number
//! has 248 bits.
//!
//! For each byte of the low parts a table has the multiples of its point, so that a hash is a sum of 65 points at most.
//! They are made with the first of many hashes.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use field::stark252::inverse;
use field::stark252::lazy::product;

use super::{Affine, Number, PEDERSEN_POINTS, PEDERSEN_SHIFT, Point, canonical, number};
use crate::Felt252;

/// Bits of a number that a table covers, tables of a low part, and bits of a high part.
const WINDOW: usize = 8;
const WINDOWS: usize = 248 / WINDOW;
const HIGH: usize = 4;

/// So many hashes a library computes in the time that tables take.
const PAYS: usize = 200;

/// The multiples of a point, from once on.
type Multiples = Vec<Affine>;

/// The tables of all parts.
struct Tables {
    shift: Point,
    /// For each input the tables of its low part's windows, lowest first, then that of its high part.
    inputs: [Vec<Multiples>; 2],
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);
/// The hashes that were asked for before there were tables.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// The hash of two numbers below p; `None` if there are no tables yet, or the sum meets two points with the same x.
pub(crate) fn hash(a: Number, b: Number) -> Option<Number> {
    if LazyLock::get(&TABLES).is_none() && ASKED.fetch_add(1, Relaxed) < PAYS {
        return None;
    }
    TABLES.hash(a, b)
}

impl Tables {
    fn new() -> Self {
        let affine = |[x, y]: [Felt252; 2]| [number(&x), number(&y)];
        let [low, high, other_low, other_high] = PEDERSEN_POINTS.map(affine);
        let of_input = |low: Affine, high: Affine| {
            let mut base = Point::from(low);
            let mut bases = vec![base];
            for _ in 1..WINDOWS {
                (0..WINDOW).for_each(|_| base = base.double());
                bases.push(base);
            }
            let mut tables: Vec<Multiples> = bases.iter().map(|base| multiples(*base, WINDOW)).collect();
            tables.push(multiples(Point::from(high), HIGH));
            tables
        };
        let inputs = [of_input(low, high), of_input(other_low, other_high)];
        Self { shift: Point::from(affine(PEDERSEN_SHIFT)), inputs }
    }

    fn hash(&self, a: Number, b: Number) -> Option<Number> {
        let mut sum = self.shift;
        for (number, tables) in [a, b].into_iter().zip(&self.inputs) {
            for (window, multiples) in tables.iter().enumerate() {
                let at = window * WINDOW;
                let digit = number[at / 64] >> (at % 64) & ((1 << WINDOW) - 1);
                if let Some(before) = (digit as usize).checked_sub(1) {
                    sum = sum.plus_affine(multiples.get(before)?);
                }
            }
        }
        sum.affine().map(|[x, _]| canonical(x))
    }
}

/// The multiples of a point by the numbers of so many bits.
fn multiples(point: Point, bits: usize) -> Multiples {
    let Some(base) = point.affine() else { return Multiples::new() };
    let mut points = vec![Point::from(base), Point::from(base).double()];
    while points.len() < (1 << bits) - 1 {
        points.push(points[points.len() - 1].plus_affine(&base));
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
            let hash = TABLES.hash(a.to_le_digits(), b.to_le_digits()).map(|hash| {
                Felt252::from_bytes_le(&std::array::from_fn(|byte| (hash[byte / 8] >> (byte % 8 * 8)) as u8))
            });
            prop_assert_eq!(hash, Some(Pedersen::hash(&a, &b)));
        }
    }
}
