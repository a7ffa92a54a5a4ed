//! The traffic and memory of a proof, and its end when the device fails.

use std::sync::Arc;

use air::airs::{self, ExampleAir};
use golden::backends::{cpu, reference, reference_of};
use golden::goldilocks::{example, options};
use goldilocks_proof::{Proof, Seed, Suite, lambdaworks};
use gpu_hal::decorate::{Fault, Faulty, Metered};
use gpu_hal::{ErrorKind, GoldilocksStark, Operation, StarkBackend};
use prover_core::goldilocks::{ProveError, Prover};
use prover_core::{MemoryError, Silent};

type P = GoldilocksStark;

fn prove<B: StarkBackend<P = P>>(
    backend: &Arc<B>,
    air: &Arc<dyn ExampleAir<P>>,
    suite: Suite,
) -> Result<Proof<P>, ProveError> {
    Prover::new(backend.clone(), air.clone())?.prove(&air.trace(), &options(suite), Seed::Default, &Silent)
}

#[test]
fn a_fault_at_every_operation_is_a_typed_error_and_the_next_proof_is_right() {
    for (name, suite) in [
        ("fibonacci-rap", Suite::Keccak256),
        ("read-only-memory-logup", Suite::Poseidon2),
        ("periodic", Suite::Keccak256),
    ] {
        let air = example(name, 16);
        let backend = Arc::new(Faulty::new(reference::<P>()));
        let expected = prove(&backend, &air, suite).expect("no fault yet");
        let operations = backend.seen();
        assert!(operations > 20, "a proof takes many operations, not {operations}");
        let idle = backend.memory().expect("a CPU knows its memory").in_use;
        for after in 0..operations {
            for kind in [ErrorKind::OutOfMemory, ErrorKind::DeviceLost, ErrorKind::Backend] {
                backend.arm(Fault { operation: None, after, kind });
                match prove(&backend, &air, suite) {
                    Err(ProveError::Hal(error)) => assert_eq!(error.kind, kind, "operation {after}"),
                    other => panic!("operation {after} failed, the prover said {:?}", other.map(|_| "proof")),
                }
                backend.disarm();
                assert_eq!(backend.memory().expect("memory").in_use, idle, "operation {after} leaves memory behind");
            }
            let again = prove(&backend, &air, suite).expect("the backend recovered");
            assert_eq!(again, expected, "after a fault at operation {after}");
        }
    }
}

#[test]
fn traffic_is_the_trace_and_a_little() {
    for info in airs::all() {
        let n = 1u64 << 10;
        let air = example(info.name, n);
        let backend = Arc::new(Metered::new(reference::<P>()));
        let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        backend.reset();
        let options = options(Suite::Keccak256);
        prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
        let meter = backend.snapshot();

        let layout = air.layout();
        let (m, a) = (layout.main_columns as u64, layout.aux_columns as u64);
        let trace = 8 * m * n;
        // Beside the trace: the periods of periodic columns, twice if auxiliary columns read them too.
        let public = 2 * 8 * prover.recorded().periodic().iter().map(|table| table.data().len() as u64).sum::<u64>();
        let uploaded = meter.of(Operation::UploadLde).uploaded + meter.of(Operation::Upload).uploaded;
        assert!(uploaded >= trace && uploaded <= trace + public, "{}: {uploaded} bytes up, trace {trace}", info.name);

        // Roots; out-of-domain values of base columns (24 bytes each); the last layer; rows and paths of the queries.
        let (log_n, log_lde, queries) = (10, 12, u64::from(options.queries));
        let columns = m + 3 * a;
        let parts = 3 * layout.composition_parts as u64;
        let roots = 32 * (3 + log_n);
        let values = 24 * (layout.frame_rows as u64 * columns + parts) + 24 * u64::from(options.blowup);
        let paths = 32 * (2 * log_lde * 2 + log_lde + (1..log_n).map(|k| log_lde - k).sum::<u64>());
        let rows = 8 * (2 * (columns + parts) + 3 * log_n);
        let bound = roots + values + queries * (paths + rows) + 8;
        let downloaded = meter.total().downloaded;
        assert!(downloaded <= bound, "{}: {downloaded} bytes down, bound {bound}", info.name);
    }
}

