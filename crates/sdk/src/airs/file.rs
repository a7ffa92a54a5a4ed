//! AIRs from files: statements that need no code.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{Airs, Family};
use crate::statements::statement_error::StatementError;
use crate::system::{AirFacts, ProofSystem};

/// Longest file of an AIR that is taken, in bytes: recording it takes a multiple of that.
pub const MAX_AIR_FILE: u64 = 64 << 20;

/// The name of an AIR from a file: the SHA-256 digest of the file's bytes, hexadecimal. Proofs say it, so a verifier
/// a reader of the same file knows that these are the constraints.
pub fn air_file_name(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

impl<F: ProofSystem> Family<F> {
    /// The AIR in these bytes, an [`air::AirFile`], under its [`air_file_name`]. It has one number of rows, one list of
    /// public values and no parameters. A verifier of this statement alone puts it into [`super::Airs::none`]: beside
    /// others it is one of them. It has no trace.
    ///
    /// # Errors
    /// [`StatementError::AirFile`] if they hold no AIR of this protocol, or one that contradicts itself.
    pub fn of_file(bytes: &[u8]) -> Result<Self, StatementError> {
        Ok(Self::of_decoded(air_file_name(bytes), F::air_of_file(bytes)?))
    }

    /// As [`Self::of_file`], for a file that is decoded already; `name` is its [`air_file_name`].
    pub fn of_decoded(name: String, air: Arc<F::Air>) -> Self {
        let facts = F::facts(&air);
        let (summary, rows) = (format!("`{}`, from a file", facts.name), facts.rows);
        Self::of_statement(name, summary, air, rows)
    }
}

impl<F: ProofSystem> Airs<F> {
    /// Whether a file, these bytes with this AIR in them, is the record of a statement of the AIR whose name it gives
    /// itself. Any file may give itself the name.
    pub fn has_recorded(&self, air: &F::Air, bytes: &[u8]) -> bool {
        let AirFacts { name, rows, public, .. } = F::facts(air);
        let Some(family) = self.get(name) else { return false };
        let is_same = |parameters| {
            let stated = family.stated(rows, &parameters, &public);
            stated.and_then(|stated| F::air_to_file(&stated)).is_ok_and(|recorded| recorded == bytes)
        };
        family.guesses(air, rows).into_iter().any(is_same)
    }
}
