//! The witness: main columns of every component, made by row programs.
//!
//! [`Sizes`] counts the rows of every component before any is made, with what only the host can do: it counts requests
//! for instructions and hashes. [`Witness`] then runs the components' programs on a backend, callers before their
//! callees. A program is recorded by a function with the name of its component; [`crate::AirVersion::COMPONENTS`] lists
//! them all, with where their rows come from.

pub(crate) mod blake;
pub(crate) mod bounds;
pub(crate) mod builtins;
pub(crate) mod components;
mod constants;
pub(crate) mod ec;
mod error;
mod felt;
mod generator;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod mod_builtins;
pub(crate) mod opcodes;
pub(crate) mod poseidon;
mod requests;
pub(crate) mod schedule;
pub(crate) mod size;
pub(crate) mod sizes;
pub mod tables;
#[cfg(test)]
mod testing;
#[cfg(test)]
pub(crate) mod tests;
mod variants;

pub use error::WitnessError;
pub use schedule::Witness;
pub use size::Size;
pub use sizes::Sizes;
pub use variants::{check_variant, smallest_variant};
