//! Proofs of runs of Cairo programs: equal to stwo-cairo 1.3's, byte for byte, and accepted by its published verifier.
//!
//! [`cairo_run`] makes a [`cairo_run::Run`] of a program; here it is proven, and proofs are verified. No virtual
//! machine is built for that.
#![forbid(unsafe_code)]

pub mod ahead;
pub mod air_1_3;
mod checks;
mod components;
mod encoding;
mod error;
mod estimate;
pub mod file;
#[cfg(test)]
mod forgeries;
mod keys;
mod mismatch;
pub mod plan;
pub mod preprocessed;
pub mod prove;
pub mod shapes;
pub mod statement;
pub mod verify;
pub mod version;
pub mod witness;

pub use plan::{ComponentSize, RunPlan};
pub use version::{AirProof, AirVersion};

/// The version of the AIR whose proofs are made and taken.
pub type Version = air_1_3::Air13;
/// A proof of that version.
pub type Proof = <Version as AirVersion>::Proof;
