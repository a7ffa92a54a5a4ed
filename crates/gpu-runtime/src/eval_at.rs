//! Values outside the domain: sums of weight times element. A protocol knows the weights of a point.

use std::iter::repeat;

use field::{ExtensionField, Field};
use gpu_hal::{Basis, Domain, EvalRequest, Result, Values};

use crate::call::{Call, Entry, from_element, whole};
use crate::device::{DeviceInfo, KernelDevice};
use crate::elements::words;
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::GpuProtocol;
use crate::types::GpuTypes;

/// Threads of a block of `dot` and of a group that shares columns, as in the kernels.
const DOT_THREADS: u32 = 256;
const GROUP_THREADS: u64 = 32;
/// Such groups for each multiprocessor, and the fewest rows of a strip if there are fewer.
const GROUPS: u64 = 16;
const LEAST_ROWS: u64 = 1024;
/// Rows, or pairs of rows, of a thread of the kernels that make weights, as in the kernels.
pub(crate) const WEIGHT_ROWS: u64 = 8;

/// A table at a point: which request's and which of its points, and the first element of its totals.
struct Sum {
    request: usize,
    point: usize,
    first_total: u64,
}

/// Sums with the same weights.
struct Group<P: GpuProtocol> {
    from: Basis<P::Domain>,
    log_count: u32,
    point: P::Point,
    sums: Vec<Sum>,
}

/// All requests are enqueued before their values are waited for. Weights are made once for all tables of a height.
pub(crate) fn eval_at<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    requests: &[EvalRequest<'_, GpuTypes<D, P>>],
) -> Result<Vec<Values<GpuTypes<D, P>>>> {
    let degree = P::DEGREE as u64;
    let count = |request: &EvalRequest<'_, GpuTypes<D, P>>| (request.points.len() * request.columns.width) as u64;
    let all: u64 = requests.iter().map(count).sum();
    if all == 0 {
        return Ok(requests.iter().map(|request| vec![Vec::new(); request.points.len()]).collect());
    }
    let totals = call.alloc_elements(all * degree)?;
    // The factors that the sums at every point lack.
    let mut factors: Vec<Vec<P::Ext>> =
        requests.iter().map(|request| vec![P::Ext::ONE; request.points.len()]).collect();
    let mut groups: Vec<Group<P>> = Vec::new();
    let mut first_total = 0;
    for (number, request) in requests.iter().enumerate().filter(|(_, request)| request.columns.width > 0) {
        // If a table is higher than the domain, its first rows count.
        let log_count = match &request.from {
            Basis::Coefficients => request.columns.log_height,
            Basis::Evaluations { domain, .. } => domain.log_size(),
        };
        let coefficients = P::coefficients(call, request.columns, &request.from)?;
        for (index, point) in request.points.iter().enumerate() {
            if let Some(coefficients) = &coefficients {
                let (weights, factor) = weights(call, &Basis::Coefficients, log_count, point)?;
                let of =
                    Summed { elements: coefficients, log_stride: log_count, width: request.columns.width, first_total };
                sum_up(call, &[of], (&weights, log_count), &totals)?;
                factors[number][index] = factor;
            } else {
                let sum = Sum { request: number, point: index, first_total };
                let is_same = |group: &&mut Group<P>| {
                    (group.log_count, group.from) == (log_count, request.from) && group.point == *point
                };
                match groups.iter_mut().find(is_same) {
                    Some(group) => group.sums.push(sum),
                    None => groups.push(Group { from: request.from, log_count, point: *point, sums: vec![sum] }),
                }
            }
            first_total += request.columns.width as u64 * degree;
        }
    }
    for Group { from, log_count, point, sums } in groups {
        let (weights, factor) = weights(call, &from, log_count, &point)?;
        let of = |&Sum { request, first_total, .. }: &Sum| {
            let table = requests[request].columns;
            Summed { elements: &table.data.block, log_stride: table.log_height, width: table.width, first_total }
        };
        let tables: Vec<_> = sums.iter().map(of).collect();
        // Low tables have no sums of strips, and are many: as many at once as there are slots.
        let at_once = if 1 << log_count <= LEAST_ROWS { P::UNITS.slots } else { 1 };
        for tables in tables.chunks(at_once) {
            sum_up(call, tables, (&weights, log_count), &totals)?;
        }
        for Sum { request, point, .. } in sums {
            factors[request][point] = factor;
        }
    }
    // Transfers are whole words, and so is all memory.
    let mut sums = vec![0; words::<P>(all * degree) as usize];
    call.download(&totals, 0, &mut sums)?;
    let mut sums = bytemuck::cast_slice::<u64, P::Base>(&sums).chunks_exact(P::DEGREE);
    let values = requests.iter().zip(factors).map(|(request, factors)| {
        let row = |factor: P::Ext| {
            let value = |sum: &[P::Base]| {
                P::Ext::from_coordinates(sum).expect("a chunk has as many coordinates as the extension") * factor
            };
            sums.by_ref().take(request.columns.width).map(value).collect()
        };
        factors.into_iter().map(row).collect()
    });
    Ok(values.collect())
}

