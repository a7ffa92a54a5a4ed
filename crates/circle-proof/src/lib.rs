//! What the prover and the verifier of the Circle protocol share, and verification under a policy.
//!
//! Section numbers refer to `docs/protocol/circle.md`.
#![forbid(unsafe_code)]

pub mod envelope;
pub mod options;

pub use envelope::Envelope;
pub use options::{CircleOptions, OptionsError};
