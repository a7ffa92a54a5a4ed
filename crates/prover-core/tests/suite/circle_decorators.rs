//! The traffic of a Circle proof, and its end when the device fails.

use std::iter;
use std::sync::Arc;

use circle_air::airs::ShippedAir;
use circle_proof::CircleOptions;
use golden::backends::reference;
use golden::circle::{air, options, statements};
use gpu_hal::decorate::{Fault, Faulty, Metered};
use gpu_hal::{CircleStark, ErrorKind, Operation, StarkBackend};
use prover_core::Silent;
use prover_core::circle::{ProveError, Prover};

/// A statement made ready and a proof of it, encoded; the trace is the device's or the host's.
fn prove<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    air: &Arc<dyn ShippedAir>,
    options: &CircleOptions,
    is_generated: bool,
) -> Result<Vec<u8>, ProveError> {
    let prover = Prover::new(backend.clone(), air.clone(), options)?;
    let made = if is_generated { prover.prove_generated(&Silent) } else { prover.prove(&air.trace(), &Silent) }?;
    Ok(circle_proof::encode(&made.proof))
}

#[test]
fn a_fault_at_every_operation_is_a_typed_error_and_the_next_proof_is_right() {
    let options = CircleOptions { fold_step: 2, ..options() };
    let lifted = CircleOptions { lifting: Some(7), ..options };
    for (air, options, is_generated) in [
        (air("fibonacci", 4, "a=1;b=2"), options, true),
        (air("wide-fibonacci", 3, "w=5;s=1"), lifted, false),
        (air("plonk", 3, "v0=3;v1=4"), options, true),
        (air("poseidon2", 2, "s=1"), options, true),
        (air("range-squares", 4, "table=3;s=2"), lifted, false),
    ] {
        let backend = Arc::new(Faulty::new(reference::<CircleStark>()));
        let expected = prove(&backend, &air, &options, is_generated).expect("no fault yet");
        let operations = backend.seen();
        assert!(operations > 20, "a proof takes many operations, not {operations}");
        for after in 0..operations {
            for kind in [ErrorKind::OutOfMemory, ErrorKind::DeviceLost, ErrorKind::Backend] {
                backend.arm(Fault { operation: None, after, kind });
                match prove(&backend, &air, &options, is_generated) {
                    Err(ProveError::Hal(error)) => assert_eq!(error.kind, kind, "operation {after}"),
                    other => panic!("operation {after} failed, the prover said {:?}", other.map(|_| "proof")),
                }
                backend.disarm();
                let in_use = backend.memory().expect("memory").in_use;
                assert_eq!(in_use, 0, "{}: operation {after} leaves memory behind", air.name());
            }
            let again = prove(&backend, &air, &options, is_generated).expect("the backend recovered");
            assert!(again == expected, "{}: after a fault at operation {after}", air.name());
        }
    }
}

/// A prover stays whole: its preprocessed columns are as before.
#[test]
fn after_a_fault_the_same_prover_proves() {
    let air = air("plonk", 4, "v0=3;v1=4");
    let backend = Arc::new(Faulty::new(reference::<CircleStark>()));
    let prover = Prover::new(backend.clone(), air.clone(), &options()).expect("provable");
    let trace = air.trace();
    backend.disarm();
    let prove = || prover.prove(&trace, &Silent).map(|made| circle_proof::encode(&made.proof));
    let expected = prove().expect("no fault yet");
    for after in 0..backend.seen() {
        backend.arm(Fault { operation: None, after, kind: ErrorKind::Backend });
        assert!(matches!(prove(), Err(ProveError::Hal(_))), "operation {after}");
        backend.disarm();
        assert_eq!(backend.memory().expect("memory").in_use, prover.plan().kept_bytes, "operation {after}");
        assert!(prove().expect("the backend recovered") == expected, "after a fault at operation {after}");
        backend.disarm();
    }
}

#[test]
fn traffic_is_the_trace_and_a_little() {
    let (log_rows, element, value, digest) = (9, 4, 16, 32);
    for air in statements(log_rows) {
        let backend = Arc::new(Metered::new(reference::<CircleStark>()));
        let options = CircleOptions { queries: 3, fold_step: 2, ..options() };
        let prover = Prover::new(backend.clone(), air.clone(), &options).expect("provable");
        // The device makes the preprocessed columns of all these statements; up go programs and a few numbers.
        let recorded = prover.recorded();
        let components = recorded.components.iter();
        let programs = components.flat_map(|c| iter::once(&c.constraints).chain(c.logup.as_ref().map(|l| &l.program)));
        let programs: usize = programs.map(|program| program.without_empty_groups().encode().len()).sum();
        let meter = backend.snapshot();
        let (total, prepared) = (meter.total(), meter.of(Operation::Prepare).uploaded);
        assert!(total.uploaded < prepared + 1024, "{}: {} bytes up", air.name(), total.uploaded);
        assert!(prover.generates() || prepared == programs as u64, "{}: {prepared} bytes of programs", air.name());
        let roots = if recorded.preprocessed.is_empty() { 0 } else { digest };
        assert_eq!(total.downloaded, roots, "{}: the root", air.name());

        backend.reset();
        let trace = air.trace();
        match prover.prove(&trace, &Silent) {
            Ok(_) | Err(ProveError::Unsorted(_)) => {}
            Err(error) => panic!("{}: {error}", air.name()),
        }
        let meter = backend.snapshot();
        let cells = trace.iter().flatten().map(Vec::len).sum::<usize>() as u64;
        let uploaded = meter.of(Operation::UploadLde).uploaded + meter.of(Operation::Upload).uploaded;
        assert_eq!(uploaded, element * cells, "{}: the trace", air.name());
        assert_eq!(prover.plan().upload_bytes, uploaded, "{}: as planned", air.name());
        // Weights, points, parameters, positions: of the number of columns and constraints, not of rows.
        let columns: u64 = recorded.components.iter().map(|c| (c.width(0) + c.width(1) + c.width(2)) as u64).sum();
        let constraints: u64 = recorded.components.iter().map(|c| c.constraint_count() as u64).sum();
        let params: u64 = recorded.components.iter().map(|c| 2 * c.params as u64).sum();
        let small = 128 * (columns + 8) + 64 * (constraints + params) + 8192;
        let rest = meter.total().uploaded - uploaded;
        assert!(rest <= small, "{}: {rest} bytes beside the trace, bound {small}", air.name());

        // Roots; claimed sums; out-of-domain values, at three points of a column at most; the last layer; rows and
        // paths.
        let (log_domain, queries) = (u64::from(log_rows + 1), u64::from(options.queries));
        let layers = options.fold_steps(log_domain as u32).len() as u64;
        let sums = recorded.components.iter().filter(|c| c.logup.is_some()).count() as u64;
        let points: u64 = recorded.components.iter().map(|c| c.max_offsets() as u64).max().unwrap_or(1);
        let last = value << options.log_last_domain();
        let roots = digest * (3 + layers);
        // A row of every tree and its path, and in each layer the other values of a group.
        let rows = element * (columns + 8) + 3 * value * layers;
        let paths = digest * log_domain * (4 + layers);
        let bound = roots + value * (sums + points * (columns + 8)) + last + queries * (rows + paths) + 8;
        let downloaded = meter.total().downloaded;
        assert!(downloaded <= bound, "{}: {downloaded} bytes down, bound {bound}", air.name());
        assert!(2 * downloaded > bound / 2, "{}: a bound of {bound} for {downloaded} bytes is none", air.name());
    }
}
