//! Suites: the hash functions and the format of a proof by one name.

use alloc::boxed::Box;

use field::M31;
use gpu_hal::{Digest, HashFn};

use crate::channel::poseidon252::{MOST_DIGITS, Poseidon252Channel};
use crate::channel::{Blake2sChannel, Channel};

/// A format of proofs: the order of folds, openings and mixes, and the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The proofs of stwo (`docs/protocol/circle.md`).
    Stwo,
}

/// Digests in the bytes of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DigestFormat {
    /// Their 32 bytes.
    Bytes,
    /// Their number as a felt in decimal digits, after the number of digits.
    Decimal,
}

proof_format::suites! {
    /// All that a proof has beside its protocol: the hash functions of its trees and of its transcript, which are two
    /// parameters, the order of its nonces, its format. Files name the suite; the bytes of a proof do not.
    pub enum Suite {
        /// Blake2s-256 for both.
        #[default]
        Blake2s = "blake2s" {
            tree: HashFn::Blake2s, hash_bits: 128, max_work_bits: u32::MAX,
            new_channel: || Box::new(Blake2sChannel::new(false)),
            format: Format::Stwo, digests: DigestFormat::Bytes, empty_is_zero: false
        }
        /// Blake2s-256 for both, the words of each digest reduced modulo `2^31 - 1`: the form that verifiers in
        /// circuits over M31 take. A digest is eight words of 31 bits. Three of `2^32` words become 0: 31 or 32 zeros
        /// take 30.4 bits of work.
        Blake2sM31 = "blake2s_m31" {
            tree: HashFn::Blake2sM31, hash_bits: 124, max_work_bits: 30,
            new_channel: || Box::new(Blake2sChannel::new(true)),
            format: Format::Stwo, digests: DigestFormat::Bytes, empty_is_zero: false
        }
        /// Poseidon over the Stark field for both: the form that Starknet's contracts verify. The prime is a little
        /// above `2^251`.
        Poseidon252 = "poseidon252" {
            tree: HashFn::Poseidon252, hash_bits: 125, max_work_bits: u32::MAX,
            new_channel: || Box::<Poseidon252Channel>::default(),
            format: Format::Stwo, digests: DigestFormat::Decimal, empty_is_zero: true
        }
    }

    /// The hash function of the trees.
    pub tree: HashFn,
    /// Bits of work that a collision of its weaker hash function takes, at least.
    pub hash_bits: u32,
    /// Most bits of security of a proof of work.
    max_work_bits: u32,
    /// Makes a transcript.
    new_channel: fn() -> Box<dyn Channel>,
    /// The format of the proof.
    pub format: Format,
    /// The format of its digests.
    pub(crate) digests: DigestFormat,
    /// Whether the root of a tree without columns is zero, and not the hash of nothing.
    empty_is_zero: bool,
}

impl Suite {
    /// A fresh transcript.
    pub fn channel(self) -> Box<dyn Channel> {
        self.new_channel()()
    }

    /// The root of a tree without columns.
    pub fn empty_root(self) -> Digest {
        if self.empty_is_zero() { Digest::default() } else { self.tree().leaf::<M31>([]) }
    }

    /// Fewest and most bytes of a digest in the bytes of a proof.
    pub(crate) const fn digest_bytes(self) -> [usize; 2] {
        match self.digests() {
            DigestFormat::Bytes => [size_of::<Digest>(); 2],
            DigestFormat::Decimal => [8 + 1, 8 + MOST_DIGITS],
        }
    }

    /// Bits of security of a proof of work with this many zero bits, to the nearest.
    pub fn work_bits(self, zeros: u32) -> u32 {
        zeros.min(self.max_work_bits())
    }
}
