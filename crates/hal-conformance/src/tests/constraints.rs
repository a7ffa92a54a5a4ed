//! Constraint programs: prepared, evaluated, accumulated.

use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Columns, Combination, CombinationGroup, ConstraintProgram, Constraints, Domain, Multiplier, Operation,
    RunningColumn, RunningForm, RunningKind, RunningRequest, StarkBackend,
};

use super::{MAX_LOG, small, table};
use crate::failure::ensure;
use crate::{Case, Failure, Random, Suite, TestProtocol, random_combination, random_program};

/// The smallest program: one column, one output.
fn smallest<P: TestProtocol>() -> ConstraintProgram<P> {
    let mut builder = ProgramBuilder::new(vec![Group { width: 1, kind: Kind::Base }], 0);
    let column = builder.load(0, 0, 0);
    builder.output(column);
    builder.finish().expect("a load of the declared column")
}

/// `sum over outputs of weight * output`, without multipliers.
fn sum_of_outputs<P: TestProtocol>(random: &mut Random, program: &ConstraintProgram<P>) -> Combination<P> {
    let terms = (0..program.outputs().len()).map(|output| (output, random.ext())).collect();
    Combination {
        groups: vec![CombinationGroup { multiplier: Multiplier { factors: Vec::new(), column: None }, terms }],
    }
}

/// Shape of one evaluation.
struct Evaluation<'a, P: TestProtocol> {
    domain: P::Domain,
    log_size: u32,
    log_trace: u32,
    log_eval: u32,
    combination: &'a Combination<P>,
}

/// Evaluates a program on random tables, some of them periodic; at the same time another combination of it, on the
/// whole domain.
fn evaluate<P: TestProtocol>(
    suite: &Suite<P>,
    random: &mut Random,
    program: &ConstraintProgram<P>,
    shape: &Evaluation<'_, P>,
) -> Result<(), Failure> {
    let prepared = suite.dual.prepare(program)?;
    let lowest = (shape.log_size - shape.log_trace).max(P::MIN_LOG);
    let mut tables = Vec::new();
    for group in 0..program.groups().len() {
        let is_periodic = !P::Domain::LIFTS && random.one_in(3);
        let log = if is_periodic { random.between(lowest, shape.log_size) } else { shape.log_size };
        tables.push(table(&suite.dual, random, program.base_width(group), log)?);
    }
    let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
    let params: Vec<P::Ext> = (0..program.params()).map(|_| random.ext()).collect();
    // Longer, and of other weights: a backend that confuses the two is noticed.
    let mut other = sum_of_outputs(random, program);
    other.groups.extend_from_slice(&shape.combination.groups);
    let request = |log_eval, combination| Constraints {
        program: &prepared,
        columns: &columns,
        domain: shape.domain,
        log_trace: shape.log_trace,
        log_eval,
        params: &params,
        combination,
    };
    let requests = [request(shape.log_eval, shape.combination), request(shape.log_size, &other)];
    let made = suite.dual.constraint_eval(&requests)?;
    ensure(made.len() == 2, || format!("{} tables for two requests", made.len()))
}

