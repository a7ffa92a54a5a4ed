use std::collections::BTreeMap;

use backend_cpu::Cpu;
use circle_proof::{CircleOptions, Suite};
use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, EvalOrder, HashFn, LeafLayout, StarkBackend};
use sha2::{Digest, Sha256};
use stwo_cairo_common::preprocessed_columns::preprocessed_trace::PreProcessedTraceVariant;

use super::*;
use crate::AirVersion;
use crate::air_1_3::Air13;

/// `[id, log size, SHA-256 of the values as little-endian words]` for each column of a variant, from the reference.
fn vector(variant: Variant) -> Vec<(String, u32, String)> {
    let name = match variant {
        Variant::Canonical => "canonical",
        Variant::CanonicalWithoutPedersen => "wo",
        Variant::CanonicalSmall => "small",
    };
    let path = format!("{}/../../vectors/cairo/vectors/preprocessed_{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn sha256(values: &[M31]) -> String {
    let mut hasher = Sha256::new();
    for values in values.chunks(1 << 12) {
        hasher.update(values.iter().flat_map(|value| value.value().to_le_bytes()).collect::<Vec<_>>());
    }
    hex::encode(hasher.finalize())
}

/// Compares columns, which `is_compared` chooses, with the vector.
fn compare(variant: Variant, is_compared: impl Fn(&str) -> bool) {
    let vector = vector(variant);
    let chosen: Vec<usize> = (0..vector.len()).filter(|index| is_compared(&vector[*index].0)).collect();
    let values = values(variant, &chosen);
    assert_eq!(values.len(), chosen.len());
    chosen.par_iter().zip(values).for_each(|(index, values)| {
        let (id, log_size, digest) = &vector[*index];
        assert_eq!(values.len(), 1 << log_size, "{id}");
        assert_eq!(&sha256(&values), digest, "{id}");
    });
}

#[test]
fn columns_are_those_of_the_reference() {
    for variant in Variant::ALL {
        let columns = columns(variant);
        let trace = PreProcessedTraceVariant::from(variant).to_preprocessed_trace();
        assert!(columns.iter().map(|column| &column.id).eq(trace.ids().iter().map(|id| &id.id)), "{variant:?}");
        assert!(columns.iter().map(|column| column.log_size).eq(trace.log_sizes()), "{variant:?}");
        let vector: Vec<_> = vector(variant).into_iter().map(|(id, log_size, _)| (id, log_size)).collect();
        assert!(columns.into_iter().map(|column| (column.id, column.log_size)).eq(vector), "{variant:?}");
    }
}

#[test]
fn values_of_the_small_variant() {
    compare(Variant::CanonicalSmall, |_| true);
}

#[test]
fn values_without_points() {
    // The three longest take a second together.
    compare(Variant::CanonicalWithoutPedersen, |id| !matches!(id, "seq_24" | "seq_25"));
}

#[test]
fn values_of_the_large_table_of_points() {
    // A column of x and one of y: a fault of a point is in both.
    compare(Variant::Canonical, |id| matches!(id, "pedersen_points_0" | "pedersen_points_55"));
}

/// The root of a variant's tree of this hash function.
fn root(variant: Variant, height: u32, hash: HashFn) -> String {
    let backend = Cpu::<CircleStark>::new();
    let columns = columns(variant);
    let all: Vec<usize> = (0..columns.len()).collect();
    let mut by_size: BTreeMap<u32, Vec<Vec<M31>>> = BTreeMap::new();
    for (column, values) in columns.iter().zip(values(variant, &all)) {
        by_size.entry(column.log_size).or_default().push(values);
    }
    let tables: Vec<_> = by_size
        .iter()
        .map(|(&log_size, columns)| {
            let columns: Vec<&[M31]> = columns.iter().map(Vec::as_slice).collect();
            let from = Basis::Evaluations { domain: CircleDomain::canonic(log_size), order: EvalOrder::Storage };
            backend.upload_lde(&columns, log_size, from, CircleDomain::canonic(log_size + 1), false).unwrap().1
        })
        .collect();
    let tables: Vec<_> = tables.iter().map(Columns::as_ref).collect();
    let tree = backend.merkle(&tables, LeafLayout::lifted(height), hash).unwrap();
    hex::encode(backend.root(&tree).unwrap())
}

/// They are in the reference's proofs.
#[test]
fn the_roots_of_the_small_variant() {
    let expected = [
        (Suite::Blake2s, "068d1166c9f9f0ec247641ca391ee8396170e69343dfcacc632f9638670d2bec"),
        (Suite::Blake2sM31, "bfaf9a4ec4375775fdf1164133e5b40e5c7bd02d0316416ac4013d61dedbf358"),
        (Suite::Poseidon252, "c298377f9d94c6c87c574aa46876f4c12198a03e87cb4a531e83ab49440bd305"),
    ];
    for (suite, expected) in expected {
        assert_eq!(root(Variant::CanonicalSmall, 21, suite.tree()), expected, "{suite}");
        assert_eq!(hex::encode(Air13::root(Variant::CanonicalSmall, &options(suite)).unwrap()), expected);
    }
}

/// Options with which roots are known.
fn options(suite: Suite) -> CircleOptions {
    CircleOptions { log_blowup: 1, lifting: None, suite, ..CircleOptions::default() }
}

#[test]
fn other_configurations_have_no_constant() {
    for variant in Variant::ALL {
        for suite in Suite::ALL {
            let options = options(suite);
            assert!(Air13::root(variant, &options).is_some());
            assert!(Air13::root(variant, &CircleOptions { log_blowup: 2, ..options }).is_none());
            assert!(Air13::root(variant, &CircleOptions { lifting: Some(27), ..options }).is_none());
        }
    }
}
