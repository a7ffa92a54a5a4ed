//! Multilinear polynomials: the first variable bound, and weighted sums over corners.

use field::Field;
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    BindRequest, BindSumRequest, Columns, ConstraintProgram, Footprint, Multilinear, Operation, Result, StarkBackend,
    SumRequest, Table,
};

use super::arguments::{Calls, reshape};
use super::{MAX_LOG, extension_width, small, table};
use crate::failure::ensure;
use crate::program::{random_program_at, random_program_of};
use crate::suite::{Both, BothTypes};
use crate::{Random, Suite, TestProtocol};

/// A random table with rows of so many variables in it: all of them, the layer of a tree, or others.
fn rows<P: TestProtocol>(
    dual: &Both<P>,
    random: &mut Random,
    width: usize,
    variables: u32,
) -> Result<(Table<BothTypes<P>>, usize)> {
    let is_whole = random.one_in(3);
    let made = table(dual, random, width, variables + u32::from(!is_whole))?;
    let most = made.height() - (1 << variables);
    Ok((made, if random.one_in(2) { most } else { random.below(most + 1) }))
}

fn values<T: gpu_hal::Types>((table, first): &(Table<T>, usize), variables: u32) -> Multilinear<'_, T> {
    Multilinear { table: table.as_ref(), first: *first, variables }
}

/// [`StarkBackend::bind`]: whole tables and rows of them, of several sizes in one call; challenges that are 0 and 1.
pub fn bind<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::Bind;
    if !suite.has(op) {
        let backend = suite.backend();
        let table = small(backend, P::DEGREE, 2).expect("a small table");
        let request = BindRequest { values: Multilinear::all(table.as_ref()), challenge: P::Ext::ONE };
        return suite.refuses(op, backend.bind(&[request]));
    }
    suite.check(1..=MAX_LOG + 1, 1..=8, op, |case| {
        let random = &mut case.random();
        let width = extension_width::<P>(&case);
        let other = random.between(1, case.log);
        let [first, second] = [rows(&suite.dual, random, width, case.log)?, rows(&suite.dual, random, width, other)?];
        let none = (suite.dual.upload(&[], 0, case.log)?, 0);
        let challenge = [P::Ext::ZERO, P::Ext::ONE, random.ext(), random.ext()][random.below(4)];
        let request = |of, variables| BindRequest { values: values(of, variables), challenge };
        let requests = [request(&first, case.log), request(&none, case.log), request(&second, other)];
        let made = suite.dual.bind(&requests)?;
        ensure(made.len() == 3, || format!("{} tables for three requests", made.len()))?;
        ensure(suite.dual.bind(&[])?.is_empty(), || "tables for no request".into())
    });
}

/// [`StarkBackend::sum`]: random programs of groups of both fields, outputs that are repeated, weights by all halves;
/// two requests at once, of which the second has no more of the device's memory than its footprint.
pub fn sum<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::Sum;
    if !suite.has(op) {
        let backend = suite.backend();
        let Ok(program) = backend.prepare(&difference::<P>(1)) else { return };
        let table = small(backend, P::DEGREE, 1).expect("a small table");
        let single = small(backend, P::DEGREE, 0).expect("a small table");
        let weights = [Multilinear::all(single.as_ref()); 2];
        let values = [Multilinear::all(table.as_ref())];
        let request = SumRequest { program: &program, values: &values, params: &[], outputs: &[0], weights };
        return suite.refuses(op, backend.sum(&[request]));
    }
    suite.check(1..=MAX_LOG, 1..=6, op, |case| {
        let random = &mut case.random();
        let (mut programs, width) = suite.programs(&case);
        let program = random_program_at::<P>(&mut programs, width, 20, 0..=1);
        let prepared = suite.dual.prepare(&program)?;
        let mut tables = Vec::new();
        for group in 0..program.groups().len() {
            tables.push(rows(&suite.dual, random, program.base_width(group), case.log)?);
        }
        let values: Vec<_> = tables.iter().map(|of| self::values(of, case.log)).collect();
        let log_low = random.between(0, case.log - 1);
        let logs = [case.log - 1 - log_low, log_low];
        let [high, low] = logs.map(|log| rows(&suite.dual, random, P::DEGREE, log));
        let (high, low) = (high?, low?);
        let weights = [self::values(&high, logs[0]), self::values(&low, logs[1])];
        let params: Vec<P::Ext> = (0..program.params()).map(|_| random.ext()).collect();
        let count = program.outputs().len();
        let outputs: Vec<usize> = (0..1 + random.below(4)).map(|_| random.below(count)).collect();
        let request = |outputs| SumRequest { program: &prepared, values: &values, params: &params, outputs, weights };
        let made = suite.dual.sum(&[request(&outputs), request(&outputs[..1])])?;
        let counts: Vec<usize> = made.iter().map(Vec::len).collect();
        ensure(counts == [outputs.len(), 1], || format!("{counts:?} sums for {} outputs and one", outputs.len()))?;
        ensure(made[0][0] == made[1][0], || "one output has two sums".into())?;
        ensure(suite.dual.sum(&[])?.is_empty(), || "sums for no request".into())?;

        let shapes: Vec<_> = tables.iter().map(|(of, _)| Columns::new((), of.width, of.log_height)).collect();
        let variables = case.log;
        let beside = Footprint::Sum { program: &prepared, tables: &shapes, variables, outputs: &outputs, sums: count };
        let before = suite.backend().memory()?;
        suite.dual.sum(&[request(&outputs)])?;
        let (peak, beside) = (suite.backend().memory()?.peak, suite.dual.footprint(&beside));
        let allowed = before.peak.max(before.in_use + beside);
        ensure(peak <= allowed, || format!("{peak} bytes taken at once, {allowed} by the footprint"))
    });
}

