//! Demands of verifiers of both protocols on a proof, and their reasons to refuse one that may be valid.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};

use crate::security::{Bits, Profile, Security, SecurityKind};

/// Longest file, or proof, that is read unless the caller says otherwise: 64 MiB. The time and the memory of decoding
/// are proportional to it.
pub const MAX_BYTES: u64 = 1 << 26;

/// Bytes of a MiB.
const MIB: f64 = 1024.0 * 1024.0;

/// Largest number of queries: far beyond any use, and the memory of provers and the time of verifiers are proportional
/// to it.
pub const MAX_QUERIES: u32 = 1 << 16;

/// A proof that the policy does not take. It may be valid: another policy would say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// Not worth enough.
    #[error(
        "{kind} security is {} bits ({}), {required} are required; --security {} admits it",
        found.bits, found.limit, Profile { kind: *kind, bits: found.bits }
    )]
    Security {
        /// The bits that the policy requires.
        required: u32,
        /// The estimate.
        kind: SecurityKind,
        /// The estimate.
        found: Bits,
    },
    /// Longer than the policy lets the verifier read.
    #[error("there are more than {most} bytes ({:.1} MiB), the most that the policy has read; --max-bytes admits more", *.most as f64 / MIB)]
    Bytes {
        /// Most that are taken.
        most: u64,
    },
    /// More preprocessed cells than the policy lets the verifier evaluate.
    #[error(
        "the preprocessed columns have {found} cells, the policy has at most {most} evaluated; --max-cells {found} admits it"
    )]
    Preprocessed {
        /// In the statement.
        found: u64,
        /// Most that are taken.
        most: u64,
    },
    /// Public values that are computed anew, of more rows than the policy has a verifier evaluate cells.
    #[error(
        "the public values are of {found} rows, the policy has at most {most} computed anew; --max-cells {found} admits it"
    )]
    Recomputed {
        /// In the statement.
        found: u64,
        /// Most that are taken.
        most: u64,
    },
    /// The policy does not take a parameter of the configuration.
    #[error("{what} is {found}, the policy takes {least} to {most}")]
    Range {
        /// The parameter.
        what: &'static str,
        /// In the proof.
        found: u32,
        /// The smallest that is taken.
        least: u32,
        /// The largest that is taken.
        most: u32,
    },
    /// The lifting is not the one that the policy takes.
    #[error("lifting is {}, the policy takes {}", or_none(*.found), or_none(*.expected))]
    Lifting {
        /// In the proof.
        found: Option<u32>,
        /// The one that is taken.
        expected: Option<u32>,
    },
    /// The hash functions are not the policy's.
    #[error("the hash functions are {found}, the policy takes {expected}; --channel {found} admits it")]
    Suite {
        /// The proof's.
        found: &'static str,
        /// The accepted ones.
        expected: &'static str,
    },
}

fn or_none(lifting: Option<u32>) -> String {
    lifting.map_or("none".to_owned(), |lifting| lifting.to_string())
}

/// Whether a proof is worth as many bits of a kind as are required.
///
/// # Errors
/// [`PolicyError::Security`].
pub fn check_security(security: &Security, kind: SecurityKind, required: u32) -> Result<(), PolicyError> {
    let found = kind.of(security);
    if found.bits < required { Err(PolicyError::Security { required, kind, found }) } else { Ok(()) }
}

/// Whether a file or a proof is at most as long as is taken.
///
/// # Errors
/// [`PolicyError::Bytes`].
pub fn check_length(length: usize, most: u64) -> Result<(), PolicyError> {
    if length as u64 > most { Err(PolicyError::Bytes { most }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::security::Limit;

    #[test]
    fn a_length_at_the_limit_is_taken() {
        assert!(check_length(9, 9).is_ok() && matches!(check_length(10, 9), Err(PolicyError::Bytes { most: 9 })));
    }

    #[test]
    fn bits_of_the_kind_that_counts_are_compared() {
        let bits = |bits| Bits { bits, limit: Limit::Queries };
        let security =
            Security { claimed: bits(100), conjectured: bits(96), provable: bits(50), first_order: Some(bits(60)) };
        for (kind, worth) in SecurityKind::ALL.into_iter().zip([100, 96, 50, 60]) {
            assert_eq!(check_security(&security, kind, worth), Ok(()));
            let found = bits(worth);
            let error = PolicyError::Security { required: worth + 1, kind, found };
            assert_eq!(check_security(&security, kind, worth + 1), Err(error));
            // The error tells its reader a security that would be accepted.
            assert!(error.to_string().ends_with(&format!("--security {kind}-{worth} admits it")), "{error}");
        }
    }

    #[test]
    fn a_lifting_is_named() {
        let error = PolicyError::Lifting { found: Some(22), expected: None };
        assert_eq!(error.to_string(), "lifting is 22, the policy takes none");
    }
}
