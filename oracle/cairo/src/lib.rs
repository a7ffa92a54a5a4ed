//! Our Cairo proofs next to those of stwo-cairo's own prover.
//!
//! [`random`] writes random programs with [`assembler`], [`run`] runs them, [`reference`](mod@reference) proves the runs, [`ours`]
//! has our command line prove the same programs, and [`coverage`] counts what the programs used.
#![forbid(unsafe_code)]

pub mod assembler;
pub mod coverage;
mod curve;
pub mod memory;
pub mod ours;
pub mod random;
pub mod reference;
pub mod run;
