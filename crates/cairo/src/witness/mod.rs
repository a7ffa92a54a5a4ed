//! The witness: main columns of every component, made by row programs.
//!
//! [`Sizes`] counts the rows of every component before any is made, with what only the host can do: it counts requests
//! for instructions and hashes. [`Witness`] then runs the components' programs on a backend, callers before their
//! callees.

mod error;
mod generator;
mod requests;
mod schedule;
mod size;
mod sizes;
pub mod tables;
#[cfg(test)]
pub(crate) mod tests;
mod variants;

pub use error::WitnessError;
pub use schedule::Witness;
pub use size::Size;
pub use sizes::Sizes;
pub use variants::{check_variant, smallest_variant};
