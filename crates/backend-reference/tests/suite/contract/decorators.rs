//! The decorators over the reference backend.

use std::collections::BTreeSet;
use std::sync::Arc;

use backend_reference::CpuReference;
use field::{Field, Fp3, Goldilocks, PrimeField};
use gpu_hal::decorate::{Count, Dual, Fault, Faulty, Metered, Rehearsed};
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Basis, CircleStark, CosetDomain, ErrorKind, EvalOrder, EvalRequest, GoldilocksStark, HashFn, LeafLayout,
    NonceSearch, OpenRequest, Operation, RunningColumn, RunningForm, RunningKind, RunningRequest, StarkBackend,
};
use hal_conformance::session;

type Stark = GoldilocksStark;

fn cpu() -> CpuReference<Stark> {
    CpuReference::<Stark>::new()
}

/// Calls and bytes, without the time.
fn numbers(count: Count) -> (u64, u64, u64) {
    (count.calls, count.uploaded, count.downloaded)
}

#[test]
fn metered_counts_calls_and_bytes() {
    let backend = Metered::new(Faulty::new(cpu()));
    assert_eq!(backend.capabilities(), cpu().capabilities());
    let data: Vec<Goldilocks> = (0..16).map(Goldilocks::from_u64).collect();
    let table = backend.upload(&data, 2, 3).expect("upload");
    let domain = CosetDomain::new(Goldilocks::new(7), 4);
    let extended = backend.lde(table.as_ref(), Basis::Coefficients, domain).expect("lde");
    let columns = [extended.as_ref()];
    let tree = backend.merkle(&columns, LeafLayout::new(1), HashFn::Keccak256).expect("merkle");
    backend.root(&tree).expect("root");
    let request = OpenRequest { columns: &columns, tree: &tree, rows: &[1, 2, 2], leaves: &[5, 5] };
    backend.open(&[request]).expect("open");
    backend.download(table.as_ref(), 1..4).expect("download");
    let points = [Fp3::ONE, Fp3::ZERO];
    let values = EvalRequest { columns: table.as_ref(), from: Basis::Coefficients, points: &points };
    backend.eval_at(&[values]).expect("eval_at");
    backend.grind(&NonceSearch { hash: HashFn::Keccak256, prefix: [0; 32], bits: 0 }).expect("grind");
    backend.download(table.as_ref(), 7..9).expect_err("two rows of which one exists");
    let fault = Fault { operation: Some(Operation::Download), after: 0, kind: ErrorKind::DeviceLost };
    backend.inner().arm(fault);
    backend.download(table.as_ref(), 0..1).expect_err("the fault strikes");

    let meter = backend.snapshot();
    assert_eq!(numbers(meter.of(Operation::Upload)), (1, 16 * 8, 0));
    assert_eq!(numbers(meter.of(Operation::Lde)), (1, 0, 0));
    assert_eq!(numbers(meter.of(Operation::Root)), (1, 0, 32));
    // Three rows of two columns, two paths of four digests; five numbers were sent.
    assert_eq!(numbers(meter.of(Operation::Open)), (1, 5 * 8, 3 * 2 * 8 + 2 * 4 * 32));
    assert_eq!(numbers(meter.of(Operation::Download)), (2, 0, 3 * 2 * 8));
    assert_eq!(meter.of(Operation::Download).failures, 1);
    // Two points, two columns each.
    assert_eq!(numbers(meter.of(Operation::EvalAt)), (1, 2 * 24, 4 * 24));
    assert_eq!(numbers(meter.of(Operation::Grind)), (1, 0, 8));
    assert_eq!(numbers(meter.of(Operation::Ntt)), (0, 0, 0));
    let total = meter.total();
    assert_eq!((total.calls, total.failures), (9, 1), "a third download was refused by the front");
    assert_eq!(total.uploaded, 128 + 40 + 48);

    // 16 + 32 elements and the 31 nodes of the tree.
    assert_eq!(meter.peak_memory, Some(48 * 8 + 31 * 32));
    drop(tree);
    drop(extended);
    backend.reset();
    assert_eq!(backend.snapshot().total(), Count::default());
    assert_eq!(backend.snapshot().peak_memory, Some(16 * 8), "the peak since the reset");
    let mut ntt = table;
    let to = Basis::Evaluations { domain: CosetDomain::new(Goldilocks::new(7), 3), order: EvalOrder::Row };
    backend.ntt(ntt.as_mut(), Basis::Coefficients, to).expect("ntt");
    assert_eq!(numbers(backend.snapshot().of(Operation::Ntt)), (1, 0, 0));
}

#[test]
fn only_totals_come_to_the_host_with_running_columns() {
    let backend = Metered::new(cpu());
    let mut builder = ProgramBuilder::<Stark>::new(vec![Group { width: 1, kind: Kind::Base }], 0);
    let column = builder.load(0, 0, 0);
    builder.output(column);
    let program = backend.prepare(&builder.finish().expect("one column")).expect("prepare");
    let table = backend.upload(&[Goldilocks::ONE; 8], 1, 3).expect("upload");
    let columns = [table.as_ref()];
    let sum = [RunningColumn { kind: RunningKind::Sum, inclusive: true, numerator: 0, denominator: 0 }];
    let running = |form| RunningRequest { program: &program, columns: &columns, log_height: 3, params: &[], form };
    backend.running(&[running(RunningForm::Columns(&sum)), running(RunningForm::Logup(&[(0, 0)]))]).expect("running");
    // One element of the extension, of the second request.
    assert_eq!(backend.snapshot().of(Operation::Running).downloaded, 3 * 8);
}

