//! Wrong arguments, and memory: refused with the right kind, counted exactly, usable again afterwards.

use backend_reference::CpuReference;
use field::{Field, Fp3, Goldilocks};
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Basis, CircleStark, Combination, Constraints, CosetDomain, DeepTerm, ErrorKind, EvalOrder, EvalRequest,
    GoldilocksStark, HashFn, LeafLayout, NonceSearch, OpenRequest, Operation, Result, RunningColumn, RunningForm,
    RunningKind, RunningRequest, StarkBackend,
};

use crate::operations::common::{Backend, Table, coset, download, evaluations, random};

fn is_invalid<T>(operation: Operation, result: Result<T>) {
    let error = result.err().unwrap_or_else(|| panic!("{operation} accepts wrong arguments"));
    assert_eq!((error.kind, error.op), (ErrorKind::InvalidArgument, operation.into()), "{error}");
}

#[test]
fn wrong_shapes_are_invalid_arguments() {
    let backend: Backend = Backend::new();
    let eight: Table<Goldilocks> = backend.upload(&random(1, 3 * 8), 3, 3).expect("upload");
    let four: Table<Goldilocks> = backend.upload(&random(2, 4), 1, 2).expect("upload");
    let (on8, on4) = (coset(3, 3), coset(3, 2));
    let stored = |domain| evaluations(domain, EvalOrder::Storage);

    is_invalid(Operation::Upload, backend.upload(&random(1, 7), 1, 3));
    is_invalid(Operation::Upload, backend.upload(&[], 1, 70));
    let lazy: Goldilocks = bytemuck::cast(u64::MAX);
    is_invalid(Operation::Upload, backend.upload(&[lazy], 1, 0));
    is_invalid(Operation::Download, backend.download(eight.as_ref(), 0..9));

    let mut table: Table<Goldilocks> = backend.upload(&random(1, 8), 1, 3).expect("upload");
    is_invalid(Operation::Ntt, backend.ntt(table.as_mut(), Basis::Coefficients, stored(on4)));
    is_invalid(Operation::Ntt, backend.ntt(table.as_mut(), Basis::Coefficients, Basis::Coefficients));
    is_invalid(Operation::Ntt, backend.ntt(table.as_mut(), Basis::Coefficients, stored(coset(0, 3))));
    is_invalid(Operation::Lde, backend.lde(eight.as_ref(), Basis::Coefficients, on4));
    is_invalid(Operation::Lde, backend.lde(eight.as_ref(), Basis::Coefficients, coset(3, 33)));
    is_invalid(Operation::Split, backend.split(eight.as_ref(), 3, 2));
    is_invalid(Operation::Split, backend.split(four.as_ref(), 0, 2));
    is_invalid(Operation::Select, backend.select(&[eight.as_ref()], &[(0, 3)]));
    is_invalid(Operation::Select, backend.select(&[eight.as_ref(), four.as_ref()], &[(0, 0)]));

    let one = LeafLayout::new(1);
    is_invalid(Operation::Merkle, backend.merkle(&[eight.as_ref(), four.as_ref()], one, HashFn::Keccak256));
    is_invalid(Operation::Merkle, backend.merkle(&[eight.as_ref()], LeafLayout::new(3), HashFn::Keccak256));
    is_invalid(Operation::Merkle, backend.merkle(&[], one, HashFn::Keccak256));
    let tree = backend.merkle(&[eight.as_ref()], one, HashFn::Keccak256).expect("a tree");
    let columns = [eight.as_ref()];
    for (rows, leaves) in [(&[8][..], &[][..]), (&[], &[8])] {
        is_invalid(Operation::Open, backend.open(&[OpenRequest { columns: &columns, tree: &tree, rows, leaves }]));
    }

    is_invalid(
        Operation::EvalAt,
        backend.eval_at(&[EvalRequest { columns: eight.as_ref(), from: stored(coset(3, 4)), points: &[Fp3::ONE] }]),
    );
    is_invalid(
        Operation::EvalAt,
        backend.eval_at(&[EvalRequest {
            columns: eight.as_ref(),
            from: evaluations(on4, EvalOrder::Row),
            points: &[Fp3::ONE],
        }]),
    );
    is_invalid(Operation::DeepQuotient, backend.deep_quotient(&[four.as_ref()], on8, &[]));
    let term = DeepTerm { point: Fp3::ONE, weights: vec![(0, 3, Fp3::ONE)], constant: Fp3::ONE, slope: Fp3::ZERO };
    is_invalid(Operation::DeepQuotient, backend.deep_quotient(&[eight.as_ref()], on8, &[term]));
    is_invalid(Operation::FriFold, backend.fri_fold(four.as_ref(), on4, Fp3::ONE));
    is_invalid(Operation::FriFold, backend.fri_fold(eight.as_ref(), on4, Fp3::ONE));
    is_invalid(Operation::Grind, backend.grind(&NonceSearch { hash: HashFn::Keccak256, prefix: [0; 32], bits: 65 }));
}

