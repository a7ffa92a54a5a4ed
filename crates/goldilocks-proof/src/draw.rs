//! The groups of challenges.

use core::fmt;

/// A group of challenges that the transcript gives. Each has a proof of work before it, if the options ask for it.
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
