//! The witness: main columns of every component, made by row programs.
//!
//! [`Sizes`] counts the rows of every component before any is made, with what only the host can do: it counts requests for instructions and
//! hashes. [`Witness`] then runs the components' programs on a backend, callers before those that they call. A program is recorded by a
//! function with the name of its component; [`components::COMPONENTS`] lists them all, with where their rows come from.

pub mod blake;
pub mod builtins;
pub mod components;
pub mod constants;
pub mod ec;
pub mod error;
pub mod felt;
pub mod machine;
pub mod memory;
pub mod mod_builtins;
pub mod opcodes;
pub mod poseidon;
pub mod requests;
pub mod schedule;
pub mod sizes;
pub mod tables;
#[cfg(test)]
mod testing;
#[cfg(test)]
pub(crate) mod tests;

pub use error::WitnessError;
pub use requests::Requests;
pub use schedule::Witness;
pub use sizes::{Size, Sizes};
