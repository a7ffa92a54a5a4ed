//! Constraint programs, run node by node on every row.

use field::Field;
use gpu_hal::ir::Kind;
use gpu_hal::{ConstraintProgram, Constraints, Domain, HalError, Multiplier, Operation, Protocol, Result};

use crate::CpuReference;
use crate::memory::Memory;
use crate::protocol::ReferenceProtocol;
use crate::table::{NewTable, Table, base, extension, set_extension};

/// An input of a program: a column of group `group` at a row of its table.
pub(crate) fn input<P: Protocol>(
    program: &ConstraintProgram<P>,
    group: usize,
    column: usize,
    table: &Table<'_, P>,
    row: usize,
) -> P::Ext {
    match program.groups()[group].kind {
        Kind::Base => base(table, column, row).into(),
        Kind::Ext => extension::<P>(table, column, row),
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
        input(program, group, column, &tables[group], loaded % tables[group].height())
    }
}

/// `sum over groups of multiplier(x) * (sum over terms of weight * output(x))` at the first `2^log_eval` points.
pub(crate) fn evaluate<P: ReferenceProtocol>(
    memory: &Memory,
    args: &Constraints<'_, CpuReference<P>>,
) -> Result<NewTable<P>> {
    let (program, log_size) = (args.program, args.domain.log_size());
    // The index into a table's storage of the value that it has at index `storage` of the domain.
    let stored = |table: &Table<'_, P>, storage: usize| P::Domain::lift_index(storage, log_size, table.log_height);
    let mut result = memory.columns(Operation::ConstraintEval, P::DEGREE, args.log_eval)?;
    // The check allows only prefixes that are domains.
    let Some(prefix) = args.domain.prefix(args.log_eval) else {
        return Err(HalError::invalid(Operation::ConstraintEval, "no such prefix"));
    };
    for (storage, at) in prefix.points().into_iter().enumerate() {
        let outputs = program.evaluate(args.params, |group, column, offset| {
            let loaded = prefix.neighbour(storage, offset, args.log_trace);
            let table = &args.columns[group];
            input(program, group, column, table, stored(table, loaded))
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
fn factors<P: ReferenceProtocol>(multiplier: &Multiplier<P::Base>, at: <P::Domain as Domain>::At) -> P::Base {
    multiplier
        .factors
        .iter()
        .map(|factor| {
            let value = P::Domain::power(at, factor.log_power) - factor.constant;
            if factor.inverse { value.inverse_or_zero() } else { value }
        })
        .product()
}
