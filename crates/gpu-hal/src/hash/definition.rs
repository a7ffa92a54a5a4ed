//! The hash functions: their names, and their definitions.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use blake2::Blake2s256;
use field::{Goldilocks, M31, PrimeField};
use sha3::{Digest as _, Keccak256};

use super::poseidon252::{self, Felt252};
use super::{Digest, Nonces, poseidon2};

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
    /// of parents and of nonces. Nodes of large trees are made otherwise if a word is `2^32 - 2` or more
    /// ([`Self::tree_leaf`], [`Self::tree_parent`]).
    Blake2sM31,
    /// Poseidon over the Stark field ([`super::poseidon252`]); Circle. A digest is a felt, little-endian.
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

/// The permutation or compression that the work of a hash function consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permutation {
    /// `Keccak-f[1600]`, of Goldilocks elements.
    Keccak,
    /// Poseidon2 over Goldilocks, width 8.
    Poseidon2,
    /// The compression of Blake2s, of elements of M31.
    Blake2s,
    /// Hades over the Stark field, width 3, of elements of M31.
    Hades,
}

impl Permutation {
    /// Elements that it takes at a time.
    pub const fn elements(self) -> usize {
        match self {
            Self::Keccak => 17,
            Self::Poseidon2 => poseidon2::RATE,
            Self::Blake2s => 16,
            Self::Hades => 2 * poseidon252::ELEMENTS,
        }
    }
}

impl HashFn {
    /// Permutations for a leaf of this many elements.
    pub const fn leaf_permutations(self, elements: usize) -> usize {
        let block = self.permutation().elements();
        match self.permutation() {
            // The padding takes a byte at least.
            Permutation::Keccak => elements / block + 1,
            Permutation::Poseidon2 => elements.div_ceil(block),
            // The last block may be full; of nothing there is one, too.
            Permutation::Blake2s if elements == 0 => 1,
            Permutation::Blake2s => elements.div_ceil(block),
            // The padding takes a felt at least.
            Permutation::Hades => elements.div_ceil(poseidon252::ELEMENTS) / 2 + 1,
        }
    }

    /// The permutation that it consists of. A parent and a nonce take one.
    pub const fn permutation(self) -> Permutation {
        match self {
            Self::Keccak256 => Permutation::Keccak,
            Self::Poseidon2 => Permutation::Poseidon2,
            Self::Blake2s | Self::Blake2sM31 => Permutation::Blake2s,
            Self::Poseidon252 => Permutation::Hades,
        }
    }

    /// Whether leaves are lists of elements of `F`.
    pub const fn takes<F: PrimeField>(self) -> bool {
        F::ORDER
            == match self {
                Self::Keccak256 | Self::Poseidon2 => Goldilocks::ORDER,
                Self::Blake2s | Self::Blake2sM31 | Self::Poseidon252 => M31::ORDER,
            }
    }

    /// The digest of a leaf, which is a list of elements of a field that the function [takes](Self::takes).
    pub fn leaf<F: PrimeField>(self, elements: impl IntoIterator<Item = F>) -> Digest {
        debug_assert!(self.takes::<F>(), "{self} does not take these elements");
        let numbers = elements.into_iter().map(F::as_u64);
        match self {
            Self::Keccak256 => keccak256(numbers.map(u64::to_be_bytes)),
            Self::Poseidon2 => poseidon2::to_bytes(poseidon2::hash(numbers.map(Goldilocks::new))),
            Self::Blake2s => blake2s(numbers.map(|number| (number as u32).to_le_bytes())),
            Self::Blake2sM31 => reduced(blake2s(numbers.map(|number| (number as u32).to_le_bytes()))),
            Self::Poseidon252 => poseidon252::leaf(numbers.map(M31::from_u64)).to_bytes(),
        }
    }

