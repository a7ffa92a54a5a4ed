//! The Goldilocks prover: goldilocks.md, sections 6 to 9, over any [`StarkBackend`](gpu_hal::StarkBackend).
//!
//! [`Prover::new`] records an AIR and prepares its programs on a backend; [`Prover::plan`] gives the memory and the
//! transfers of a proof; [`Prover::prove`] makes it from a trace on the host, [`Prover::prove_generated`] from one that
//! the device makes. It uses the evaluation-domain forms of section 13: trace columns stay as rows and as an LDE, never
//! as coefficients; DEEP and FRI work point by point.
//!
//! A proof that hides its witness takes its masks from a [`MaskSeed`].
//!
//! The format of a proof is that of its options ([`ProofFormat`]): those of goldilocks.md, or of goldilocks-compact.md.

mod auxiliary;
mod compact;
mod composition;
mod context;
mod deep;
mod domains;
mod error;
mod format;
mod fri;
mod masking;
mod masks;
mod openings;
mod out_of_domain;
mod plan;
mod prover;
mod rounds;
mod witness;
mod work;

pub use error::ProveError;
pub use format::ProofFormat;
pub use masks::MaskSeed;
pub use plan::{Composition, Plan};
pub use prover::Prover;
