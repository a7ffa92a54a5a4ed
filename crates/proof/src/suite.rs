//! Suites: the hash functions, the format and the hiding of a proof by one name.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use gpu_hal::HashFn;
use proof_format::Hiding;

use crate::Format;

/// All that a proof has beside its protocol: the hash function of its trees and of its transcript, the order of its
/// nonces, its format, its hiding. Options carry a suite, files name it, and the default seed binds it.
///
/// A suite is one combination that is specified and tested. Another hash function, format or hiding is another suite
/// here, and no combination can be asked for that is not one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Suite {
    /// Trees of Keccak-256 in the format of lambdaworks, whose transcript and work are Keccak-256's.
    #[default]
    Keccak256,
    /// The same with trees of Poseidon2 over Goldilocks.
    Poseidon2,
}

impl Suite {
    /// All suites.
    pub const ALL: [Self; 2] = [Self::Keccak256, Self::Poseidon2];

    /// Its name in files and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keccak256 => "keccak256",
            Self::Poseidon2 => "poseidon2",
        }
    }

    /// Its number in the default seed.
    pub(crate) const fn number(self) -> u16 {
        match self {
            Self::Keccak256 => 1,
            Self::Poseidon2 => 2,
        }
    }

    /// The hash function of the trees.
    pub const fn tree(self) -> HashFn {
        match self {
            Self::Keccak256 => HashFn::Keccak256,
            Self::Poseidon2 => HashFn::Poseidon2,
        }
    }

    /// The format of the proof.
    pub const fn format(self) -> Format {
        match self {
            Self::Keccak256 | Self::Poseidon2 => Format::Lambdaworks,
        }
    }

    /// The hiding of the witness.
    pub const fn hiding(self) -> Hiding {
        match self {
            Self::Keccak256 | Self::Poseidon2 => Hiding::None,
        }
    }

    /// Bits of work that a collision of the trees' hash function takes, at least.
    pub const fn hash_bits(self) -> u32 {
        match self {
            Self::Keccak256 => 128,
            // Four elements have slightly fewer than 2^256 values.
            Self::Poseidon2 => 127,
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

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// Files and seeds tell suites apart, and name nothing else.
    #[test]
    fn a_suite_has_one_name_and_one_number() {
        for (at, suite) in Suite::ALL.into_iter().enumerate() {
            assert_eq!(suite.to_string().parse(), Ok(suite));
            let others = &Suite::ALL[..at];
            assert!(others.iter().all(|other| (other.name(), other.number()) != (suite.name(), suite.number())));
            assert!(suite.number() > 0 && proof_format::file::is_name(suite.name()));
        }
        for unknown in ["", "Keccak256", "keccak256-zk", "blake2s", "keccak256+none"] {
            let error = unknown.parse::<Suite>().expect_err("no suite");
            assert!(error.contains(&format!("'{unknown}'")) && error.contains("poseidon2"), "{error}");
        }
    }
}
