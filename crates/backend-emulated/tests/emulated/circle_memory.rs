//! The device memory of proofs of the Circle protocol agrees with the plan.

use std::sync::Arc;

use backend_emulated::{Emulated, EmulatedDevice, NAME, Options, device};
use field::circle::CirclePoint;
use field::{Field, M31, QM31};
use golden::circle::{CircleOptions, air, planned_is_measured};
use gpu_hal::decorate::Rehearsed;
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Basis, CircleDomain, CircleStark, Columns, ConstraintProgram, DeepTerm, EvalOrder, HashFn, LeafLayout, MapArgs,
    OpenRequest, Operation, Rehearse, Shape, StarkBackend,
};
use hal_conformance::{Random, random_rows};

fn emulated() -> Emulated<CircleStark> {
    Emulated::<CircleStark>::new(NAME, device().expect("a C++ compiler")).expect("a backend")
}

#[test]
fn the_plan_is_what_a_proof_takes() {
    let base = CircleOptions { pow_bits: 3, log_blowup: 1, queries: 4, fold_step: 1, ..CircleOptions::default() };
    let more = CircleOptions { log_blowup: 2, fold_step: 2, log_last: 1, ..base };
    for options in [base, more] {
        for (name, log_rows, params) in [
            ("fibonacci", 10, "a=1;b=1"),
            ("wide-fibonacci", 9, "w=40;s=3"),
            ("plonk", 9, "v0=1;v1=2"),
            ("range-squares", 10, "table=6;s=2"),
            ("poseidon2", 6, "s=1"),
            ("rpo-m31", 7, "s=1"),
        ] {
            // A column that is read at three row offsets must not be lifted.
            let lifting = (name == "plonk" && options != base).then_some(13);
            planned_is_measured(emulated, &air(name, log_rows, params), &CircleOptions { lifting, ..options });
        }
    }
}

/// If a program is too long for one kernel, its kernels hand values on in memory, which counts.
#[test]
fn kernels_of_one_program_take_what_is_planned() {
    const WIDTH: usize = 6;
    fn map<B: StarkBackend<P = CircleStark>>(
        backend: &B,
        program: &ConstraintProgram<CircleStark>,
        table: Columns<&B::Buffer>,
    ) -> Columns<B::Buffer> {
        let program = &backend.prepare(program).expect("a program");
        let outputs: Vec<usize> = (0..WIDTH).collect();
        let map = MapArgs { program, columns: &[table], log_height: table.log_height, outputs: &outputs };
        backend.map(&map).expect("a table")
    }
    let mut builder = ProgramBuilder::new(vec![Group { width: WIDTH, kind: Kind::Base }], 0);
    let mut state: Vec<_> = (0..WIDTH).map(|column| builder.load(0, column, 0)).collect();
    for number in 0..40 * WIDTH {
        let square = builder.mul(state[number % WIDTH], state[number % WIDTH]);
        state[number % WIDTH] = builder.add(square, state[(number + 1) % WIDTH]);
    }
    for value in state {
        builder.output(value);
    }
    let program = &builder.finish().expect("a program");
    let shape = Columns::new((), WIDTH, 8);
    let elements = vec![M31::new(3); shape.elements()];
    let tables = [0, 100].map(|generated_operations| {
        let options = Options { generated_operations, ..Options::default() };
        let device = || EmulatedDevice::new(options.clone()).expect("a C++ compiler");
        let make = || Emulated::<CircleStark>::new(NAME, device()).expect("a backend");
        let rehearsed = Rehearsed::new(Arc::new(make()));
        drop(map(&rehearsed, program, rehearsed.upload_shape(shape).expect("shapes").as_ref()));
        let backend = make();
        let table = backend.upload(&elements, WIDTH, shape.log_height).expect("a table");
        let made = map(&backend, program, table.as_ref());
        let (peak, planned) = (backend.memory().expect("counted").peak, rehearsed.finish().peak_bytes);
        let at = format!("{peak} bytes taken, {planned} planned");
        assert!(peak <= planned && planned - peak <= planned / 50, "{at}");
        assert_eq!(backend.launches(Operation::Map) > 3, generated_operations > 0, "as many kernels");
        backend.download(made.as_ref(), 0..1 << shape.log_height).expect("elements")
    });
    assert!(tables[0] == tables[1], "the kernels and the interpreter");
}

/// The input of an extension may be values on a part of a larger domain, whose tables count.
#[test]
fn an_extension_takes_the_tables_of_both_its_domains() {
    let (shape, to) = (Columns::new((), 1, 4), CircleDomain::canonic(5));
    let from = Basis::Evaluations { domain: CircleDomain::prefix_of(12, 4), order: EvalOrder::Storage };
    let rehearsed = Rehearsed::new(Arc::new(emulated()));
    let table = rehearsed.upload_shape(shape).expect("shapes");
    drop(rehearsed.lde(table.as_ref(), from, to).expect("shapes"));
    let planned = rehearsed.finish().peak_bytes;
    let uploaded = Rehearsed::new(Arc::new(emulated()));
    drop(uploaded.upload_lde_shape(shape, from, to, true).expect("shapes"));
    assert!(uploaded.finish().peak_bytes >= planned, "the same tables in one operation");

    let backend = emulated();
    let table = backend.upload(&[field::M31::new(1); 16], 1, 4).expect("a table");
    drop(backend.lde(table.as_ref(), from, to).expect("an extension"));
    let peak = backend.memory().expect("counted").peak;
    assert!(peak <= planned, "{peak} bytes taken, {planned} planned");
}

