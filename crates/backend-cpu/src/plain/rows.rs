//! Operations on tables in row order that a program or a recurrence defines, and the sum of lifted tables.

use field::{ExtensionField, Field, PrimeField};
use gpu_hal::{Columns, ConstraintProgram, Logup, Map, Operation, Protocol, Result, StarkBackend, check};

use super::constraints::load_row;
use super::table::{extension, set_extension};
use crate::memory::{CpuBuffer, Memory};

type NewTable<P> = Columns<CpuBuffer<<P as Protocol>::Base>>;

/// [`StarkBackend::logup`].
pub(crate) fn logup<P, B>(
    memory: &Memory,
    program: &ConstraintProgram<P>,
    args: &Logup<'_, B>,
) -> Result<(NewTable<P>, P::Ext)>
where
    P: Protocol,
    B: StarkBackend<P = P, Buffer = CpuBuffer<P::Base>>,
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

/// [`StarkBackend::map`].
pub(crate) fn map<P, B>(memory: &Memory, program: &ConstraintProgram<P>, args: &Map<'_, B>) -> Result<NewTable<P>>
where
    P: Protocol,
    B: StarkBackend<P = P, Buffer = CpuBuffer<P::Base>>,
{
    check::map::<B>(program, args)?;
    let mut result = memory.columns(Operation::Map, args.outputs.len(), args.log_height)?;
    let height = result.height();
    // No output that is wanted depends on a parameter.
    let params = vec![P::Ext::ZERO; program.params()];
    for row in 0..height {
        let outputs = program.evaluate(&params, load_row(program, args.columns, row, height));
        for (column, output) in args.outputs.iter().enumerate() {
            result.data.values_mut()[(column << args.log_height) + row] = outputs[*output].coordinates()[0];
        }
    }
    Ok(result)
}
