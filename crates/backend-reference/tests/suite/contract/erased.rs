//! Backends as values: results are the backend's, and handles of another backend are refused.

use std::sync::Arc;

use backend_reference::CpuReference;
use field::{Field, Fp3, Goldilocks, PrimeField};
use gpu_hal::decorate::{Dual, Rehearsed};
use gpu_hal::erased::{Device, ErasedShapes};
use gpu_hal::ir::{Group, Kind, ProgramBuilder, RowRecorder};
use gpu_hal::rehearsal::Prepared;
use gpu_hal::{
    Basis, Combination, CombinationGroup, ConstraintProgram, Constraints, CosetDomain, DeepTerm, ErrorKind, EvalOrder,
    EvalRequest, Footprint, GoldilocksStark, HashFn, LeafLayout, MapArgs, Multiplier, OpenRequest, Operation, Rehearse,
    Result, RowRun, Shape, StarkBackend, Table, Types,
};
use hal_conformance::session;

type Stark = GoldilocksStark;
type Reference = CpuReference<Stark>;

fn device() -> Device<Stark> {
    Device::new(Arc::new(Reference::new()))
}

/// A backend of other types.
fn other() -> Device<Stark> {
    Device::new(Arc::new(Dual::new(Reference::new(), Reference::new())))
}

fn table<B: StarkBackend<P = Stark>>(backend: &B) -> Table<B::T> {
    let elements: Vec<Goldilocks> = (0..16).map(Goldilocks::from_u64).collect();
    backend.upload(&elements, 2, 3).expect("upload")
}

fn domain(log_size: u32) -> CosetDomain<Goldilocks> {
    CosetDomain::new(Goldilocks::new(7), log_size)
}

/// A program of two base columns; the output is their product.
fn product() -> ConstraintProgram<Stark> {
    let mut builder = ProgramBuilder::<Stark>::new(vec![Group { width: 2, kind: Kind::Base }], 0);
    let (a, b) = (builder.load(0, 0, 0), builder.load(0, 1, 0));
    let product = builder.mul(a, b);
    builder.output(product);
    builder.finish().expect("a program")
}

fn program<B: StarkBackend<P = Stark>>(backend: &B) -> B::Program {
    backend.prepare(&product()).expect("prepared")
}

#[test]
fn results_and_memory_are_those_of_the_backend_inside() {
    let inner = Arc::new(Reference::new());
    let device = Device::new(inner.clone());
    assert_eq!(device.capabilities(), inner.capabilities());
    for seed in 0..4 {
        let expected = session(&Reference::new(), seed, 4).expect("a session");
        assert_eq!(session(&device, seed, 4).expect("a session").words, expected.words);
    }
    let kept = table(&device);
    assert_eq!(device.memory().expect("counted"), inner.memory().expect("counted"));
    assert_eq!(device.memory().expect("counted").in_use, 16 * 8);
    drop(kept);
    assert_eq!(inner.memory().expect("counted").in_use, 0, "boxes keep nothing");
    assert!(std::ptr::eq(device.clone().budget(), inner.budget()), "what one is promised, others see");
}

#[test]
fn errors_are_those_of_the_backend_inside() {
    let limited = || Reference::with_memory_limit(100);
    let elements = vec![Goldilocks::ONE; 16];
    let expected = limited().upload(&elements, 2, 3).expect_err("too little").to_string();
    let device = Device::new(Arc::new(limited()));
    assert_eq!(device.upload(&elements, 2, 3).expect_err("too little").to_string(), expected);
    let expected = limited().download(table(&Reference::new()).as_ref(), 7..9).expect_err("no such row").to_string();
    let device = self::device();
    assert_eq!(device.download(table(&device).as_ref(), 7..9).expect_err("no such row").to_string(), expected);
}

