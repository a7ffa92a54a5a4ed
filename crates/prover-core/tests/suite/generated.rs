//! Traces that the device makes: they are the host's, and the proofs are the same; nothing of their size is uploaded.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs::{self, ExampleAir};
use air::{Air, AirBuilder, Layout, TraceProgram};
use field::Goldilocks;
use golden::backends::{cpu, cpu_of, reference};
use golden::goldilocks::options;
use goldilocks_proof::{Seed, Suite};
use gpu_hal::decorate::{Fault, Faulty, Metered};
use gpu_hal::{ErrorKind, GoldilocksStark, Operation, StarkBackend};
use prover_core::Silent;
use prover_core::goldilocks::{ProveError, Prover};

type P = GoldilocksStark;

/// The AIRs that declare a trace program, with what sets their traces apart.
fn examples(log_rows: u32) -> Vec<Arc<dyn ExampleAir<P>>> {
    let rows = 1u64 << log_rows;
    let build = |name: &str, params: BTreeMap<String, u64>| airs::build::<P>(name, rows, &params).expect("an example");
    let mut out: Vec<_> = ["simple-fibonacci", "fibonacci-2-columns", "periodic"]
        .map(|name| build(name, BTreeMap::new()))
        .into_iter()
        .collect();
    let mut steps = vec![2, 3, rows / 2, rows - 2, rows - 1];
    steps.sort_unstable();
    steps.dedup();
    out.extend(steps.into_iter().map(|steps| build("fibonacci-rap", [("steps".to_owned(), steps)].into())));
    out
}

#[test]
fn a_trace_program_makes_the_honest_trace() {
    let (reference, cpu) = (reference::<P>(), cpu_of::<P>(2));
    let mut seen = 0;
    // Up to more rows than a task of the fast backend takes.
    for log_rows in [2, 3, 4, 9, 15] {
        for air in examples(log_rows) {
            let (program, trace) = (air.trace_program().expect("declared"), air.trace());
            assert_eq!(program.columns.len(), trace.width());
            for (index, column) in program.columns.iter().enumerate() {
                let made = reference.recurrence(column).expect("a sound recurrence");
                let made = reference.download(made.as_ref(), 0..trace.height()).expect("memory");
                assert!(made == trace.column(index), "{}, 2^{log_rows} rows, column {index}", air.name());
                let fast = cpu.recurrence(column).expect("a sound recurrence");
                assert!(cpu.download(fast.as_ref(), 0..trace.height()).expect("memory") == made, "{}", air.name());
                seen += 1;
            }
        }
    }
    assert!(seen > 50);
}

fn both<B: StarkBackend<P = P>>(backend: &Arc<B>, air: &Arc<dyn ExampleAir<P>>, suite: Suite) {
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    assert!(prover.generates());
    let options = options(suite);
    let uploaded = prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
    let generated = prover.prove_generated(&options, Seed::Default, &Silent).expect("an honest trace");
    assert!(uploaded == generated, "{} with {suite}", air.name());
}

#[test]
fn the_proof_is_that_of_the_uploaded_trace() {
    for air in examples(5) {
        both(&Arc::new(reference::<P>()), &air, Suite::Keccak256);
        both(&Arc::new(cpu::<P>()), &air, Suite::Poseidon2);
    }
    for air in examples(10) {
        both(&Arc::new(cpu::<P>()), &air, Suite::Keccak256);
    }
}

#[test]
fn nothing_of_the_size_of_the_trace_is_uploaded() {
    for air in examples(10) {
        let backend = Arc::new(Metered::new(cpu::<P>()));
        let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        backend.reset();
        prover.prove_generated(&options(Suite::Keccak256), Seed::Default, &Silent).expect("an honest trace");
        let meter = backend.snapshot();
        let of_main: u64 = [Operation::UploadLde, Operation::Recurrence].iter().map(|op| meter.of(*op).uploaded).sum();
        assert!(of_main > 0 && of_main < 256, "{}: {of_main} bytes of main columns", air.name());
        // Challenges, points, weights; and public data: periods, and the factors of transitions with many exempt rows.
        let (recorded, total) = (prover.recorded(), meter.total().uploaded);
        let public: usize = recorded.periodic().iter().map(|table| 2 * table.data().len()).sum();
        let public = 8 * (public + recorded.exemption_coefficients().len()) as u64;
        assert!(total < 4096 + public, "{}: {total} bytes up, {public} of them public", air.name());
    }
}

