//! The prover, written once against [`gpu_hal::StarkBackend`]: it names no backend and never sees what is in a column.
//!
//! [`Prover::new`] records an AIR and prepares its programs on a backend; [`Prover::plan`] says what a proof will take;
//! [`Prover::prove`] makes it from a trace on the host, [`Prover::prove_generated`] from one that the device makes. Round by round
//! this is `docs/protocol/goldilocks.md`, in the evaluation-domain forms of its section 13: trace columns stay as rows and as an
//! LDE, never as coefficients; DEEP and FRI work point by point.
#![forbid(unsafe_code)]

pub mod circle;
mod domains;
mod error;
mod fri;
mod ledger;
mod observer;
mod openings;
mod plan;
mod prover;
mod witness;

pub use error::ProveError;
pub use observer::{Observer, Phase, Silent};
pub use plan::{Composition, Plan};
pub use prover::Prover;
