//! Proofs of runs of Cairo programs: those of stwo-cairo 1.3, byte for byte, which its published verifier accepts.
//!
//! [`cairo_run`] makes a [`cairo_run::Run`] of a program; here it is proven, and proofs are verified. No virtual machine is
//! built for that.
#![forbid(unsafe_code)]

mod air_1_3;
mod estimate;
pub mod file;
#[cfg(test)]
mod forgeries;
pub mod plan;
pub mod preprocessed;
pub mod prove;
pub mod statement;
pub mod verify;
pub mod witness;

pub use plan::{ComponentSize, RunPlan};
pub use stwo::core::vcs::blake2_hash::Blake2sHash;
