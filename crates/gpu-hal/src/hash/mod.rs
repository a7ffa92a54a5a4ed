//! The hash functions of Merkle trees and of proofs of work: their names, which are part of the contract, and their
//! definitions.
//!
//! These are plain scalar code. Verifiers run them, and devices are checked against them.

mod definition;
mod felt252;
mod grind;
pub mod poseidon2;
pub mod poseidon252;
mod poseidon252_constants;
mod poseidon2_constants;

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

pub use definition::{Permutation, reduced};
pub use grind::{LOG_WINDOW, NonceSearch, Nonces};

/// A 32-byte digest.
pub type Digest = [u8; 32];

/// A hash function of leaves, of pairs of digests and of nonces. A backend names each of them, so that the compiler
/// lists the places for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashFn {
    /// Keccak-256 (original padding) over big-endian elements; Goldilocks.
    Keccak256,
    /// Poseidon2 over Goldilocks, width 8, rate 4: a padding-free sponge for leaves, a truncated permutation for nodes.
    /// A digest is four elements, big-endian. It has no proof of work.
    Poseidon2,
    /// Blake2s-256 without key over little-endian 32-bit elements; Circle. A parent is the hash of its children's 64
    /// bytes.
    Blake2s,
    /// [`Self::Blake2s`] with the eight little-endian words of each digest reduced mod `2^31 - 1`: digests of leaves,
    /// of parents and of nonces.
    Blake2sM31,
    /// Poseidon over the Stark field ([`poseidon252`]); Circle. A digest is a felt, little-endian.
    Poseidon252,
}

impl HashFn {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Keccak256, Self::Poseidon2, Self::Blake2s, Self::Blake2sM31, Self::Poseidon252];

    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keccak256 => "keccak256",
            Self::Poseidon2 => "poseidon2",
            Self::Blake2s => "blake2s",
            Self::Blake2sM31 => "blake2s_m31",
            Self::Poseidon252 => "poseidon252",
        }
    }
}

impl fmt::Display for HashFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for HashFn {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|hash| hash.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let [first @ .., last] = &names;
            format!("no hash function '{name}': {} or {last}", first.join(", "))
        })
    }
}