#[test]
fn metered_and_synchronous_metered_change_nothing() {
    let plain = session(&cpu(), 3, 4).expect("a session").words;
    let metered = Metered::new(cpu());
    assert_eq!(session(&metered, 3, 4).expect("a session").words, plain);
    let synchronous = Metered::synchronous(cpu());
    assert_eq!(session(&synchronous, 3, 4).expect("a session").words, plain);
    let (a, b) = (metered.snapshot(), synchronous.snapshot());
    for operation in Operation::ALL.iter().copied() {
        assert!(a.of(operation).calls > 0, "the session calls {operation}");
        assert_eq!(numbers(a.of(operation)), numbers(b.of(operation)), "{operation}");
    }
}

#[test]
fn every_single_operation_can_fail_and_the_backend_recovers() {
    let backend = Faulty::new(cpu());
    let words = session(&backend, 5, 3).expect("no fault is set").words;
    assert_eq!(words, session(&cpu(), 5, 3).expect("a session").words);
    let operations = backend.seen();
    assert_eq!(Operation::ALL.iter().map(|op| backend.seen_of(*op)).sum::<u64>(), operations);
    assert!(operations > 20);
    for after in 0..=operations {
        let kind = [ErrorKind::OutOfMemory, ErrorKind::DeviceLost, ErrorKind::Backend][after as usize % 3];
        backend.arm(Fault { operation: None, after, kind });
        let result = session(&backend, 5, 3);
        if after == operations {
            assert!(backend.is_armed(), "the session has {operations} operations");
            assert_eq!(result.expect("no fault struck").words, words);
            break;
        }
        assert_eq!(result.map(|session| session.words).expect_err("the fault strikes").kind, kind);
        assert_eq!(backend.seen(), after + 1, "nothing is called after the failure");
        assert!(!backend.is_armed());
        assert_eq!(backend.memory().expect("memory").in_use, 0, "after fault {after}");
        assert_eq!(session(&backend, 5, 3).expect("a fault strikes once").words, words, "after fault {after}");
    }
}

#[test]
fn a_fault_can_name_its_operation() {
    let backend = Faulty::new(cpu());
    drop(session(&backend, 5, 3).expect("no fault is set"));
    for operation in Operation::ALL.iter().copied() {
        let last = {
            backend.disarm();
            drop(session(&backend, 5, 3).expect("no fault is set"));
            backend.seen_of(operation) - 1
        };
        backend.arm(Fault { operation: Some(operation), after: last, kind: ErrorKind::KernelBuild });
        let error = session(&backend, 5, 3).map(|session| session.words).expect_err("the fault strikes");
        assert_eq!((error.kind, error.op), (ErrorKind::KernelBuild, operation.into()));
        assert_eq!(backend.seen_of(operation), last + 1);
    }
}

#[test]
fn dual_is_a_backend_and_says_what_both_can() {
    let dual = Dual::new(cpu(), Metered::new(cpu()));
    assert_eq!(dual.capabilities().backend, "dual(cpu-reference,cpu-reference)");
    assert_eq!(dual.capabilities().operations, Operation::ALL);
    assert_eq!(session(&dual, 9, 5).expect("no difference").words, session(&cpu(), 9, 5).expect("a session").words);
    assert!(dual.right().snapshot().of(Operation::FriFold).calls > 0);
    let memory = dual.memory().expect("memory");
    assert_eq!(memory.in_use, 0);
    assert_eq!(memory.peak, 2 * dual.left().memory().expect("memory").peak);

    // Duals nest, and both protocols have them.
    let nested = Dual::new(Dual::new(cpu(), cpu()), cpu());
    assert_eq!(nested.capabilities().backend, "dual(dual(cpu-reference,cpu-reference),cpu-reference)");
    drop(session(&nested, 9, 3).expect("no difference"));
    let circle = Dual::new(CpuReference::<CircleStark>::new(), CpuReference::<CircleStark>::new());
    drop(session(&circle, 9, 3).expect("no difference"));
    if !circle.capabilities().operations.contains(&Operation::Grind) {
        let easy = NonceSearch { hash: HashFn::Blake2s, prefix: [0; 32], bits: 0 };
        assert_eq!(circle.grind(&easy).expect_err("not listed").kind, ErrorKind::Unsupported);
    }
}

#[test]
fn a_rehearsal_has_a_step_of_every_operation_and_releases_what_it_took() {
    let rehearsed = Rehearsed::new(Arc::new(cpu()));
    drop(session(&rehearsed, 9, 5).expect("shapes"));
    let rehearsal = rehearsed.finish();
    let noted: BTreeSet<Operation> = rehearsal.steps.iter().map(|step| step.operation).collect();
    assert_eq!(noted, Operation::ALL.iter().copied().collect());
    assert_eq!(rehearsal.live_bytes, 0);
}