/// [`StarkBackend::prepare`]: programs at the edges (no input, only constants, one long chain, very wide) evaluate as
/// the reference's.
pub fn prepare<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::Prepare) {
        return suite.refuses(Operation::Prepare, suite.backend().prepare(&smallest::<P>()));
    }
    if !suite.has(Operation::ConstraintEval) {
        suite.dual.prepare(&smallest::<P>()).unwrap_or_else(|error| panic!("prepare: {error}"));
        return;
    }
    if suite.single().is_some() {
        return random_long(suite);
    }
    let mut programs = Vec::new();
    let random = &mut Random::new(1);

    // No column at all: constants and parameters.
    let mut builder = ProgramBuilder::<P>::new(Vec::new(), 2);
    let constant = builder.constant(random.base());
    let (a, b) = (builder.param(0), builder.param(1));
    let product = builder.mul(a, b);
    for node in [constant, a, product] {
        builder.output(node);
    }
    programs.push(("constants", builder));

    // One chain of thousands of dependent operations: no backend may recurse along it.
    let mut builder = ProgramBuilder::<P>::new(vec![Group { width: 2, kind: Kind::Base }], 1);
    let mut node = builder.load(0, 0, 0);
    let other = builder.load(0, 1, 1);
    for step in 0..6000 {
        let sum = builder.add(node, other);
        node = if step % 100 == 0 { builder.mul(sum, sum) } else { builder.sub(sum, node) };
        node = builder.mul(node, sum);
    }
    builder.output(node);
    programs.push(("a chain", builder));

    // Hundreds of values alive at once: all products are made before the first is used.
    let mut builder =
        ProgramBuilder::<P>::new(vec![Group { width: 300, kind: Kind::Base }, Group { width: 40, kind: Kind::Ext }], 0);
    let loads: Vec<_> = (0..300).map(|column| builder.load(0, column, 0)).collect();
    let extension: Vec<_> = (0..40).map(|column| builder.load(1, column, -1)).collect();
    let squares: Vec<_> = loads.iter().chain(&extension).map(|node| builder.mul(*node, *node)).collect();
    let forward = squares.iter().copied().reduce(|sum, node| builder.add(sum, node)).expect("340 squares");
    let backward = squares.iter().rev().copied().reduce(|sum, node| builder.sub(sum, node)).expect("340 squares");
    builder.output(forward);
    builder.output(backward);
    programs.push(("many live values", builder));

    // Equal outputs, an output that is a plain column, and one that is zero.
    let mut builder = ProgramBuilder::<P>::new(vec![Group { width: 1, kind: Kind::Ext }], 0);
    let column = builder.load(0, 0, 0);
    let zero = builder.sub(column, column);
    for node in [column, zero, column] {
        builder.output(node);
    }
    programs.push(("trivial outputs", builder));

    for (name, builder) in programs {
        let program = builder.finish().expect("loads and parameters are within the layout");
        let log_trace = 3;
        let domain = P::trace_domain(random, log_trace + 1);
        let combination = &sum_of_outputs(random, &program);
        let shape = Evaluation { domain, log_size: log_trace + 1, log_trace, log_eval: log_trace + 1, combination };
        evaluate(suite, random, &program, &shape).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    }
}

/// A random program that is longer than the programs of the other tests.
fn random_long<P: TestProtocol>(suite: &Suite<P>) {
    suite.check(P::MIN_LOG..=4, 1..=40, Operation::Prepare, |case| {
        let random = &mut case.random();
        let (mut programs, width) = suite.programs(&case);
        let program = random_program::<P>(&mut programs, width, 200);
        let (log_trace, log_size) = (case.log, case.log + 1);
        let combination = &sum_of_outputs(random, &program);
        let domain = P::trace_domain(random, log_size);
        evaluate(suite, random, &program, &Evaluation { domain, log_size, log_trace, log_eval: log_size, combination })
    });
}