/// [`StarkBackend::bind_sum`]: programs that read all columns at both values, and such that do not; two requests at
/// once, of which the second has no more of the device's memory than its footprint and its table.
pub fn bind_sum<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::BindSum;
    if !suite.has(op) {
        let backend = suite.backend();
        let Ok(program) = backend.prepare(&difference::<P>(1)) else { return };
        let table = small(backend, P::DEGREE, 2).expect("a small table");
        let single = small(backend, P::DEGREE, 0).expect("a small table");
        let request = BindSumRequest {
            challenge: P::Ext::ONE,
            program: &program,
            values: Multilinear::all(table.as_ref()),
            params: &[],
            outputs: &[0],
            weights: [Multilinear::all(single.as_ref()); 2],
        };
        return suite.refuses(op, backend.bind_sum(&[request]));
    }
    suite.check(2..=MAX_LOG + 1, 1..=6, op, |case| {
        let random = &mut case.random();
        let (mut programs, width) = suite.programs(&case);
        // One column is mostly read at both values.
        let width = if programs.one_in(2) { 1 } else { width };
        let program = random_program_of::<P>(&mut programs, &[Group { width, kind: Kind::Ext }], 24, 0..=1);
        let prepared = suite.dual.prepare(&program)?;
        let table = rows(&suite.dual, random, program.base_width(0), case.log)?;
        let other = rows(&suite.dual, random, program.base_width(0), case.log)?;
        let log_low = random.between(0, case.log - 2);
        let logs = [case.log - 2 - log_low, log_low];
        let [high, low] = logs.map(|log| rows(&suite.dual, random, P::DEGREE, log));
        let (high, low) = (high?, low?);
        let weights = [self::values(&high, logs[0]), self::values(&low, logs[1])];
        let params: Vec<P::Ext> = (0..program.params()).map(|_| random.ext()).collect();
        let count = program.outputs().len();
        let outputs: Vec<usize> = (0..1 + random.below(4)).map(|_| random.below(count)).collect();
        let challenges = [[P::Ext::ZERO, P::Ext::ONE, random.ext(), random.ext()][random.below(4)], random.ext()];
        let request = |number: usize, outputs| BindSumRequest {
            challenge: challenges[number],
            program: &prepared,
            values: self::values([&table, &other][number], case.log),
            params: &params,
            outputs,
            weights,
        };
        let made = suite.dual.bind_sum(&[request(0, &outputs), request(1, &outputs[..1])])?;
        let counts: Vec<usize> = made.iter().map(|made| made.sums.len()).collect();
        ensure(counts == [outputs.len(), 1], || format!("{counts:?} sums for {} outputs and one", outputs.len()))?;
        ensure(suite.dual.bind_sum(&[])?.is_empty(), || "sums for no request".into())?;

        let shape = Columns::new((), table.0.width, case.log - 1);
        let variables = case.log - 1;
        let (outputs, sums) = (&outputs[..], outputs.len());
        let beside = Footprint::Sum { program: &prepared, tables: &[shape], variables, outputs, sums };
        let before = suite.backend().memory()?;
        suite.dual.bind_sum(&[request(0, outputs)])?;
        let peak = suite.backend().memory()?.peak;
        let taken = suite.dual.footprint(&beside) + suite.dual.footprint(&Footprint::Table(shape));
        let allowed = before.peak.max(before.in_use + taken);
        ensure(peak <= allowed, || format!("{peak} bytes taken at once, {allowed} by the footprint"))
    });
}

/// The upper value less the lower one of an extension column.
fn difference<P: TestProtocol>(offset: i32) -> ConstraintProgram<P> {
    let mut builder = ProgramBuilder::<P>::new(vec![Group { width: 1, kind: Kind::Ext }], 0);
    let [high, low] = [offset, 0].map(|offset| builder.load(0, 0, offset));
    let difference = builder.sub(high, low);
    builder.output(difference);
    builder.finish().expect("loads are of the declared column")
}

/// The first column of the first group.
fn first_of<P: TestProtocol>(groups: &[Group]) -> ConstraintProgram<P> {
    let mut builder = ProgramBuilder::<P>::new(groups.to_vec(), 0);
    let value = builder.load(0, 0, 0);
    builder.output(value);
    builder.finish().expect("a load of a declared column")
}

