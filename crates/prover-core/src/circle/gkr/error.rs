//! Why there is no proof by GKR.

use circle_proof::gkr::RefusedError;
use gpu_hal::HalError;
use sumcheck::ProveError;
use sumcheck::gkr::{Kind, LayerError};

use crate::memory::MemoryError;
use crate::observer::Cancelled;

/// Why a device gives no proof of a batch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GkrError {
    /// The columns are no layers.
    #[error(transparent)]
    Layer(#[from] LayerError),
    /// More trees than a file has.
    #[error("{found} trees: a file has at most {most}, so make several", most = circle_proof::gkr::MAX_TREES)]
    Trees {
        /// The trees.
        found: usize,
    },
    /// Columns for another number of trees.
    #[error("columns of {given} trees were given, there are {expected}")]
    Count {
        /// Given.
        given: usize,
        /// Expected.
        expected: usize,
    },
    /// A tree has a wrong number of columns.
    #[error("tree {instance} is `{kind}`, which takes {expected} base columns; {found} were given")]
    Columns {
        /// The tree.
        instance: usize,
        /// The gate of the tree.
        kind: Kind,
        /// Columns of the kind.
        expected: usize,
        /// Columns given.
        found: usize,
    },
    /// A column has a wrong number of rows.
    #[error("a column of tree {instance} has {found} rows, the tree has 2^{variables}")]
    Rows {
        /// The tree.
        instance: usize,
        /// Its variables.
        variables: usize,
        /// Rows of the column.
        found: usize,
    },
    /// A fraction has the denominator 0.
    #[error("tree {instance}: row {row} has the denominator 0, so that there is no sum")]
    Denominator {
        /// The tree.
        instance: usize,
        /// The first such row.
        row: usize,
    },
    /// The memory that the proof needs is not there, or not free.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The observer stopped the proof.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] HalError),
    /// The device computed something that is not so. No proof is returned.
    #[error("the device computed a wrong sum: {0}")]
    Wrong(String),
    /// The device computed a proof that the verifier refuses. It is not returned.
    #[error("the device computed a proof that the verifier refuses: {0}")]
    Refused(#[from] RefusedError),
}

impl From<ProveError<Self>> for GkrError {
    fn from(error: ProveError<Self>) -> Self {
        match error {
            ProveError::Polynomial(error) => error,
            wrong => Self::Wrong(wrong.to_string()),
        }
    }
}
