//! The witness on a backend of shapes.

use std::sync::Arc;

use backend_reference::CpuReference;
use cairo::air_1_3::Air13;
use cairo::witness::Witness;
use gpu_hal::CircleStark;
use gpu_hal::decorate::Rehearsed;
use prover_core::DryRun;

use super::files::{Component, vector};

#[test]
fn a_rehearsal_makes_the_same_shapes_and_nothing_else_stays() {
    for name in ["blake_7.small", "builtins_3.canonical", "ec_op_3.wo", "tiny.small"] {
        let (input, vector) = vector(name);
        let witness = Witness::new::<Air13>(&input, vector.preprocessed_variant).unwrap();
        let backend = Rehearsed::new(Arc::new(CpuReference::<CircleStark>::new()));
        let tables = witness.tables(DryRun, &backend).unwrap();
        let shapes: Vec<_> = tables.iter().map(|table| (table.width, table.log_height)).collect();
        let shape = |component: &Component| (component.main_sha256.len(), component.log_size);
        let expected: Vec<_> = vector.components().iter().map(shape).collect();
        assert_eq!(shapes, expected, "{name}");
        let elements: usize = expected.iter().map(|(width, log_size)| width << log_size).sum();
        assert_eq!(backend.finish().live_bytes, 4 * elements as u64, "{name}");
    }
}
