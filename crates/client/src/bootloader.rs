//! The privacy bootloader, and the circuit's configuration for proofs of its runs.

use std::io;

use cairo_run::{BootloaderProgram, Felt252, felt};
use circuit_cairo_verifier::all_components::all_components;
use circuit_cairo_verifier::privacy::privacy_components;
use circuit_cairo_verifier::verify::{
    CairoVerifierConfig, INTERACTION_POW_BITS, enabled_components, get_preprocessed_root,
};
use circuits_core::ivalue::NoValue;
use circuits_stark_verifier::proof::ProofConfig;
use serde::Deserialize;
use stwo::core::pcs::PcsConfig;
use stwo_cairo_common::preprocessed_columns::preprocessed_trace::PreProcessedTraceVariant;
use stwo_cairo_common::prover_types::felt::split_f252;

use crate::error::Error;
use crate::params::{CAIRO_OPTIONS, LIFTING, VARIANT};

/// Felts that the bootloader puts out: the hash of its tasks' output.
pub(crate) const OUTPUTS: usize = 1;

/// The part of a compiled program that is in the circuit.
#[derive(Deserialize)]
struct Compiled {
    data: Vec<String>,
}

/// The compiled bootloader, in JSON.
pub(crate) fn json() -> Result<Vec<u8>, Error> {
    BootloaderProgram::PrivacySimple.json().map_err(Error::Bootloader)
}

/// The words of the bootloader.
pub(crate) fn words() -> Result<Vec<Felt252>, Error> {
    let broken = |why: String| Error::Bootloader(io::Error::other(why));
    let Compiled { data } = serde_json::from_slice(&json()?).map_err(|error| broken(error.to_string()))?;
    data.iter().map(|word| felt::parse(word)).collect::<Result<_, _>>().map_err(broken)
}

/// The configuration of the circuit that verifies proofs of a bootloader of these words: the components of its runs,
/// and the options of the proof.
pub(crate) fn config(words: &[Felt252]) -> CairoVerifierConfig {
    let program: Vec<_> = words.iter().map(|word| split_f252(felt::to_words(word))).collect();
    let enabled = privacy_components();
    let enabled_bits: Vec<bool> = all_components::<NoValue>().keys().map(|name| enabled.contains(name)).collect();
    let variant = PreProcessedTraceVariant::from(VARIANT);
    let components = enabled_components::<NoValue>(&enabled_bits);
    let pcs = PcsConfig::from(CAIRO_OPTIONS);
    CairoVerifierConfig {
        proof_config: ProofConfig::new(&components, variant.n_columns(), &pcs, INTERACTION_POW_BITS),
        enabled_bits,
        program: program.into(),
        n_outputs: OUTPUTS,
        preprocessed_root: get_preprocessed_root(LIFTING),
        preprocessed_trace_variant: variant,
    }
}
