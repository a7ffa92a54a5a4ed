//! Operations on tables in row order that a program or a recurrence defines, the sum of lifted tables, random rows.

use field::{ExtensionField, Field, PrimeField};
use gpu_hal::hash::random_block;
use gpu_hal::{
    Accumulated, Columns, Domain, LinearRecurrence, MapArgs, Operation, Protocol, RandomRows, Result, RunningColumn,
    RunningForm, RunningKind, RunningRequest, TreeMapArgs,
};

use crate::CpuReference;
use crate::constraints::load_row;
use crate::memory::{Memory, ReferenceBuffer};
use crate::protocol::ReferenceProtocol;
use crate::table::{NewTable, Table, base, extension, set_extension};

/// One request of [`gpu_hal::StarkBackend::running`].
pub(crate) fn running<P: ReferenceProtocol>(
    memory: &Memory,
    args: &RunningRequest<'_, CpuReference<P>>,
) -> Result<Accumulated<CpuReference<P>>> {
    let mut columns = memory.columns(Operation::Running, args.form.width() * P::DEGREE, args.log_height)?;
    let height = columns.height();
    let outputs = |row| args.program.evaluate(args.params, load_row(args.program, args.columns, row, height));
    let total = match args.form {
        RunningForm::Columns(kinds) => {
            accumulate_columns::<P>(&mut columns, kinds, outputs);
            P::Ext::ZERO
        }
        RunningForm::Logup(fractions) => logup::<P>(&mut columns, fractions, outputs),
    };
    Ok(Accumulated { columns, total })
}

/// Row `i` of column `k` is the product or sum of `numerator/denominator` up to row `i` or before it.
fn accumulate_columns<P: Protocol>(
    result: &mut NewTable<P>,
    columns: &[RunningColumn],
    outputs: impl Fn(usize) -> Vec<P::Ext>,
) {
    let first = |column: &RunningColumn| match column.kind {
        RunningKind::Product => P::Ext::ONE,
        RunningKind::Sum => P::Ext::ZERO,
    };
    let mut accumulated: Vec<P::Ext> = columns.iter().map(first).collect();
    for row in 0..result.height() {
        let outputs = outputs(row);
        for (k, (column, before)) in columns.iter().zip(&mut accumulated).enumerate() {
            let ratio = outputs[column.numerator] * outputs[column.denominator].inverse_or_zero();
            let after = match column.kind {
                RunningKind::Product => *before * ratio,
                RunningKind::Sum => *before + ratio,
            };
            set_extension::<P>(result, k, row, if column.inclusive { after } else { *before });
            *before = after;
        }
    }
}

/// Sums of fractions along a row, then down the rows, centred; gives the total.
fn logup<P: Protocol>(
    result: &mut NewTable<P>,
    fractions: &[(usize, usize)],
    outputs: impl Fn(usize) -> Vec<P::Ext>,
) -> P::Ext {
    let (height, last) = (result.height(), fractions.len() - 1);
    let mut total = P::Ext::ZERO;
    for row in 0..height {
        let outputs = outputs(row);
        let mut sum = P::Ext::ZERO;
        for (column, (numerator, denominator)) in fractions.iter().enumerate() {
            sum += outputs[*numerator] * outputs[*denominator].inverse_or_zero();
            set_extension::<P>(result, column, row, sum);
        }
        total += sum;
    }
    let mean = total * P::Base::from_u64(height as u64).inverse_or_zero();
    let mut running = P::Ext::ZERO;
    for row in 0..height {
        running += extension::<P>(&result.as_ref(), last, row) - mean;
        set_extension::<P>(result, last, row, running);
    }
    total
}

