//! Requests of the Goldilocks protocol.

use std::fmt;

use goldilocks_proof::Seed;
use prover_core::goldilocks::MaskSeed;

/// The parts of a request that only this protocol has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Transcript seed; `None` is the default seed, which binds the statement.
    pub seed: Option<Vec<u8>>,
    /// The seed of the masks of a proof that hides its witness; `None` takes one of the system for each proof. Proofs
    /// that hide nothing have no masks.
    pub masks: Option<Masks>,
}

/// The seed of a proof's masks: uniform bytes, as secret as the witness, that serve one statement and one trace. Proofs
/// with it are the same bytes on every device. Two proofs of one statement with equal seeds and other traces show how
/// the traces differ.
#[derive(Clone, PartialEq, Eq)]
pub struct Masks(pub [u8; 32]);

/// Without its bytes.
impl fmt::Debug for Masks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Masks").finish_non_exhaustive()
    }
}

impl Extras {
    /// The seed of the masks of the next proof.
    pub(super) fn mask_seed(&self) -> Option<MaskSeed> {
        self.masks.as_ref().map(|Masks(bytes)| MaskSeed::from_bytes(*bytes))
    }

    pub(super) fn seed(&self) -> Seed<'_> {
        self.seed.as_deref().map_or(Seed::Default, Seed::Given)
    }
}
