//! A program that calls the crate as Starknet's transaction prover does.

use std::error::Error;
use std::sync::Arc;

use cairo_vm::vm::runners::cairo_pie::CairoPie;
use client::file::pack;
use hal_conformance::left_out_without_backend;
use privacy_circuit_verify::{PrivacyProofOutput, VERSION_BYTES, verify_recursive_circuit};
use privacy_prove::{RecursiveProverPrecomputes, prepare_recursive_prover_precomputes, privacy_recursive_prove};
use serde_json::Value;
use sha2::{Digest, Sha256};
use starknet_types_core::felt::Felt;

/// It takes parts of the result, and hands errors on in its own.
struct Proven {
    proof: Vec<u8>,
    program_output: Vec<Felt>,
}

#[derive(Debug)]
struct ProvingError(#[allow(dead_code, reason = "shown where a test fails")] String);

fn prove(cairo_pie: CairoPie, precomputes: Arc<RecursiveProverPrecomputes>) -> Result<Proven, ProvingError> {
    let output = privacy_recursive_prove(cairo_pie, precomputes).map_err(|error| ProvingError(error.to_string()))?;
    Ok(Proven { proof: output.proof, program_output: output.output_preimage })
}

fn read(path: &str) -> Vec<u8> {
    let path = format!("{}/../../vectors/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The facts of Starknet's public client proof.
fn public() -> Value {
    serde_json::from_slice(&read("circuits/cairo_pie_10_transfers.json")).unwrap()
}

fn preimage(vector: &Value) -> Vec<Felt> {
    let felts = vector["output_preimage"].as_array().unwrap().iter();
    felts.map(|felt| Felt::from_hex(felt.as_str().unwrap()).unwrap()).collect()
}

#[test]
fn the_public_proof_is_verified_and_no_other() -> Result<(), Box<dyn Error>> {
    let output_preimage = preimage(&public());
    let proof = pack(&read("circuits/cairo_pie_10_transfers.proof.bin"))?;
    assert_eq!(proof[..VERSION_BYTES], [1, 2, 2]);
    let mut output = PrivacyProofOutput { proof, output_preimage };
    verify_recursive_circuit(&output)?;
    let last = output.output_preimage.len() - 1;
    output.output_preimage[last] += Felt::ONE;
    let refused = verify_recursive_circuit(&output).unwrap_err().to_string();
    assert!(refused.contains("does not prove these felts"), "{refused}");
    Ok(())
}

/// On a backend that `POLYSTARK_BACKEND` names: it takes 12 GB and minutes on two cores.
#[test]
fn the_public_proof_is_made_byte_for_byte() {
    if std::env::var(privacy_prove::BACKEND).unwrap_or_default().is_empty() {
        left_out_without_backend("a client proof");
        return;
    }
    let (vector, pie) = (public(), CairoPie::from_bytes(&read("pies/transfers_10.zip")).unwrap());
    let precomputes = prepare_recursive_prover_precomputes().unwrap();
    let proven = prove(pie, precomputes).unwrap();
    assert_eq!(hex::encode(Sha256::digest(&proven.proof)), vector["final"]["sha256"]);
    assert_eq!(proven.program_output, preimage(&vector));
}

/// A run without a proof is refused by name, before anything is proven.
#[test]
fn a_run_without_a_proof_is_refused() {
    let pie = CairoPie::from_bytes(&read("pies/no_hash.zip")).unwrap();
    // Nothing is computed on it.
    let precomputes = prepare_recursive_prover_precomputes().unwrap();
    let ProvingError(refused) = prove(pie, precomputes).err().unwrap();
    assert!(refused.contains("one Poseidon builtin"), "{refused}");
}
