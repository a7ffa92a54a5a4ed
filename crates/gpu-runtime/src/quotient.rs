//! Values outside the domain, the DEEP quotient, the FRI fold.

use std::collections::BTreeMap;

use field::{ExtensionField, Field, Goldilocks};
use gpu_hal::{Basis, CosetDomain, CosetProtocol, DeepTerm, EvalOrder, Operation, Result, Shape};

use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Call, Entry, column_ranges, whole};
use crate::device::KernelDevice;
use crate::library::{self, GOLDILOCKS};
use crate::params::{Params, words};
use crate::pool::Block;
use crate::slots::{Slots, packed_words};
use crate::twiddles::twiddles;

/// Rows of a thread of the kernels that make weights, threads of a block of `dot`, as in the kernels.
const WEIGHT_ROWS: u64 = 8;
const DOT_THREADS: u32 = 256;
/// Rows of a block of `dot`.
const DOT_ROWS: u64 = 4096;
/// Rows of a thread of `deep`, as in the kernel, and the most terms that it is compiled for.
const DEEP_ROWS: u64 = 2;
const DEEP_TERMS: usize = 4;

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
        for (first, columns) in column_ranges(table.width) {
            let params =
                Params::new().u64(count).u64(table.height() as u64).u64(DOT_ROWS).u32(blocks as u32).u32(first);
            let mut buffers = [whole(&table.data.block), whole(&weights), whole(&partial)];
            buffers[2].offset = number as u64 * words_of_point * 8;
            call.launch_blocks(entry("dot"), blocks, columns, DOT_THREADS, &buffers, params)?;
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

/// Words of the buffers that [`deep`] takes beside its result, at most.
pub(crate) fn deep_words(degree: u64, tables: &[Shape], terms: usize) -> Vec<u64> {
    let terms = terms.min(DEEP_TERMS) as u64;
    let columns: u64 = tables.iter().map(|table| table.width as u64).sum();
    let mut words = vec![2 * terms * degree, columns * (2 + terms * degree)];
    words.extend(packed_words(tables, &GOLDILOCKS));
    words
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
    let params = |step: P::Ext, shift: Goldilocks, natural: bool| {
        Params::new().ext(point).ext(&step).base(shift).u64(count).u64(threads).u32(log_count).u32(natural.into())
    };
    let defines = call.degree();
    let entry = |name| Entry { unit: &library::EVAL_AT, name, defines: &defines };
    match from {
        Basis::Coefficients => {
            let params = params(point.pow(threads), Goldilocks::ONE, false);
            call.launch_items(entry("weights_of_coefficients"), threads, 1, &[whole(weights)], params)
        }
        Basis::Evaluations { domain, order } => {
            let twiddles = twiddles(call)?;
            let params = params(P::Ext::ONE, domain.shift, *order == EvalOrder::Row);
            let buffers = [whole(weights), whole(&twiddles.forward)];
            call.launch_items(entry("weights_of_values"), threads, 1, &buffers, params)
        }
    }
}

pub(crate) fn deep<D: KernelDevice, P: CosetProtocol>(
    call: Call<'_, D>,
    tables: &[Table<'_, D>],
    domain: &CosetDomain<Goldilocks>,
    terms: &[DeepTerm<P>],
) -> Result<NewTable<D>> {
    let result = new_table(call, Operation::DeepQuotient, P::DEGREE, domain.log_size)?;
    if terms.is_empty() {
        call.zero(&result.data.block, result.elements() as u64)?;
        return Ok(result);
    }
    let slots = Slots::new(call, tables)?;
    let twiddles = twiddles(call)?;
    let count = 1u64 << domain.log_size;
    let threads = count.div_ceil(DEEP_ROWS);
    for (number, terms) in terms.chunks(DEEP_TERMS).enumerate() {
        let term_words: Vec<u64> =
            terms.iter().flat_map(|term| words(&term.point).chain(words(&term.constant))).collect();
        let (columns, weight_words) =
            weights_by_column(terms, |table, column| slots.column(table, (column as u64) << domain.log_size));
        let (term_block, weight_block) = (call.alloc_words(&term_words)?, call.alloc_words(&weight_words)?);
        let params = Params::new().base(domain.shift).u64(count).u64(threads).u32(columns).u32((number > 0).into());
        let mut buffers = slots.arguments(&result.data.block);
        buffers.extend([whole(&term_block), whole(&weight_block), whole(&twiddles.forward), whole(&result.data.block)]);
        let defines = [call.degree()[0], ("TERMS", terms.len() as u64)];
        let entry = Entry { unit: &library::DEEP, name: "deep", defines: &defines };
        call.launch_items(entry, threads, 1, &buffers, params)?;
    }
    Ok(result)
}

/// For each column: the column, the terms that have it as bits, their weights. A column that a term has twice has one weight, the
/// sum. And how many columns.
fn weights_by_column<P: CosetProtocol>(terms: &[DeepTerm<P>], place: impl Fn(usize, usize) -> u64) -> (u32, Vec<u64>) {
    let mut columns: BTreeMap<(usize, usize), Vec<Option<P::Ext>>> = BTreeMap::new();
    for (number, term) in terms.iter().enumerate() {
        for (table, column, weight) in &term.weights {
            let weights = columns.entry((*table, *column)).or_insert_with(|| vec![None; terms.len()]);
            *weights[number].get_or_insert(P::Ext::ZERO) += *weight;
        }
    }
    let mut out = Vec::new();
    for ((table, column), weights) in &columns {
        let mask =
            weights.iter().enumerate().filter(|(_, weight)| weight.is_some()).fold(0, |mask, (t, _)| mask | 1 << t);
        out.extend([place(*table, *column), mask]);
        weights.iter().flatten().for_each(|weight| out.extend(words(weight)));
    }
    (columns.len() as u32, out)
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
