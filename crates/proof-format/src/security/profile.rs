//! The security asked of a proof: a figure and a number of bits of it, by one name.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use super::{Bits, SecurityKind};
use crate::text::excerpt;

/// A figure and its bits, written `provable-100`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// The figure.
    pub kind: SecurityKind,
    /// How many bits of it.
    pub bits: u32,
}

impl Profile {
    /// The default of provers and verifiers: 100 bits without conjectures.
    pub const DEFAULT: Self = Self { kind: SecurityKind::Provable, bits: 100 };

    /// The profile of a verifier that takes every proof.
    pub const NONE: Self = Self { kind: SecurityKind::Claimed, bits: 0 };
}

impl Default for Profile {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.kind, self.bits)
    }
}

impl FromStr for Profile {
    type Err = String;

    /// `KIND-BITS`.
    fn from_str(name: &str) -> Result<Self, String> {
        let asked: SecurityTarget = name.parse()?;
        let bits =
            asked.bits.ok_or_else(|| format!("`{0}` has no number of bits: `{0}-100` has one", excerpt(name)))?;
        Ok(Self { kind: asked.kind, bits })
    }
}

/// A figure with or without its bits, as one may write it: `provable`, `provable-100`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SecurityTarget {
    /// The figure.
    pub kind: SecurityKind,
    /// The number of its bits, if given.
    pub bits: Option<u32>,
}

impl FromStr for SecurityTarget {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        // A kind may have a dash in its name.
        let after =
            |kind: SecurityKind| name.strip_prefix(kind.name())?.strip_prefix('-').map(|bits| (kind.name(), bits));
        let found = SecurityKind::ALL.into_iter().find_map(after).or_else(|| name.split_once('-'));
        let is_kind = SecurityKind::ALL.into_iter().any(|kind| kind.name() == name);
        let Some((kind, bits)) = found.filter(|_| !is_kind) else {
            return Ok(Self { kind: name.parse()?, bits: None });
        };
        let number = bits.bytes().all(|byte| byte.is_ascii_digit()).then(|| bits.parse().ok()).flatten();
        let bits = number.ok_or_else(|| format!("`{}` is no number of bits: write {kind}-100", excerpt(bits)))?;
        Ok(Self { kind: kind.parse()?, bits: Some(bits) })
    }
}

/// No options reach the requested profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no options reach {profile} for this statement, beside those that are given: the most is {} bits, limited by {}; --security {} \
     asks for them", most.bits, most.limit, Profile { kind: profile.kind, bits: most.bits }
)]
pub struct OutOfReach {
    /// The requested profile.
    pub profile: Profile,
    /// The most bits of that figure, and their limit.
    pub most: Bits,
}

/// Why no options are found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoOptions<E> {
    /// None reach the requested profile.
    #[error(transparent)]
    OutOfReach(#[from] OutOfReach),
    /// There is no proof with any of them, for this reason.
    #[error("{0}")]
    Impossible(E),
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn names_and_back() {
        for name in ["provable-100", "provable-128", "conjectured-100", "claimed-0", "first-order-128"] {
            assert_eq!(name.parse::<Profile>().unwrap().to_string(), name);
        }
        assert_eq!("provable".parse(), Ok(SecurityTarget { kind: SecurityKind::Provable, bits: None }));
        for bad in [
            "",
            "free",
            "provable-",
            "provable-x",
            "provable-+1",
            "provable--1",
            "provable-4294967296",
            "free-100",
            "first-100",
            "first-order-",
            "first-order-order-1",
            "100",
        ] {
            assert!(bad.parse::<SecurityTarget>().is_err(), "{bad}");
        }
        assert_eq!("first-order".parse(), Ok(SecurityTarget { kind: SecurityKind::FirstOrder, bits: None }));
        assert!("provable".parse::<Profile>().is_err() && "first-order".parse::<Profile>().is_err());
    }
}
