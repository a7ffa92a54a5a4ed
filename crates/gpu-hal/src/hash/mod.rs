//! The hash functions of Merkle trees: their names, which are part of the contract, and those definitions that no library has.

pub mod poseidon2;
mod poseidon2_constants;

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

/// A 32-byte digest.
pub type Digest = [u8; 32];

/// The hash function of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HashFn {
    /// Keccak-256 (original padding) over big-endian elements; Goldilocks.
    Keccak256,
    /// Poseidon2 over Goldilocks, width 8, rate 4: a padding-free sponge for leaves, a truncated permutation for nodes. A digest
    /// is four elements, big-endian.
    Poseidon2,
    /// Blake2s-256 without key over little-endian 32-bit elements; Circle. A parent is the hash of its children's 64 bytes.
    Blake2s,
}

impl HashFn {
    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keccak256 => "keccak256",
            Self::Poseidon2 => "poseidon2",
            Self::Blake2s => "blake2s",
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
        [Self::Keccak256, Self::Poseidon2, Self::Blake2s]
            .into_iter()
            .find(|hash| hash.name() == name)
            .ok_or_else(|| format!("no hash function '{name}': keccak256, poseidon2 or blake2s"))
    }
}
