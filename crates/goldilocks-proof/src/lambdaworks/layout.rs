//! Folds, leaves and opened places of a proof of lambdaworks' format, for the prover and for the verifier: folds by two
//! down to a constant, and for each query a path for every opened leaf.

use core::ops::Range;

use crate::Part;

/// The parts of a tree that a proof has for a query, in the order of the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Rows whose values it has, in storage order. A layer's own value is left out: the verifier computes it.
    pub rows: Range<u64>,
    /// Leaves whose paths it has.
    pub leaves: Range<u64>,
}

/// Log2 of the factor by which each fold shrinks a layer, for a trace of `2^log_rows` rows. The first fold takes
/// the DEEP quotient, which has no tree; the last ends in the last layer, which is given as values.
pub fn fold_steps(log_rows: u32) -> impl ExactSizeIterator<Item = u32> {
    core::iter::repeat_n(1, log_rows as usize)
}

/// Layers with a tree: one after each fold but the last.
pub fn layers(log_rows: u32) -> usize {
    fold_steps(log_rows).len().saturating_sub(1)
}

/// Rows in a leaf of a tree, a power of two.
pub const fn rows_per_leaf(part: Part) -> usize {
    match part {
        Part::Main | Part::Aux => 1,
        Part::Composition | Part::Fri(_) => 2,
    }
}

/// Log2 of the leaves of a tree, for an LDE domain of `2^log_lde` points; 0 where the domain is too small for it.
pub const fn log_leaves(part: Part, log_lde: u32) -> u32 {
    let log_rows = match part {
        Part::Main | Part::Aux | Part::Composition => log_lde,
        Part::Fri(layer) => log_lde.saturating_sub(layer as u32),
    };
    log_rows.saturating_sub(rows_per_leaf(part).trailing_zeros())
}

/// The places of a tree that a query below half the LDE domain opens.
pub fn places(part: Part, query: u64) -> Places {
    match part {
        Part::Main | Part::Aux | Part::Composition => {
            // The points x and -x.
            let rows = 2 * query..2 * query + 2;
            let per_leaf = rows_per_leaf(part) as u64;
            Places { leaves: rows.start / per_leaf..rows.end / per_leaf, rows }
        }
        Part::Fri(layer) => {
            let index = query >> (layer - 1);
            let (opposite, leaf) = (index ^ 1, index >> 1);
            Places { rows: opposite..opposite + 1, leaves: leaf..leaf + 1 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Query 5 of an LDE domain of 2^4 points and 2^3 rows, by hand.
    #[test]
    fn lambdaworks_opens_pairs() {
        let places = |part| {
            let Places { rows, leaves } = places(part, 5);
            (rows, leaves, log_leaves(part, 4))
        };
        assert_eq!(places(Part::Main), (10..12, 10..12, 4));
        assert_eq!(places(Part::Aux), places(Part::Main));
        assert_eq!(places(Part::Composition), (10..12, 5..6, 3));
        assert_eq!(places(Part::Fri(1)), (4..5, 2..3, 2));
        assert_eq!(places(Part::Fri(2)), (3..4, 1..2, 1));
        assert_eq!(layers(3), 2);
        assert!(fold_steps(3).eq([1, 1, 1]));
    }

    /// Sizes of hostile files.
    #[test]
    fn no_size_is_too_small_or_too_large() {
        assert_eq!((layers(0), layers(1), layers(64)), (0, 0, 63));
        assert_eq!((log_leaves(Part::Composition, 0), log_leaves(Part::Fri(9), 3)), (0, 0));
    }
}
