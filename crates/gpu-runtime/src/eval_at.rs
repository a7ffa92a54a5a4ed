//! Values outside the domain: sums of weight times element. A protocol knows the weights of a point.

use field::ExtensionField;
use gpu_hal::{Basis, Result};

use crate::buffer::Table;
use crate::call::{Call, Entry, column_ranges, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::protocol::{GpuProtocol, from_element, words};

/// Threads and columns of a block of `dot`, as in the kernels.
const DOT_THREADS: u32 = 256;
const DOT_COLUMNS: usize = 4;
/// Rows, or pairs of rows, of a thread of the kernels that make weights, as in the kernels.
pub(crate) const WEIGHT_ROWS: u64 = 8;

/// `result[point][column]`.
pub(crate) fn eval_at<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    table: Table<'_, D>,
    from: Basis<P::Domain>,
    points: &[P::Point],
) -> Result<Vec<Vec<P::Ext>>> {
    if points.is_empty() || table.width == 0 {
        return Ok(vec![Vec::new(); points.len()]);
    }
    let degree = P::DEGREE as u64;
    // Of a table higher than the domain the first rows count.
    let log_count = match &from {
        Basis::Coefficients => table.log_height,
        Basis::Evaluations { domain, .. } => P::log_size(domain),
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
    let totals = call.alloc_elements(columns * degree)?;
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
    call.launch_items(entry("sum_blocks"), columns * degree, 1, &[whole(&partial), whole(&totals)], params)?;
    // Transfers are whole words, and so is all memory.
    let mut sums = vec![0; words::<P>(columns * degree) as usize];
    call.download(&totals, 0, &mut sums)?;
    let sums: &[P::Base] = bytemuck::cast_slice(&sums);

    let values = factors.into_iter().zip(sums.chunks_exact(table.width * P::DEGREE)).map(|(factor, sums)| {
        let value = |sum: &[P::Base]| {
            P::Ext::from_coordinates(sum).expect("a chunk has as many coordinates as the extension") * factor
        };
        sums.chunks_exact(P::DEGREE).map(value).collect()
    });
    Ok(values.collect())
}

/// Words of the buffers that [`eval_at`] takes, at `points` points of a table of `width` columns.
pub(crate) fn eval_at_words<P: GpuProtocol>(width: usize, log_count: u32, points: usize) -> Vec<u64> {
    let degree = P::DEGREE as u64;
    let (count, values) = (1u64 << log_count, width as u64 * points as u64 * degree);
    let elements = [degree * count, values * count.div_ceil(P::DOT_ROWS), values];
    elements.into_iter().chain(P::weight_elements(log_count)).map(words::<P>).collect()
}
