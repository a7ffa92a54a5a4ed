//! Transforms on the circle and on the line of its x-coordinates.
//!
//! Coefficient `b0 + 2 b1 + 4 b2 + ...` belongs to `y^b0 x^b1 pi(x)^b2 ...` on a circle domain and to `x^b0 pi(x)^b1 ...` on a line
//! domain, with `pi(x) = 2x^2 - 1`. In storage order the polynomial on an aligned block of `2^(i+1)` points is `f_0 + t f_1`, where
//! `t`, the factor of bit `i`, is one number on the first half of the block and its opposite on the second. So a block is a
//! butterfly and then two blocks of half the size: depth first, for the caches, and both halves at once.

use std::sync::OnceLock;

use field::circle::{Coset, MAX_LOG_DOMAIN, coset_row_to_storage};
use field::{Field, M31, batch_inverse, bit_reverse};
use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, EvalOrder, HalError, Operation, Protocol, Result};
use rayon::prelude::*;

use crate::memory::{CpuBuffer, Memory};

/// Blocks at least this large are shared by threads.
const SHARED: usize = 1 << 14;

/// The factors of all domains, made when first needed and kept: 16 bytes for each point of the largest domain.
#[derive(Debug, Default)]
pub(crate) struct CircleTables {
    /// Entry l: `x` at storage index `2h` of the line domain of `2^l` points, and the inverses.
    x: [OnceLock<Factors>; MAX_LOG_DOMAIN as usize + 1],
    /// Entry l: `y` at storage index `2h` of the circle domain of `2^l` points, and the inverses.
    y: [OnceLock<Factors>; MAX_LOG_DOMAIN as usize + 1],
}

#[derive(Debug)]
struct Factors {
    values: Vec<M31>,
    inverses: Vec<M31>,
}

impl Factors {
    fn new(values: Vec<M31>) -> Self {
        // None is zero: the domains have no point of order four or less.
        let mut inverses = values.clone();
        batch_inverse(&mut inverses);
        Self { values, inverses }
    }
}

impl CircleTables {
    /// The factors of bit `layer` for the blocks of a domain, and perhaps more.
    fn layer(&self, domain: &CircleDomain, layer: u32) -> &Factors {
        // pi doubles points: bit i of a domain has the factors of bit 0 of the line domain 2^i times smaller. A prefix of a
        // domain has the first of its factors.
        let log_size = CircleStark::log_whole(domain) - layer;
        match domain {
            CircleDomain::Circle { .. } if layer == 0 => self.y[log_size as usize].get_or_init(|| {
                let points = Coset::half_odds(log_size - 1).points();
                Factors::new(reversed(points.map(|point| point.y), log_size - 1))
            }),
            _ => self.x[log_size as usize].get_or_init(|| {
                let points = Coset::half_odds(log_size).points().take(1 << (log_size - 1));
                Factors::new(reversed(points.map(|point| point.x), log_size - 1))
            }),
        }
    }

    /// All layers of a domain, bit 0 first.
    fn layers(&self, domain: &CircleDomain) -> Vec<&Factors> {
        (0..CircleStark::log_size(domain)).map(|layer| self.layer(domain, layer)).collect()
    }
}

/// Element `i` goes to `bit_reverse(i)`.
fn reversed(values: impl Iterator<Item = M31>, bits: u32) -> Vec<M31> {
    let mut result = vec![M31::ZERO; 1 << bits];
    for (i, value) in values.enumerate() {
        result[bit_reverse(i, bits)] = value;
    }
    result
}

/// `(a, b)` becomes `(a + t b, a - t b)`.
fn forward(low: &mut [M31], high: &mut [M31], t: M31) {
    for (a, b) in low.iter_mut().zip(high) {
        let product = t * *b;
        (*a, *b) = (*a + product, *a - product);
    }
}

/// `(a, b)` becomes `(a + b, (a - b) t)`.
fn backward(low: &mut [M31], high: &mut [M31], t: M31) {
    for (a, b) in low.iter_mut().zip(high) {
        (*a, *b) = (*a + *b, (*a - *b) * t);
    }
}

/// A butterfly over the halves of a block, by all threads if it is large.
fn butterfly(low: &mut [M31], high: &mut [M31], t: M31, f: fn(&mut [M31], &mut [M31], M31)) {
    if low.len() < SHARED {
        return f(low, high, t);
    }
    low.par_chunks_mut(SHARED).zip(high.par_chunks_mut(SHARED)).for_each(|(low, high)| f(low, high, t));
}

fn both(block: &mut [M31], low: impl FnOnce(&mut [M31]) + Send, high: impl FnOnce(&mut [M31]) + Send) {
    let shared = block.len() >= SHARED;
    let (first, second) = block.split_at_mut(block.len() / 2);
    if shared {
        rayon::join(|| low(first), || high(second));
    } else {
        low(first);
        high(second);
    }
}