#[test]
fn what_leaves_a_device_comes_back() {
    let device = device();
    let table = table(&device);
    let elements = device.download(table.as_ref(), 0..8).expect("download");
    let stash = gpu_hal::PlacementOperations::stash(&device, table.as_ref()).expect("stash");
    let tree = device.merkle(&[table.as_ref()], LeafLayout::new(1), HashFn::Keccak256).expect("a tree");
    let root = device.root(&tree).expect("a root");
    let stashed = gpu_hal::PlacementOperations::stash_tree(&device, &tree).expect("stash");
    assert!(gpu_hal::PlacementOperations::placement(&device).stashes_trees);
    drop((table, tree));
    let restored = gpu_hal::PlacementOperations::restore(&device, &stash, Shape::new((), 2, 3)).expect("restore");
    assert_eq!(device.download(restored.as_ref(), 0..8).expect("download"), elements);
    let tree = gpu_hal::PlacementOperations::restore_tree(&device, &stashed, 3).expect("restore");
    assert_eq!(device.root(&tree).expect("a root"), root);
    let copy = device.copy_to(restored.as_ref(), &self::device()).expect("a device of the same type");
    assert_eq!(device.download(copy.as_ref(), 0..8).expect("download"), elements);
}

/// Every operation that takes a handle, given one of another backend.
#[test]
fn handles_of_another_backend_are_refused() {
    fn refused<T>(operation: Operation, result: Result<T>) {
        let error = result.err().unwrap_or_else(|| panic!("{operation} takes it"));
        assert_eq!((error.kind, error.op), (ErrorKind::InvalidArgument, operation.into()), "{error}");
        assert!(error.detail.contains("is of another backend"), "{error}");
    }
    let (own, other) = (device(), other());
    let (own_table, own_program) = (table(&own), program(&own));
    let (mut foreign, foreign_program) = (table(&other), program(&other));
    let on = Basis::Evaluations { domain: domain(3), order: EvalOrder::Storage };
    let columns = [foreign.as_ref()];
    let layout = LeafLayout::new(1);
    refused(Operation::Download, own.download(foreign.as_ref(), 0..8));
    refused(Operation::CopyTo, own.copy_to(foreign.as_ref(), &device()));
    refused(Operation::CopyTo, own.copy_to(own_table.as_ref(), &other));
    refused(Operation::Lde, own.lde(foreign.as_ref(), Basis::Coefficients, domain(4)));
    refused(Operation::Split, own.split(foreign.as_ref(), 2, 2));
    refused(Operation::Select, own.select(&columns, &[(0, 0)]));
    refused(Operation::Merkle, own.merkle(&columns, layout, HashFn::Keccak256));
    let tree = other.merkle(&columns, layout, HashFn::Keccak256).expect("a tree");
    refused(Operation::Root, own.root(&tree));
    let own_tree = own.merkle(&[own_table.as_ref()], layout, HashFn::Keccak256).expect("a tree");
    let own_columns = [own_table.as_ref()];
    let open = |columns, tree| own.open(&[OpenRequest { columns, tree, rows: &[0], leaves: &[0] }]);
    refused(Operation::Open, open(&own_columns, &tree));
    refused(Operation::Open, open(&columns, &own_tree));
    let points = [Fp3::from(Goldilocks::new(3))];
    refused(Operation::EvalAt, own.eval_at(&[EvalRequest { columns: foreign.as_ref(), from: on, points: &points }]));
    let term = DeepTerm { point: points[0], weights: vec![(0, 0, Fp3::ONE)], constant: Fp3::ZERO, slope: Fp3::ZERO };
    refused(Operation::DeepQuotient, own.deep_quotient(&columns, domain(3), &[term]));
    let terms = vec![(0, Fp3::ONE)];
    let multiplier = Multiplier { factors: Vec::new(), column: None };
    let combination = Combination { groups: vec![CombinationGroup { multiplier, terms }] };
    let evaluated = |program, columns| {
        let (domain, log_trace, log_eval, params) = (domain(3), 2, 3, &[][..]);
        let combination = &combination;
        own.constraint_eval(&[Constraints { program, columns, domain, log_trace, log_eval, params, combination }])
    };
    refused(Operation::ConstraintEval, evaluated(&foreign_program, &own_columns));
    refused(Operation::ConstraintEval, evaluated(&own_program, &columns));
    let map = |program, columns| own.map(&MapArgs { program, columns, log_height: 3, outputs: &[0] });
    refused(Operation::Map, map(&foreign_program, &own_columns));
    refused(Operation::Map, map(&own_program, &columns));
    let footprint = |of| own.footprint(&Footprint::Map { program: of, tables: &[], log_height: 3, outputs: &[0] });
    assert_eq!(footprint(&foreign_program), 0, "what is refused takes nothing");

    let recorder = RowRecorder::<Goldilocks>::new(1);
    recorder.columns(recorder.input(0));
    let rows = recorder.finish().expect("a program");
    let source = [other.upload(&[Goldilocks::ONE; 8], 1, 3).expect("upload")];
    let source = [source[0].as_ref()];
    let run = RowRun { program: &rows, source: &source, period: 8, tables: &[], log_height: 3 };
    refused(Operation::Rows, own.rows(&run, &mut []));

    let mut into = table(&own);
    refused(Operation::Accumulate, own.accumulate(into.as_mut(), foreign.as_ref()));
    refused(Operation::Accumulate, own.accumulate(foreign.as_mut(), own_table.as_ref()));
    refused(Operation::Ntt, own.ntt(foreign.as_mut(), Basis::Coefficients, on));
    let layer = other.upload(&[Goldilocks::ONE; 24], 3, 3).expect("upload");
    refused(Operation::FriFold, own.fri_fold(layer.as_ref(), domain(3), Fp3::ONE));
    // All is as before.
    assert_eq!(own.download(own_table.as_ref(), 0..8).expect("download").len(), 16);
}

