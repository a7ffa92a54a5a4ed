//! Every lie of the malicious prover about a small circuit: the check that is there for it refuses, and without the lie
//! the proof is taken. And the lies about a client proof, which take no prover.

use std::sync::{Arc, OnceLock};

use backend_cpu::Cpu;
use circle_air::{PreProcessedColumnId, PreprocessedColumn, secure};
use circle_proof::CircleOptions;
use circuit_serialize::deserialize::deserialize_proof_with_config;
use circuit_verifier::statement::all_circuit_components;
use circuit_verifier::verify::{CircuitConfig, CircuitPublicData, verify_circuit};
use circuits::{
    Circuit, CircuitProof, CircuitVerifier, INTERACTION_POW_BITS, RefusedError, STARKNET_OPTIONS, Witness, WitnessError,
};
use circuits_core::blake::HashValue;
use circuits_core::ivalue::NoValue;
use circuits_stark_verifier::proof::{Proof, ProofConfig};
use field::{Field, M31, QM31};
use gpu_hal::{CircleStark, Digest};
use prover_core::OnDevice;
use prover_core::circle::ProveError;
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::PcsConfig;
use stwo::core::vcs::blake2_hash::Blake2sHash;

use crate::broken::{Broken, broken};
use crate::liar::Liar;
use crate::lie::{Check, Lie, SEED, Told};
use crate::proofs::{OPTIONS, verifier};
use crate::{definition, examples, files};

/// The verdict of the published verifier, without any check of ours.
fn published(
    columns: &[PreprocessedColumn],
    root: Digest,
    options: CircleOptions,
    proof: Proof<SecureField>,
    outputs: &[QM31],
) -> Result<(), String> {
    let heights =
        columns.iter().map(|column| (PreProcessedColumnId { id: column.id.clone() }, column.log_size)).collect();
    let config = CircuitConfig {
        config: PcsConfig::from(options),
        n_outputs: outputs.len(),
        preprocessed_column_log_sizes: heights,
        preprocessed_root: HashValue::from(Blake2sHash(root)),
    };
    let output_values = outputs.iter().copied().map(secure).collect();
    verify_circuit(config, proof, CircuitPublicData { output_values }).map(|_| ())
}

/// A lie for each check of constraints and lookups, which are told in whole proofs everywhere.
const WHOLE: [Lie; 2] = [Lie::Sum, Lie::Address];

/// Lies are told in whole proofs if `POLYSTARK_BACKEND` is `cpu`, the others than [`WHOLE`]; each takes seconds.
fn is_whole(lie: Lie) -> bool {
    WHOLE.contains(&lie) || std::env::var_os("POLYSTARK_BACKEND").is_some_and(|name| name == "cpu")
}

#[test]
fn every_lie_is_stopped_by_its_check() {
    let circuit = examples::circuit();
    let backend = Arc::new(Cpu::<CircleStark>::new());
    let values = examples::witness(&circuit, SEED).values().to_vec();
    let truth = Told {
        columns: definition::columns(&circuit, &values),
        outputs: values[circuit.outputs()].to_vec(),
        preprocessed: None,
        is_loose: false,
        is_balanced: false,
    };
    let liar = Liar { circuit: circuit.clone(), backend: backend.clone(), preprocessed: OnceLock::new() };
    let (honest, total) = liar.prove(truth.clone());
    assert!(total.is_ok());
    let verifier = verifier(&circuit, liar.preprocessed.get().unwrap().root(), &OPTIONS);
    verifier.verify(&honest).unwrap();

    for lie in Lie::ALL {
        // The honest prover does not begin.
        if let Some((component, wire)) = lie.wire(&circuit) {
            let mut values = values.clone();
            values[wire] += QM31::ONE;
            let error = Witness::new(circuit.clone(), values).unwrap().tables(OnDevice::Proof, &*backend).unwrap_err();
            assert_eq!(broken_gate(&error), Some(component), "{lie:?}");
        }
        let told = lie.tell(&circuit, &truth);
        assert!(told.columns != truth.columns || told.outputs != truth.outputs, "{lie:?} changes nothing");
        let expected = Broken { gate: lie == Lie::Sum, total: !matches!(lie, Lie::Sum | Lie::OtherColumns) };
        assert_eq!(broken(&circuit, &truth, &told), expected, "{lie:?}");
        if is_whole(lie) {
            let (proof, total) = liar.prove(told);
            is_stopped(lie, &circuit, &verifier, &proof, total.is_ok());
        }
    }
}

