//! Operations on tables in row order that a program or a recurrence defines, and the sum of lifted tables.

use field::{ExtensionField, Field, PrimeField};
use gpu_hal::{
    Columns, ConstraintProgram, Logup, Map, Operation, Protocol, Recurrence, Result, StarkBackend, TreeMap, check,
};

use crate::constraints::load_row;
use crate::memory::{Memory, ReferenceBuffer};
use crate::table::{NewTable, Table, base, extension, set_extension};

/// [`StarkBackend::logup`].
pub(crate) fn logup<P, B>(
    memory: &Memory,
    program: &ConstraintProgram<P>,
    args: &Logup<'_, B>,
) -> Result<(NewTable<P>, P::Ext)>
where
    P: Protocol,
    B: StarkBackend<P = P, Buffer = ReferenceBuffer<P::Base>>,
{
    check::logup::<B>(program, args)?;
    let width = args.fractions.len();
    let mut result = memory.columns(Operation::Logup, width * P::DEGREE, args.log_height)?;
    let height = result.height();
    let mut total = P::Ext::ZERO;
    for row in 0..height {
        let outputs = program.evaluate(args.params, load_row(program, args.columns, row, height));
        let mut sum = P::Ext::ZERO;
        for (column, (numerator, denominator)) in args.fractions.iter().enumerate() {
            sum += outputs[*numerator] * outputs[*denominator].inverse_or_zero();
            set_extension::<P>(&mut result, column, row, sum);
        }
        total += sum;
    }
    let mean = total * P::Base::from_u64(height as u64).inverse_or_zero();
    let mut running = P::Ext::ZERO;
    for row in 0..height {
        running += extension::<P>(&result.as_ref(), width - 1, row) - mean;
        set_extension::<P>(&mut result, width - 1, row, running);
    }
    Ok((result, total))
}

/// [`StarkBackend::recurrence`].
pub(crate) fn recurrence<F: PrimeField>(
    memory: &Memory,
    recurrence: &Recurrence<F>,
) -> Result<Columns<ReferenceBuffer<F>>> {
    check::recurrence(recurrence)?;
    let mut result = memory.columns(Operation::Recurrence, 1, recurrence.log_height)?;
    let values = &mut result.data.values;
    // What is behind the next start is written again from there.
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

/// [`StarkBackend::map`].
pub(crate) fn map<P, B>(memory: &Memory, program: &ConstraintProgram<P>, args: &Map<'_, B>) -> Result<NewTable<P>>
where
    P: Protocol,
    B: StarkBackend<P = P, Buffer = ReferenceBuffer<P::Base>>,
{
    check::map::<B>(program, args)?;
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

/// [`StarkBackend::tree_map`], from the last row to the first.
pub(crate) fn tree_map<P, B>(
    memory: &Memory,
    (leaf, node): (&ConstraintProgram<P>, &ConstraintProgram<P>),
    args: &TreeMap<'_, B>,
) -> Result<NewTable<P>>
where
    P: Protocol,
    B: StarkBackend<P = P, Buffer = ReferenceBuffer<P::Base>>,
{
    check::tree_map::<B>(leaf, node, args)?;
    let mut result = memory.columns(Operation::TreeMap, args.width, args.log_height)?;
    let height = result.height();
    let mut handed_up = vec![Vec::new(); height];
    for row in (0..height).rev() {
        let is_inner = (1..height / 2).contains(&row);
        let program = if is_inner { node } else { leaf };
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

/// [`StarkBackend::accumulate`].
pub(crate) fn accumulate<P: Protocol>(into: Columns<&mut ReferenceBuffer<P::Base>>, from: Table<'_, P>) -> Result<()> {
    check::accumulate::<P, _>(&Columns::new(&*into.data, into.width, into.log_height), &from)?;
    for (column, values) in into.data.values.chunks_exact_mut(1 << into.log_height).enumerate() {
        for (storage, value) in values.iter_mut().enumerate() {
            *value += base(&from, column, P::lift_index(storage, into.log_height, from.log_height));
        }
    }
    Ok(())
}
