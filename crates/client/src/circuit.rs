//! The circuit that verifies the Cairo proof: its topology, which is fixed, and the values of its wires.

use std::fmt;
use std::sync::Arc;

use cairo::verify::auxiliary;
use cairo_air::flat_claims::FlatClaim;
use cairo_run::Felt252;
use circle_proof::stwo_verifier::{extended, with_hasher};
use circuit_cairo_verifier::verify::{CairoVerifierConfig, build_cairo_verifier_circuit};
use circuit_common::finalize::add_zk_blinding;
use circuits::values::GateRecording;
use circuits::{Circuit, STARKNET_OPTIONS, Witness};
use circuits_stark_verifier::proof_from_stark_proof::proof_from_stark_proof;
use field::QM31;
use gpu_hal::Digest;
use stwo::core::fields::m31::BaseField;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sM31MerkleHasher as Hasher;

use crate::bootloader;
use crate::error::Error;
use crate::params::CAIRO_OPTIONS;
use crate::values::{Claim, blinding, given, record};

/// Rows of each component that hide the values of the others: as many as the circuit's proof has queries.
const BLINDING: usize = STARKNET_OPTIONS.queries as usize;

/// The circuit that verifies proofs of a privacy bootloader, which is a part of it.
pub struct VerifierCircuit {
    config: CairoVerifierConfig,
    circuit: Arc<Circuit>,
    recorded: GateRecording,
}

impl fmt::Debug for VerifierCircuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VerifierCircuit")
    }
}

impl VerifierCircuit {
    /// The circuit for the bootloader that Starknet has, of which [`crate::CIRCUIT_ROOT`] is. It takes seconds, and no
    /// proof.
    ///
    /// # Errors
    /// None, except for mistakes of this library.
    pub fn new() -> Result<Self, Error> {
        Self::of(&bootloader::words()?)
    }

    /// The circuit for a bootloader of these words.
    ///
    /// # Errors
    /// Words of which no circuit has a proof, for example too many.
    pub fn of(words: &[Felt252]) -> Result<Self, Error> {
        let config = bootloader::config(words);
        // Both build it, each in its own way.
        let circuit = || {
            let mut context = build_cairo_verifier_circuit(&config);
            // Any seed: the topology is the same.
            add_zk_blinding(&mut context, [0; 32], BLINDING);
            Circuit::new(&mut context)
        };
        let (circuit, recorded) = rayon::join(circuit, || record(&config));
        let (circuit, recorded) = (Arc::new(circuit?), recorded?);
        Ok(Self { config, circuit, recorded })
    }

    /// The circuit.
    pub fn circuit(&self) -> &Arc<Circuit> {
        &self.circuit
    }

    /// The values of all wires for a proof. Each gate is satisfied. The blinding is drawn from the root of the proof's
    /// main trace.
    ///
    /// # Errors
    /// [`Error::CircuitRefuses`] if a gate is not; a proof with another shape than the circuit is for.
    pub fn witness(&self, proof: &cairo::Proof) -> Result<Witness, Error> {
        let mut values = self.recorded.values(&self.given(proof)?)?;
        values.extend(blinding(seed(proof), BLINDING));
        // Gates of the padding read zeros alone, and write zeros.
        values.resize(self.circuit.wires(), QM31::default());
        Ok(Witness::new(self.circuit.clone(), values)?)
    }

    /// The values of the first wires, which are the proof's and its claim's.
    fn given(&self, proof: &cairo::Proof) -> Result<Vec<QM31>, Error> {
        let aux = auxiliary(proof, CAIRO_OPTIONS.suite).map_err(|error| Error::Auxiliary(Box::new(error)))?;
        let stark_proof = with_hasher::<_, Hasher>(proof.stark_proof.clone()).ok_or(Error::Digest)?;
        let stark_proof = extended(stark_proof, aux).ok_or(Error::Digest)?;
        let FlatClaim { component_enable_bits, component_log_sizes, public_data } = proof.claim.flatten_claim();
        let (public_claim, outputs, _) = public_data.pack_into_u32s();
        let numbers: Vec<_> = public_claim.into_iter().chain(component_log_sizes).map(BaseField::from).collect();
        let limbs: Vec<BaseField> = outputs.into_iter().map(BaseField::from).collect();
        let claim = Claim { numbers, outputs: limbs.as_chunks().0.to_vec() };
        if component_enable_bits != self.config.enabled_bits || !claim.is_of(&self.config) {
            return Err(Error::OtherClaim);
        }
        let sums = proof.interaction_claim.flatten_interaction_claim();
        let (config, nonce, salt) = (&self.config.proof_config, proof.interaction_pow, proof.channel_salt);
        let for_circuit = proof_from_stark_proof(&stark_proof, config, sums, nonce, salt);
        Ok(given(&self.config, &for_circuit, claim))
    }
}

/// The seed of the blinding.
fn seed(proof: &cairo::Proof) -> Digest {
    proof.stark_proof.commitments[1].0
}