/// The common part of lower tables is made at their height, beside the tree or the quotient.
#[test]
fn trees_and_quotients_of_many_heights_take_what_is_planned() {
    fn made<B: StarkBackend<P = CircleStark>>(
        backend: &B,
        tables: &[Columns<B::Buffer>],
        of: fn(&B, &[Columns<&B::Buffer>]),
    ) {
        of(backend, &tables.iter().map(Columns::as_ref).collect::<Vec<_>>());
    }
    fn tree<B: StarkBackend<P = CircleStark>>(backend: &B, tables: &[Columns<&B::Buffer>]) {
        drop(backend.merkle(tables, LeafLayout::lifted(13), HashFn::Blake2s).expect("a tree"));
    }
    fn opened<B: StarkBackend<P = CircleStark>>(backend: &B, tables: &[Columns<&B::Buffer>]) {
        let tree = backend.merkle(tables, LeafLayout::lifted(13), HashFn::Blake2s).expect("a tree");
        let request = OpenRequest { columns: tables, tree: &tree, rows: &[7], leaves: &[7] };
        drop(backend.open(&[request]).expect("a path"));
    }
    fn quotient<B: StarkBackend<P = CircleStark>>(backend: &B, tables: &[Columns<&B::Buffer>]) {
        let term = |number: usize| {
            let tables = tables.iter().enumerate().skip(number);
            let columns = tables.flat_map(|(table, columns)| (0..columns.width).map(move |column| (table, column)));
            let weights = columns.map(|(table, column)| (table, column, QM31::ONE)).collect();
            DeepTerm { point: CirclePoint::GENERATOR.into_extension(), weights, constant: QM31::ONE, slope: QM31::ONE }
        };
        let terms: Vec<_> = (0..6).map(term).collect();
        drop(backend.deep_quotient(tables, CircleDomain::prefix_of(13, 12), &terms).expect("a quotient"));
    }
    for heights in [&[13][..], &[3, 5, 13], &[9, 10, 11, 12], &[6, 12, 12, 12, 12, 12, 12, 12, 12, 12, 13]] {
        let shapes: Vec<Shape> = heights.iter().map(|log| Columns::new((), 5, *log)).collect();
        let backends = || (Arc::new(emulated()), Rehearsed::new(Arc::new(emulated())));
        let check = |what: &str, backend: &Emulated<CircleStark>, planned: u64| {
            let peak = backend.memory().expect("counted").peak;
            let at = format!("{what} of {heights:?}: {peak} bytes taken, {planned} planned");
            assert!(peak <= planned && planned - peak <= planned / 50, "{at}");
        };
        let upload = |backend: &Emulated<CircleStark>| -> Vec<_> {
            let zeros = |shape: &Shape| vec![M31::new(0); shape.elements()];
            shapes.iter().map(|of| backend.upload(&zeros(of), of.width, of.log_height).expect("a table")).collect()
        };
        let (backend, rehearsed) = backends();
        made(&*backend, &upload(&backend), tree);
        made(
            &rehearsed,
            &shapes.iter().map(|shape| rehearsed.upload_shape(*shape).expect("shapes")).collect::<Vec<_>>(),
            tree,
        );
        check("a tree", &backend, rehearsed.finish().peak_bytes);
        let (backend, rehearsed) = backends();
        made(&*backend, &upload(&backend), opened);
        made(
            &rehearsed,
            &shapes.iter().map(|shape| rehearsed.upload_shape(*shape).expect("shapes")).collect::<Vec<_>>(),
            opened,
        );
        check("a path", &backend, rehearsed.finish().peak_bytes);
        let (backend, rehearsed) = backends();
        made(&*backend, &upload(&backend), quotient);
        made(
            &rehearsed,
            &shapes.iter().map(|shape| rehearsed.upload_shape(*shape).expect("shapes")).collect::<Vec<_>>(),
            quotient,
        );
        check("a quotient", &backend, rehearsed.finish().peak_bytes);
    }
}

/// Scratch memory, tallies of counters, tables and lists that share a buffer.
#[test]
fn row_programs_take_what_is_planned() {
    for (seed, log_height) in (1..=12).flat_map(|seed| [0, 6, 11].map(|log| (seed, log))) {
        let case = random_rows::<field::M31>(&mut Random::new(seed), log_height, 30);
        let rehearsed = Rehearsed::new(Arc::new(emulated()));
        drop(case.run(&rehearsed).expect("shapes"));
        let backend = emulated();
        drop(case.run(&backend).expect("a program without faults"));
        let (peak, planned) = (backend.memory().expect("counted").peak, rehearsed.finish().peak_bytes);
        let at = format!("seed {seed}, 2^{log_height} rows: {peak} bytes taken, {planned} planned");
        assert!(peak <= planned && planned - peak <= planned / 50, "{at}");
    }
}