#[test]
fn a_statement_over_budget_is_refused_before_any_work() {
    let air = example("fibonacci-rap", 1 << 8);
    let plan = {
        let backend = Arc::new(reference::<P>());
        Prover::new(backend.clone(), air.clone())
            .expect("a sound AIR")
            .plan(&options(Suite::Keccak256))
            .expect("good options")
    };
    let backend = Arc::new(Metered::new(reference_of::<P>(plan.peak_bytes - 1)));
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    backend.reset();
    match prover.prove(&air.trace(), &options(Suite::Keccak256), Seed::Default, &Silent) {
        Err(ProveError::Memory(MemoryError::Missing { needed, available, .. })) => {
            assert_eq!((needed, available), (plan.peak_bytes, plan.peak_bytes - 1));
        }
        other => panic!("expected a memory error, got {:?}", other.map(|_| "proof")),
    }
    assert_eq!(backend.snapshot().total().calls, 0, "nothing was done");
}

#[test]
fn the_plan_is_what_a_proof_takes() {
    for info in airs::all() {
        for suite in [Suite::Keccak256, Suite::Poseidon2] {
            for (log_rows, blowup) in [(8, 4), (5, 16)] {
                planned_is_measured(Arc::new(reference::<P>()), info.name, log_rows, blowup, suite);
            }
            // Trees that are kept whole, some of them, none.
            for (log_rows, blowup) in [(7, 4), (8, 8), (11, 4), (12, 2)] {
                planned_is_measured(Arc::new(cpu::<P>()), info.name, log_rows, blowup, suite);
            }
        }
    }
}

fn planned_is_measured<B: StarkBackend<P = P>>(backend: Arc<B>, name: &str, log_rows: u32, blowup: u32, suite: Suite) {
    let options = lambdaworks::Options { blowup, ..options(suite) };
    let air = example(name, 1 << log_rows);
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    // More parts than this blowup has room for.
    let Ok(plan) = prover.plan(&options) else { return };
    prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
    let memory = backend.memory().expect("memory");
    assert_eq!(memory.peak, plan.peak_bytes, "{name}, 2^{log_rows} rows, blowup {blowup}: {plan}");
    assert_eq!(memory.in_use, 0, "{name}");
}

#[test]
fn a_trace_with_any_cell_changed_gives_no_proof() {
    for info in airs::all() {
        let air = example(info.name, 32);
        let backend = Arc::new(reference::<P>());
        let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        let challenges: Vec<field::Fp3> = (0..air.layout().challenges as u64)
            .map(|i| field::Fp3([i + 11, i + 7, i + 5].map(field::Goldilocks::new)))
            .collect();
        let honest = air.trace();
        let mut refused = 0;
        for (row, column) in (0..honest.height()).flat_map(|row| (0..honest.width()).map(move |column| (row, column))) {
            let mut trace = honest.clone();
            trace.set(row, column, trace.get(row, column) + field::Goldilocks::new(5));
            let satisfied = air::check_trace(prover.recorded(), &*air, &trace, &challenges, 1).is_ok();
            match prover.prove(&trace, &options(Suite::Keccak256), Seed::Default, &Silent) {
                // Some cells are in no constraint: the exempt cells, and the dummy column of bit-flags.
                Ok(_) => assert!(satisfied, "{}: a proof with row {row}, column {column} wrong", info.name),
                Err(ProveError::Unsatisfied(_)) => {
                    assert!(!satisfied, "{}: row {row}, column {column} is in no constraint", info.name);
                    refused += 1;
                }
                Err(other) => panic!("{}: {other}", info.name),
            }
        }
        assert!(refused >= honest.height() / 2, "{}: only {refused} changes were refused", info.name);
    }
}
