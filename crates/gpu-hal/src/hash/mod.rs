//! The hash functions of Merkle trees and of proofs of work: their names, which are part of the contract, and their
//! definitions.
//!
//! These are plain scalar code. Verifiers run them, and devices are checked against them.

pub mod blake2s;
mod definition;
mod felt252;
mod grind;
pub mod poseidon2;
pub mod poseidon252;
mod poseidon252_constants;
mod poseidon2_constants;
#[cfg(feature = "std")]
mod wide;

pub use definition::{HashFn, Permutation, reduced};
pub use grind::{LOG_WINDOW, NonceSearch, Nonces};

/// A 32-byte digest.
pub type Digest = [u8; 32];