/// The weights of rows at a point, and the factor that sums with them lack.
fn weights<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    from: &Basis<P::Domain>,
    log_count: u32,
    point: &P::Point,
) -> Result<(Block<D::Memory>, P::Ext)> {
    let weights = call.alloc_elements((P::DEGREE as u64) << log_count)?;
    let factor = P::weights(call, &weights, from, log_count, point)?;
    Ok((weights, factor))
}

/// Rows of a strip: as many as a group of threads may sum up, or fewer, down to one group for each that the device runs
/// at once, but not so few that the sums over the strips take longer.
fn strip_rows<P: GpuProtocol>(info: &DeviceInfo, count: u64, width: usize) -> u64 {
    let across = width.div_ceil(P::DOT_COLUMNS) as u64;
    let wanted = u64::from(info.multiprocessors) * GROUPS;
    let mut rows = P::DOT_ROWS;
    while rows > LEAST_ROWS && count.div_ceil(rows) * across < wanted {
        rows /= 2;
    }
    rows
}

/// A table that is summed up.
struct Summed<'a, M> {
    elements: &'a Block<M>,
    /// Log2 of the elements from a column to the next.
    log_stride: u32,
    width: usize,
    /// The first element of its totals.
    first_total: u64,
}

/// The sums of weight times element of all columns of some tables: more than one if they are low, and no more than
/// there are slots.
fn sum_up<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    tables: &[Summed<'_, D::Memory>],
    (weights, log_count): (&Block<D::Memory>, u32),
    totals: &Block<D::Memory>,
) -> Result<()> {
    let (count, slots) = (1u64 << log_count, P::UNITS.slots);
    let width: usize = tables.iter().map(|table| table.width).sum();
    let rows = strip_rows::<P>(call.runtime.device.info(), count, width);
    let strips = count.div_ceil(rows);
    let across: usize = tables.iter().map(|table| table.width.div_ceil(P::DOT_COLUMNS)).sum();
    let (groups, sums) = (strips * across as u64, width as u64 * P::DEGREE as u64);
    let partial = if strips > 1 { Some(call.alloc_elements(strips * sums)?) } else { None };
    let defines = call.degree();
    let entry = |name| Entry { unit: P::UNITS.eval_at, name, defines: &defines };
    let first = |table: &Summed<'_, _>| if strips > 1 { 0 } else { table.first_total };
    let params = Params::new().u64(count).u64(rows).u64(strips).u64(groups);
    let params = tables.iter().map(first).chain(repeat(0)).take(slots).fold(params, Params::u64);
    let columns = tables.iter().map(|table| table.width as u32);
    let params = columns.chain(repeat(0)).take(slots).fold(params, Params::u32);
    let strides = tables.iter().map(|table| table.log_stride);
    let params = strides.chain(repeat(0)).take(slots).fold(params, Params::u32);
    // Slots without a table are not read.
    let elements = tables.iter().map(|table| whole(table.elements)).chain(repeat(whole(totals))).take(slots);
    let buffers: Vec<_> = elements.chain([whole(weights), whole(partial.as_ref().unwrap_or(totals))]).collect();
    let blocks = (groups * GROUP_THREADS).div_ceil(u64::from(DOT_THREADS));
    call.launch_blocks(entry("dot"), blocks, 1, DOT_THREADS, &buffers, params)?;
    let Some(partial) = partial else { return Ok(()) };
    let params = Params::new().u64(sums).u32(strips as u32).u32(0);
    let totals = from_element::<P, _>(totals, tables[0].first_total);
    call.launch_items(entry("sum_strips"), sums * GROUP_THREADS, 1, &[whole(&partial), totals], params)
}

/// Words of the buffers that a request of [`eval_at`] takes, at `points` points of a table of `width` columns, and of
/// the `values` of all requests.
pub(crate) fn eval_at_words<P: GpuProtocol>(
    info: &DeviceInfo,
    (width, log_count): (usize, u32),
    points: usize,
    values: usize,
) -> Vec<u64> {
    let degree = P::DEGREE as u64;
    // One point after the other.
    let (count, sums) = (1u64 << log_count, width as u64 * points.min(1) as u64 * degree);
    let partial = Some(count.div_ceil(strip_rows::<P>(info, count, width)))
        .filter(|strips| *strips > 1)
        .map(|strips| sums * strips);
    let elements = [degree * count, values as u64 * degree];
    elements.into_iter().chain(partial).chain(P::weight_elements(log_count)).map(words::<P>).collect()
}
