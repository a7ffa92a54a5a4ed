//! Cairo programs: a program in, a proof out.
//!
//! The proofs are those of stwo-cairo 1.3, byte for byte, and its published verifier accepts them.
#![forbid(unsafe_code)]

mod caught;
mod estimate;
pub mod felt;
pub mod file;
#[cfg(test)]
mod forgeries;
pub mod input;
pub mod plan;
pub mod preprocessed;
pub mod program_hash;
pub mod prove;
pub mod statement;
pub mod verify;
pub mod witness;

pub use cairo_vm::Felt252;
pub use cairo_vm::types::builtin_name::BuiltinName;
pub use input::Loaded;
pub use plan::{ComponentSize, RunPlan};
pub use stwo::core::vcs::blake2_hash::Blake2sHash;
pub use stwo_cairo_adapter::ProverInput;
