//! Multilinear polynomials: the first variable bound, weighted sums of a program over corners, and both at once.

use field::Field;
use gpu_hal::{BindRequest, BindSumRequest, BoundSums, Multilinear, Operation, Result, SumRequest};

use crate::CpuReference;
use crate::constraints::input;
use crate::memory::Memory;
use crate::protocol::ReferenceProtocol;
use crate::table::{NewTable, extension, set_extension};

/// One request of [`gpu_hal::StarkBackend::bind`].
pub(crate) fn bind<P: ReferenceProtocol>(
    memory: &Memory,
    request: &BindRequest<'_, CpuReference<P>>,
) -> Result<NewTable<P>> {
    let Multilinear { table, first, variables } = request.values;
    let mut result = memory.columns(Operation::Bind, table.width, variables - 1)?;
    let half = result.height();
    for column in 0..table.width / P::DEGREE {
        for row in 0..half {
            let [low, high] = [row, half + row].map(|row| extension::<P>(&table, column, first + row));
            set_extension::<P>(&mut result, column, row, low + request.challenge * (high - low));
        }
    }
    Ok(result)
}

/// One request of [`gpu_hal::StarkBackend::sum`].
pub(crate) fn sum<P: ReferenceProtocol>(request: &SumRequest<'_, CpuReference<P>>) -> Vec<P::Ext> {
    let SumRequest { program, values, params, outputs, weights: [high, low] } = request;
    let mut sums = vec![P::Ext::ZERO; outputs.len()];
    let half = 1 << (high.variables + low.variables);
    for row in 0..half {
        let made = program.evaluate(params, |group, column, offset| {
            let Multilinear { table, first, .. } = values[group];
            input::<P>(program, group, column, &table, first + row + if offset == 1 { half } else { 0 })
        });
        let [of_high, of_low] = [row >> low.variables, row & ((1 << low.variables) - 1)];
        let weight = extension::<P>(&high.table, 0, high.first + of_high);
        let weight = weight * extension::<P>(&low.table, 0, low.first + of_low);
        sums.iter_mut().zip(*outputs).for_each(|(sum, output)| *sum += weight * made[*output]);
    }
    sums
}

/// One request of [`gpu_hal::StarkBackend::bind_sum`].
pub(crate) fn bind_sum<P: ReferenceProtocol>(
    memory: &Memory,
    request: &BindSumRequest<'_, CpuReference<P>>,
) -> Result<BoundSums<CpuReference<P>>> {
    let &BindSumRequest { challenge, program, values, params, outputs, weights } = request;
    let bound = bind(memory, &BindRequest { values, challenge })?;
    let all = [Multilinear::all(bound.as_ref())];
    let sums = sum(&SumRequest { program, values: &all, params, outputs, weights });
    Ok(BoundSums { sums, values: bound })
}
