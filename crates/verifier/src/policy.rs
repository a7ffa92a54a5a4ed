//! What a caller insists on, and what it gets.

use std::fmt;

use proof::Security;
use proof::security::Bits;

/// Which estimate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecurityKind {
    /// With the conjecture that [`proof::security`] describes.
    Conjectured,
    /// Without conjectures.
    Provable,
}

impl SecurityKind {
    /// The estimate of this kind.
    pub fn of(self, security: &Security) -> Bits {
        match self {
            Self::Conjectured => security.conjectured,
            Self::Provable => security.provable,
        }
    }
}

impl fmt::Display for SecurityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Conjectured => "conjectured",
            Self::Provable => "provable",
        })
    }
}

/// What a proof must be worth. `Default`: 96 bits, conjectured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Fewer bits are refused.
    pub min_security_bits: u32,
    /// Which bits.
    pub kind: SecurityKind,
}

impl Default for Policy {
    fn default() -> Self {
        Self { min_security_bits: 96, kind: SecurityKind::Conjectured }
    }
}

impl Policy {
    /// Accepts any security: for tests and for looking at foreign proofs.
    pub const ANY: Self = Self { min_security_bits: 0, kind: SecurityKind::Conjectured };
}

/// What an accepted proof is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its bits.
    pub security: Security,
    /// Queries that were checked.
    pub queries: u32,
    /// Rows of the trace.
    pub trace_length: u64,
}
