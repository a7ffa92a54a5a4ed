//! A proof of cairo-air 1.3, and the verdict of its verifier.

use cairo_air::CairoProof;
use cairo_air::claims::CairoClaim;
use cairo_air::verifier::verify_cairo_ex;
use cairo_run::caught;
use circle_air::qm31;
use circle_proof::layout::Parts;
use circle_proof::stwo_verifier::{StwoHasher, from_stwo, options, to_stwo};
use circle_proof::{Auxiliary, CircleOptions, OptionsError, Suite};
use field::QM31;
use gpu_hal::Digest;
use stwo::core::channel::MerkleChannel;
use stwo::core::proof::StarkProof;
use stwo::core::vcs_lifted::blake2_merkle::{Blake2sM31MerkleChannel, Blake2sMerkleChannel, Blake2sMerkleHasher};
use stwo::core::vcs_lifted::poseidon252_merkle::{Poseidon252MerkleChannel, Poseidon252MerkleHasher};

use super::felts::FeltHasher;
use super::files::{CairoProofOf, of_suite, read, read_extended, write, write_extended};
use super::serialize::felts;
use super::{Air13, Proof, claim, layout, numbers, sums};
use crate::encoding::{Encoding, FileError};
use crate::error::VerifyError;
use crate::preprocessed::Variant;
use crate::version::{AirProof, ProofParts};

impl AirProof for Proof {
    type Version = Air13;

    fn new(parts: ProofParts<Air13>) -> Self {
        Self {
            interaction_pow: parts.interaction_nonce,
            interaction_claim: claim::interaction_claim(&parts.claim, &parts.claimed_sums),
            claim: parts.claim,
            stark_proof: to_stwo(parts.stark_proof),
            channel_salt: parts.salt,
            preprocessed_trace_variant: parts.variant.into(),
        }
    }

    fn claim(&self) -> &CairoClaim {
        &self.claim
    }

    fn variant(&self) -> Variant {
        self.preprocessed_trace_variant.into()
    }

    fn salt(&self) -> u32 {
        self.channel_salt
    }

    fn sampled(&self) -> Vec<bool> {
        let columns = self.stark_proof.sampled_values.first().into_iter().flatten();
        columns.map(|values| !values.is_empty()).collect()
    }

    fn interaction_nonce(&self) -> u64 {
        self.interaction_pow
    }

    fn root(&self, tree: usize) -> Option<Digest> {
        self.stark_proof.commitments.get(tree).map(|root| root.0)
    }

    fn claimed_sums(&self) -> Vec<QM31> {
        self.interaction_claim.flatten_interaction_claim().into_iter().map(qm31).collect()
    }

    fn options(&self, suite: Suite) -> Result<CircleOptions, OptionsError> {
        options(self.stark_proof.config, suite)
    }

    fn check_numbers(&self) -> Result<(), VerifyError> {
        numbers::check(self.channel_salt, &self.stark_proof)?;
        sums::check(&self.claim, &self.interaction_claim)
    }

    fn layout(&self, samples_all: bool) -> Result<Parts, VerifyError> {
        layout::parts(&self.claim, &self.interaction_claim, self.variant(), samples_all)
    }

    fn stark_proof(&self, options: &CircleOptions) -> Option<circle_proof::Proof> {
        from_stwo(&self.stark_proof, options.suite).filter(|proof| proof.is_of(options.suite))
    }

    /// Everything that could make the verifier panic is checked before; should anything be left, the proof is refused.
    fn verify_by_reference(self, suite: Suite, samples_all: bool) -> Result<(), VerifyError> {
        match suite {
            Suite::Blake2s => verdict::<Blake2sMerkleChannel>(self, samples_all),
            Suite::Blake2sM31 => verdict::<Blake2sM31MerkleChannel>(self, samples_all),
            Suite::Poseidon252 => verdict::<Poseidon252MerkleChannel>(self, samples_all),
        }
    }

    fn write(&self, suite: Suite, encoding: Encoding) -> Result<Vec<u8>, FileError> {
        of_suite!(suite, write(self, encoding))
    }

    fn read(bytes: &[u8], suite: Suite, encoding: Encoding) -> Result<Self, FileError> {
        of_suite!(suite, read(bytes, encoding))
    }

    fn write_extended(&self, suite: Suite, auxiliary: Auxiliary) -> Result<Vec<u8>, FileError> {
        of_suite!(suite, write_extended(self, auxiliary))
    }

    fn read_extended(bytes: &[u8], suite: Suite) -> Result<(Self, Vec<u8>), FileError> {
        of_suite!(suite, read_extended(bytes))
    }

    fn cairo_serde(&self, suite: Suite) -> Result<Vec<String>, FileError> {
        match suite {
            Suite::Blake2s | Suite::Blake2sM31 => felts::<Blake2sMerkleHasher>(self),
            Suite::Poseidon252 => felts::<Poseidon252MerkleHasher>(self),
        }
    }
}

/// The verdict of the verifier with a channel.
fn verdict<M: MerkleChannel<H: StwoHasher>>(proof: Proof, samples_all: bool) -> Result<(), VerifyError> {
    let proof = CairoProofOf::<StarkProof<M::H>>::new(proof);
    let proof = proof.ok_or_else(|| VerifyError::NotReduced { what: "the proof".to_owned() })?;
    match caught(|| verify_cairo_ex::<M>(CairoProof::from(proof).into(), samples_all)) {
        Ok(verdict) => verdict.map_err(|error| VerifyError::Reference(Box::new(error))),
        Err(text) if text.is_empty() => Err(VerifyError::Panicked("without a message".to_owned())),
        Err(text) => Err(VerifyError::Panicked(text)),
    }
}
