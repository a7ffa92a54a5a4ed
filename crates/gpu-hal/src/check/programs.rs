//! Operations that run a program.

use alloc::format;

use field::PrimeField;

use super::{columns, domain};
use crate::{
    BaseOf, Columns, ConstraintProgram, Constraints, DeviceBuffer, DeviceProgram, Domain, ExtOf, Group, HalError, Kind,
    Map, Multiplier, Op, Operation, Protocol, Recurrence, Result, Running, RunningForm, TreeMap, Types,
};

fn inputs<P: Protocol, Buf: DeviceBuffer>(
    op: Operation,
    program: &ConstraintProgram<P>,
    tables: &[Columns<&Buf>],
    params: usize,
    log_height: u32,
) -> Result<()> {
    if tables.len() != program.groups().len() {
        return Err(HalError::invalid(
            op.name(),
            format!("{} tables for a program of {} groups", tables.len(), program.groups().len()),
        ));
    }
    for (index, table) in tables.iter().enumerate() {
        columns(op, table)?;
        if table.width != program.base_width(index) {
            return Err(HalError::invalid(
                op.name(),
                format!("group {index} has {} base columns, its table {}", program.base_width(index), table.width),
            ));
        }
        if table.log_height > log_height {
            return Err(HalError::invalid(
                op.name(),
                format!("the table of group {index} has 2^{} rows, the domain 2^{log_height}", table.log_height),
            ));
        }
    }
    if params != program.params() {
        return Err(HalError::invalid(op.name(), format!("{params} parameters for a program of {}", program.params())));
    }
    Ok(())
}

fn output(op: Operation, outputs: usize, index: usize) -> Result<()> {
    if index >= outputs {
        return Err(HalError::invalid(op.name(), format!("output {index} of a program of {outputs} outputs")));
    }
    Ok(())
}

/// One request of [`crate::StarkBackend::running`].
pub fn running<T: Types>(args: &Running<'_, T>) -> Result<()> {
    let (op, program) = (Operation::Running, args.program.program());
    countable::<ExtOf<T>>(op, args.form.width(), args.log_height)?;
    inputs(op, program, args.columns, args.params.len(), args.log_height)?;
    let ratio = |numerator, denominator| {
        output(op, program.outputs().len(), numerator)?;
        output(op, program.outputs().len(), denominator)
    };
    match args.form {
        RunningForm::Columns(columns) => {
            columns.iter().try_for_each(|column| ratio(column.numerator, column.denominator))?;
        }
        RunningForm::Logup(fractions) => {
            let is_other = |table: &&Columns<_>| table.width > 0 && table.log_height != args.log_height;
            if let Some(table) = args.columns.iter().find(is_other) {
                return Err(HalError::invalid(
                    op.name(),
                    format!("a table of 2^{} rows among those of 2^{}", table.log_height, args.log_height),
                ));
            }
            fractions.iter().try_for_each(|(numerator, denominator)| ratio(*numerator, *denominator))?;
        }
    }
    if args.form.width() == 0 {
        return Err(HalError::invalid(op.name(), "no column to build"));
    }
    Ok(())
}

/// No table need have this height, so it is checked on its own: the result's bytes must be countable.
pub(super) fn countable<T>(op: Operation, width: usize, log_height: u32) -> Result<()> {
    let bytes = 1usize.checked_shl(log_height).and_then(|height| height.checked_mul(width * size_of::<T>()));
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(HalError::invalid(
            op.name(),
            format!("{width} columns of 2^{log_height} rows are more than an address can reach"),
        ));
    }
    Ok(())
}

/// [`crate::StarkBackend::recurrence`]: an order of 1 to 4, as many values at every start, starts that ascend, canonical elements.
pub fn recurrence<F: PrimeField>(recurrence: &Recurrence<F>) -> Result<()> {
    let op = Operation::Recurrence;
    countable::<F>(op, 1, recurrence.log_height)?;
    let order = recurrence.coefficients.len();
    let is_right = |values: &[F]| (1..=4).contains(&order) && values.len() == order;
    if let Some((row, values)) = recurrence.starts().find(|(_, values)| !is_right(values)) {
        return Err(HalError::invalid(
            op.name(),
            format!("{order} coefficients and {} values at row {row}: 1 to 4, as many of both", values.len()),
        ));
    }
    let (mut before, height) = (None, 1 << recurrence.log_height);
    for (row, _) in recurrence.starts() {
        if before.is_some_and(|before| row <= before) || row >= height {
            return Err(HalError::invalid(
                op.name(),
                format!("a start at row {row} of {height}: starts ascend from row 0 on and lie within the rows"),
            ));
        }
        before = Some(row);
    }
    if recurrence.starts().flat_map(|(_, values)| values).chain(&recurrence.coefficients).any(|x| !x.is_canonical()) {
        return Err(HalError::invalid(
            op.name(),
            format!("an element is not canonical: reduce it modulo {}", F::ORDER),
        ));
    }
    Ok(())
}