/// [`gpu_hal::StarkBackend::recurrence`].
pub(crate) fn recurrence<P: ReferenceProtocol>(
    memory: &Memory,
    recurrence: &LinearRecurrence<P::Base>,
) -> Result<NewTable<P>> {
    let mut result = memory.columns(Operation::Recurrence, 1, recurrence.log_height)?;
    let values = &mut result.data.values;
    // Rows behind the next start are written again from there.
    for (start, initial) in recurrence.starts() {
        for row in start..values.len() {
            values[row] = match initial.get(row - start) {
                Some(value) => *value,
                None => {
                    let before = &values[row - initial.len()..row];
                    recurrence.coefficients.iter().zip(before).map(|(c, f)| *c * *f).sum()
                }
            };
        }
    }
    Ok(result)
}

/// [`gpu_hal::StarkBackend::map`].
pub(crate) fn map<P: ReferenceProtocol>(memory: &Memory, args: &MapArgs<'_, CpuReference<P>>) -> Result<NewTable<P>> {
    let program = args.program;
    let mut result = memory.columns(Operation::Map, args.outputs.len(), args.log_height)?;
    let height = result.height();
    // No output that is wanted depends on a parameter.
    let params = vec![P::Ext::ZERO; program.params()];
    for row in 0..height {
        let outputs = program.evaluate(&params, load_row(program, args.columns, row, height));
        for (column, output) in args.outputs.iter().enumerate() {
            result.data.values[(column << args.log_height) + row] = outputs[*output].coordinates()[0];
        }
    }
    Ok(result)
}

/// [`gpu_hal::StarkBackend::tree_map`], from the last row to the first.
pub(crate) fn tree_map<P: ReferenceProtocol>(
    memory: &Memory,
    args: &TreeMapArgs<'_, CpuReference<P>>,
) -> Result<NewTable<P>> {
    let mut result = memory.columns(Operation::TreeMap, args.width, args.log_height)?;
    let height = result.height();
    let mut handed_up = vec![Vec::new(); height];
    for row in (0..height).rev() {
        let is_inner = (1..height / 2).contains(&row);
        let program = if is_inner { args.node } else { args.leaf };
        let children: Vec<P::Base> =
            if is_inner { [&*handed_up[2 * row], &*handed_up[2 * row + 1]].concat() } else { Vec::new() };
        // No output depends on a parameter.
        let params = vec![P::Ext::ZERO; program.params()];
        let mut load = load_row(program, args.columns, row, height);
        let outputs = program.evaluate(&params, |group, column, offset| {
            if group < args.columns.len() { load(group, column, offset) } else { children[column].into() }
        });
        let mut outputs = outputs.iter().map(|output| output.coordinates()[0]);
        for (column, output) in outputs.by_ref().take(args.width).enumerate() {
            result.data.values[(column << args.log_height) + row] = output;
        }
        handed_up[row] = outputs.collect();
    }
    Ok(result)
}

/// [`gpu_hal::StarkBackend::random`].
pub(crate) fn random<P: Protocol>(into: Columns<&mut ReferenceBuffer<P::Base>>, rows: &RandomRows) {
    for (column, values) in into.data.values.chunks_exact_mut(1 << into.log_height).enumerate() {
        for (row, value) in values.iter_mut().enumerate().skip(rows.from) {
            let number = rows.first + row as u64;
            let block = random_block(&rows.key, rows.stream, column as u64, number / RandomRows::BLOCK);
            let bytes = block.as_chunks::<8>().0;
            let at = 2 * (number % RandomRows::BLOCK) as usize;
            let word = |at: usize| P::Base::from_u64(u64::from_be_bytes(bytes[at]));
            *value = word(at) * P::Base::from_u64(1 << 32).square() + word(at + 1);
        }
    }
}

/// [`gpu_hal::StarkBackend::accumulate`].
pub(crate) fn accumulate<P: Protocol>(into: Columns<&mut ReferenceBuffer<P::Base>>, from: Table<'_, P>) {
    for (column, values) in into.data.values.chunks_exact_mut(1 << into.log_height).enumerate() {
        for (storage, value) in values.iter_mut().enumerate() {
            *value += base(&from, column, P::Domain::lift_index(storage, into.log_height, from.log_height));
        }
    }
}
