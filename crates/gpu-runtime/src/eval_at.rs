//! Values outside the domain: sums of weight times element. A protocol knows the weights of a point.

use field::ExtensionField;
use gpu_hal::{Basis, Domain, EvalAt, Result, Values};

use crate::backend::GpuBackend;
use crate::call::{Call, Entry, column_ranges, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::{GpuProtocol, from_element, words};

/// Threads and columns of a block of `dot`, as in the kernels.
const DOT_THREADS: u32 = 256;
const DOT_COLUMNS: usize = 4;
/// Rows, or pairs of rows, of a thread of the kernels that make weights, as in the kernels.
pub(crate) const WEIGHT_ROWS: u64 = 8;

/// All requests are enqueued before their values are waited for.
pub(crate) fn eval_at<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    requests: &[EvalAt<'_, GpuBackend<D, P>>],
) -> Result<Vec<Values<GpuBackend<D, P>>>> {
    let degree = P::DEGREE as u64;
    let count = |request: &EvalAt<'_, GpuBackend<D, P>>| (request.points.len() * request.columns.width) as u64;
    let all: u64 = requests.iter().map(count).sum();
    if all == 0 {
        return Ok(requests.iter().map(|request| vec![Vec::new(); request.points.len()]).collect());
    }
    let totals = call.alloc_elements(all * degree)?;
    let (mut first, mut factors) = (0, Vec::with_capacity(requests.len()));
    for request in requests {
        factors.push(if count(request) > 0 { sum_up(call, request, (&totals, first * degree))? } else { Vec::new() });
        first += count(request);
    }
    // Transfers are whole words, and so is all memory.
    let mut sums = vec![0; words::<P>(all * degree) as usize];
    call.download(&totals, 0, &mut sums)?;
    let mut sums = bytemuck::cast_slice::<u64, P::Base>(&sums).chunks_exact(P::DEGREE);
    let values = requests.iter().zip(factors).map(|(request, factors)| {
        let row = |factor: Option<&P::Ext>| {
            let value = |sum: &[P::Base]| {
                let sum = P::Ext::from_coordinates(sum).expect("a chunk has as many coordinates as the extension");
                factor.map_or(sum, |factor| sum * *factor)
            };
            sums.by_ref().take(request.columns.width).map(value).collect()
        };
        (0..request.points.len()).map(|point| factors.get(point)).map(row).collect()
    });
    Ok(values.collect())
}

/// The sums of weight times element of every column at every point, to the totals from an element on. Gives for every point the factor
/// that its sums lack.
fn sum_up<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    request: &EvalAt<'_, GpuBackend<D, P>>,
    (totals, first_total): (&Block<D::Memory>, u64),
) -> Result<Vec<P::Ext>> {
    let EvalAt { columns: table, from, points } = *request;
    let degree = P::DEGREE as u64;
    // Of a table higher than the domain the first rows count.
    let log_count = match &from {
        Basis::Coefficients => table.log_height,
        Basis::Evaluations { domain, .. } => domain.log_size(),
    };
    let coefficients = P::coefficients(call, table, &from)?;
    let (elements, from, log_stride) = match &coefficients {
        Some(coefficients) => (coefficients, Basis::Coefficients, log_count),
        None => (&table.data.block, from, table.log_height),
    };
    let count = 1u64 << log_count;
    let blocks = count.div_ceil(P::DOT_ROWS);
    let weights = call.alloc_elements(degree * count)?;
    let columns = points.len() as u64 * table.width as u64;
    let partial = call.alloc_elements(columns * blocks * degree)?;
    let defines = call.degree();
    let entry = |name| Entry { unit: P::UNITS.eval_at, name, defines: &defines };
    let mut factors = Vec::with_capacity(points.len());
    for (number, point) in points.iter().enumerate() {
        factors.push(P::weights(call, &weights, &from, log_count, point)?);
        let first_partial = number as u64 * table.width as u64 * blocks * degree;
        for (first, groups) in column_ranges(table.width.div_ceil(DOT_COLUMNS)) {
            let params = Params::new()
                .u64(count)
                .u64(1 << log_stride)
                .u64(P::DOT_ROWS)
                .u32(blocks as u32)
                .u32(table.width as u32)
                .u32(first * DOT_COLUMNS as u32);
            let buffers = [whole(elements), whole(&weights), from_element::<P, _>(&partial, first_partial)];
            call.launch_blocks(entry("dot"), blocks, groups, DOT_THREADS, &buffers, params)?;
        }
    }
    let params = Params::new().u64(columns).u32(blocks as u32);
    let buffers = [whole(&partial), from_element::<P, _>(totals, first_total)];
    call.launch_items(entry("sum_blocks"), columns * degree, 1, &buffers, params)?;
    Ok(factors)
}

/// Words of the buffers that a request of [`eval_at`] takes, at `points` points of a table of `width` columns, and of the `values` of
/// all requests.
pub(crate) fn eval_at_words<P: GpuProtocol>(width: usize, log_count: u32, points: usize, values: usize) -> Vec<u64> {
    let degree = P::DEGREE as u64;
    let (count, sums) = (1u64 << log_count, width as u64 * points as u64 * degree);
    let elements = [degree * count, sums * count.div_ceil(P::DOT_ROWS), values as u64 * degree];
    elements.into_iter().chain(P::weight_elements(log_count)).map(words::<P>).collect()
}
