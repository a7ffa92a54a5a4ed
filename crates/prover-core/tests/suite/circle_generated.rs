//! Traces and preprocessed columns that the device makes: they are the host's, and the proofs are the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use circle_air::airs::ShippedAir;
use circle_air::{ColumnProgram, SourceColumn, TableProgram};
use circle_proof::{CircleOptions, encode};
use field::{Field, M31};
use golden::backends::{cpu_of, reference};
use golden::circle::{air, options, statements};
use golden::statements::Changed;
use gpu_hal::decorate::Metered;
use gpu_hal::{CircleStark, LinearRecurrence, MapArgs, Operation, StarkBackend, TreeMapArgs};
use prover_core::Silent;
use prover_core::circle::{ProveError, Prover};

/// The AIRs with a trace program.
fn examples(log_rows: u32) -> Vec<Arc<dyn ShippedAir>> {
    vec![
        air("fibonacci", log_rows.max(2), "a=5;b=7"),
        air("wide-fibonacci", log_rows, "w=9;s=4"),
        air("plonk", log_rows, "v0=3;v1=4"),
        air("poseidon2", log_rows, "s=2147483600"),
        air("rpo-m31", log_rows, "s=6"),
    ]
}

fn columns<B: StarkBackend<P = CircleStark>>(backend: &B, table: &TableProgram, log_size: u32) -> Vec<Vec<M31>> {
    let make = |source: &SourceColumn| match source {
        SourceColumn::Recurrence(recurrence) => backend.recurrence(recurrence),
        SourceColumn::Host { log_height, values } => backend.upload(&values(), 1, *log_height),
    };
    let sources: Vec<_> = table.sources.iter().map(|source| make(source).expect("a sound source")).collect();
    let whole = |table: gpu_hal::Columns<&B::Buffer>| backend.download(table, 0..1 << log_size).expect("memory");
    match &table.columns {
        ColumnProgram::Sources => sources.iter().map(|source| whole(source.as_ref())).collect(),
        ColumnProgram::Map(map) => {
            let program = backend.prepare(map).expect("a sound program");
            let columns: Vec<_> = sources.iter().map(gpu_hal::Columns::as_ref).collect();
            let outputs: Vec<usize> = (0..map.outputs().len()).collect();
            let args = MapArgs { program: &program, columns: &columns, log_height: log_size, outputs: &outputs };
            let made = backend.map(&args).expect("a sound program");
            whole(made.as_ref()).chunks_exact(1 << log_size).map(<[M31]>::to_vec).collect()
        }
        ColumnProgram::Tree { leaf, node, width } => {
            let [leaf, node] = [leaf, node].map(|program| backend.prepare(program).expect("a sound program"));
            let columns: Vec<_> = sources.iter().map(gpu_hal::Columns::as_ref).collect();
            let args = TreeMapArgs { leaf: &leaf, node: &node, columns: &columns, log_height: log_size, width: *width };
            let made = backend.tree_map(&args).expect("sound programs");
            whole(made.as_ref()).chunks_exact(1 << log_size).map(<[M31]>::to_vec).collect()
        }
    }
}

#[test]
fn trace_programs_make_the_honest_traces() {
    let (reference, cpu) = (reference::<CircleStark>(), cpu_of::<CircleStark>(2));
    for log_rows in [1, 2, 3, 4, 9] {
        for air in examples(log_rows) {
            let (program, trace) = (air.trace_program().expect("declared"), air.trace());
            assert_eq!(program.len(), trace.len());
            for (table, expected) in program.iter().zip(&trace) {
                let log_size = expected[0].len().ilog2();
                assert!(columns(&reference, table, log_size) == *expected, "{}, 2^{log_size} rows", air.name());
                assert!(columns(&cpu, table, log_size) == *expected, "{}, 2^{log_size} rows, cpu", air.name());
            }
        }
    }
}

