//! The format of a proof: all that formats decide, each in one place, for the prover and for the verifier.
//!
//! | decision | place |
//! |---|---|
//! | all that the rounds and the trees ask the options | [`crate::FormatOptions`] |
//! | folds, and the layers between them | [`Format::fold_steps`], [`Format::layers`] |
//! | rows in a leaf of each tree, and the tree's leaves | [`Format::rows_per_leaf`], [`Format::log_leaves`] |
//! | rows and paths that a query opens | [`Format::places`] |
//! | the order in which the transcript takes things | [`crate::rounds`] |
//! | the proof object, and its bytes | [`crate::types`], [`crate::codec`] |

use core::fmt;
use core::ops::Range;

/// A format of proofs. Its [`Suite`](crate::Suite) names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The proofs of lambdaworks' prover (`docs/protocol/goldilocks.md`): folds by two down to a constant, and for each
    /// query a path for every opened leaf.
    Lambdaworks,
}

/// A part of a proof that is opened at the queries. It is one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The main columns.
    Main,
    /// The auxiliary columns.
    Aux,
    /// The composition parts.
    Composition,
    /// An FRI layer, from 1.
    Fri(usize),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Main => f.write_str("main columns"),
            Self::Aux => f.write_str("auxiliary columns"),
            Self::Composition => f.write_str("composition"),
            Self::Fri(layer) => write!(f, "FRI layer {layer}"),
        }
    }
}

/// The parts of a tree that a proof has for a query, in the order of the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Rows whose values it has, in storage order. A layer's own value is left out: the verifier computes it.
    pub rows: Range<u64>,
    /// Leaves whose paths it has.
    pub leaves: Range<u64>,
}

impl Format {
    /// Log2 of the factor by which each fold shrinks a layer, for a trace of `2^log_rows` rows. The first fold takes
    /// the DEEP quotient, which has no tree; the last ends in the last layer, which is given as values.
    pub fn fold_steps(self, log_rows: u32) -> impl ExactSizeIterator<Item = u32> {
        match self {
            Self::Lambdaworks => core::iter::repeat_n(1, log_rows as usize),
        }
    }

    /// Layers with a tree: one after each fold but the last.
    pub fn layers(self, log_rows: u32) -> usize {
        self.fold_steps(log_rows).len().saturating_sub(1)
    }

    /// Rows in a leaf of a tree, a power of two.
    pub const fn rows_per_leaf(self, part: Part) -> usize {
        match (self, part) {
            (Self::Lambdaworks, Part::Main | Part::Aux) => 1,
            (Self::Lambdaworks, Part::Composition | Part::Fri(_)) => 2,
        }
    }

    /// Log2 of the leaves of a tree, for an LDE domain of `2^log_lde` points; 0 where the domain is too small for it.
    pub const fn log_leaves(self, part: Part, log_lde: u32) -> u32 {
        let log_rows = match (self, part) {
            (Self::Lambdaworks, Part::Main | Part::Aux | Part::Composition) => log_lde,
            (Self::Lambdaworks, Part::Fri(layer)) => log_lde.saturating_sub(layer as u32),
        };
        log_rows.saturating_sub(self.rows_per_leaf(part).trailing_zeros())
    }

    /// The places of a tree that a query below half the LDE domain opens.
    pub fn places(self, part: Part, query: u64) -> Places {
        match (self, part) {
            (Self::Lambdaworks, Part::Main | Part::Aux | Part::Composition) => {
                // The points x and -x.
                let rows = 2 * query..2 * query + 2;
                let per_leaf = self.rows_per_leaf(part) as u64;
                Places { leaves: rows.start / per_leaf..rows.end / per_leaf, rows }
            }
            (Self::Lambdaworks, Part::Fri(layer)) => {
                let index = query >> (layer - 1);
                let (opposite, leaf) = (index ^ 1, index >> 1);
                Places { rows: opposite..opposite + 1, leaves: leaf..leaf + 1 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Query 5 of an LDE domain of 2^4 points and 2^3 rows, by hand.
    #[test]
    fn lambdaworks_opens_pairs() {
        let format = Format::Lambdaworks;
        let places = |part| {
            let Places { rows, leaves } = format.places(part, 5);
            (rows, leaves, format.log_leaves(part, 4))
        };
        assert_eq!(places(Part::Main), (10..12, 10..12, 4));
        assert_eq!(places(Part::Aux), places(Part::Main));
        assert_eq!(places(Part::Composition), (10..12, 5..6, 3));
        assert_eq!(places(Part::Fri(1)), (4..5, 2..3, 2));
        assert_eq!(places(Part::Fri(2)), (3..4, 1..2, 1));
        assert_eq!(format.layers(3), 2);
        assert!(format.fold_steps(3).eq([1, 1, 1]));
    }

    /// Sizes of hostile files.
    #[test]
    fn no_size_is_too_small_or_too_large() {
        let format = Format::Lambdaworks;
        assert_eq!((format.layers(0), format.layers(1), format.layers(64)), (0, 0, 63));
        assert_eq!((format.log_leaves(Part::Composition, 0), format.log_leaves(Part::Fri(9), 3)), (0, 0));
    }
}
