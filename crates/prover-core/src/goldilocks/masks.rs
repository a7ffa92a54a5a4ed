//! The masks of a proof that hides its witness: goldilocks-compact.md, section 14.

use std::fmt;

use goldilocks_proof::compact::mask_key;
use gpu_hal::{Digest, RandomRows};

use super::ProveError;

/// The seed of a proof's masks. It is as secret as the witness, is in no file, and serves one proof: that is why it can
/// be neither copied nor printed. Masks follow from it and from the statement.
pub struct MaskSeed([u8; 32]);

/// Without its bytes.
impl fmt::Debug for MaskSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaskSeed").finish_non_exhaustive()
    }
}

impl MaskSeed {
    /// From the system's generator.
    ///
    /// # Errors
    /// [`ProveError::Entropy`].
    pub fn from_system() -> Result<Self, ProveError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| ProveError::Entropy(error.to_string()))?;
        Ok(Self(bytes))
    }

    /// From bytes of the caller, which are uniform, secret, and used for no other proof: two proofs of one statement
    /// with equal seeds and other traces show how the traces differ. The same seed, statement and trace give the same
    /// proof on every backend.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The masks of the statement that a transcript starts with.
    pub(crate) fn of_statement(&self, statement: &[u8]) -> Masks {
        Masks { key: mask_key(&self.0, statement) }
    }
}

/// The key that masks of a statement are made from.
#[derive(Clone, Copy)]
pub(crate) struct Masks {
    key: Digest,
}

impl Masks {
    /// The elements of a stream, from row `from` of a table on.
    pub(crate) fn rows(&self, stream: Stream, from: usize) -> RandomRows {
        RandomRows { key: self.key, stream: stream as u64, first: 0, from }
    }
}

/// The streams of random elements: no two masks have one.
#[derive(Clone, Copy)]
pub(crate) enum Stream {
    /// The free rows of the main columns.
    Main = 0,
    /// The free rows of the auxiliary columns.
    Aux = 1,
    /// The mask word.
    Word = 2,
    /// The salts of the main tree.
    MainSalts = 3,
    /// The salts of the auxiliary tree.
    AuxSalts = 4,
    /// The salts of the composition tree.
    CompositionSalts = 5,
}
