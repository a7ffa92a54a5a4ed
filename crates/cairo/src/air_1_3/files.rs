//! Proofs as files have them. In memory every proof has digests of 32 bytes; a file has the digests of its suite as
//! stwo writes them: the bytes, or a felt.

use cairo_air::claims::{CairoClaim, CairoInteractionClaim};
use cairo_air::{CairoProof, CairoProofForRustVerifier};
use circle_proof::Auxiliary;
use circle_proof::stwo_verifier::{StwoHasher, extended, with_hasher};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use stwo::core::fri::{FriLayerProofAux, FriProofAux};
use stwo::core::pcs::TreeVec;
use stwo::core::pcs::quotients::CommitmentSchemeProofAux;
use stwo::core::proof::{ExtendedStarkProof, StarkProof};
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;
use stwo::core::vcs_lifted::verifier::MerkleDecommitmentLiftedAux;
use stwo_cairo_common::preprocessed_columns::preprocessed_trace::PreProcessedTraceVariant;

use super::Proof;
use super::extended::Extended;
use crate::encoding::{Encoding, FileError};

/// A hash function whose digests serde writes as the reference's files have them.
pub(super) trait FileHasher: StwoHasher + Serialize + DeserializeOwned {}

impl<H: StwoHasher + Serialize + DeserializeOwned> FileHasher for H {}

/// A function of a [`FileHasher`], of the one that files of a suite have.
macro_rules! of_suite {
    ($suite:expr, $function:ident($($argument:expr),*)) => {
        match $suite {
            Suite::Blake2s | Suite::Blake2sM31 => $function::<Blake2sMerkleHasher>($($argument),*),
            Suite::Poseidon252 => $function::<FeltHasher>($($argument),*),
        }
    };
}
pub(super) use of_suite;

/// The reference's proof of a Cairo program around a proof of the prover, `S`: serde writes it as the reference's type
/// around the same.
#[derive(Serialize, Deserialize)]
pub(super) struct CairoProofOf<S> {
    claim: CairoClaim,
    interaction_pow: u64,
    interaction_claim: CairoInteractionClaim,
    pub(super) stark_proof: S,
    channel_salt: u32,
    preprocessed_trace_variant: PreProcessedTraceVariant,
}

impl<S> CairoProofOf<S> {
    /// The same around what the prover's proof becomes, if it becomes something.
    fn around<T>(self, then: impl FnOnce(S) -> Option<T>) -> Option<CairoProofOf<T>> {
        Some(CairoProofOf {
            claim: self.claim,
            interaction_pow: self.interaction_pow,
            interaction_claim: self.interaction_claim,
            stark_proof: then(self.stark_proof)?,
            channel_salt: self.channel_salt,
            preprocessed_trace_variant: self.preprocessed_trace_variant,
        })
    }
}

impl<H: StwoHasher> CairoProofOf<StarkProof<H>> {
    /// A proof with digests of another type; `None` if a node is no digest of it.
    pub(super) fn new(proof: Proof) -> Option<Self> {
        let CairoProofForRustVerifier {
            claim,
            interaction_pow,
            interaction_claim,
            stark_proof,
            channel_salt,
            preprocessed_trace_variant,
        } = proof;
        let proof = CairoProofOf {
            claim,
            interaction_pow,
            interaction_claim,
            stark_proof,
            channel_salt,
            preprocessed_trace_variant,
        };
        proof.around(with_hasher)
    }

    /// The proof in memory. All bytes are digests of Blake2s.
    fn into_proof(self) -> Result<Proof, FileError> {
        let proof = self.around(with_hasher::<H, Blake2sMerkleHasher>).ok_or(FileError::Digest)?;
        Ok(CairoProof::from(proof).into())
    }
}

/// The reference's type, with nothing for auxiliary data.
impl<H: StwoHasher> From<CairoProofOf<StarkProof<H>>> for CairoProof<H> {
    fn from(proof: CairoProofOf<StarkProof<H>>) -> Self {
        let nodes = MerkleDecommitmentLiftedAux { all_node_values: Vec::new() };
        let first_layer = FriLayerProofAux { all_values: Vec::new(), decommitment: nodes };
        let aux = CommitmentSchemeProofAux {
            unsorted_query_locations: Vec::new(),
            trace_decommitment: TreeVec(Vec::new()),
            fri: FriProofAux { first_layer, inner_layers: Vec::new() },
        };
        Self {
            claim: proof.claim,
            interaction_pow: proof.interaction_pow,
            interaction_claim: proof.interaction_claim,
            extended_stark_proof: ExtendedStarkProof { proof: proof.stark_proof, aux },
            channel_salt: proof.channel_salt,
            preprocessed_trace_variant: proof.preprocessed_trace_variant,
        }
    }
}

/// The proof with digests of `H`.
pub(super) fn of<H: FileHasher>(proof: &Proof) -> Result<CairoProofOf<StarkProof<H>>, FileError> {
    CairoProofOf::new(proof.clone()).ok_or(FileError::Digest)
}

/// The proof in an encoding.
pub(super) fn write<H: FileHasher>(proof: &Proof, encoding: Encoding) -> Result<Vec<u8>, FileError> {
    encoding.write(&of::<H>(proof)?)
}

/// The proof in bytes of an encoding.
pub(super) fn read<H: FileHasher>(bytes: &[u8], encoding: Encoding) -> Result<Proof, FileError> {
    encoding.read::<CairoProofOf<StarkProof<H>>>(bytes)?.into_proof()
}

/// The proof with its auxiliary data, in bincode.
pub(super) fn write_extended<H: FileHasher>(proof: &Proof, auxiliary: Auxiliary) -> Result<Vec<u8>, FileError> {
    let extended = of::<H>(proof)?.around(|proof| extended(proof, auxiliary)).ok_or(FileError::Digest)?;
    let (_, sorted) = sorted::<H>(&Encoding::Bincode.write(&extended)?)?;
    Ok(sorted)
}

/// The proof in such bytes, and the bytes with their maps sorted.
pub(super) fn read_extended<H: FileHasher>(bytes: &[u8]) -> Result<(Proof, Vec<u8>), FileError> {
    let (extended, sorted) = sorted::<H>(bytes)?;
    let proof = extended.around(|extended| Some(extended.proof)).ok_or(FileError::Digest)?;
    Ok((proof.into_proof()?, sorted))
}

/// The proof in such bytes with its maps sorted, and its bytes.
fn sorted<H: FileHasher>(bytes: &[u8]) -> Result<(CairoProofOf<Extended<H>>, Vec<u8>), FileError> {
    let mut extended: CairoProofOf<Extended<H>> = Encoding::Bincode.read(bytes)?;
    extended.stark_proof.sort();
    let sorted = Encoding::Bincode.write(&extended)?;
    Ok((extended, sorted))
}
