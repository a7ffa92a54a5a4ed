//! Constraint programs, run node by node on every row.

use field::{Field, Goldilocks, bit_reverse};
use gpu_hal::{
    Columns, ConstraintProgram, Constraints, CosetProtocol, Kind, Multiplier, Operation, Result, Running, RunningKind,
    StarkBackend,
};

use super::coset_fft;
use super::table::{base, extension, set_extension};
use crate::memory::{CpuBuffer, Memory};

type Table<'a> = Columns<&'a CpuBuffer<Goldilocks>>;

/// An input of a program: a column of group `group` at a row of its table.
fn input<P: CosetProtocol>(
    program: &ConstraintProgram<P>,
    tables: &[Table<'_>],
    group: usize,
    column: usize,
    row: usize,
) -> P::Ext {
    match program.groups()[group].kind {
        Kind::Base => base(&tables[group], column, row).into(),
        Kind::Ext => extension::<P>(&tables[group], column, row),
    }
}

/// Row `i` of column `k` is the product or sum of `numerator/denominator` up to row `i` or before it.
pub(crate) fn running<P, B>(
    memory: &Memory,
    program: &ConstraintProgram<P>,
    args: &Running<'_, B>,
) -> Result<Columns<CpuBuffer<Goldilocks>>>
where
    P: CosetProtocol,
    B: StarkBackend<P = P, Buffer = CpuBuffer<Goldilocks>>,
{
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
        let outputs = program.evaluate(args.params, |group, column, offset| {
            let loaded = (row as i64 + i64::from(offset)).rem_euclid(height as i64) as usize;
            // A lower table is periodic.
            input(program, args.columns, group, column, loaded % args.columns[group].height())
        });
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
) -> Result<Columns<CpuBuffer<Goldilocks>>>
where
    P: CosetProtocol,
    B: StarkBackend<P = P, Buffer = CpuBuffer<Goldilocks>>,
{
    let log_size = args.domain.log_size;
    // The index into a table's storage of what it stands for at index `storage` of the domain.
    let stored = |table: &Table<'_>, storage: usize| storage >> (log_size - table.log_height);
    let mut result = memory.columns(Operation::ConstraintEval, P::DEGREE, args.log_eval)?;
    for (storage, x) in coset_fft::points(&args.domain.prefix(args.log_eval)).into_iter().enumerate() {
        let outputs = program.evaluate(args.params, |group, column, offset| {
            // x * g^offset, with g the generator of the trace domain: 2^(log_size - log_trace) points on for every row.
            let rows = i64::from(offset).rem_euclid(1 << args.log_trace) as usize;
            let natural = bit_reverse(storage, log_size) + (rows << (log_size - args.log_trace));
            let loaded = bit_reverse(natural % (1 << log_size), log_size);
            input(program, args.columns, group, column, stored(&args.columns[group], loaded))
        });
        let mut sum = P::Ext::ZERO;
        for group in &args.combination.groups {
            let terms: P::Ext = group.terms.iter().map(|(output, weight)| *weight * outputs[*output]).sum();
            let column = group.multiplier.column.map_or(Goldilocks::ONE, |(table, column)| {
                let table = &args.columns[table];
                base(table, column, stored(table, storage))
            });
            sum += terms * (factors(&group.multiplier, x) * column);
        }
        set_extension::<P>(&mut result, 0, storage, sum);
    }
    Ok(result)
}

/// The product of `(x^(2^log_power) - constant)^(+-1)`, zero having the inverse zero.
fn factors(multiplier: &Multiplier<Goldilocks>, x: Goldilocks) -> Goldilocks {
    multiplier
        .factors
        .iter()
        .map(|factor| {
            let value = x.pow_two_to(factor.log_power) - factor.constant;
            if factor.inverse { value.inverse_or_zero() } else { value }
        })
        .product()
}
