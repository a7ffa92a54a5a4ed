//! Whole proofs of the Circle protocol on the emulator: byte for byte the reference's.

use std::sync::Arc;

use backend_emulated::{Dialect, Emulated, EmulatedDevice, NAME, Options};
use golden::circle::{air, check, check_generated, check_samples, proofs, suites};
use golden::slow_or_skip;
use gpu_hal::{CircleStark, Operation};

fn backend(options: Options) -> Emulated<CircleStark> {
    Emulated::<CircleStark>::new(NAME, EmulatedDevice::new(options).expect("a C++ compiler")).expect("a backend")
}

#[test]
fn golden_proofs() {
    let backend = Arc::new(backend(Options::default()));
    let cases = proofs();
    assert_eq!(cases.len(), 16);
    cases.iter().for_each(|case| check(&backend, case));
}

/// Interpreted, by generated kernels in another order of threads, and as Metal's compiler sees them.
#[test]
fn trees_of_gkr() {
    let generated = Options { seed: 7, generated_operations: 4_000, ..Options::default() };
    let metal = Options { dialect: Dialect::METAL, ..Options::default() };
    [Options::default(), generated, metal].into_iter().for_each(|options| golden::gkr::check(&backend(options)));
}

#[test]
fn samples_of_columns_that_nothing_reads() {
    check_samples(&Arc::new(backend(Options::default())));
}

/// The small ones, unless there is time for all.
#[test]
fn golden_digests_of_other_suites() {
    let backend = Arc::new(backend(Options::default()));
    let most = if slow_or_skip("proofs of other suites with more than 2^4 rows") { u32::MAX } else { 4 };
    suites().iter().filter(|case| case.log_rows <= most).for_each(|case| check(&backend, case));
}

#[test]
fn golden_proofs_by_generated_kernels_in_another_order_of_threads() {
    let backend = Arc::new(backend(Options { seed: 7, generated_operations: 4_000, ..Options::default() }));
    let cases = proofs();
    // One of every AIR; compiling takes most of the time.
    for name in ["fibonacci", "plonk", "range-squares", "wide-fibonacci-w20"] {
        let case = cases.iter().find(|case| case.name.starts_with(name)).expect("a golden proof of every AIR");
        check(&backend, case);
    }
}

/// The programs of a compression are long: one kernel would take a compiler minutes. They make the trace and check it.
#[test]
fn long_programs_are_cut_into_several_kernels() {
    let options = Options { generated_operations: 500, ..Options::default() };
    let (cut, interpreted) = (Arc::new(backend(options)), Arc::new(backend(Options::default())));
    let air = air("poseidon2", 5, "s=9");
    check_generated(&cut, &air);
    check_generated(&interpreted, &air);
    for op in [Operation::TreeMap, Operation::ConstraintEval] {
        let (several, one) = (cut.launches(op), interpreted.launches(op));
        assert!(several >= one + 4, "{op:?}: {several} launches of kernels cut, {one} of the interpreter");
    }
}

/// Interpreted; the leaves, every level of nodes and row 0 are a launch each.
#[test]
fn the_kernels_make_trees_of_hashes() {
    for (name, log_rows) in [("poseidon2", 7), ("poseidon2", 1), ("rpo-m31", 4)] {
        let backend = Arc::new(backend(Options { seed: 3, ..Options::default() }));
        check_generated(&backend, &air(name, log_rows, "s=9"));
        assert_eq!(backend.launches(Operation::TreeMap), u64::from(log_rows) + 1, "{name}");
    }
}
