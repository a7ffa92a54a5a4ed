//! The groups of challenges.

use core::fmt;

/// A group of challenges that the transcript gives, with a state and a proof of work of its own (section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Draw {
    /// The challenges of the AIR.
    Challenges,
    /// Beta, whose powers weigh the constraints.
    Constraints,
    /// The out-of-domain points.
    Points,
    /// Gamma, whose powers weigh the DEEP terms.
    Terms,
    /// The factor of a fold, from 0.
    Fold(usize),
    /// The indices of the queries.
    Queries,
}

impl Draw {
    /// All draws of a proof with so many folds, in order.
    pub fn all(folds: usize) -> impl Iterator<Item = Self> {
        let before = [Self::Challenges, Self::Constraints, Self::Points, Self::Terms];
        before.into_iter().chain((0..folds).map(Self::Fold)).chain([Self::Queries])
    }

    /// Its label in the transcript.
    pub(crate) const fn label(self) -> u8 {
        match self {
            Self::Challenges => 0x20,
            Self::Constraints => 0x21,
            Self::Points => 0x22,
            Self::Terms => 0x23,
            Self::Fold(_) => 0x24,
            Self::Queries => 0x25,
        }
    }
}

impl fmt::Display for Draw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Challenges => f.write_str("challenges of the AIR"),
            Self::Constraints => f.write_str("weight of the constraints"),
            Self::Points => f.write_str("out-of-domain points"),
            Self::Terms => f.write_str("weight of the DEEP terms"),
            Self::Fold(number) => write!(f, "fold {number}"),
            Self::Queries => f.write_str("queries"),
        }
    }
}
