//! Inputs for the operations that run a constraint program.

use polystark::air::{self, GroupRole, RunningSpec};
use polystark::field::Field;
use polystark::hal::{Columns, Constraints, Group, Kind, Logup, Map, ProgramBuilder, Running, StarkBackend, TreeMap};
use polystark::prover::{Composition, Prover};
use polystark::{Error, Goldilocks3};

use super::inputs::{Kept, Prepared, domain, points, table};
use super::shapes::{Example, LOG_BLOWUP};
use super::work;

/// Numerator and denominator of fibonacci-rap's running column, and how many challenges they take.
fn ratio(log: u32) -> Result<(RunningSpec<Goldilocks3>, usize), Error> {
    let recorded = air::record(&*Example::FibonacciRap.request(log).build()?)?;
    let spec = recorded.running().cloned().expect("fibonacci-rap has a running column");
    Ok((spec, recorded.layout().challenges))
}

pub(super) fn running<'a, B: StarkBackend<P = Goldilocks3>>(
    backend: &'a B,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    let (spec, challenges) = ratio(log)?;
    let program = backend.prepare(&spec.program)?;
    let table = table(backend, spec.program.base_width(0) as u64, log)?;
    let challenges = points(challenges);
    let columns = spec.columns.len() as u64;
    Ok(Prepared {
        work: work::running(&spec.program, columns, log),
        made: Some(((columns << log) as f64, "rows")),
        run: Box::new(move || {
            let columns = [table.as_ref()];
            let args = Running {
                program: &program,
                columns: &columns,
                log_height: log,
                params: &challenges,
                running: &spec.columns,
            };
            backend.running(&args).map(Kept::Table)
        }),
    })
}

/// The same column as one of fractions.
pub(super) fn logup<'a, B: StarkBackend<P = Goldilocks3>>(backend: &'a B, log: u32) -> Result<Prepared<'a, B>, Error> {
    let (spec, challenges) = ratio(log)?;
    let program = backend.prepare(&spec.program)?;
    let table = table(backend, spec.program.base_width(0) as u64, log)?;
    let challenges = points(challenges);
    let fractions: Vec<(usize, usize)> =
        spec.columns.iter().map(|column| (column.numerator, column.denominator)).collect();
    let columns = fractions.len() as u64;
    Ok(Prepared {
        work: work::running(&spec.program, columns, log),
        made: Some(((columns << log) as f64, "rows")),
        run: Box::new(move || {
            let columns = [table.as_ref()];
            let args = Logup {
                program: &program,
                columns: &columns,
                log_height: log,
                params: &challenges,
                fractions: &fractions,
            };
            backend.logup(&args).map(|(table, _)| Kept::Table(table))
        }),
    })
}

/// The products of two columns and of the first with its next row.
pub(super) fn map<'a, B: StarkBackend<P = Goldilocks3>>(backend: &'a B, log: u32) -> Result<Prepared<'a, B>, Error> {
    let mut builder = ProgramBuilder::<Goldilocks3>::new(vec![Group { width: 2, kind: Kind::Base }], 0);
    let [a, b, next] = [(0, 0), (1, 0), (0, 1)].map(|(column, offset)| builder.load(0, column, offset));
    for (left, right) in [(a, b), (a, next)] {
        let product = builder.mul(left, right);
        builder.output(product);
    }
    let program = builder.finish().expect("every node above is in the group");
    let prepared = backend.prepare(&program)?;
    let table = table(backend, 2, log)?;
    Ok(Prepared {
        work: work::map(&program, 2, log),
        made: Some(((2u64 << log) as f64, "elements")),
        run: Box::new(move || {
            let columns = [table.as_ref()];
            let args = Map { program: &prepared, columns: &columns, log_height: log, outputs: &[0, 1] };
            backend.map(&args).map(Kept::Table)
        }),
    })
}

/// A product and its square, which goes up: at a leaf of a column with its next row, at a node of what its children hand up.
pub(super) fn tree_map<'a, B: StarkBackend<P = Goldilocks3>>(
    backend: &'a B,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    let program = |widths: &[usize], factors: [(usize, usize, i32); 2]| {
        let groups = widths.iter().map(|&width| Group { width, kind: Kind::Base }).collect();
        let mut builder = ProgramBuilder::<Goldilocks3>::new(groups, 0);
        let [a, b] = factors.map(|(group, column, offset)| builder.load(group, column, offset));
        let product = builder.mul(a, b);
        let square = builder.mul(product, product);
        for node in [product, square, square] {
            builder.output(node);
        }
        builder.finish().expect("every node above is in its group")
    };
    let leaf = program(&[1], [(0, 0, 0), (0, 0, 1)]);
    let node = program(&[1, 2], [(1, 0, 0), (1, 1, 0)]);
    let half = log.saturating_sub(1);
    let work = work::map(&leaf, 3, half) + work::map(&node, 3, half);
    let (leaf, node) = (backend.prepare(&leaf)?, backend.prepare(&node)?);
    let table = table(backend, 1, log)?;
    Ok(Prepared {
        work,
        made: Some(((2u64 << log) as f64, "elements")),
        run: Box::new(move || {
            let columns = [table.as_ref()];
            let args = TreeMap { leaf: &leaf, node: &node, columns: &columns, log_height: log, width: 2 };
            backend.tree_map(&args).map(Kept::Table)
        }),
    })
}

pub(super) fn constraints<'a, B: StarkBackend<P = Goldilocks3>>(
    backend: &'a B,
    example: Example,
    log: u32,
) -> Result<Prepared<'a, B>, Error> {
    let request = example.request(log);
    let air = request.build()?;
    let prover = Prover::new(backend, &*air)?;
    let (plan, recorded) = (prover.plan(&request.options)?, prover.recorded());
    let log_eval = match plan.composition {
        Composition::Direct => plan.log_lde,
        Composition::Prefix { log_eval } => log_eval,
    };
    let program = backend.prepare(recorded.constraints())?;
    let tables = (recorded.groups().iter().enumerate())
        .map(|(group, role)| {
            let log_height = match role {
                GroupRole::Periodic { log_period } => log_period + LOG_BLOWUP,
                _ => plan.log_lde,
            };
            table(backend, recorded.constraints().base_width(group) as u64, log_height)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let params = recorded.params(&points(recorded.layout().challenges))?;
    let combination = recorded.combination(points(1)[0].square());
    Ok(Prepared {
        work: work::constraint_eval(recorded.constraints(), &combination, log_eval),
        made: Some(((1u64 << log_eval) as f64, "points")),
        run: Box::new(move || {
            let columns: Vec<Columns<&B::Buffer>> = tables.iter().map(Columns::as_ref).collect();
            let args = Constraints {
                program: &program,
                columns: &columns,
                domain: domain(plan.log_lde),
                log_trace: log,
                log_eval,
                params: &params,
                combination: &combination,
            };
            backend.constraint_eval(&args).map(Kept::Table)
        }),
    })
}
