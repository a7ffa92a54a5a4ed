//! The Circle prover: circle.md over any [`StarkBackend`](gpu_hal::StarkBackend).
//!
//! [`Prover::new`] records a statement, prepares its programs and commits to its preprocessed columns; [`Prover::plan`] says what a
//! proof will take; [`Prover::prove`] makes any number of proofs, which are stwo's own `StarkProof`, from traces on the host, and
//! [`Prover::prove_generated`] from one that the device makes.

mod composition;
mod context;
mod error;
mod fri;
mod openings;
mod plan;
mod preprocessed;
mod prover;
mod quotient;
mod rounds;
mod samples;
mod tree;
mod witness;

pub use error::ProveError;
pub use plan::Plan;
pub use prover::Prover;
pub use rounds::CircleProof;
