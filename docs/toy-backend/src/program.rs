//! Programs, run row by row.

use field::{Field, PrimeField};
use gpu_hal::ir::{Instruction, Kind, Operand, Schedule};
use gpu_hal::{Constraints, Domain, Multiplier, Protocol, RunningColumn, RunningForm, RunningKind, RunningRequest};

use crate::Toy;
use crate::kernels::{base, extension, set_extension};
use crate::memory::View;
use crate::protocol::{At, ToyProtocol};

/// Runs a scheduled program on one row: `load(group, column, offset)` reads an input, the result is all outputs.
///
/// The toy keeps every register as an extension element. A real device has two register files and multiplies base by
/// base where both operands are, which is what makes constraints cheap.
fn interpret<P: Protocol>(
    schedule: &Schedule<P>,
    uniforms: &[P::Ext],
    mut load: impl FnMut(usize, usize, i32) -> P::Ext,
) -> Vec<P::Ext> {
    let (bases, extensions) = (schedule.base_registers as usize, schedule.ext_registers as usize);
    let mut registers = vec![P::Ext::ZERO; bases + extensions];
    let mut outputs = vec![P::Ext::ZERO; schedule.program().outputs().len()];
    let register = |operand: Operand| match operand {
        Operand::Base(r) => r as usize,
        Operand::Ext(r) => bases + r as usize,
        Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a schedule never writes to a constant"),
    };
    for instruction in &schedule.instructions {
        let get = |operand: Operand| match operand {
            Operand::Constant(c) => schedule.constants[c as usize].into(),
            Operand::Uniform(u) => uniforms[u as usize],
            _ => registers[register(operand)],
        };
        let (dst, value) = match *instruction {
            Instruction::Load { dst, group, column, offset } => (dst, load(group as usize, column as usize, offset)),
            Instruction::Add { dst, a, b } => (dst, get(a) + get(b)),
            Instruction::Sub { dst, a, b } => (dst, get(a) - get(b)),
            Instruction::Mul { dst, a, b } => (dst, get(a) * get(b)),
            Instruction::Neg { dst, a } => (dst, -get(a)),
            Instruction::Output { index, src } => {
                outputs[index as usize] = get(src);
                continue;
            }
        };
        registers[register(dst)] = value;
    }
    outputs
}

/// An input of a program: a column of group `group`, at a row of its table.
fn input<P: Protocol>(
    schedule: &Schedule<P>,
    tables: &[View<'_, P::Base>],
    group: usize,
    column: usize,
    row: usize,
) -> P::Ext {
    match schedule.program().groups()[group].kind {
        Kind::Base => base(&tables[group], column, row).into(),
        Kind::Ext => extension::<P>(&tables[group], column, row),
    }
}

/// The combined constraints at every point of the first `2^log_eval`, which are `prefix`.
pub(crate) fn constraints<P: ToyProtocol>(
    args: &Constraints<'_, Toy<P>>,
    prefix: &P::Domain,
    tables: &[View<'_, P::Base>],
    out: &mut [P::Base],
) {
    let (schedule, uniforms) = (args.program, args.program.uniforms(args.params));
    // A lower table stands for its lift to the domain.
    let lifted =
        |table: usize, storage| P::Domain::lift_index(storage, args.domain.log_size(), tables[table].log_height);
    for (storage, at) in prefix.points().into_iter().enumerate() {
        let outputs = interpret(schedule, &uniforms, |group, column, offset| {
            let there = prefix.neighbour(storage, offset, args.log_trace);
            input(schedule, tables, group, column, lifted(group, there))
        });
        let mut sum = P::Ext::ZERO;
        for group in &args.combination.groups {
            let terms: P::Ext = group.terms.iter().map(|(output, weight)| *weight * outputs[*output]).sum();
            let column = group
                .multiplier
                .column
                .map_or(P::Base::ONE, |(table, column)| base(&tables[table], column, lifted(table, storage)));
            sum += terms * (factors::<P>(&group.multiplier, at) * column);
        }
        set_extension::<P>(out, args.log_eval, 0, storage, sum);
    }
}

/// The product of `(power of the point - constant)^(+-1)`. The inverse of zero is zero.
fn factors<P: Protocol>(multiplier: &Multiplier<P::Base>, at: At<P>) -> P::Base {
    let factor = |f: &gpu_hal::Factor<P::Base>| {
        let value = P::Domain::power(at, f.log_power) - f.constant;
        if f.inverse { value.inverse_or_zero() } else { value }
    };
    multiplier.factors.iter().map(factor).product()
}

/// Columns that accumulate ratios from row to row; gives the total of a logup.
pub(crate) fn running<P: ToyProtocol>(
    args: &RunningRequest<'_, Toy<P>>,
    tables: &[View<'_, P::Base>],
    out: &mut [P::Base],
) -> P::Ext {
    let (schedule, uniforms, log_height) = (args.program, args.program.uniforms(args.params), args.log_height);
    let rows = (0..1usize << log_height).map(|row| {
        interpret(schedule, &uniforms, |group, column, offset| {
            // Offsets wrap around the trace; a lower table is periodic.
            let there = (row as i64 + i64::from(offset)).rem_euclid(1 << log_height) as usize;
            input(schedule, tables, group, column, there % tables[group].height())
        })
    });
    let mut set = |column, row, value| set_extension::<P>(out, log_height, column, row, value);
    match args.form {
        RunningForm::Columns(columns) => {
            accumulate::<P>(columns, rows, set);
            P::Ext::ZERO
        }
        RunningForm::Logup(fractions) => logup::<P>(fractions, rows, &mut set),
    }
}

fn ratio<F: Field>(outputs: &[F], numerator: usize, denominator: usize) -> F {
    outputs[numerator] * outputs[denominator].inverse_or_zero()
}

/// Each column for itself.
fn accumulate<P: Protocol>(
    columns: &[RunningColumn],
    rows: impl Iterator<Item = Vec<P::Ext>>,
    mut set: impl FnMut(usize, usize, P::Ext),
) {
    let start = |kind| if kind == RunningKind::Product { P::Ext::ONE } else { P::Ext::ZERO };
    let mut totals: Vec<P::Ext> = columns.iter().map(|column| start(column.kind)).collect();
    for (row, outputs) in rows.enumerate() {
        for (k, (column, total)) in columns.iter().zip(&mut totals).enumerate() {
            let (before, ratio) = (*total, ratio(&outputs, column.numerator, column.denominator));
            *total = match column.kind {
                RunningKind::Product => before * ratio,
                RunningKind::Sum => before + ratio,
            };
            set(k, row, if column.inclusive { *total } else { before });
        }
    }
}

/// Sums of fractions along each row; the sums of whole rows, less their mean, down the last column.
fn logup<P: Protocol>(
    fractions: &[(usize, usize)],
    rows: impl Iterator<Item = Vec<P::Ext>>,
    mut set: impl FnMut(usize, usize, P::Ext),
) -> P::Ext {
    let mut sums = Vec::new();
    for (row, outputs) in rows.enumerate() {
        let mut sum = P::Ext::ZERO;
        for (column, (numerator, denominator)) in fractions.iter().enumerate() {
            sum += ratio(&outputs, *numerator, *denominator);
            set(column, row, sum);
        }
        sums.push(sum);
    }
    let total: P::Ext = sums.iter().copied().sum();
    let mean = total * P::Base::from_u64(sums.len() as u64).inverse_or_zero();
    let mut running = P::Ext::ZERO;
    for (row, sum) in sums.into_iter().enumerate() {
        running += sum - mean;
        set(fractions.len() - 1, row, running);
    }
    total
}