/// [`crate::StarkBackend::map`].
pub fn map<T: Types>(args: &Map<'_, T>) -> Result<()> {
    let (op, program) = (Operation::Map, args.program.program());
    countable::<BaseOf<T>>(op, args.outputs.len(), args.log_height)?;
    inputs(op, program, args.columns, program.params(), args.log_height)?;
    if args.outputs.is_empty() {
        return Err(HalError::invalid(op.name(), "no column to build"));
    }
    args.outputs.iter().try_for_each(|index| base_output(op, program, *index))
}

fn base_output<P: Protocol>(op: Operation, program: &ConstraintProgram<P>, index: usize) -> Result<()> {
    output(op, program.outputs().len(), index)?;
    if program.nodes()[program.outputs()[index].index()].kind != Kind::Base {
        return Err(HalError::invalid(op.name(), format!("output {index} is no base value")));
    }
    Ok(())
}

/// [`crate::StarkBackend::tree_map`].
pub fn tree_map<T: Types>(args: &TreeMap<'_, T>) -> Result<()> {
    let (op, leaf, node) = (Operation::TreeMap, args.leaf.program(), args.node.program());
    let outputs = leaf.outputs().len();
    countable::<BaseOf<T>>(op, outputs, args.log_height)?;
    inputs(op, leaf, args.columns, leaf.params(), args.log_height)?;
    if args.log_height == 0 {
        return Err(HalError::invalid(op.name(), "a single row has no root: a tree takes two rows or more"));
    }
    if args.width == 0 || outputs <= args.width || node.outputs().len() != outputs {
        return Err(HalError::invalid(
            op.name(),
            format!(
                "{outputs} outputs of a leaf and {} of a node for {} columns: as many of both, at least one column, and at \
                 least one value that goes up",
                node.outputs().len(),
                args.width
            ),
        ));
    }
    for program in [leaf, node] {
        (0..outputs).try_for_each(|index| base_output(op, program, index))?;
    }
    let values = outputs - args.width;
    let children = Group { width: 2 * values, kind: Kind::Base };
    if node.groups().split_last() != Some((&children, leaf.groups())) {
        return Err(HalError::invalid(
            op.name(),
            format!("the groups of a node are not those of a leaf and one of {} base columns", 2 * values),
        ));
    }
    let last = leaf.groups().len();
    let shifted =
        |op: &Op<T::P>| matches!(op, Op::Load { group, offset, .. } if *group as usize == last && *offset != 0);
    if node.nodes().iter().any(|node| shifted(&node.op)) {
        return Err(HalError::invalid(op.name(), "a node reads what goes up to another: no row offset there"));
    }
    Ok(())
}

/// Most counts of a call of [`crate::StarkBackend::rows`]: below the order of every field, and below 2^31.
pub const MAX_COUNTED: usize = (1 << 31) - 2;

/// [`crate::StarkBackend::constraint_eval`].
pub fn constraint_eval<T: Types>(args: &Constraints<'_, T>) -> Result<()> {
    let (op, program) = (Operation::ConstraintEval, args.program.program());
    domain::<T::P>(op, &args.domain)?;
    let log_size = args.domain.log_size();
    inputs(op, program, args.columns, args.params.len(), log_size)?;
    if !(args.log_trace <= args.log_eval && args.log_eval <= log_size) {
        return Err(HalError::invalid(
            op.name(),
            format!("trace 2^{}, evaluation 2^{}, domain 2^{log_size}: must not fall", args.log_trace, args.log_eval),
        ));
    }
    // The prefix of a lower table must still be a whole number of periods.
    if let Some(table) = args.columns.iter().find(|table| table.log_height < log_size - args.log_trace) {
        return Err(HalError::invalid(
            op.name(),
            format!("a table of 2^{} rows is lower than the blowup 2^{}", table.log_height, log_size - args.log_trace),
        ));
    }
    if T::P::LIFTS {
        if let Some(table) = args.columns.iter().find(|table| table.width > 0 && table.log_height != log_size) {
            return Err(HalError::invalid(
                op.name(),
                format!("a table of 2^{} rows on a domain of 2^{log_size}", table.log_height),
            ));
        }
        if args.log_eval == args.log_trace {
            return Err(HalError::invalid(
                op.name(),
                "constraints are zero on the trace's own domain: evaluate on more",
            ));
        }
    }
    for group in &args.combination.groups {
        for (index, _) in &group.terms {
            output(op, program.outputs().len(), *index)?;
        }
        multiplier(op, &group.multiplier, args)?;
    }
    Ok(())
}

fn multiplier<T: Types>(op: Operation, multiplier: &Multiplier<BaseOf<T>>, args: &Constraints<'_, T>) -> Result<()> {
    if let Some(factor) = multiplier.factors.iter().find(|factor| factor.log_power > args.log_trace) {
        return Err(HalError::invalid(
            op.name(),
            format!("a factor of power 2^{} above the trace length 2^{}", factor.log_power, args.log_trace),
        ));
    }
    if let Some((group, column)) = multiplier.column
        && args.columns.get(group).is_none_or(|table| column >= table.width)
    {
        return Err(HalError::invalid(
            op.name(),
            format!("multiplier column {column} of group {group} does not exist"),
        ));
    }
    Ok(())
}