/// Coefficients to values on block `number` of its size.
fn evaluate(block: &mut [M31], number: usize, layers: &[&Factors]) {
    let bits = block.len().ilog2() as usize;
    if bits == 0 {
        return;
    }
    let (low, high) = block.split_at_mut(block.len() / 2);
    butterfly(low, high, layers[bits - 1].values[number], forward);
    both(block, |low| evaluate(low, 2 * number, layers), |high| evaluate(high, 2 * number + 1, layers));
}

/// Values on block `number` of its size to coefficients times the size.
fn interpolate(block: &mut [M31], number: usize, layers: &[&Factors]) {
    let bits = block.len().ilog2() as usize;
    if bits == 0 {
        return;
    }
    both(block, |low| interpolate(low, 2 * number, layers), |high| interpolate(high, 2 * number + 1, layers));
    let (low, high) = block.split_at_mut(block.len() / 2);
    butterfly(low, high, layers[bits - 1].inverses[number], backward);
}

/// Where row `row` is stored: rows follow the coset on a circle domain, and the natural order on a line.
fn row_to_storage(domain: &CircleDomain, row: usize) -> usize {
    match *domain {
        CircleDomain::Circle { log_size, .. } => coset_row_to_storage(row, log_size),
        CircleDomain::Line { log_size } => bit_reverse(row, log_size),
    }
}

fn to_coefficients(columns: &mut [M31], tables: &CircleTables, domain: &CircleDomain, order: EvalOrder) {
    let layers = tables.layers(domain);
    let size = 1 << CircleStark::log_size(domain);
    let scale = M31::new(size as u32).inverse_or_zero();
    columns.par_chunks_exact_mut(size).for_each(|column| {
        if order == EvalOrder::Row {
            let rows = column.to_vec();
            rows.iter().enumerate().for_each(|(row, value)| column[row_to_storage(domain, row)] = *value);
        }
        interpolate(column, 0, &layers);
        column.par_chunks_mut(SHARED).for_each(|piece| piece.iter_mut().for_each(|value| *value *= scale));
    });
}

fn to_values(columns: &mut [M31], tables: &CircleTables, domain: &CircleDomain, order: EvalOrder) {
    let layers = tables.layers(domain);
    columns.par_chunks_exact_mut(1 << CircleStark::log_size(domain)).for_each(|column| {
        evaluate(column, 0, &layers);
        if order == EvalOrder::Row {
            let stored = column.to_vec();
            column.iter_mut().enumerate().for_each(|(row, value)| *value = stored[row_to_storage(domain, row)]);
        }
    });
}

/// In place, from one basis to the other; the arguments are checked.
pub(crate) fn ntt(
    tables: &CircleTables,
    columns: Columns<&mut CpuBuffer<M31>>,
    from: &Basis<CircleDomain>,
    to: &Basis<CircleDomain>,
) {
    let values = columns.data.values_mut();
    if let Basis::Evaluations { domain, order } = from {
        to_coefficients(values, tables, domain, *order);
    }
    if let Basis::Evaluations { domain, order } = to {
        to_values(values, tables, domain, *order);
    }
}

/// Evaluations on `to`; the arguments are checked.
pub(crate) fn lde(
    memory: &Memory,
    tables: &CircleTables,
    table: &Columns<&CpuBuffer<M31>>,
    from: &Basis<CircleDomain>,
    to: &CircleDomain,
) -> Result<Columns<CpuBuffer<M31>>> {
    let op = Operation::Lde;
    let mut owned = None;
    if let Basis::Evaluations { domain, order } = from {
        if matches!(domain, CircleDomain::Circle { .. }) != matches!(to, CircleDomain::Circle { .. }) {
            let detail = format!("polynomials on {domain:?} are not polynomials on {to:?}; use domains of one kind");
            return Err(HalError::invalid(op.name(), detail));
        }
        let coefficients = owned.insert(memory.columns(op, table.width, table.log_height)?);
        coefficients.data.values_mut().copy_from_slice(table.data.values());
        to_coefficients(coefficients.data.values_mut(), tables, domain, *order);
    }
    let coefficients = owned.as_ref().map_or(table.data.values(), |columns| columns.data.values());
    let mut result = memory.columns(op, table.width, CircleStark::log_size(to))?;
    let layers = tables.layers(to);
    let (height, size) = (table.height(), result.height());
    let columns = result.data.values_mut().par_chunks_exact_mut(size).zip(coefficients.par_chunks_exact(height));
    columns.for_each(|(column, coefficients)| {
        // The coefficients above are zero: the butterflies of their bits copy.
        column.par_chunks_exact_mut(height).enumerate().for_each(|(number, block)| {
            block.copy_from_slice(coefficients);
            evaluate(block, number, &layers);
        });
    });
    Ok(result)
}
