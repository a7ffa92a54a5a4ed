//! Multilinear polynomials: the first variable bound, and weighted sums of a program over corners.

use field::ExtensionField;
use gpu_hal::{BindRequest, Multilinear, Result, Shape, SumRequest};
use ir::text::constraints::{LOAD_WORDS, Purpose, Sink};

use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Call, Entry, from_element, whole};
use crate::constraints::{Buffers, rows_words, run_program};
use crate::device::KernelDevice;
use crate::elements;
use crate::params::{Params, words};
use crate::placed::placed;
use crate::pool::Block;
use crate::program::GpuProgram;
use crate::protocol::GpuProtocol;
use crate::slots::Slots;
use crate::types::GpuTypes;

/// Threads of a group, which sums up a strip.
const GROUP_THREADS: u64 = 32;
/// The fewest rows of a strip, and the most strips.
const LEAST_ROWS: u64 = 128;
const MOST_STRIPS: u64 = 2048;

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

/// Rows of a strip, and strips.
fn strips(count: u64) -> (u64, u64) {
    let rows = count.div_ceil(MOST_STRIPS).max(LEAST_ROWS);
    (rows, count.div_ceil(rows))
}

/// Outputs of a program as extension columns, in their order.
fn stored<D: KernelDevice, P: GpuProtocol>(program: &GpuProgram<P, D>, outputs: &[usize]) -> Vec<Vec<Sink<P::Ext>>> {
    let mut sinks = program.no_sinks();
    for (column, output) in outputs.iter().enumerate() {
        sinks[*output].push(Sink::Store { column: column as u32 });
    }
    sinks
}

/// Words of the buffers that a request of [`sum`] takes, at most, and of the sums of all requests.
pub(crate) fn sum_words<P: GpuProtocol, D: KernelDevice>(
    device: &D,
    program: &GpuProgram<P, D>,
    tables: &[Shape],
    variables: u32,
    outputs: &[usize],
    sums: usize,
) -> Vec<u64> {
    let (degree, log_half) = (P::DEGREE as u64, variables - 1);
    let mut words = rows_words(device, program, &stored(program, outputs), tables, log_half);
    let columns = outputs.len() as u64 * degree;
    words.push(elements::words::<P>(columns << log_half));
    let strips = strips(1 << log_half).1;
    words.extend((strips > 1).then(|| elements::words::<P>(columns * strips)));
    words.push(elements::words::<P>(sums as u64 * degree));
    words
}

/// All requests are enqueued before their sums are waited for.
pub(crate) fn sum<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    requests: &[SumRequest<'_, GpuTypes<D, P>>],
) -> Result<Vec<Vec<P::Ext>>> {
    let degree = P::DEGREE as u64;
    let count: u64 = requests.iter().map(|request| request.outputs.len() as u64).sum();
    if count == 0 {
        return Ok(Vec::new());
    }
    let totals = call.alloc_elements(count * degree)?;
    let mut first = 0;
    for request in requests {
        summed(call, request, (&totals, first))?;
        first += request.outputs.len() as u64 * degree;
    }
    // Transfers are whole words.
    let mut words = vec![0u64; elements::words::<P>(count * degree) as usize];
    call.download(&totals, 0, &mut words)?;
    let elements: &[P::Base] = bytemuck::cast_slice(&words);
    let mut sums = elements.chunks_exact(P::DEGREE).filter_map(P::Ext::from_coordinates);
    Ok(requests.iter().map(|request| sums.by_ref().take(request.outputs.len()).collect()).collect())
}

/// The sums of a request, from element `first` of the totals on: the values of all rows, sums of strips, then of these.
fn summed<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    request: &SumRequest<'_, GpuTypes<D, P>>,
    (totals, first): (&Block<D::Memory>, u64),
) -> Result<()> {
    let ([high, low], sums) = (&request.weights, request.outputs.len() as u64);
    let (degree, count) = (P::DEGREE as u64, 1u64 << (high.variables + low.variables));
    let values = call.alloc_elements((sums * degree) * count)?;
    evaluate(call, request, count, &values)?;
    let (rows, strips) = strips(count);
    let groups = strips * sums;
    let partial = if strips > 1 { Some(call.alloc_elements(groups * degree)?) } else { None };
    let defines = call.degree();
    let entry = |name| Entry { unit: P::UNITS.sumchecks, name, defines: &defines };
    let params = [high, low].iter().fold(Params::new().u64(count).u64(rows).u64(strips).u64(groups), |params, of| {
        params.u64(of.first as u64).u64(of.table.height() as u64)
    });
    let params = params.u32(low.variables).u32(0);
    let totals = from_element::<P, _>(totals, first);
    let to = partial.as_ref().map_or(totals, whole);
    let buffers = [whole(&values), whole(&high.table.data.block), whole(&low.table.data.block), to];
    call.launch_items(entry("weighted_sums"), groups * GROUP_THREADS, 1, &buffers, params)?;
    let Some(partial) = partial else { return Ok(()) };
    let params = Params::new().u64(sums * degree).u32(strips as u32).u32(0);
    call.launch_items(entry("sum_strips"), sums * degree * GROUP_THREADS, 1, &[whole(&partial), totals], params)
}

/// Stores the wanted outputs of a program at the rows of halves, extension column after extension column.
fn evaluate<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    request: &SumRequest<'_, GpuTypes<D, P>>,
    count: u64,
    result: &Block<D::Memory>,
) -> Result<()> {
    let &SumRequest { program, values, params, outputs, .. } = request;
    let mut encoded = program.encode(call.op, params, 0, &stored(program, outputs))?;
    let tables: Vec<Table<'_, D>> = values.iter().map(|values| values.table).collect();
    let slots = Slots::new(call, &tables)?;
    let mut placed = placed(program, &encoded, &tables, &slots);
    // A load begins at the first row of its half, and has no offset.
    for (load, words) in encoded.loads.iter_mut().zip(placed.load_words.chunks_exact_mut(LOAD_WORDS)) {
        let half = if load.2 == 1 { count } else { 0 };
        words[0] += values[load.0].first as u64 + half;
        words[1] &= u64::from(u32::MAX);
        load.2 = 0;
    }
    let log_rows = count.ilog2();
    let params = Params::new().u64(count).u32(placed.instructions).u32(0).u32(log_rows).u32(log_rows);
    let buffers = Buffers { tables: slots.arguments(result), others: vec![whole(result)] };
    run_program(call, program, (&encoded, &placed), Purpose::Rows, count, buffers, params)
}