#[test]
fn the_plan_holds_for_a_generated_trace_too() {
    for air in examples(8) {
        let backend = Arc::new(reference::<P>());
        let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        let options = options(Suite::Keccak256);
        let plan = prover.plan(&options).expect("good options");
        prover.prove_generated(&options, Seed::Default, &Silent).expect("an honest trace");
        let peak = backend.memory().expect("counted").peak;
        assert!(peak <= plan.peak_bytes, "{}: {peak} bytes, {} planned", air.name(), plan.peak_bytes);
    }
}

#[test]
fn an_air_without_a_trace_program_is_refused() {
    let air = airs::build::<P>("quadratic", 64, &BTreeMap::new()).expect("an example");
    let backend = Arc::new(reference::<P>());
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    assert!(!prover.generates());
    match prover.prove_generated(&options(Suite::Keccak256), Seed::Default, &Silent) {
        Err(ProveError::NoTraceProgram { air, .. }) => assert_eq!(air, "quadratic"),
        other => panic!("expected a refusal, got {:?}", other.map(|_| "proof")),
    }
}

/// A statement with another trace program than its own.
struct Changed {
    air: Arc<dyn ExampleAir<P>>,
    change: fn(&mut TraceProgram<Goldilocks>),
}

impl Air<P> for Changed {
    fn name(&self) -> &str {
        self.air.name()
    }

    fn log_trace_length(&self) -> u32 {
        self.air.log_trace_length()
    }

    fn layout(&self) -> Layout {
        self.air.layout()
    }

    fn define(&self, builder: &AirBuilder<P>) {
        self.air.define(builder);
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        self.air.public_inputs()
    }

    fn trace_program(&self) -> Option<TraceProgram<Goldilocks>> {
        let mut program = self.air.trace_program()?;
        (self.change)(&mut program);
        Some(program)
    }
}

fn error_of(change: fn(&mut TraceProgram<Goldilocks>)) -> ProveError {
    let air = airs::build::<P>("fibonacci-2-columns", 64, &BTreeMap::new()).expect("an example");
    let (changed, backend) = (Changed { air, change }, Arc::new(reference::<P>()));
    let prover = Prover::new(backend, Arc::new(changed)).expect("a sound AIR");
    let proof = prover.prove_generated(&options(Suite::Keccak256), Seed::Default, &Silent);
    proof.map(|_| ()).expect_err("a wrong trace program")
}

#[test]
fn a_wrong_trace_program_gives_no_proof() {
    let wrong_value = error_of(|program| program.columns[1].initial[1] = Goldilocks::new(4));
    assert!(matches!(wrong_value, ProveError::Unsatisfied(_)), "{wrong_value}");
    let missing = error_of(|program| program.columns.truncate(1));
    assert!(matches!(missing, ProveError::TraceShape { width: 1, expected_width: 2, .. }), "{missing}");
    let height = error_of(|program| program.columns[0].log_height = 5);
    assert!(matches!(height, ProveError::TraceShape { log_height: 5, .. }), "{height}");
    let order = error_of(|program| program.columns[0].initial.truncate(1));
    assert!(matches!(&order, ProveError::Hal(error) if error.kind == ErrorKind::InvalidArgument), "{order}");
}

#[test]
fn a_fault_at_every_operation_is_a_typed_error_and_leaves_no_memory() {
    let air = airs::build::<P>("fibonacci-rap", 16, &BTreeMap::new()).expect("an example");
    let backend = Arc::new(Faulty::new(reference::<P>()));
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    let prove = || prover.prove_generated(&options(Suite::Keccak256), Seed::Default, &Silent);
    let before = backend.seen();
    let expected = prove().expect("no fault yet");
    let operations = backend.seen() - before;
    let idle = backend.memory().expect("counted").in_use;
    for after in 0..operations {
        backend.arm(Fault { operation: None, after, kind: ErrorKind::DeviceLost });
        match prove() {
            Err(ProveError::Hal(error)) => assert_eq!(error.kind, ErrorKind::DeviceLost, "operation {after}"),
            other => panic!("operation {after} failed, the prover said {:?}", other.map(|_| "proof")),
        }
        backend.disarm();
        assert_eq!(backend.memory().expect("counted").in_use, idle, "operation {after} leaves memory behind");
    }
    assert!(prove().expect("the backend recovered") == expected);
}
