//! The figures of a proof's security: claimed, conjectured, provable, first-order, and the limit of each. A protocol
//! lists its rounds ([`Rounds`]); their security is computed here, once for all protocols.

mod analysis;
mod certificate;
mod first_order;
pub mod math;
mod profile;
mod proximity;
mod regimes;
mod rounds;

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::text::excerpt;

pub use analysis::Analysis;
pub use first_order::{Code, Fold};
pub use profile::{NoOptions, OutOfReach, Profile, SecurityTarget};
pub use proximity::Proximity;
pub use rounds::{Column, Rounds, Space, Table, Term, fewest_queries};

/// The limit of the security.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Collisions of the hash function.
    Hash,
    /// The AIR's challenges.
    Challenges,
    /// The combination of the constraints.
    Constraints,
    /// The out-of-domain point.
    OutOfDomain,
    /// The combination of the columns.
    Batching,
    /// The folds.
    Folding,
    /// The queries and the proof of work.
    Queries,
}

impl Limit {
    /// The round in a word or two, for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hash => "hash function",
            Self::Challenges => "challenges of the AIR",
            Self::Constraints => "constraints",
            Self::OutOfDomain => "out-of-domain point",
            Self::Batching => "columns",
            Self::Folding => "folds",
            Self::Queries => "queries",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hash => "collisions of the hash function",
            Self::Challenges => "challenges of the AIR in the extension field",
            Self::Constraints => "combination of the constraints in the extension field",
            Self::OutOfDomain => "out-of-domain point in the extension field",
            Self::Batching => "combination of the columns in the extension field",
            Self::Folding => "folds in the extension field",
            Self::Queries => "queries and proof of work",
        })
    }
}

/// A number of bits and the round that limits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Bits, rounded down.
    pub bits: u32,
    /// The term that is worth no more than that.
    pub limit: Limit,
}

crate::named! {
    /// The estimate of the security that counts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum SecurityKind {
        /// A query is worth log2 of the blowup.
        Claimed = "claimed",
        /// A query has the bits that a random word leaves of this.
        Conjectured = "conjectured",
        /// Without conjectures.
        Provable = "provable",
        /// Without conjectures, too, by the bounds of ePrint 2026/2056, which follow cheaters past the Johnson radius.
        FirstOrder = "first-order",
    }
}

impl SecurityKind {
    /// The estimate of this kind.
    pub fn of(self, security: &Security) -> Bits {
        match self {
            Self::Claimed => security.claimed,
            Self::Conjectured => security.conjectured,
            Self::Provable => security.provable,
            // At least that much.
            Self::FirstOrder => security.first_order.unwrap_or(security.provable),
        }
    }
}

impl FromStr for SecurityKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let kind = Self::ALL.into_iter().find(|kind| kind.name() == name);
        kind.ok_or_else(|| {
            format!("no kind of security `{}`: claimed, conjectured, provable or first-order", excerpt(name))
        })
    }
}

/// The figures of a proof: minima of the table of its [`Rounds`]. A proven bound is conjectured, too, and a conjectured
/// one claimed: a figure is never below the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Security {
    /// With log2 of the blowup for each query.
    pub claimed: Bits,
    /// With the conjecture that the protocol's estimate describes.
    pub conjectured: Bits,
    /// Without conjectures.
    pub provable: Bits,
    /// The same by the bounds of ePrint 2026/2056, if they were asked for; never below the provable one.
    pub first_order: Option<Bits>,
}

impl Security {
    /// The figures that are known, with their kinds.
    pub fn figures(&self) -> impl Iterator<Item = (SecurityKind, Bits)> + '_ {
        let is_known = |kind: &SecurityKind| *kind != SecurityKind::FirstOrder || self.first_order.is_some();
        SecurityKind::ALL.into_iter().filter(is_known).map(|kind| (kind, kind.of(self)))
    }
}

/// More than any rounding error of an estimate, in bits.
const ROUNDING: f64 = 1e-6;

/// The whole bits of an estimate, which may be infinite. No rounding error gives a bit too many. A number that is whole
/// already is not an estimate and does not come here.
pub(crate) fn whole(bits: f64) -> u32 {
    // The conversion saturates.
    math::floor(bits - ROUNDING).max(0.0) as u32
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn kinds_have_names_and_figures() {
        let bits = |bits| Bits { bits, limit: Limit::Queries };
        let security =
            Security { claimed: bits(100), conjectured: bits(96), provable: bits(50), first_order: Some(bits(60)) };
        let expected = [("claimed", 100), ("conjectured", 96), ("provable", 50), ("first-order", 60)];
        for (kind, (name, worth)) in SecurityKind::ALL.into_iter().zip(expected) {
            assert_eq!((kind.to_string().as_str(), name.parse()), (name, Ok(kind)));
            assert_eq!(kind.of(&security).bits, worth);
        }
        // A figure that was not computed is not shown, and is worth what is known of it.
        let without = Security { first_order: None, ..security };
        assert_eq!((security.figures().count(), without.figures().count()), (4, 3));
        assert_eq!(SecurityKind::FirstOrder.of(&without), security.provable);
        assert!(
            "proven".parse::<SecurityKind>().unwrap_err().contains("claimed, conjectured, provable or first-order")
        );
    }

    /// Each limit is told apart, in tables and in sentences.
    #[test]
    fn limits_have_different_names() {
        let all = [
            Limit::Hash,
            Limit::Challenges,
            Limit::Constraints,
            Limit::OutOfDomain,
            Limit::Batching,
            Limit::Folding,
            Limit::Queries,
        ];
        for (index, limit) in all.iter().enumerate() {
            for other in &all[..index] {
                assert!(limit.name() != other.name() && limit.to_string() != other.to_string(), "{limit}, {other}");
            }
        }
    }
}
