//! Values outside the domain.

use field::circle::CirclePoint;
use field::{ExtensionField, Field, M31, QM31};
use gpu_hal::{Basis, CircleDomain, CircleStark, EvalOrder, Protocol, Result};

use super::factors::{factors, log_domain};
use super::{from_element, ntt, numbers};
use crate::buffer::Table;
use crate::call::{Call, Entry, MAX_ROWS, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;
use crate::pool::Block;

const DEGREE: u64 = CircleStark::DEGREE as u64;
/// Rows, or pairs of rows, of a thread of the kernels that make weights, as in the kernels.
const WEIGHT_ROWS: u64 = 8;
/// Threads and columns of a block of `dot`, as in the kernel, and its rows.
const DOT_THREADS: u32 = 256;
const DOT_COLUMNS: usize = 4;
const DOT_ROWS: u64 = 8192;

fn entry(name: &'static str) -> Entry<'static> {
    Entry { unit: &library::CIRCLE_EVAL_AT, name, defines: &[] }
}

/// `result[point][column]`: sums of weight times element, from coefficients or from values on a circle; values on a line are turned
/// into coefficients first.
pub(super) fn eval_at<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    from: Basis<CircleDomain>,
    points: &[CirclePoint<QM31>],
) -> Result<Vec<Vec<QM31>>> {
    if points.is_empty() || table.width == 0 {
        return Ok(vec![Vec::new(); points.len()]);
    }
    let mut coefficients = None;
    let circle = match from {
        Basis::Evaluations { domain: domain @ CircleDomain::Circle { .. }, order } => Some((domain, order)),
        Basis::Evaluations { domain, order } if CircleStark::log_size(&domain) > 0 => {
            coefficients = Some(line_coefficients(call, table, &domain, order)?);
            None
        }
        _ => None,
    };
    let (block, stride) = coefficients.as_ref().map_or((&table.data.block, table.log_height), |(b, log)| (b, *log));
    // Of a table higher than the domain the first rows count.
    let log_count = match from {
        Basis::Coefficients => table.log_height,
        Basis::Evaluations { domain, .. } => CircleStark::log_size(&domain),
    };
    let count = 1u64 << log_count;
    let blocks = count.div_ceil(DOT_ROWS);
    let weights = call.alloc_elements(DEGREE * count)?;
    let columns = points.len() as u64 * table.width as u64;
    let partial = call.alloc_elements(columns * blocks * DEGREE)?;
    let totals = call.alloc_elements(columns * DEGREE)?;
    for (number, point) in points.iter().enumerate() {
        match &circle {
            Some((domain, order)) => weights_of_values(call, &weights, domain, *order, point)?,
            None => weights_of_coefficients(call, &weights, log_count, point)?,
        }
        let first_partial = number as u64 * table.width as u64 * blocks * DEGREE;
        for first in (0..table.width).step_by(DOT_COLUMNS * MAX_ROWS as usize) {
            let groups = (table.width - first).div_ceil(DOT_COLUMNS).min(MAX_ROWS as usize);
            let params = Params::new()
                .u64(count)
                .u64(1 << stride)
                .u64(DOT_ROWS)
                .u32(blocks as u32)
                .u32(first as u32)
                .u32(table.width as u32);
            let buffers = [whole(block), whole(&weights), from_element(&partial, first_partial)];
            call.launch_blocks(entry("dot"), blocks, groups as u32, DOT_THREADS, &buffers, params)?;
        }
    }
    let params = Params::new().u64(columns).u32(blocks as u32);
    call.launch_items(entry("sum_blocks"), columns * DEGREE, 1, &[whole(&partial), whole(&totals)], params)?;
    let mut sums = vec![M31::ZERO; (columns * DEGREE) as usize];
    call.download(&totals, 0, bytemuck::cast_slice_mut(&mut sums))?;

    let values = points.iter().zip(sums.chunks_exact(table.width * CircleStark::DEGREE)).map(|(point, sums)| {
        let factor = circle.map_or(QM31::ONE, |(domain, _)| common_factor(&domain, point));
        let value = |sum: &[M31]| {
            QM31::from_coordinates(sum).expect("a chunk has as many coordinates as the extension") * factor
        };
        sums.chunks_exact(CircleStark::DEGREE).map(value).collect()
    });
    Ok(values.collect())
}

/// Elements of the buffers that [`eval_at`] takes, at `points` points of a table of `width` columns.
pub(super) fn eval_at_elements(width: usize, log_count: u32, points: usize) -> [u64; 4] {
    let (count, values) = (1u64 << log_count, width as u64 * points as u64 * DEGREE);
    [DEGREE * count, values * count.div_ceil(DOT_ROWS), values, DEGREE * u64::from(log_count.max(1))]
}

/// The factor of all weights of values: see `kernels/circle_eval_at.h`.
fn common_factor(domain: &CircleDomain, point: &CirclePoint<QM31>) -> QM31 {
    let (log_size, log_coset) = (CircleStark::log_size(domain), log_domain(domain));
    let first = field::circle::CircleDomain::canonic(log_coset).at(0);
    let doubled = first.repeated_double(log_size - 1);
    let vanishing = CirclePoint::repeated_double_x(point.x, log_size - 1) - doubled.x;
    // Neither a power of two nor the y-coordinate is zero: the doubled point is of order four or more.
    vanishing * -(M31::new(1 << log_size) * doubled.y).inverse_or_zero()
}

fn weights_of_coefficients<D: KernelDevice>(
    call: Call<'_, D>,
    weights: &Block<D::Memory>,
    log_count: u32,
    point: &CirclePoint<QM31>,
) -> Result<()> {
    let xs = std::iter::successors(Some(point.x), |x| Some(CirclePoint::double_x(*x)));
    let factors = std::iter::once(point.y).chain(xs).take(log_count as usize);
    let factors: Vec<u64> = factors.flat_map(|factor| numbers(&factor)).collect();
    let factors = call.alloc_as_elements(&factors)?;
    let count = 1u64 << log_count;
    let threads = count.div_ceil(WEIGHT_ROWS);
    let params = Params::new().u64(count).u64(threads).u32(threads.ilog2());
    let buffers = [whole(&factors), whole(weights)];
    call.launch_items(entry("weights_of_coefficients"), threads, 1, &buffers, params)
}

fn weights_of_values<D: KernelDevice>(
    call: Call<'_, D>,
    weights: &Block<D::Memory>,
    domain: &CircleDomain,
    order: EvalOrder,
    point: &CirclePoint<QM31>,
) -> Result<()> {
    let factors = factors(call, domain)?;
    let pairs = 1u64 << (CircleStark::log_size(domain) - 1);
    let threads = pairs.div_ceil(WEIGHT_ROWS);
    let params = Params::new()
        .qm31(&point.x)
        .qm31(&point.y)
        .u64(pairs)
        .u64(threads)
        .u32(log_domain(domain))
        .u32((order == EvalOrder::Row).into());
    let buffers = [whole(weights), whole(&factors.forward)];
    call.launch_items(entry("weights_of_values"), threads, 1, &buffers, params)
}

/// The coefficients of the first rows of all columns on a line, and log2 of their height.
fn line_coefficients<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    domain: &CircleDomain,
    order: EvalOrder,
) -> Result<(Block<D::Memory>, u32)> {
    let log_size = CircleStark::log_size(domain);
    let coefficients = call.alloc_elements((table.width as u64) << log_size)?;
    for column in 0..table.width as u64 {
        let source = from_element(&table.data.block, column << table.log_height);
        let target = from_element(&coefficients, column << log_size);
        ntt::inverse(call, 1, source, target, (domain, order))?;
    }
    Ok((coefficients, log_size))
}
