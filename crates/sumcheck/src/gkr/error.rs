//! Why a batch is refused.

use super::gate::Kind;
use crate::{MAX_VARIABLES, VerifyError};

/// A part of a proof that is not of the shape of the trees, or trees that nobody can prove.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// There are no trees.
    #[error("the batch has no tree: one at least is needed")]
    Empty,
    /// A tree has too many variables, or none.
    #[error("tree {instance} has {variables} variables: 1 to {MAX_VARIABLES} are possible")]
    Variables {
        /// The tree.
        instance: usize,
        /// Its variables.
        variables: usize,
    },
    /// The proof has another number of layers.
    #[error("the proof has {found} sum-checks, the largest tree has {expected} layers")]
    Layers {
        /// Layers of the largest tree.
        expected: usize,
        /// Sum-checks.
        found: usize,
    },
    /// The proof is of another number of trees.
    #[error("the proof has masks of {masks} trees and outputs of {outputs}, the batch has {expected} trees")]
    Instances {
        /// Trees.
        expected: usize,
        /// Trees with masks.
        masks: usize,
        /// Trees with outputs.
        outputs: usize,
    },
    /// A tree has another number of masks.
    #[error("tree {instance} has {found} masks, and {expected} layers")]
    Masks {
        /// The tree.
        instance: usize,
        /// Its layers.
        expected: usize,
        /// Its masks.
        found: usize,
    },
    /// A mask or an output has another number of columns.
    #[error("tree {instance} has {found} columns in a mask or its output, and its gate takes {expected}")]
    Columns {
        /// The tree.
        instance: usize,
        /// Columns of the gate.
        expected: usize,
        /// Columns of the mask or the output.
        found: usize,
    },
}

/// Why a proof of a batch is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// It is not of these trees.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A sum-check is refused.
    #[error("layer {layer}: {source}")]
    Sumcheck {
        /// The layer; the one at the outputs is 0.
        layer: usize,
        /// Why.
        source: VerifyError,
    },
    /// The gates do not make of the masks what the sum-check claims.
    #[error("layer {layer}: the gates of the masks do not give the value that the sum-check ends with")]
    Gate {
        /// The layer.
        layer: usize,
    },
    /// The numerators of a tree of [`Kind::LogUpSingles`] are not one.
    #[error("tree {instance} is `{}`, and claims numerators that are not one", Kind::LogUpSingles.name())]
    Numerators {
        /// The tree.
        instance: usize,
    },
}