    /// The digest of the node over two nodes; `None` if one of them [is no digest](Self::is_digest).
    pub fn parent(self, left: &Digest, right: &Digest) -> Option<Digest> {
        match self {
            Self::Keccak256 => Some(keccak256([left, right])),
            Self::Poseidon2 => {
                let (left, right) = (poseidon2::from_bytes(left)?, poseidon2::from_bytes(right)?);
                Some(poseidon2::to_bytes(poseidon2::compress(left, right)))
            }
            Self::Blake2s => Some(blake2s([left, right])),
            Self::Blake2sM31 => {
                [left, right].into_iter().all(|child| self.is_digest(child)).then(|| reduced(blake2s([left, right])))
            }
            Self::Poseidon252 => {
                Some(poseidon252::pair(Felt252::from_bytes(left)?, Felt252::from_bytes(right)?).to_bytes())
            }
        }
    }

    /// Whether these bytes can be a digest of the function.
    pub fn is_digest(self, bytes: &Digest) -> bool {
        match self {
            Self::Keccak256 | Self::Blake2s => true,
            Self::Poseidon2 => poseidon2::from_bytes(bytes).is_some(),
            Self::Blake2sM31 => reduced(*bytes) == *bytes,
            Self::Poseidon252 => Felt252::from_bytes(bytes).is_some(),
        }
    }

    /// Whether the function has a proof of work.
    pub const fn has_work(self) -> bool {
        !matches!(self, Self::Poseidon2)
    }

    /// How many bits of work a nonce does behind a prefix; `None` if the function has no proof of work.
    ///
    /// * Keccak-256: leading zeros of the first 8 bytes of the hash of the prefix and the big-endian nonce.
    /// * Blake2s: trailing zeros of the first 16 bytes, a little-endian number, of the hash of the prefix and the
    ///   little-endian nonce. So it is where words are reduced.
    /// * Poseidon252: trailing zeros of the first 16 bytes of the digest of two felts, the prefix, a little-endian
    ///   number mod p, and the nonce.
    pub fn work(self, prefix: &Digest, nonce: u64) -> Option<u32> {
        match self {
            Self::Keccak256 => {
                let [first, ..] = words(&keccak256([&prefix[..], &nonce.to_be_bytes()]));
                Some(u64::from_be_bytes(first).leading_zeros())
            }
            Self::Poseidon2 => None,
            Self::Blake2s => Some(trailing_zeros(&blake2s([&prefix[..], &nonce.to_le_bytes()]))),
            Self::Blake2sM31 => Some(trailing_zeros(&reduced(blake2s([&prefix[..], &nonce.to_le_bytes()])))),
            Self::Poseidon252 => {
                let hash = poseidon252::pair(Felt252::from_bytes_reduced(prefix), nonce.into());
                Some(trailing_zeros(&hash.to_bytes()))
            }
        }
    }

    /// The order in which nonces are tried.
    pub const fn nonces(self) -> Nonces {
        match self {
            Self::Keccak256 | Self::Poseidon2 => Nonces::ascending(),
            Self::Blake2s | Self::Blake2sM31 => Nonces::low_words_below(20),
            Self::Poseidon252 => Nonces::low_words_below(14),
        }
    }
}

fn keccak256<B: AsRef<[u8]>>(parts: impl IntoIterator<Item = B>) -> Digest {
    let mut hash = Keccak256::new();
    parts.into_iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

pub(super) fn blake2s<B: AsRef<[u8]>>(parts: impl IntoIterator<Item = B>) -> Digest {
    let mut hash = Blake2s256::new();
    parts.into_iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// A digest with each of its little-endian words mod `2^31 - 1`.
pub fn reduced(mut digest: Digest) -> Digest {
    for bytes in digest.as_chunks_mut().0 {
        *bytes = M31::from_u64(u32::from_le_bytes(*bytes).into()).value().to_le_bytes();
    }
    digest
}

fn words(digest: &Digest) -> [[u8; 8]; 4] {
    let mut words = [[0; 8]; 4];
    words.copy_from_slice(digest.as_chunks().0);
    words
}

/// Trailing zeros of the first 16 bytes, a little-endian number.
fn trailing_zeros(digest: &Digest) -> u32 {
    let [low, high, ..] = words(digest).map(u64::from_le_bytes);
    (u128::from(high) << 64 | u128::from(low)).trailing_zeros()
}
