//! Tables that a program or a recurrence defines row by row, and the sum of lifted tables.

use field::Field;
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Columns, ConstraintProgram, Footprint, LinearRecurrence, MapArgs, Operation, RandomRows, Result, RunningForm,
    RunningRequest, Shape, StarkBackend, Table, TreeMapArgs,
};

use super::{MAX_LOG, extension_width, small, table};
use crate::failure::ensure;
use crate::suite::BothTypes;
use crate::{Failure, Random, Suite, TestProtocol, random_program, tree_programs};

/// [`StarkBackend::running`] of fractions: random ones of random tables, with wrapping offsets; one fraction and
/// several, denominators that are zero; two requests at once.
pub fn logup<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::Running;
    if !suite.has(op) {
        return;
    }
    suite.check(0..=MAX_LOG, 1..=6, format!("logup ({op})"), |case| {
        let random = &mut case.random();
        let (mut programs, width) = suite.programs(&case);
        let program = random_program::<P>(&mut programs, width, 20);
        let prepared = suite.dual.prepare(&program)?;
        let mut tables = Vec::new();
        for group in 0..program.groups().len() {
            tables.push(table(&suite.dual, random, program.base_width(group), case.log)?);
        }
        let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
        let params: Vec<P::Ext> = (0..program.params()).map(|_| random.ext()).collect();
        let outputs = program.outputs().len();
        let fractions: Vec<(usize, usize)> =
            (0..case.width).map(|_| (random.below(outputs), random.below(outputs))).collect();
        let request = |fractions| RunningRequest {
            program: &prepared,
            columns: &columns,
            log_height: case.log,
            params: &params,
            form: RunningForm::Logup(fractions),
        };
        let made = suite.dual.running(&[request(&fractions), request(&fractions[..1])])?;
        ensure(made.len() == 2, || format!("{} tables for two requests", made.len()))
    });
}

/// A table that is made with no more of the device's memory than its footprint and `beside` bytes. The dual's
/// footprints are larger than the backend's own, and so allow more.
fn takes_no_more<P: TestProtocol>(
    suite: &Suite<P>,
    beside: u64,
    make: impl FnOnce() -> Result<Table<BothTypes<P>>>,
) -> std::result::Result<Table<BothTypes<P>>, Failure> {
    let before = suite.backend().memory()?;
    let made = make()?;
    let shape = Columns::new((), made.width, made.log_height);
    let allowed = before.in_use + suite.backend().footprint(&Footprint::Table(shape)) + beside;
    let peak = suite.backend().memory()?.peak;
    ensure(peak <= before.peak.max(allowed), || format!("{peak} bytes taken at once, {allowed} by the footprint"))?;
    Ok(made)
}

/// [`StarkBackend::recurrence`]: orders 1 to 4, tables shorter than the order, starts in between, some of them
/// neighbours, some of zeros.
pub fn recurrence<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::Recurrence;
    if !suite.has(op) {
        let random = &mut Random::new(1);
        let (coefficients, initial) = (random.elements(1), random.elements(1));
        let recurrence = LinearRecurrence { coefficients, initial, restarts: Vec::new(), log_height: 2 };
        return suite.refuses(op, suite.backend().recurrence(&recurrence));
    }
    suite.check(0..=MAX_LOG + 3, 1..=4, op, |case| {
        let random = &mut case.random();
        let coefficients = random.elements(case.width);
        let height = 1usize << case.log;
        let mut rows: Vec<usize> = (0..random.below(4)).map(|_| random.below(height)).collect();
        rows.extend(random.one_in(2).then_some(height - 1));
        rows.extend(rows.first().map(|row| row + 1).filter(|row| *row < height));
        rows.retain(|row| *row > 0);
        rows.sort_unstable();
        rows.dedup();
        let mut start = || match random.one_in(3) {
            true => vec![Field::ZERO; case.width],
            false => random.elements(case.width),
        };
        let restarts = rows.into_iter().map(|row| (row, start())).collect();
        let initial = start();
        let recurrence = LinearRecurrence { coefficients, initial, restarts, log_height: case.log };
        let (order, starts) = (case.width, recurrence.starts().count());
        let beside = Footprint::Recurrence { order, starts, log_height: case.log };
        takes_no_more(suite, suite.dual.footprint(&beside), || suite.dual.recurrence(&recurrence)).map(drop)
    });
}

/// Two base outputs of two base columns: a polynomial with offsets, and a constant; and an extension output.
fn base_program<P: TestProtocol>() -> ConstraintProgram<P> {
    let random = &mut Random::new(3);
    let mut builder = ProgramBuilder::<P>::new(vec![Group { width: 2, kind: Kind::Base }], 0);
    let (a, b, next) = (builder.load(0, 0, 0), builder.load(0, 1, -1), builder.load(0, 0, 2));
    let constant = builder.constant(random.base());
    let product = builder.mul(a, b);
    let sum = builder.add(product, constant);
    let polynomial = builder.sub(sum, next);
    let extension = builder.constant_ext(random.ext());
    for node in [polynomial, constant, b, extension] {
        builder.output(node);
    }
    builder.finish().expect("loads are within the layout")
}

