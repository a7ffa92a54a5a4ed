//! Values outside the domain, the FRI fold.

use field::{ExtensionField, Field, Goldilocks};
use gpu_hal::{Basis, CosetDomain, CosetProtocol, EvalOrder, Operation, Result};

use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Call, Entry, column_ranges, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;
use crate::points::PointPolynomials;
use crate::pool::Block;
use crate::twiddles::twiddles;

/// Rows of a thread of the kernels that make weights, threads of a block of `dot`, as in the kernels.
const WEIGHT_ROWS: u64 = 8;
const DOT_THREADS: u32 = 256;
/// Rows and columns of a block of `dot`.
const DOT_ROWS: u64 = 4096;
const DOT_COLUMNS: usize = 4;

/// `result[point][column]`. From coefficients `sum c_i z^i`; from values on `s<w>` of order n the barycentric form
/// `(z^n - s^n)/(n s^n) * sum f(x) x/(z - x)`.
pub(crate) fn eval_at<D: KernelDevice, P: CosetProtocol>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    from: Basis<CosetDomain<Goldilocks>>,
    points: &[P::Ext],
) -> Result<Vec<Vec<P::Ext>>> {
    if points.is_empty() || table.width == 0 {
        return Ok(vec![Vec::new(); points.len()]);
    }
    let degree = P::DEGREE as u64;
    let log_count = match from {
        Basis::Coefficients => table.log_height,
        // Of a table higher than the domain the first rows count.
        Basis::Evaluations { domain, .. } => domain.log_size,
    };
    let count = 1u64 << log_count;
    let blocks = count.div_ceil(DOT_ROWS);
    let weights = call.alloc(degree * count)?;
    let columns = points.len() as u64 * table.width as u64;
    let partial = call.alloc(columns * blocks * degree)?;
    let totals = call.alloc(columns * degree)?;
    let defines = call.degree();
    let entry = |name| Entry { unit: &library::EVAL_AT, name, defines: &defines };
    for (number, point) in points.iter().enumerate() {
        make_weights::<D, P>(call, &weights, &from, log_count, point)?;
        let words_of_point = table.width as u64 * blocks * degree;
        for (first, groups) in column_ranges(table.width.div_ceil(DOT_COLUMNS)) {
            let params = Params::new()
                .u64(count)
                .u64(table.height() as u64)
                .u64(DOT_ROWS)
                .u32(blocks as u32)
                .u32(table.width as u32)
                .u32(first);
            let mut buffers = [whole(&table.data.block), whole(&weights), whole(&partial)];
            buffers[2].offset = number as u64 * words_of_point * 8;
            call.launch_blocks(entry("dot"), blocks, groups, DOT_THREADS, &buffers, params)?;
        }
    }
    let params = Params::new().u64(columns).u32(blocks as u32);
    call.launch_items(entry("sum_blocks"), columns * degree, 1, &[whole(&partial), whole(&totals)], params)?;
    let mut sums = vec![Goldilocks::ZERO; (columns * degree) as usize];
    call.download(&totals, 0, bytemuck::cast_slice_mut(&mut sums))?;

    let values = points.iter().zip(sums.chunks_exact(table.width * P::DEGREE)).map(|(point, sums)| {
        let factor = match from {
            Basis::Coefficients => P::Ext::ONE,
            Basis::Evaluations { domain, .. } => {
                let size = Goldilocks::new(count);
                let shift = domain.shift.pow_two_to(log_count);
                // Neither a power of two nor a power of a valid shift is zero.
                (point.pow_two_to(log_count) - shift) * (size * shift).inverse_or_zero()
            }
        };
        let value = |sum: &[Goldilocks]| {
            P::Ext::from_coordinates(sum).expect("a chunk has as many coordinates as the extension") * factor
        };
        sums.chunks_exact(P::DEGREE).map(value).collect()
    });
    Ok(values.collect())
}

/// Words of the buffers that [`eval_at`] takes, at `points` points of a table of `width` columns.
pub(crate) fn eval_at_words(degree: u64, width: usize, log_count: u32, points: usize) -> [u64; 3] {
    let (count, values) = (1u64 << log_count, width as u64 * points as u64 * degree);
    [degree * count, values * count.div_ceil(DOT_ROWS), values]
}

fn make_weights<D: KernelDevice, P: CosetProtocol>(
    call: Call<'_, D>,
    weights: &Block<D::Memory>,
    from: &Basis<CosetDomain<Goldilocks>>,
    log_count: u32,
    point: &P::Ext,
) -> Result<()> {
    let count = 1u64 << log_count;
    let threads = count.div_ceil(WEIGHT_ROWS);
    let defines = call.degree();
    let entry = |name| Entry { unit: &library::EVAL_AT, name, defines: &defines };
    match from {
        Basis::Coefficients => {
            let params = Params::new().ext(point).ext(&point.pow(threads)).u64(count).u64(threads);
            call.launch_items(entry("weights_of_coefficients"), threads, 1, &[whole(weights)], params)
        }
        Basis::Evaluations { domain, order } => {
            let twiddles = twiddles(call)?;
            let PointPolynomials { norm, adjugate, .. } = PointPolynomials::new(*point);
            let params = norm.iter().fold(Params::new(), |params, coefficient| params.base(*coefficient));
            let params = adjugate.iter().fold(params, Params::ext);
            let natural = *order == EvalOrder::Row;
            let params = params.base(domain.shift).u64(count).u64(threads).u32(log_count).u32(natural.into());
            let buffers = [whole(weights), whole(&twiddles.forward)];
            call.launch_items(entry("weights_of_values"), threads, 1, &buffers, params)
        }
    }
}

pub(crate) fn fold<D: KernelDevice, P: CosetProtocol>(
    call: Call<'_, D>,
    layer: Table<'_, D>,
    domain: &CosetDomain<Goldilocks>,
    folded: &CosetDomain<Goldilocks>,
    alpha: P::Ext,
) -> Result<NewTable<D>> {
    let result = new_table(call, Operation::FriFold, P::DEGREE, folded.log_size)?;
    let twiddles = twiddles(call)?;
    let count = 1u64 << folded.log_size;
    let params = Params::new().ext(&alpha).base(domain.shift.inverse_or_zero()).u64(count);
    let buffers = [whole(&layer.data.block), whole(&result.data.block), whole(&twiddles.inverse)];
    let entry = Entry { unit: &library::FOLD, name: "fold", defines: &call.degree() };
    call.launch_items(entry, count, 1, &buffers, params)?;
    Ok(result)
}