#[test]
fn preprocessed_programs_make_the_columns() {
    let backend = Arc::new(reference::<CircleStark>());
    let mut seen = 0;
    for log_rows in [1, 2, 3, 4, 8] {
        let of_size = ["fibonacci", "wide-fibonacci", "plonk", "poseidon2"].map(|name| air(name, log_rows.max(2), ""));
        let small = ["wide-fibonacci", "plonk", "poseidon2", "rpo-m31"].map(|name| air(name, log_rows, ""));
        let table = air("range-squares", 2, &format!("table={log_rows}"));
        for air in of_size.into_iter().chain(small).chain([table]) {
            for lifting in [None, Some(12)] {
                let program = air.preprocessed_program(lifting).expect("declared");
                let values = air.preprocessed_values(lifting);
                assert_eq!(program.len(), values.len(), "{}", air.name());
                for (column, (recurrence, expected)) in program.iter().zip(&values).enumerate() {
                    let made = backend.recurrence(recurrence).expect("a sound recurrence");
                    let made = backend.download(made.as_ref(), 0..made.height()).expect("memory");
                    assert!(made == *expected, "{}, 2^{log_rows} rows, column {column}", air.name());
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 150);
}

#[test]
fn the_proof_is_that_of_the_uploaded_trace() {
    for log_rows in [4, 6] {
        for air in examples(log_rows) {
            let backend = Arc::new(reference::<CircleStark>());
            let prover = Prover::new(backend.clone(), air.clone(), &options()).expect("provable");
            assert!(prover.generates(), "{}", air.name());
            let generated = prover.prove_generated(&Silent).expect("an honest trace");
            let uploaded = prover.prove(&air.trace(), &Silent).expect("an honest trace");
            assert!(encode(&generated.proof) == encode(&uploaded.proof), "{}", air.name());
            assert_eq!(generated.claimed_sums, uploaded.claimed_sums);
        }
    }
}

#[test]
fn preprocessed_columns_of_the_host_give_the_same_proof() {
    let lifted = CircleOptions { lifting: Some(9), ..options() };
    for air in statements(5) {
        for options in [options(), lifted] {
            let prove = |preprocessed: bool| {
                let statement = Changed::new(air.clone());
                let statement = if preprocessed { statement.with_programs(|_| ()) } else { statement };
                let backend = Arc::new(Metered::new(reference::<CircleStark>()));
                let prover = match Prover::new(backend.clone(), Arc::new(statement), &options) {
                    Ok(prover) => prover,
                    Err(ProveError::Config(_)) if options.lifting.is_some() => return None,
                    Err(error) => panic!("{}: {error}", air.name()),
                };
                let uploaded = backend.snapshot().of(Operation::UploadLde).uploaded;
                assert_eq!(
                    uploaded == 0,
                    preprocessed || air.preprocessed(options.lifting).is_empty(),
                    "{}",
                    air.name()
                );
                assert!(!prover.generates());
                match prover.prove(&air.trace(), &Silent) {
                    Ok(made) => Some(encode(&made.proof)),
                    Err(ProveError::Unsorted(_)) => None,
                    Err(error) => panic!("{}: {error}", air.name()),
                }
            };
            assert!(prove(true) == prove(false), "{}", air.name());
        }
    }
}

#[test]
fn a_preprocessed_program_of_another_shape_is_refused_before_any_work() {
    let air = air("plonk", 4, "v0=3;v1=4");
    let declared = air.preprocessed(None).len();
    let refused = |change: fn(&mut Vec<LinearRecurrence<M31>>)| {
        let statement = Changed::new(air.clone()).with_programs(change);
        let backend = Arc::new(Metered::new(reference::<CircleStark>()));
        let error =
            Prover::new(backend.clone(), Arc::new(statement), &options()).map(drop).expect_err("a wrong program");
        assert_eq!(backend.snapshot().of(Operation::Recurrence).calls, 0, "found by the plan");
        let ProveError::Preprocessed { column, rows, expected, given } = error else { panic!("{error}") };
        (column, rows, expected, given)
    };
    let missing = refused(|program| drop(program.pop()));
    assert_eq!(missing, (declared - 1, 0, 16, declared - 1));
    let additional = refused(|program| program.push(program[0].clone()));
    assert_eq!(additional, (declared, 16, 0, declared + 1));
    let high = refused(|program| program[0].log_height = 200);
    assert_eq!(high, (0, usize::MAX, 16, declared));
}

fn error_of(change: fn(&mut Vec<TableProgram>)) -> ProveError {
    let air = air("plonk", 4, "v0=3;v1=4");
    let changed = Changed::new(air).with_programs(|_| ()).with_trace_program(change);
    let backend = Arc::new(reference::<CircleStark>());
    // Some are found when the prover plans, others only by their values.
    let made = Prover::new(backend, Arc::new(changed), &options()).and_then(|prover| prover.prove_generated(&Silent));
    made.map(|_| ()).expect_err("a wrong trace program")
}

/// Building one takes as long as recording a component does.
#[test]
fn the_trace_program_is_built_once() {
    static BUILT: AtomicU32 = AtomicU32::new(0);
    fn count(_: &mut Vec<TableProgram>) {
        BUILT.fetch_add(1, Ordering::Relaxed);
    }
    let air = air("plonk", 4, "v0=3;v1=4");
    let counted = Changed::new(air).with_programs(|_| ()).with_trace_program(count);
    let prover = Prover::new(Arc::new(reference::<CircleStark>()), Arc::new(counted), &options()).expect("provable");
    for _ in 0..2 {
        prover.prove_generated(&Silent).expect("an honest trace");
    }
    assert_eq!(BUILT.load(Ordering::Relaxed), 1);
}

#[test]
fn a_wrong_trace_program_gives_no_proof() {
    fn first(program: &mut [TableProgram]) -> &mut LinearRecurrence<M31> {
        match &mut program[0].sources[1] {
            SourceColumn::Recurrence(recurrence) => recurrence,
            SourceColumn::Host { .. } => panic!("the second source is a recurrence"),
        }
    }
    let wrong = error_of(|program| first(program).initial[0] += M31::ONE);
    assert!(matches!(wrong, ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)), "{wrong}");
    let none = error_of(|program| program.clear());
    assert!(matches!(none, ProveError::TraceCount { given: 0, expected: 1 }), "{none}");
    let width = error_of(|program| program[0].columns = ColumnProgram::Sources);
    assert!(matches!(width, ProveError::TraceShape { component: 0, rows: 16, .. }), "{width}");
    let height = error_of(|program| first(program).log_height = 200);
    assert!(matches!(height, ProveError::TraceShape { component: 0, rows: usize::MAX, .. }), "{height}");
    let source = error_of(|program| {
        program[0].sources.pop();
    });
    assert!(matches!(source, ProveError::Hal(_)), "{source}");
}

#[test]
fn a_statement_without_a_trace_program_is_refused() {
    let air = air("range-squares", 4, "table=4");
    let backend = Arc::new(reference::<CircleStark>());
    let prover = Prover::new(backend.clone(), air.clone(), &options()).expect("provable");
    assert!(!prover.generates());
    match prover.prove_generated(&Silent) {
        Err(error @ ProveError::NoTraceProgram { .. }) => {
            assert!(error.to_string().contains("range-squares"), "{error}")
        }
        other => panic!("expected a refusal, got {:?}", other.map(|_| "proof")),
    }
}

#[test]
fn nothing_of_the_size_of_the_trace_is_uploaded() {
    let rows = 1u64 << 9;
    for (air, host_columns) in examples(9).into_iter().zip([0, 0, 1, 0, 0]) {
        let backend = Arc::new(Metered::new(reference::<CircleStark>()));
        let prover = Prover::new(backend.clone(), air.clone(), &options()).expect("provable");
        let meter = backend.snapshot();
        let uploaded = meter.total().uploaded - meter.of(Operation::Prepare).uploaded;
        assert!(uploaded < 1024, "{}: {uploaded} bytes beside programs for preprocessed columns", air.name());
        backend.reset();
        prover.prove_generated(&Silent).expect("an honest trace");
        let meter = backend.snapshot();
        let uploaded = meter.of(Operation::Upload).uploaded + meter.of(Operation::UploadLde).uploaded;
        assert_eq!(uploaded, 4 * rows * host_columns, "{}: columns of the host", air.name());
        // Weights, points and positions: of the number of columns, not of rows.
        let (total, columns) = (meter.total().uploaded, prover.recorded().components[0].width(1) as u64);
        assert!(total < uploaded + 4096 + 128 * columns, "{}: {total} bytes up", air.name());
    }
}
