//! The tuple behind a denominator.
//!
//! A denominator is `f (sum alpha^i v_i - z)` with a factor `f` of the base field, mostly one. How it is computed does
//! not matter: under one pair of drawn elements its value is four linear equations over the base field for
//! `f v_0, f v_1, ...` and `f`, so under a few pairs it has one solution, and under one more pair none if it is of
//! another form.

use field::{Field, M31, QM31};

use crate::linear::solution;

/// The tuple of a denominator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tuple {
    pub(super) values: Vec<M31>,
    /// `f`.
    pub(super) factor: M31,
}

/// How many pairs of drawn elements a tuple of `width` values takes: as many equations as unknowns, and one pair to
/// check.
pub(super) fn pairs_needed(width: usize) -> usize {
    (width + 1).div_ceil(4) + 1
}

/// The tuple of `width` values whose denominators under the `pairs`, `(z, alpha)` each, these are. `None` if there is
/// none, or more than one.
pub(super) fn solve(pairs: &[(QM31, QM31)], denominators: &[QM31], width: usize) -> Option<Tuple> {
    let unknowns = width + 1;
    let mut rows: Vec<Vec<M31>> = Vec::with_capacity(4 * pairs.len());
    for (&(z, alpha), denominator) in pairs.iter().zip(denominators) {
        let powers = std::iter::successors(Some(QM31::ONE), |power| Some(*power * alpha)).take(width);
        let columns: Vec<QM31> = powers.chain([-z, *denominator]).collect();
        rows.extend((0..4).map(|coordinate| columns.iter().map(|value| value.0[coordinate]).collect()));
    }
    let solved = solution(rows, unknowns)?;
    let factor = solved[width];
    let inverse = factor.inverse()?;
    let values = solved[..width].iter().map(|value| *value * inverse).collect();
    Some(Tuple { values, factor })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::sentinels;

    fn pairs(width: usize) -> Vec<(QM31, QM31)> {
        let drawn = (0..pairs_needed(width)).map(|set| sentinels(set as u64, 2));
        drawn.map(|drawn| (drawn[0], drawn[1])).collect()
    }

    #[test]
    fn a_tuple_is_read_off_its_denominators() {
        for width in [1, 2, 3, 4, 5, 9, 40] {
            let pairs = pairs(width);
            let values: Vec<M31> = (0..width as u32).map(|i| M31::new(i * i * 7 + 5)).collect();
            let factor = -M31::new(3);
            let denominator = |&(z, alpha): &(QM31, QM31)| {
                let horner = values.iter().rev().fold(QM31::ZERO, |sum, value| sum * alpha + QM31::from(*value));
                (horner - z) * factor
            };
            let mut denominators: Vec<QM31> = pairs.iter().map(denominator).collect();
            assert_eq!(solve(&pairs, &denominators, width), Some(Tuple { values: values.clone(), factor }));
            // One value fewer leaves equations that do not hold.
            assert_eq!(solve(&pairs, &denominators, width - 1), None);
            denominators[0] += QM31::ONE;
            assert_eq!(solve(&pairs, &denominators, width), None);
        }
    }
}
