//! The circuits of `vectors/circuits`: those that verify Cairo proofs of a bootloader.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use cairo_air::CairoProof;
use circuit_cairo_verifier::all_components::all_components;
use circuit_cairo_verifier::privacy::privacy_components;
use circuit_cairo_verifier::verify::{
    CairoVerifierConfig, build_fixed_cairo_circuit, enabled_components, get_preprocessed_root,
    prepare_cairo_proof_for_circuit_verifier,
};
use circuit_common::finalize::add_zk_blinding;
use circuits_core::context::FinalizedContext;
use circuits_core::ivalue::NoValue;
use circuits_stark_verifier::proof::ProofConfig;
use field::{M31, QM31};
use serde_json::Value;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo::core::fri::FriConfig;
use stwo::core::pcs::PcsConfig;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sM31MerkleHasher;
use stwo_cairo_common::preprocessed_columns::preprocessed_trace::PreProcessedTraceVariant;
use stwo_cairo_common::prover_types::felt::split_f252;

/// Rows that blind the witness: as many as the circuit's proof has queries.
pub(crate) const BLINDING: usize = 35;

pub(crate) fn read(path: &str) -> Vec<u8> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read(&full).unwrap_or_else(|error| panic!("{}: {error}", full.display()))
}

pub(crate) fn vector(name: &str) -> Value {
    serde_json::from_slice(&read(&format!("vectors/circuits/{name}.json"))).unwrap()
}

/// The felts of the bootloader of this many, in hexadecimal.
fn bootloader(felts: usize) -> Vec<String> {
    if felts == 1169 {
        let text = String::from_utf8(read("vectors/circuits/bootloader_1169.txt")).unwrap();
        return text.lines().map(str::to_owned).collect();
    }
    let packed = read("crates/cairo-run/data/privacy_simple_bootloader.json.gz");
    let mut json = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut json).unwrap();
    let program: Value = serde_json::from_slice(&json).unwrap();
    let data = program["data"].as_array().unwrap();
    data.iter().map(|felt| felt.as_str().unwrap().to_owned()).collect()
}

/// The eight words of a felt.
fn words(felt: &str) -> [u32; 8] {
    let digits = format!("{:0>64}", felt.trim_start_matches("0x"));
    std::array::from_fn(|word| u32::from_str_radix(&digits[8 * (7 - word)..][..8], 16).unwrap())
}

/// The configuration of the circuit that verifies a Cairo proof of the bootloader of this many felts.
pub(crate) fn config(felts: usize) -> CairoVerifierConfig {
    let program: Vec<_> = bootloader(felts).iter().map(|felt| split_f252(words(felt))).collect();
    assert_eq!(program.len(), felts);
    let enabled = privacy_components();
    let enabled_bits: Vec<bool> = all_components::<NoValue>().keys().map(|name| enabled.contains(name)).collect();
    let variant = PreProcessedTraceVariant::CanonicalSmall;
    let pcs = PcsConfig { pow_bits: 27, fri_config: FriConfig::new(0, 3, 23, 4), lifting_log_size: Some(23) };
    let components = enabled_components::<NoValue>(&enabled_bits);
    CairoVerifierConfig {
        proof_config: ProofConfig::new(&components, variant.n_columns(), &pcs, 24),
        enabled_bits,
        program: program.into(),
        n_outputs: 1,
        preprocessed_root: get_preprocessed_root(23),
        preprocessed_trace_variant: variant,
    }
}

/// The circuit that verifies the public Cairo proof, with its values, blinded.
pub(crate) fn of_public_proof() -> FinalizedContext<SecureField> {
    let config = config(1169);
    let packed = read("vectors/starknet/stwo-circuits-1.3.0.proof.bin");
    let mut bytes = Vec::new();
    bzip2::read::BzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    let proof: CairoProof<Blake2sM31MerkleHasher> = bincode1::deserialize(&bytes).unwrap();
    let (for_circuit, public) =
        prepare_cairo_proof_for_circuit_verifier(&proof, &config.proof_config, &config.enabled_bits);
    let (public_claim, outputs, _) = public.pack_into_u32s();
    let log_sizes = proof.claim.flatten_claim().component_log_sizes;
    let public_claim = public_claim.into_iter().chain(log_sizes).collect();
    let limbs: Vec<BaseField> = outputs.into_iter().map(BaseField::from).collect();
    let outputs = limbs.chunks_exact(28).map(|limbs| limbs.try_into().unwrap()).collect();
    let mut context = build_fixed_cairo_circuit(&config, for_circuit, public_claim, outputs);
    let seed = proof.extended_stark_proof.proof.commitments[1].0;
    add_zk_blinding(&mut context, seed, BLINDING);
    context
}

/// An extension element of a vector.
pub(crate) fn element(value: &Value) -> QM31 {
    let words: Vec<u32> = value.as_array().unwrap().iter().map(|word| word.as_u64().unwrap() as u32).collect();
    QM31([words[0], words[1], words[2], words[3]].map(M31::new))
}

/// The bytes of all wires' values, as the vectors digest them.
pub(crate) fn bytes(values: &[QM31]) -> Vec<u8> {
    values.iter().flat_map(|value| value.0).flat_map(|word| word.value().to_le_bytes()).collect()
}
