//! A proof of cairo-air 1.3, and the verdict of its verifier.

use cairo_air::CairoProofForRustVerifier;
use cairo_air::claims::CairoClaim;
use cairo_air::verifier::verify_cairo_ex;
use cairo_run::caught;
use circle_air::qm31;
use circle_proof::layout::Parts;
use circle_proof::stwo_verifier::{from_stwo, options, to_stwo};
use circle_proof::{Auxiliary, CircleOptions, OptionsError, Suite};
use field::QM31;
use gpu_hal::Digest;
use stwo::core::vcs_lifted::blake2_merkle::{Blake2sM31MerkleChannel, Blake2sMerkleChannel};

use super::extended::Extended;
use super::{Air13, Proof, claim, layout, numbers, serialize, sums};
use crate::preprocessed::Variant;
use crate::verify::error::VerifyError;
use crate::version::{AirProof, ProofParts};

impl AirProof for Proof {
    type Version = Air13;
    type Extended = Extended;

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
        converted(self, options.suite)
    }

    /// Everything that could make the verifier panic is checked before; should anything be left, the proof is refused.
    fn verify_by_reference(self, suite: Suite, samples_all: bool) -> Result<(), VerifyError> {
        let verdict = match suite {
            Suite::Blake2s => caught(|| verify_cairo_ex::<Blake2sMerkleChannel>(self, samples_all)),
            Suite::Blake2sM31 => {
                let stark_proof = converted(&self, suite).map(to_stwo);
                let stark_proof =
                    stark_proof.ok_or_else(|| VerifyError::NotReduced { what: "the proof".to_owned() })?;
                let proof = CairoProofForRustVerifier {
                    claim: self.claim,
                    interaction_pow: self.interaction_pow,
                    interaction_claim: self.interaction_claim,
                    stark_proof,
                    channel_salt: self.channel_salt,
                    preprocessed_trace_variant: self.preprocessed_trace_variant,
                };
                caught(|| verify_cairo_ex::<Blake2sM31MerkleChannel>(proof, samples_all))
            }
            other => return Err(VerifyError::Suite(other)),
        };
        match verdict {
            Ok(verdict) => verdict.map_err(|error| VerifyError::Reference(Box::new(error))),
            Err(text) if text.is_empty() => Err(VerifyError::Panicked("without a message".to_owned())),
            Err(text) => Err(VerifyError::Panicked(text)),
        }
    }

    fn extend(self, auxiliary: Auxiliary) -> Option<Extended> {
        Extended::new(self, auxiliary)
    }

    fn split(extended: Extended) -> (Self, Option<Auxiliary>) {
        extended.split()
    }

    fn cairo_serde(&self) -> Result<Vec<String>, &'static str> {
        serialize::felts(self)
    }
}

/// The proof in the prover's types; `None` if a number is not reduced, or a node of a tree is no digest of the suite.
fn converted(proof: &Proof, suite: Suite) -> Option<circle_proof::Proof> {
    from_stwo(&proof.stark_proof, suite).filter(|proof| proof.is_of(suite))
}
