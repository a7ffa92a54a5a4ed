//! The Circle prover: circle.md over any [`StarkBackend`](gpu_hal::StarkBackend).
//!
//! [`Prover::new`] records a statement, prepares its programs and commits to its preprocessed columns; [`Prover::plan`]
//! gives the memory and the transfers of a proof; [`Prover::prove`] makes any number of proofs, which have the bytes of
//! stwo's, from traces on the host, and [`Prover::prove_generated`] from one that the device makes by the statement's
//! trace program. A [`TraceMaker`] makes main columns on the device in its own way: [`Prover::with_maker`]. [`gkr`] is
//! an argument of its own, for lookups.

mod ahead;
mod composition;
mod context;
mod error;
mod fri;
pub mod gkr;
mod host_columns;
mod keep;
mod layout;
mod lookups;
mod openings;
mod plan;
mod preprocessed;
mod programs;
mod prover;
mod quotient;
mod recompute;
mod rounds;
mod samples;
mod shape;
mod tree;
mod witness;

pub use ahead::{GivenColumns, PreprocessedAhead};
pub use error::{ProveError, TraceFault};
pub use keep::{Keep, Recomputed};
pub use plan::Plan;
pub use preprocessed::{PreprocessedColumns, PreprocessedTrace};
pub use prover::{Prover, WithoutMaker};
pub use rounds::CircleProof;
pub use witness::{Sources, TraceMaker};