/// [`StarkBackend::map`]: base outputs with wrapping offsets, repeated outputs, a constant, periodic tables.
pub fn map<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::Map;
    let program = base_program::<P>();
    if !suite.has(op) {
        let backend = suite.backend();
        let Ok(prepared) = backend.prepare(&program) else { return };
        let table = small(backend, 2, 2).expect("a small table");
        let columns = [table.as_ref()];
        return suite.refuses(
            op,
            backend.map(&MapArgs { program: &prepared, columns: &columns, log_height: 2, outputs: &[0] }),
        );
    }
    suite.check(0..=MAX_LOG, 1..=6, op, |case| {
        let random = &mut case.random();
        let prepared = suite.dual.prepare(&program)?;
        let log = if random.one_in(3) { random.between(0, case.log) } else { case.log };
        let table = table(&suite.dual, random, 2, log)?;
        let outputs: Vec<usize> = (0..case.width).map(|_| random.below(3)).collect();
        let columns = [table.as_ref()];
        let args = MapArgs { program: &prepared, columns: &columns, log_height: case.log, outputs: &outputs };
        let shapes = [Columns::new((), table.width, table.log_height)];
        let beside = Footprint::Map { program: &prepared, tables: &shapes, log_height: case.log, outputs: &outputs };
        takes_no_more(suite, suite.dual.footprint(&beside), || suite.dual.map(&args)).map(drop)
    });
}

/// [`StarkBackend::tree_map`]: one and several columns and values that go up, sources in one table and in more than a
/// kernel takes buffers for, periodic ones and wrapping offsets among them.
pub fn tree_map<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::TreeMap;
    if !suite.has(op) {
        let (backend, [leaf, node]) = (suite.backend(), tree_programs::<P>(&mut Random::new(1), &[1], 1, 1));
        let (Ok(leaf), Ok(node)) = (backend.prepare(&leaf), backend.prepare(&node)) else { return };
        let table = small(backend, 1, 2).expect("a small table");
        let columns = [table.as_ref()];
        let args = TreeMapArgs { leaf: &leaf, node: &node, columns: &columns, log_height: 2, width: 1 };
        return suite.refuses(op, backend.tree_map(&args));
    }
    suite.check(1..=MAX_LOG, 1..=6, op, |case| {
        let random = &mut case.random();
        let (mut programs, width) = suite.programs(&case);
        let count = if programs.one_in(4) { 3 + programs.below(7) } else { 1 + programs.below(2) };
        let widths: Vec<usize> = (0..count).map(|_| 1 + programs.below(3)).collect();
        let values = 1 + programs.below(4);
        let [leaf, node] = tree_programs::<P>(&mut programs, &widths, width, values);
        let (leaf, node) = (suite.dual.prepare(&leaf)?, suite.dual.prepare(&node)?);
        let mut tables = Vec::new();
        for width in widths {
            let log = if random.one_in(3) { random.between(0, case.log) } else { case.log };
            tables.push(table(&suite.dual, random, width, log)?);
        }
        let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
        let args = TreeMapArgs { leaf: &leaf, node: &node, columns: &columns, log_height: case.log, width };
        let shapes: Vec<Shape> = tables.iter().map(|table| Columns::new((), table.width, table.log_height)).collect();
        let beside = Footprint::TreeMap { leaf: &leaf, node: &node, tables: &shapes, log_height: case.log, width };
        takes_no_more(suite, suite.dual.footprint(&beside), || suite.dual.tree_map(&args)).map(drop)
    });
}

/// [`StarkBackend::accumulate`]: summands of every height.
pub fn accumulate<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::Accumulate;
    if !suite.has(op) {
        let backend = suite.backend();
        let mut into = small(backend, P::DEGREE, 2).expect("a small table");
        let from = small(backend, P::DEGREE, 1).expect("a small table");
        return suite.refuses(op, backend.accumulate(into.as_mut(), from.as_ref()));
    }
    suite.check(P::MIN_LOG..=MAX_LOG, 1..=8, op, |case| {
        let random = &mut case.random();
        let width = extension_width::<P>(&case);
        let mut into = table(&suite.dual, random, width, case.log)?;
        for log in [case.log, random.between(P::MIN_LOG, case.log)] {
            let from = table(&suite.dual, random, width, log)?;
            suite.dual.accumulate(into.as_mut(), from.as_ref())?;
        }
        let [mut none, summand] = [suite.dual.upload(&[], 0, case.log)?, suite.dual.upload(&[], 0, case.log)?];
        suite.dual.accumulate(none.as_mut(), summand.as_ref())?;
        Ok(())
    });
}

/// [`StarkBackend::random`]: from any row on, of elements with any number, next to rows that stay.
pub fn random<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::Random;
    if !suite.has(op) {
        let backend = suite.backend();
        let mut into = small(backend, 1, 2).expect("a small table");
        return suite
            .refuses(op, backend.random(into.as_mut(), &RandomRows { key: [1; 32], stream: 0, first: 0, from: 0 }));
    }
    suite.check(P::MIN_LOG..=MAX_LOG, 1..=8, op, |case| {
        let random = &mut case.random();
        let mut into = table(&suite.dual, random, case.width, case.log)?;
        let height = into.height();
        let mut key = [0; 32];
        for word in key.as_chunks_mut::<8>().0 {
            *word = random.word().to_le_bytes();
        }
        let place = random.between(1, 63);
        let of_number = [0, 1, random.word() >> place, u64::MAX - height as u64][random.between(0, 3) as usize];
        let from = [0, height, height - 1, random.word() as usize % height][random.between(0, 3) as usize];
        let rows = RandomRows { key, stream: random.word(), first: of_number, from };
        let before = suite.dual.download(into.as_ref(), 0..height)?;
        suite.dual.random(into.as_mut(), &rows)?;
        let after = suite.dual.download(into.as_ref(), 0..height)?;
        let columns = before.chunks_exact(height).zip(after.chunks_exact(height));
        let stays = columns.into_iter().all(|(before, after)| before[..from] == after[..from]);
        ensure(stays, || format!("a row before row {from} was written"))?;
        let mut none = suite.dual.upload(&[], 0, case.log)?;
        suite.dual.random(none.as_mut(), &rows)?;
        Ok(())
    });
}