impl<P: TestProtocol, B: StarkBackend<P = P>> Calls<'_, B> {
    /// Wrong calls of all operations.
    pub(super) fn sumchecks(&self) {
        let (b, degree) = (self.backend, P::DEGREE);
        let table = self.small(degree, 3);
        let all = Multilinear::all(table.as_ref());
        if self.has(Operation::Bind) {
            let bind = |what: &str, values: Multilinear<'_, _>| {
                let challenge = P::Ext::ONE;
                let right = BindRequest { values: all, challenge };
                self.refused(Operation::Bind, what, || b.bind(&[right, BindRequest { values, challenge }]));
            };
            bind("no variable", Multilinear { variables: 0, ..all });
            bind("rows behind the last", Multilinear { first: 1, ..all });
            bind("more variables than the table", Multilinear { variables: 4, ..all });
            bind("variables that overflow", Multilinear { variables: 64, ..all });
            bind("a first row that overflows", Multilinear { first: usize::MAX, ..all });
            bind("a wrong shape", Multilinear::all(reshape(&table, degree, 4)));
            if degree > 1 {
                let narrow = self.small(degree - 1, 3);
                bind("base columns", Multilinear::all(narrow.as_ref()));
            }
        }
        if ![Operation::Prepare, Operation::Sum].into_iter().all(|op| self.has(op)) {
            return;
        }
        let prepare = |offset| b.prepare(&difference::<P>(offset)).expect("a small program");
        let (program, other) = (prepare(1), prepare(2));
        let (wide, eq) = (self.small(2 * degree, 3), self.small(degree, 2));
        let halves = [1, 1].map(|variables| Multilinear { table: eq.as_ref(), first: 2, variables });
        let sum = |what: &str, program, values: &[Multilinear<'_, _>], outputs: &[usize], weights| {
            let request = SumRequest { program, values, params: &[], outputs, weights };
            self.refused(Operation::Sum, what, || b.sum(&[request]));
        };
        sum("a table missing", &program, &[], &[0], halves);
        sum("a table too many", &program, &[all, all], &[0], halves);
        sum("a table too wide", &program, &[Multilinear::all(wide.as_ref())], &[0], halves);
        sum("no variable", &program, &[Multilinear { variables: 0, ..all }], &[0], halves);
        sum("other variables than the weights", &program, &[Multilinear { variables: 2, ..all }], &[0], halves);
        sum("rows behind the last", &program, &[Multilinear { first: 1, ..all }], &[0], halves);
        sum("a wrong shape", &program, &[Multilinear::all(reshape(&table, degree, 2))], &[0], halves);
        sum("no output", &program, &[all], &[], halves);
        sum("an unknown output", &program, &[all], &[1], halves);
        sum("another row offset", &other, &[all], &[0], halves);
        let [high, low] = halves;
        sum("weights behind the last row", &program, &[all], &[0], [high, Multilinear { first: 3, ..low }]);
        sum("weights of too few variables", &program, &[all], &[0], [high, Multilinear { variables: 0, ..low }]);
        let wide = Multilinear { table: wide.as_ref(), ..low };
        sum("weights of two columns", &program, &[all], &[0], [wide, low]);
        let params = [P::Ext::ONE];
        let request = SumRequest { program: &program, values: &[all], params: &params, outputs: &[0], weights: halves };
        self.refused(Operation::Sum, "a parameter too many", || b.sum(&[request]));
        if !self.has(Operation::BindSum) {
            return;
        }
        let tall = self.small(degree, 4);
        let all = Multilinear::all(tall.as_ref());
        let halves = [high, low];
        let of_two = [1, 1].map(|width| Group { width, kind: Kind::Ext });
        let of_two = b.prepare(&first_of::<P>(&of_two)).expect("a small program");
        let of_base = b.prepare(&first_of::<P>(&[Group { width: degree, kind: Kind::Base }])).expect("a small program");
        let bind_sum = |what: &str, program, values, outputs: &[usize], weights| {
            let request = BindSumRequest { challenge: P::Ext::ONE, program, values, params: &[], outputs, weights };
            self.refused(Operation::BindSum, what, || b.bind_sum(&[request]));
        };
        bind_sum("two groups", &of_two, all, &[0], halves);
        bind_sum("a group of base columns", &of_base, all, &[0], halves);
        bind_sum("one variable", &program, Multilinear { variables: 1, ..all }, &[0], halves);
        bind_sum("other variables than the weights", &program, Multilinear { variables: 3, ..all }, &[0], halves);
        bind_sum("rows behind the last", &program, Multilinear { first: 1, ..all }, &[0], halves);
        bind_sum("a wrong shape", &program, Multilinear::all(reshape(&tall, degree, 3)), &[0], halves);
        bind_sum("no output", &program, all, &[], halves);
        bind_sum("an unknown output", &program, all, &[1], halves);
        bind_sum("another row offset", &other, all, &[0], halves);
        bind_sum("weights of too few variables", &program, all, &[0], [high, Multilinear { variables: 0, ..low }]);
    }
}