/// [`StarkBackend::constraint_eval`]: random programs over base and extension groups with row offsets, periodic tables,
/// parameters, divisors with zeros on the domain, column multipliers, and prefixes of the domain.
pub fn constraint_eval<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::ConstraintEval) {
        if suite.has(Operation::Prepare) {
            let program = smallest::<P>();
            let prepared = suite.backend().prepare(&program).expect("the smallest program");
            let column = small(suite.backend(), 1, 2).expect("upload of four elements");
            let random = &mut Random::new(0);
            let result = suite.backend().constraint_eval(&[Constraints {
                program: &prepared,
                columns: &[column.as_ref()],
                domain: P::trace_domain(random, 2),
                log_trace: 1,
                log_eval: 2,
                params: &[],
                combination: &sum_of_outputs(random, &program),
            }]);
            suite.refuses(Operation::ConstraintEval, result);
        }
        return;
    }
    // Where a protocol lifts, a trace is evaluated on more points than it has.
    let least = u32::from(P::Domain::LIFTS);
    suite.check(P::MIN_LOG + least..=MAX_LOG, 1..=9, Operation::ConstraintEval, |case| {
        let random = &mut case.random();
        // The case's size is that of the evaluation domain.
        let log_size = case.log;
        let log_trace = log_size - random.between(least, 3.min(log_size - P::MIN_LOG));
        let log_eval = if random.one_in(2) { log_size } else { random.between(log_trace + least, log_size) };
        let domain = P::trace_domain(random, log_size);
        let (mut programs, width) = suite.programs(&case);
        let program = random_program::<P>(&mut programs, width, if case.log > 10 { 20 } else { 80 });
        // A device compiles the subject of an evaluation: the program and the form of the combination.
        let combination = &random_combination(&mut programs, &program, &domain, log_trace);
        evaluate(suite, random, &program, &Evaluation { domain, log_size, log_trace, log_eval, combination })
    });
}

/// [`StarkBackend::running`]: products and sums, inclusive and exclusive, denominators that are zero on some rows or on
/// all, row offsets, periodic tables, several columns at once.
pub fn running<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::Running) {
        if suite.has(Operation::Prepare) {
            let prepared = suite.backend().prepare(&smallest::<P>()).expect("the smallest program");
            let column = small(suite.backend(), 1, 2).expect("upload of four elements");
            let sum = RunningColumn { kind: RunningKind::Sum, inclusive: true, numerator: 0, denominator: 0 };
            let result = suite.backend().running(&[RunningRequest {
                program: &prepared,
                columns: &[column.as_ref()],
                log_height: 2,
                params: &[],
                form: RunningForm::Columns(&[sum]),
            }]);
            suite.refuses(Operation::Running, result);
        }
        return;
    }
    suite.check(P::MIN_LOG..=MAX_LOG, 1..=6, Operation::Running, |case| {
        // Zeros end a product, so every case is run without and with them.
        for zeros in [false, true] {
            running_case(suite, &mut case.random(), &case, zeros)?;
        }
        Ok(())
    });
}

fn running_case<P: TestProtocol>(
    suite: &Suite<P>,
    random: &mut Random,
    case: &Case,
    zeros: bool,
) -> Result<(), Failure> {
    let (mut programs, width) = suite.programs(case);
    let program = random_program::<P>(&mut programs, width, 25);
    let prepared = suite.dual.prepare(&program)?;
    let mut tables = Vec::new();
    for group in 0..program.groups().len() {
        let log = if random.one_in(3) { random.between(0, case.log) } else { case.log };
        let width = program.base_width(group);
        let data: Vec<P::Base> =
            (0..width << log).map(|_| if zeros { random.base() } else { random.nonzero() }).collect();
        tables.push(suite.dual.upload(&data, width, log)?);
    }
    let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
    let params: Vec<P::Ext> = (0..program.params()).map(|_| random.ext()).collect();
    // The devices' part of a program is drawn with it.
    let outputs = program.outputs().len();
    // Outputs 0 and 1 are not zero where the tables have no zero, so this product lasts to the end.
    let lasting =
        RunningColumn { kind: RunningKind::Product, inclusive: programs.one_in(2), numerator: 0, denominator: 1 };
    let mut running = vec![lasting];
    for _ in 0..programs.below(4) {
        running.push(RunningColumn {
            kind: if programs.one_in(2) { RunningKind::Product } else { RunningKind::Sum },
            inclusive: programs.one_in(2),
            numerator: programs.below(outputs),
            denominator: programs.below(outputs),
        });
    }
    suite.dual.running(&[RunningRequest {
        program: &prepared,
        columns: &columns,
        log_height: case.log,
        params: &params,
        form: RunningForm::Columns(&running),
    }])?;
    Ok(())
}
