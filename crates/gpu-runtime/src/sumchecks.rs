//! Multilinear polynomials: the first variable bound, weighted sums of a program over corners, and both at once.

use gpu_hal::{BindRequest, BindSumRequest, BoundSums, Multilinear, Result, SumRequest};

use crate::buffer::{NewTable, new_table};
use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::params::{Params, words};
use crate::program_sums::{Summands, sums};
use crate::protocol::GpuProtocol;
use crate::types::GpuTypes;

/// The tables are made one after the other, without a wait.
pub(crate) fn bind<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    requests: &[BindRequest<'_, GpuTypes<D, P>>],
) -> Result<Vec<NewTable<D>>> {
    requests.iter().map(|request| bound(call, request)).collect()
}

fn bound<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    BindRequest { values, challenge }: &BindRequest<'_, GpuTypes<D, P>>,
) -> Result<NewTable<D>> {
    let Multilinear { table, first, variables } = *values;
    let log_half = variables - 1;
    let result = new_table(call, table.width, log_half)?;
    let count = ((table.width / P::DEGREE) as u64) << log_half;
    let params = words::<P::Base, P::Ext>(challenge).fold(Params::new(), Params::u64);
    let params = params.u64(first as u64).u64(table.height() as u64).u64(count).u32(log_half).u32(0);
    let degree = call.degree();
    let entry = Entry { unit: P::UNITS.sumchecks, name: "bind_first", defines: &degree };
    call.launch_items(entry, count, 1, &[whole(&table.data.block), whole(&result.data.block)], params)?;
    Ok(result)
}

/// All requests are enqueued before their sums are waited for.
pub(crate) fn sum<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    requests: &[SumRequest<'_, GpuTypes<D, P>>],
) -> Result<Vec<Vec<P::Ext>>> {
    let mut summands = Vec::with_capacity(requests.len());
    for &SumRequest { program, values, params, outputs, weights } in requests {
        summands.push(Summands { program, values, params, outputs, weights, bound: None });
    }
    sums(call, &summands)
}

/// The same of polynomials with their first variable bound. A program that reads every column at both values of the
/// next variable binds them as it goes; for others that is done first.
pub(crate) fn bind_sum<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    requests: &[BindSumRequest<'_, GpuTypes<D, P>>],
) -> Result<Vec<BoundSums<GpuTypes<D, P>>>> {
    let mut tables = Vec::with_capacity(requests.len());
    for &BindSumRequest { challenge, program, values, .. } in requests {
        let (width, variables) = (values.table.width, values.variables);
        let binds = program.loads_all(width / P::DEGREE);
        let table = if binds {
            new_table(call, width, variables - 1)?
        } else {
            bound(call, &BindRequest { values, challenge })?
        };
        tables.push((table, binds));
    }
    let values: Vec<_> = requests
        .iter()
        .zip(&tables)
        .map(|(request, (table, binds))| [if *binds { request.values } else { Multilinear::all(table.as_ref()) }])
        .collect();
    let mut summands = Vec::with_capacity(requests.len());
    for ((request, (table, binds)), values) in requests.iter().zip(&tables).zip(&values) {
        let &BindSumRequest { challenge, program, params, outputs, weights, .. } = request;
        let bound = binds.then_some((challenge, &table.data.block));
        summands.push(Summands { program, values, params, outputs, weights, bound });
    }
    let sums = sums(call, &summands)?;
    Ok(tables.into_iter().zip(sums).map(|((values, _), sums)| BoundSums { sums, values }).collect())
}
