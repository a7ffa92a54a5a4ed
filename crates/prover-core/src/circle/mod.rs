//! The Circle prover: circle.md over any [`StarkBackend`].
//!
//! [`Prover::new`] records a statement, prepares its programs and commits to its preprocessed columns; [`Prover::prove`] then makes
//! any number of proofs, which are stwo's own `StarkProof`.

mod composition;
mod error;
mod fri;
mod openings;
mod preprocessed;
mod prover;
mod quotient;
mod samples;
mod tree;

pub use error::ProveError;
pub use prover::{CircleProof, Prover};
