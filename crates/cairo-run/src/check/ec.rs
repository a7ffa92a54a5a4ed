//! The ec_op builtin: `P + m Q` on the STARK curve, as its component computes it.
//!
//! The component doubles Q 252 times and adds it to the sum in every round, whether the bit of m is set or not. No
//! round may meet two points with the same x, so a few inputs whose result exists cannot be proven.

use crate::Felt252;
use crate::curve::{self, BETA, Point};

const ROUNDS: usize = 252;

/// Why the component cannot prove an instance.
pub(super) fn check(p: (Felt252, Felt252), q: (Felt252, Felt252), m: &Felt252) -> Result<(), &'static str> {
    rounds(p, q, m, ROUNDS).map(drop)
}

/// `P + m Q`, in as many rounds as `m` has bits.
#[cfg(feature = "vm")]
pub(crate) struct Sum {
    sum: Point,
    doubled: Point,
    rounds: usize,
}

#[cfg(feature = "vm")]
impl Sum {
    /// Computes it.
    ///
    /// # Errors
    /// Why there is no such sum.
    pub(crate) fn new(p: (Felt252, Felt252), q: (Felt252, Felt252), m: &Felt252) -> Result<Self, &'static str> {
        let rounds = m.bits();
        let [sum, doubled] = self::rounds(p, q, m, rounds)?;
        Ok(Self { sum, doubled, rounds })
    }

    /// The coordinates.
    ///
    /// # Errors
    /// There are none.
    pub(crate) fn coordinates(&self) -> Result<[curve::Number; 2], &'static str> {
        Ok(self.sum.affine().ok_or("ec_op has no result")?.map(curve::canonical))
    }

    /// Whether the component can prove it: no further round meets two points with the same x.
    pub(crate) fn is_provable(&self) -> bool {
        let mut doubled = self.doubled;
        (self.rounds..ROUNDS).all(|_| {
            let can_go_on = self.sum.beside(&doubled).is_some();
            doubled = doubled.double();
            can_go_on
        })
    }
}

/// The sum, and Q doubled, after so many rounds.
fn rounds(
    p: (Felt252, Felt252),
    q: (Felt252, Felt252),
    m: &Felt252,
    number: usize,
) -> Result<[Point; 2], &'static str> {
    if [p, q].iter().any(|(x, y)| y * y != x * x * x + x + BETA) {
        return Err("a point of ec_op is not on the curve");
    }
    let [mut sum, mut doubled] = [p, q].map(|(x, y)| Point::from([x, y].map(|felt| curve::number(&felt))));
    let m = m.to_le_digits();
    for round in 0..number {
        let both = sum.beside(&doubled).ok_or("ec_op meets two points with the same x")?;
        if m.get(round / 64).is_some_and(|digit| digit >> (round % 64) & 1 == 1) {
            sum = both.sum();
        }
        doubled = doubled.double();
    }
    Ok([sum, doubled])
}
