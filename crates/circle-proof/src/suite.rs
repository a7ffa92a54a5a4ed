//! Suites: the hash functions, the format and the hiding of a proof by one name.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use field::M31;
use gpu_hal::{Digest, HashFn};
use proof_format::Hiding;

use crate::channel::poseidon252::MOST_DIGITS;
use crate::channel::{Blake2sChannel, Channel, Poseidon252Channel};

/// A format of proofs: the order of folds, openings and mixes, and the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The proofs of stwo (`docs/protocol/circle.md`).
    Stwo,
}

/// All that a proof has beside its protocol: the hash functions of its trees and of its transcript, which are two
/// parameters, the order of its nonces, its format, its hiding. Files name the suite; the bytes of a proof do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Suite {
    /// Blake2s-256 for both.
    #[default]
    Blake2s,
    /// Blake2s-256 for both, the words of each digest reduced modulo `2^31 - 1`: the form that verifiers in circuits
    /// over M31 take.
    Blake2sM31,
    /// Poseidon over the Stark field for both: the form that Starknet's contracts verify.
    Poseidon252,
}

impl Suite {
    /// All suites.
    pub const ALL: [Self; 3] = [Self::Blake2s, Self::Blake2sM31, Self::Poseidon252];

    /// Its name in files and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blake2s => "blake2s",
            Self::Blake2sM31 => "blake2s_m31",
            Self::Poseidon252 => "poseidon252",
        }
    }

    /// The hash function of the trees.
    pub const fn tree(self) -> HashFn {
        match self {
            Self::Blake2s => HashFn::Blake2s,
            Self::Blake2sM31 => HashFn::Blake2sM31,
            Self::Poseidon252 => HashFn::Poseidon252,
        }
    }

    /// The format of the proof.
    pub const fn format(self) -> Format {
        match self {
            Self::Blake2s | Self::Blake2sM31 | Self::Poseidon252 => Format::Stwo,
        }
    }

    /// The hiding of the witness.
    pub const fn hiding(self) -> Hiding {
        match self {
            Self::Blake2s | Self::Blake2sM31 | Self::Poseidon252 => Hiding::None,
        }
    }

    /// A fresh transcript.
    pub fn channel(self) -> Box<dyn Channel> {
        match self {
            Self::Blake2s => Box::new(Blake2sChannel::new(false)),
            Self::Blake2sM31 => Box::new(Blake2sChannel::new(true)),
            Self::Poseidon252 => Box::<Poseidon252Channel>::default(),
        }
    }

    /// The root of a tree without columns: the hash of nothing, but zero in Poseidon252.
    pub fn empty_root(self) -> Digest {
        match self {
            Self::Blake2s | Self::Blake2sM31 => self.tree().leaf::<M31>([]),
            Self::Poseidon252 => Digest::default(),
        }
    }

    /// Fewest and most bytes of a digest in the bytes of a proof: of Poseidon252 its decimal digits and their number.
    pub(crate) const fn digest_bytes(self) -> [usize; 2] {
        match self {
            Self::Blake2s | Self::Blake2sM31 => [size_of::<Digest>(); 2],
            Self::Poseidon252 => [8 + 1, 8 + MOST_DIGITS],
        }
    }

    /// Bits of security of a proof of work with this many zero bits, to the nearest. A reduced word has 31 bits, and
    /// three of `2^32` words become 0: 31 or 32 zeros take 30.4 bits of work.
    pub const fn work_bits(self, zeros: u32) -> u32 {
        match self {
            Self::Blake2sM31 => {
                if zeros > 30 {
                    30
                } else {
                    zeros
                }
            }
            Self::Blake2s | Self::Poseidon252 => zeros,
        }
    }

    /// Bits of work that a collision of its weaker hash function takes, at least.
    pub const fn hash_bits(self) -> u32 {
        match self {
            Self::Blake2s => 128,
            // Eight words of 31 bits.
            Self::Blake2sM31 => 124,
            // The prime is a little above 2^251.
            Self::Poseidon252 => 125,
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Suite {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|suite| suite.name() == name);
        found.ok_or_else(|| format!("no suite '{name}' of this protocol: {}", Self::ALL.map(Self::name).join(", ")))
    }
}
