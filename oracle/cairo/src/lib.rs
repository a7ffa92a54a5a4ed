//! Our Cairo proofs next to those of stwo-cairo's own prover.
#![forbid(unsafe_code)]

pub mod memory;
pub mod reference;
pub mod run;
