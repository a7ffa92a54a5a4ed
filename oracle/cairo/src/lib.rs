//! Our Cairo proofs next to the proofs of stwo-cairo's own prover.
//!
//! [`random`] writes random programs, [`run`] runs them, [`reference`](mod@reference) proves the runs, [`ours`]
//! has our command line prove the same programs, and [`coverage`] counts what the programs used.
#![forbid(unsafe_code)]

pub mod coverage;
pub mod memory;
pub mod ours;
pub mod reference;
pub mod run;
#[cfg(test)]
mod tests;

pub use adversary_cairo::random;
