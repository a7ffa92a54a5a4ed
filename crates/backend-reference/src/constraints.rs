//! Constraint programs, run node by node on every row.

use field::Field;
use gpu_hal::{
    ConstraintProgram, Constraints, Kind, Multiplier, Operation, Protocol, Result, Running, RunningKind, StarkBackend,
    check,
};

use crate::memory::{Memory, ReferenceBuffer};
use crate::protocol::ReferenceProtocol;
use crate::table::{NewTable, Table, base, extension, set_extension};

/// An input of a program: a column of group `group` at a row of its table.
fn input<P: Protocol>(
    program: &ConstraintProgram<P>,
    tables: &[Table<'_, P>],
    group: usize,
    column: usize,
    row: usize,
) -> P::Ext {
    match program.groups()[group].kind {
        Kind::Base => base(&tables[group], column, row).into(),
        Kind::Ext => extension::<P>(&tables[group], column, row),
    }
}

/// The inputs of a program at a row of tables in row order; a lower table is periodic, offsets wrap around.
pub(crate) fn load_row<'a, P: Protocol>(
    program: &'a ConstraintProgram<P>,
    tables: &'a [Table<'a, P>],
    row: usize,
    height: usize,
) -> impl FnMut(usize, usize, i32) -> P::Ext + 'a {
    move |group, column, offset| {
        let loaded = (row as i64 + i64::from(offset)).rem_euclid(height as i64) as usize;
        input(program, tables, group, column, loaded % tables[group].height())
    }
}

/// Row `i` of column `k` is the product or sum of `numerator/denominator` up to row `i` or before it.
pub(crate) fn running<P, B>(
    memory: &Memory,
    program: &ConstraintProgram<P>,
    args: &Running<'_, B>,
) -> Result<NewTable<P>>
where
    P: Protocol,
    B: StarkBackend<P = P, Buffer = ReferenceBuffer<P::Base>>,
{
    check::running(program, args)?;
    let mut result = memory.columns(Operation::Running, args.running.len() * P::DEGREE, args.log_height)?;
    let height = result.height();
    let mut accumulated: Vec<P::Ext> = args
        .running
        .iter()
        .map(|column| match column.kind {
            RunningKind::Product => P::Ext::ONE,
            RunningKind::Sum => P::Ext::ZERO,
        })
        .collect();
    for row in 0..height {
        let outputs = program.evaluate(args.params, load_row(program, args.columns, row, height));
        for (k, (column, before)) in args.running.iter().zip(&mut accumulated).enumerate() {
            let ratio = outputs[column.numerator] * outputs[column.denominator].inverse_or_zero();
            let after = match column.kind {
                RunningKind::Product => *before * ratio,
                RunningKind::Sum => *before + ratio,
            };
            set_extension::<P>(&mut result, k, row, if column.inclusive { after } else { *before });
            *before = after;
        }
    }
    Ok(result)
}

/// `sum over groups of multiplier(x) * (sum over terms of weight * output(x))` at the first `2^log_eval` points.
pub(crate) fn evaluate<P, B>(
    memory: &Memory,
    program: &ConstraintProgram<P>,
    args: &Constraints<'_, B>,
) -> Result<NewTable<P>>
where
    P: ReferenceProtocol,
    B: StarkBackend<P = P, Buffer = ReferenceBuffer<P::Base>>,
{
    check::constraint_eval(program, args)?;
    let log_size = P::log_size(&args.domain);
    // The index into a table's storage of what it stands for at index `storage` of the domain.
    let stored = |table: &Table<'_, P>, storage: usize| P::lift_index(storage, log_size, table.log_height);
    let mut result = memory.columns(Operation::ConstraintEval, P::DEGREE, args.log_eval)?;
    for (storage, at) in P::points(&args.domain, args.log_eval).into_iter().enumerate() {
        let outputs = program.evaluate(args.params, |group, column, offset| {
            let loaded = P::neighbour(storage, offset, args.log_trace, args.log_eval, log_size);
            input(program, args.columns, group, column, stored(&args.columns[group], loaded))
        });
        let mut sum = P::Ext::ZERO;
        for group in &args.combination.groups {
            let terms: P::Ext = group.terms.iter().map(|(output, weight)| *weight * outputs[*output]).sum();
            let column = group.multiplier.column.map_or(P::Base::ONE, |(table, column)| {
                let table = &args.columns[table];
                base(table, column, stored(table, storage))
            });
            sum += terms * (factors::<P>(&group.multiplier, at) * column);
        }
        set_extension::<P>(&mut result, 0, storage, sum);
    }
    Ok(result)
}

/// The product of `(x^(2^log_power) - constant)^(+-1)`, zero having the inverse zero.
fn factors<P: ReferenceProtocol>(multiplier: &Multiplier<P::Base>, at: P::At) -> P::Base {
    multiplier
        .factors
        .iter()
        .map(|factor| {
            let value = P::power(at, factor.log_power) - factor.constant;
            if factor.inverse { value.inverse_or_zero() } else { value }
        })
        .product()
}
