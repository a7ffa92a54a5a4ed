//! A caller's demands, and its result.

use proof_format::policy::{self, MAX_BYTES, PolicyError};
use proof_format::{Profile, Security, SecurityKind};

/// A verifier's demands on a proof. `Default`: worth 100 bits, provable ([`Profile::DEFAULT`]), in at most 64 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Fewer bits are refused.
    pub min_security_bits: u32,
    /// The kind of the bits.
    pub kind: SecurityKind,
    /// Longer proofs, and files, are refused unread.
    pub max_bytes: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self::asking(Profile::DEFAULT)
    }
}

impl Policy {
    /// Accepts any security and any length: for tests and for looking at foreign proofs.
    pub const ANY: Self = Self { min_security_bits: 0, kind: SecurityKind::Conjectured, max_bytes: u64::MAX };

    /// Asks for a profile, and takes at most 64 MiB.
    pub const fn asking(profile: Profile) -> Self {
        Self { min_security_bits: profile.bits, kind: profile.kind, max_bytes: MAX_BYTES }
    }

    /// Checks that a file or a proof of `length` bytes is short enough to be read.
    ///
    /// # Errors
    /// [`PolicyError::Bytes`].
    pub fn check_length(&self, length: usize) -> Result<(), PolicyError> {
        policy::check_length(length, self.max_bytes)
    }

    /// Whether it is worth enough.
    ///
    /// # Errors
    /// [`PolicyError::Security`].
    pub fn check_security(&self, security: &Security) -> Result<(), PolicyError> {
        policy::check_security(security, self.kind, self.min_security_bits)
    }
}

/// The security of an accepted proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its bits.
    pub security: Security,
    /// Queries that were checked.
    pub queries: u32,
    /// Rows of the trace.
    pub trace_length: u64,
}