#[test]
fn a_shared_extension_names_the_device_that_refuses() {
    let (own, same, other) = (device(), device(), other());
    let [of_own, of_same, of_other] = [table(&own), table(&same), table(&other)];
    let shared = |others: &[&Device<Stark>], tables: &[_]| {
        gpu_hal::PlacementOperations::lde_shared(&own, others, tables, Basis::Coefficients, &[domain(4), domain(4)])
    };
    let made = shared(&[&same], &[of_own.as_ref(), of_same.as_ref()]).expect("two devices of one type");
    assert_eq!(made.len(), 2);
    for refused in [
        shared(&[&other], &[of_own.as_ref(), of_same.as_ref()]),
        shared(&[&same], &[of_own.as_ref(), of_other.as_ref()]),
    ] {
        let (device, error) = refused.map(drop).expect_err("another backend");
        assert_eq!((device, error.kind), (1, ErrorKind::InvalidArgument), "{error}");
    }
}

/// Shapes take the same as the inner backend's shapes, with programs of the device.
#[test]
fn shapes_are_those_of_the_backend_inside() {
    fn run<B: StarkBackend<P = Stark>>(shapes: &B, table: Table<B::T>, program: &B::Program) {
        let columns = [table.as_ref()];
        let mapped = shapes.map(&MapArgs { program, columns: &columns, log_height: 3, outputs: &[0] }).expect("shapes");
        let tree = shapes.merkle(&columns, LeafLayout::new(1), HashFn::Keccak256).expect("shapes");
        shapes.root(&tree).expect("shapes");
        drop(mapped);
    }
    fn rehearse<S>(shapes: &S, program: &<S::T as Types>::Program) -> String
    where
        S: Rehearse + gpu_hal::Operations<T: Types<P = Stark>>,
    {
        shapes.enter("a part");
        run(shapes, shapes.upload_shape(Shape::new((), 2, 3)).expect("shapes"), program);
        format!("{:?}", shapes.finish())
    }
    let inner = Arc::new(Reference::new());
    let device = Arc::new(Device::new(inner.clone()));
    let source = product();
    let of_inner = Prepared::new(&*inner, &source).expect("prepared");
    let of_device = Prepared::new(&*device, &source).expect("prepared");
    let expected = rehearse(&Rehearsed::of(inner.clone()), &<Rehearsed<Reference> as Rehearse>::program(&of_inner));
    assert_eq!(rehearse(&ErasedShapes::of(device.clone()), &ErasedShapes::program(&of_device)), expected);
    let both = ErasedShapes::of_all(&[device.clone(), Arc::new(other())]);
    assert_eq!(rehearse(&both[0], &ErasedShapes::program(&of_device)), expected);
    // Nothing was taken of the device.
    assert_eq!(inner.memory().expect("counted").peak, 0);
}