#[test]
fn wrong_programs_are_invalid_arguments() {
    let backend: Backend = Backend::new();
    let table: Table<Goldilocks> = backend.upload(&random(1, 8), 1, 3).expect("upload");
    let mut builder = ProgramBuilder::<GoldilocksStark>::new(vec![Group { width: 1, kind: Kind::Base }], 1);
    let (load, param) = (builder.load(0, 0, 0), builder.param(0));
    let sum = builder.add(load, param);
    builder.output(sum);
    let program = backend.prepare(&builder.finish().expect("a program")).expect("prepared");
    let combination = Combination { groups: vec![] };
    let good = [table.as_ref()];
    let constraints = |columns, domain, log_trace, log_eval, params| {
        let program = &program;
        let combination = &combination;
        backend.constraint_eval(&[Constraints { program, columns, domain, log_trace, log_eval, params, combination }])
    };
    assert!(constraints(&good, coset(3, 3), 1, 2, &[Fp3::ONE]).is_ok());
    is_invalid(Operation::ConstraintEval, constraints(&[], coset(3, 3), 1, 2, &[Fp3::ONE]));
    is_invalid(Operation::ConstraintEval, constraints(&good, coset(3, 2), 1, 2, &[Fp3::ONE]));
    is_invalid(Operation::ConstraintEval, constraints(&good, coset(3, 3), 3, 2, &[Fp3::ONE]));
    is_invalid(Operation::ConstraintEval, constraints(&good, coset(3, 3), 1, 4, &[Fp3::ONE]));
    is_invalid(Operation::ConstraintEval, constraints(&good, coset(3, 3), 1, 2, &[]));

    let column = |numerator| RunningColumn { kind: RunningKind::Sum, inclusive: true, numerator, denominator: 0 };
    let running = |log_height, running: &[_]| {
        let (program, params) = (&program, &[Fp3::ONE][..]);
        let form = RunningForm::Columns(running);
        backend.running(&[RunningRequest { program, columns: &good, log_height, params, form }])
    };
    assert!(running(3, &[column(0)]).is_ok());
    is_invalid(Operation::Running, running(3, &[column(1)]));
    is_invalid(Operation::Running, running(2, &[column(0)]));
    is_invalid(Operation::Running, running(64, &[column(0)]));
    is_invalid(Operation::Running, running(3, &[]));
}

#[test]
fn memory_is_counted_exactly() {
    let backend: Backend = Backend::new();
    let memory = || backend.memory().expect("counters");
    assert_eq!((memory().available, memory().in_use, memory().peak), (None, 0, 0));
    let table: Table<Goldilocks> = backend.upload(&random(1, 3 * 8), 3, 3).expect("upload");
    assert_eq!(memory().in_use, 3 * 8 * 8);
    let extended = backend.lde(table.as_ref(), Basis::Coefficients, coset(3, 5)).expect("lde");
    assert_eq!(memory().in_use, 3 * 8 * 8 + 3 * 32 * 8);
    let tree = backend.merkle(&[extended.as_ref()], LeafLayout::new(2), HashFn::Poseidon2).expect("a tree");
    assert_eq!(memory().in_use, 3 * 8 * 8 + 3 * 32 * 8 + 31 * 32);
    let folded = backend.fri_fold(extended.as_ref(), coset(3, 5), Fp3::ONE).expect("a fold");
    let all = 3 * 8 * 8 + 3 * 32 * 8 + 31 * 32 + 3 * 16 * 8;
    assert_eq!((memory().in_use, memory().peak), (all, all));
    drop((table, extended));
    assert_eq!(memory().in_use, 31 * 32 + 3 * 16 * 8);
    drop((tree, folded));
    assert_eq!((memory().in_use, memory().peak), (0, all));
}

#[test]
fn a_limit_is_kept_and_survived() {
    let backend = CpuReference::<GoldilocksStark>::with_memory_limit(3 * 8 * 8 + 100);
    let data: Vec<Goldilocks> = random(1, 3 * 8);
    let table = backend.upload(&data, 3, 3).expect("it fits");
    let too_large: [Result<_>; 4] = [
        backend.upload(&data, 3, 3).map(drop),
        backend.lde(table.as_ref(), Basis::Coefficients, coset(3, 4)).map(drop),
        backend.lde(table.as_ref(), Basis::Coefficients, coset(3, 32)).map(drop),
        backend.merkle(&[table.as_ref()], LeafLayout::new(1), HashFn::Keccak256).map(drop),
    ];
    for result in too_large {
        assert_eq!(result.expect_err("more than the limit").kind, ErrorKind::OutOfMemory);
    }
    let memory = backend.memory().expect("counters");
    assert_eq!((memory.available, memory.in_use, memory.peak), (Some(100), 3 * 8 * 8, 3 * 8 * 8));
    // A fold of 96 bytes still fits, and the table is as it was.
    let folded = backend.fri_fold(table.as_ref(), coset(3, 3), Fp3::ONE).expect("it fits");
    assert_eq!(backend.memory().expect("counters").available, Some(4));
    assert_eq!(download(&backend, &table), data);
    drop((table, folded));
    assert!(backend.upload(&data, 3, 3).is_ok());
}

#[test]
fn limits_hold_for_both_protocols() {
    let backend = CpuReference::<CircleStark>::with_memory_limit(15);
    assert_eq!(backend.upload(&random(1, 4), 1, 2).expect_err("16 bytes").kind, ErrorKind::OutOfMemory);
    assert!(backend.upload(&random(1, 2), 1, 1).is_ok());
}

#[test]
fn capabilities_name_the_backend() {
    let backend: Backend = Backend::new();
    let capabilities = backend.capabilities();
    assert_eq!(capabilities.backend, "cpu-reference");
    assert_eq!(capabilities.operations, Operation::ALL);
    assert_eq!(capabilities.hashes, [HashFn::Keccak256, HashFn::Poseidon2]);
    assert_eq!(CosetDomain::<Goldilocks>::subgroup(capabilities.max_log_height).log_size, 32);
    backend.sync().expect("nothing to wait for");
}
