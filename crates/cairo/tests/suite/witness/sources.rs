//! Columns that are made again from their sources are the columns of the witness.

use backend_cpu::Cpu;
use cairo::air_1_3::Air13;
use cairo::witness::Witness;
use field::M31;
use gpu_hal::{CircleStark, Columns, StarkBackend};
use prover_core::OnDevice;
use prover_core::circle::TraceMaker;

use super::files::vector;

fn values<B: StarkBackend<P = CircleStark>>(backend: &B, table: &Columns<B::Buffer>) -> Vec<M31> {
    backend.download(table.as_ref(), 0..table.height()).unwrap()
}

#[test]
fn every_component_is_made_again() {
    let backend = Cpu::<CircleStark>::new();
    // Lists from caller to callee, builtins, counters of memory, fixed tables.
    for name in ["blake_7.small", "builtins_3.canonical", "ec_op_3.wo"] {
        let (input, vector) = vector(name);
        let witness = Witness::new::<Air13>(&input, vector.preprocessed_variant).unwrap();
        let tables = witness.tables(OnDevice::Proof, &backend).unwrap();
        let sources = witness.sources(OnDevice::Proof, &backend).unwrap().expect("a run has sources");
        // In another order than that of the callers, and more than once.
        for component in (0..tables.len()).rev().chain(0..tables.len()) {
            let again = sources.table(component).unwrap();
            let expected = &tables[component];
            let of_component = witness.sizes().components()[component].name();
            assert_eq!(
                (again.width, again.log_height),
                (expected.width, expected.log_height),
                "{name}: {of_component}"
            );
            assert!(values(&backend, &again) == values(&backend, expected), "{name}: {of_component}");
        }
    }
}
