//! The circuit, and the values of its wires, next to the reference's.

use cairo_run::felt;
use circle_proof::Suite;
use client::{Error, VerifierCircuit, circuit_columns};
use field::M31;

use crate::files;

/// The Cairo proof that stwo-circuits is tested with, of another bootloader than Starknet's.
fn proof() -> cairo::Proof {
    let bytes = files::read("starknet/stwo-circuits-1.3.0.proof.bin");
    cairo::file::decode(&bytes, 1 << 24, Suite::Blake2sM31).unwrap().0
}

#[test]
fn values_are_the_ones_of_the_reference() {
    let vector = files::vector("privacy_tx_1169");
    let text = String::from_utf8(files::read("circuits/bootloader_1169.txt")).unwrap();
    let words: Vec<_> = text.lines().map(|word| felt::parse(word).unwrap()).collect();
    let circuit = VerifierCircuit::of(&words).unwrap();
    let mut proof = proof();
    let witness = circuit.witness(&proof).unwrap();
    assert_eq!(witness.values().len() as u64, vector["context"]["padded_n_values"]);
    assert_eq!(files::digest_of_values(witness.values()), vector["context"]["padded_values_sha256"]);
    // Proofs that the circuit is not for.
    proof.interaction_claim.ret_opcode.as_mut().unwrap().claimed_sum += stwo::core::fields::qm31::QM31::from(1);
    assert!(matches!(circuit.witness(&proof), Err(Error::Auxiliary(_))));
}

#[test]
fn the_circuit_of_starknet_has_the_columns_of_the_reference() {
    let circuit = VerifierCircuit::new().unwrap();
    assert_eq!(circuit.circuit().columns(), circuit_columns());
    let vector = files::vector("precompute_2597");
    let expected = vector["circuit"]["preprocessed_columns"].as_array().unwrap();
    assert_eq!(expected.len(), circuit_columns().len());
    for (column, (values, expected)) in circuit_columns().iter().zip(circuit.circuit().values().iter().zip(expected)) {
        let bytes: Vec<u8> = values.iter().copied().map(M31::value).flat_map(u32::to_le_bytes).collect();
        assert_eq!([&column.id, &files::sha256(&bytes)], [&expected[0], &expected[2]]);
        assert_eq!(expected[1], column.log_size);
    }
    assert_eq!(hex::encode(client::CIRCUIT_ROOT), vector["preprocessed_root"]);
    // The proof of another bootloader.
    assert!(matches!(circuit.witness(&proof()), Err(Error::OtherClaim)));
}