/// The component whose gate a prover finds broken.
fn broken_gate(error: &ProveError) -> Option<&'static str> {
    match error {
        ProveError::Trace(error) => match error.downcast_ref()? {
            WitnessError::Gate { component, .. } => Some(component),
            _ => None,
        },
        _ => None,
    }
}

/// A proof is refused, and by the check of its lie: all others take it.
fn is_stopped(lie: Lie, circuit: &Circuit, verifier: &CircuitVerifier, proof: &CircuitProof, has_total: bool) {
    let Err(refused) = verifier.verify(proof) else { panic!("{lie:?} is accepted") };
    let is_reference = matches!(refused, RefusedError::Reference(_));
    match lie.check() {
        // The published verifier refuses it, after all checks of ours.
        Check::Total => assert!(is_reference && !has_total, "{lie:?}: {refused}"),
        Check::Identity => assert!(is_reference && has_total, "{lie:?}: {refused}"),
        Check::Root => {
            // It is a right proof of another circuit, which the published verifier refuses of this one.
            let RefusedError::Root { found: other, expected: own } = refused else { panic!("{lie:?}: {refused}") };
            let of_other = crate::proofs::verifier(circuit, other, &OPTIONS);
            let proof_of_other = || of_other.for_verifier(proof).unwrap();
            published(circuit.columns(), other, OPTIONS, proof_of_other(), &proof.outputs).unwrap();
            published(circuit.columns(), own, OPTIONS, proof_of_other(), &proof.outputs).unwrap_err();
        }
    }
}

/// Starknet's public client proof for the circuit of another bootloader, and for another preimage. The written proof
/// has neither root nor outputs, so that only the transcript binds it to them.
#[test]
fn a_client_proof_is_of_one_bootloader_and_one_preimage() {
    let vector = files::vector("cairo_pie_10_transfers");
    let [own, other] = ["precompute_2597", "precompute_1169"].map(files::vector);
    let columns: Vec<_> = own["circuit"]["preprocessed_columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| PreprocessedColumn::new(column[0].as_str().unwrap(), column[1].as_u64().unwrap() as u32))
        .collect();
    let root = |vector: &serde_json::Value| {
        Digest::try_from(hex::decode(vector["preprocessed_root"].as_str().unwrap()).unwrap()).unwrap()
    };
    let outputs = |vector: &serde_json::Value| -> Vec<QM31> {
        vector["circuit"]["output_values"].as_array().unwrap().iter().map(files::element).collect()
    };
    let stated = outputs(&vector);
    let of_other_run = outputs(&files::vector("privacy_tx_1169"));
    assert_ne!(root(&own), root(&other));
    assert_ne!(stated, of_other_run);

    let bytes = files::read("vectors/circuits/cairo_pie_10_transfers.proof.bin");
    let pcs = PcsConfig::from(STARKNET_OPTIONS);
    let shape = ProofConfig::new(&all_circuit_components::<NoValue>(), columns.len(), &pcs, INTERACTION_POW_BITS);
    let verdict = |root: Digest, outputs: &[QM31]| {
        let verifier = CircuitVerifier::new(columns.clone(), outputs.len(), root, &STARKNET_OPTIONS).unwrap();
        let proof = deserialize_proof_with_config(&mut &bytes[..], &shape).unwrap();
        let published = published(&columns, root, STARKNET_OPTIONS, proof, outputs);
        (verifier.check_written(&bytes, outputs), published)
    };
    let (ours, published) = verdict(root(&own), &stated);
    ours.unwrap();
    published.unwrap();
    let mut near = stated.clone();
    near[1].0[3] += M31::ONE;
    for (root, outputs) in [(root(&other), &stated), (root(&own), &of_other_run), (root(&own), &near)] {
        let (ours, published) = verdict(root, outputs);
        assert!(matches!(ours, Err(RefusedError::InteractionWork(_))));
        published.unwrap_err();
    }
}
