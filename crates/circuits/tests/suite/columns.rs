//! Every column of every component, next to the definition and to the reference prover's.

use std::sync::Arc;

use backend_cpu::Cpu;
use backend_emulated::Emulated;
use backend_reference::CpuReference;
use circuit_cairo_verifier::verify::build_cairo_verifier_circuit;
use circuit_common::finalize::add_zk_blinding;
use circuits::air::NAMES;
use circuits::{Circuit, Witness};
use field::M31;
use gpu_hal::decorate::Rehearsed;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::{DryRun, OnDevice};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::definition::{self, Columns};
use crate::{examples, files};

fn digest(column: &[M31]) -> String {
    let bytes: Vec<u8> = column.iter().flat_map(|element| element.value().to_le_bytes()).collect();
    hex::encode(Sha256::digest(bytes))
}

/// The columns that a backend makes.
fn made<B: StarkBackend<P = CircleStark>>(witness: &Witness, backend: &B) -> Columns {
    let tables = witness.tables(OnDevice::Proof, backend).unwrap();
    let download = |table: &gpu_hal::Columns<B::Buffer>| {
        let values = backend.download(table.as_ref(), 0..table.height()).unwrap();
        values.chunks(table.height()).map(<[M31]>::to_vec).collect()
    };
    tables.iter().map(download).collect()
}

fn is_same(found: &Columns, expected: &Columns, backend: &str) {
    assert_eq!(found.len(), expected.len(), "{backend}");
    for (name, (found, expected)) in NAMES.iter().zip(found.iter().zip(expected)) {
        assert_eq!(found.len(), expected.len(), "{backend}: {name}");
        let differing = found.iter().zip(expected).enumerate().filter(|(_, (a, b))| a != b);
        let differing: Vec<_> = differing.map(|(column, _)| column).collect();
        assert!(differing.is_empty(), "{backend}: columns {differing:?} of {name}");
    }
}

#[test]
fn row_programs_make_the_columns_of_the_definition() {
    let circuit = examples::circuit();
    for seed in [0, 1, 0x7fff_fffe] {
        let (witness, values) = (examples::witness(&circuit, seed), examples::values(seed));
        let expected = definition::columns(&circuit, &values);
        is_same(&made(&witness, &CpuReference::<CircleStark>::new()), &expected, "the reference");
        for threads in [1, 2] {
            is_same(&made(&witness, &Cpu::<CircleStark>::with_threads(threads).unwrap()), &expected, "the processor");
        }
        let device = backend_emulated::device().unwrap();
        let emulated = Emulated::<CircleStark>::new(backend_emulated::NAME, device).unwrap();
        is_same(&made(&witness, &emulated), &expected, "the emulated GPU");
    }
}

#[test]
fn a_rehearsal_makes_the_same_shapes_and_nothing_else_stays() {
    let circuit = examples::circuit();
    let witness = examples::witness(&circuit, 3);
    let expected = definition::columns(&circuit, &examples::values(3));
    let backend = Rehearsed::new(Arc::new(CpuReference::<CircleStark>::new()));
    let tables = witness.tables(DryRun, &backend).unwrap();
    let shapes: Vec<_> = tables.iter().map(|table| (table.width, table.height())).collect();
    assert_eq!(shapes, expected.iter().map(|columns| (columns.len(), columns[0].len())).collect::<Vec<_>>());
    let elements: usize = shapes.iter().map(|(width, height)| width * height).sum();
    assert_eq!(backend.finish().live_bytes, 4 * elements as u64);
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

/// The circuit's preprocessed columns are the vector's.
fn is_circuit(circuit: &Circuit, vector: &Value) {
    let expected = &vector["circuit"];
    let columns = expected["preprocessed_columns"].as_array().unwrap();
    let found: Vec<_> = circuit
        .columns()
        .iter()
        .zip(circuit.values())
        .map(|(column, values)| serde_json::json!([column.id, column.log_size, digest(values)]))
        .collect();
    assert_eq!(&found, columns);
    let [gates @ .., _, _, _, _, _, _] = *circuit.log_sizes();
    assert_eq!(circuit.columns(), circuits::columns(gates));
    assert_eq!(circuit.wires(), number(&expected["padded"]["n_vars"]));
    assert_eq!(circuit.first_rows()[3] as usize, number(&expected["first_permutation_row"]));
    assert_eq!(circuit.outputs().len(), number(&expected["n_outputs"]));
}

#[test]
fn circuits_of_both_bootloaders_have_the_columns_of_the_reference() {
    for felts in [1169, 2597] {
        let mut context = build_cairo_verifier_circuit(&files::config(felts));
        add_zk_blinding(&mut context, [0; 32], files::BLINDING);
        let circuit = Circuit::new(&mut context).unwrap();
        is_circuit(&circuit, &files::vector(&format!("precompute_{felts}")));
    }
}

#[test]
fn the_circuit_of_a_public_proof_has_the_witness_of_the_reference() {
    let mut context = files::of_public_proof();
    assert!(context.is_circuit_valid());
    let circuit = Arc::new(Circuit::new(&mut context).unwrap());
    is_circuit(&circuit, &files::vector("precompute_1169"));
    let vector = files::vector("privacy_tx_1169");
    let values: Vec<_> = context.values().iter().copied().map(circle_air::qm31).collect();
    assert_eq!(hex::encode(Sha256::digest(files::bytes(&values))), vector["context"]["padded_values_sha256"]);
    let witness = Witness::of(circuit.clone(), &context).unwrap();
    drop(context);
    let outputs: Vec<_> = vector["circuit"]["output_values"].as_array().unwrap().iter().map(files::element).collect();
    assert_eq!(witness.outputs(), outputs);

    let log_sizes: Vec<_> = circuit.log_sizes().iter().map(|log_size| serde_json::json!(log_size)).collect();
    assert_eq!(&log_sizes, vector["circuit"]["log_sizes"].as_array().unwrap());
    let has_digests = |columns: &Columns, maker: &str| {
        for (name, columns) in NAMES.iter().zip(columns) {
            let expected = vector["circuit"]["main_columns"][name]["sha256"].as_array().unwrap();
            let found: Vec<_> = columns.iter().map(|column| Value::from(digest(column))).collect();
            assert_eq!(&found, expected, "{maker}: {name}");
        }
    };
    has_digests(&definition::columns(&circuit, &values), "the definition");
    drop(values);
    has_digests(&made(&witness, &Cpu::<CircleStark>::new()), "the processor");
}
