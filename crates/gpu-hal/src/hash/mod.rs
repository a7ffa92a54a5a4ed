//! The hash functions of Merkle trees and of proofs of work: their names, which are part of the contract, and their
//! definitions.
//!
//! These are plain scalar code. Verifiers run them, and devices are checked against them.

pub mod blake2s;
mod definition;
mod nonces;
pub mod poseidon2;
pub mod poseidon252;
mod poseidon2_constants;
mod random;
mod search;
#[cfg(feature = "std")]
mod top;
#[cfg(feature = "std")]
mod wide;

pub use definition::{HashFn, Permutation, reduced};
pub use nonces::{LOG_WINDOW, Nonces};
pub use random::{RANDOM_BLOCK, random_block};
pub use search::NonceSearch;
#[cfg(feature = "std")]
pub use top::Top;

/// A 32-byte digest.
pub type Digest = [u8; 32];
