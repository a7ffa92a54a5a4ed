//! Transforms of columns.
//!
//! A block is taken through several layers at a time while it is in registers ([`pass`]), and through all of its layers
//! while it is in a cache: large blocks are cut depth first into blocks that fit. An extension reads the coefficients
//! once for every block of the larger domain, whose upper coefficients are zero, so that the butterflies of their bits
//! are copies.

mod block;
mod pass;
mod rows;
mod small;

use field::{Field, M31};
use gpu_hal::{Basis, CancelToken, CircleDomain, Columns, Domain, EvalOrder, Operation, Result};
use rayon::prelude::*;

use super::factors::{CircleTables, Layer};
use crate::memory::{CpuBuffer, Memory};
use crate::simd::SimdLevel;
use crate::work_done;

/// Values on a whole column to coefficients.
fn to_coefficients(level: SimdLevel, column: &mut [M31], layers: &[Layer<'_>]) {
    if column.len() < block::SMALLEST {
        small::interpolate(column, 0, layers);
        let scale = M31::new(column.len() as u32).inverse_or_zero();
        column.iter_mut().for_each(|value| *value *= scale);
    } else {
        block::interpolate(level, column, layers);
    }
}

/// Coefficients to values on block `number` of the column's size; from `source`, or in place.
fn to_values(level: SimdLevel, source: Option<&[M31]>, column: &mut [M31], number: usize, layers: &[Layer<'_>]) {
    if column.len() < block::SMALLEST {
        if let Some(source) = source {
            column.copy_from_slice(source);
        }
        small::evaluate(column, number, layers);
    } else {
        block::evaluate(level, source, column, number, layers);
    }
}

/// From storage order to rows, in place.
fn to_rows(level: SimdLevel, domain: &CircleDomain, column: &mut [M31]) {
    let stored = column.to_vec();
    rows::from_storage(level, domain, &stored, column);
}

/// In place, from one basis to the other; the arguments are checked.
pub(crate) fn ntt(
    level: SimdLevel,
    tables: &CircleTables,
    columns: Columns<&mut CpuBuffer<M31>>,
    from: &Basis<CircleDomain>,
    to: &Basis<CircleDomain>,
) {
    let (size, stop) = (columns.height(), CancelToken::here());
    let values = columns.data.values_mut();
    if let (Basis::Evaluations { domain, .. }, Basis::Evaluations { .. }) = (from, to) {
        return values.par_chunks_exact_mut(size).for_each(|column| to_rows(level, domain, column));
    }
    if let Basis::Evaluations { domain, order } = from {
        let layers = tables.layers(domain);
        values.par_chunks_exact_mut(size).for_each(|column| {
            if stop.is_stopped() {
                return;
            }
            if *order == EvalOrder::Row {
                let rows = column.to_vec();
                rows::to_storage(level, domain, &rows, column);
            }
            to_coefficients(level, column, &layers);
        });
    }
    if let Basis::Evaluations { domain, order } = to {
        let layers = tables.layers(domain);
        values.par_chunks_exact_mut(size).for_each(|column| {
            if stop.is_stopped() {
                return;
            }
            to_values(level, None, column, 0, &layers);
            if *order == EvalOrder::Row {
                to_rows(level, domain, column);
            }
        });
    }
}

/// Evaluations on `to` of columns of one height; the arguments are checked.
pub(crate) fn lde(
    memory: &Memory,
    level: SimdLevel,
    tables: &CircleTables,
    (op, given): (Operation, &[&[M31]]),
    log_height: u32,
    from: &Basis<CircleDomain>,
    to: &CircleDomain,
) -> Result<Columns<CpuBuffer<M31>>> {
    let source = match from {
        Basis::Coefficients => None,
        Basis::Evaluations { domain, order } => Some((domain, *order, tables.layers(domain))),
    };
    let mut result = memory.columns(op, given.len(), to.log_size())?;
    let layers = tables.layers(to);
    let (height, size, stop) = (1 << log_height, result.height(), CancelToken::here());
    let columns = result.data.values_mut().par_chunks_exact_mut(size);
    columns.zip(given).for_each(|(column, given)| {
        if stop.is_stopped() {
            return;
        }
        // The first block holds the coefficients until its turn comes, which is last.
        let (first, others) = column.split_at_mut(height);
        let coefficients = match &source {
            None => given,
            Some((domain, order, layers)) => {
                match order {
                    EvalOrder::Row => rows::to_storage(level, domain, given, first),
                    EvalOrder::Storage => first.copy_from_slice(given),
                }
                to_coefficients(level, first, layers);
                &*first
            }
        };
        others.par_chunks_exact_mut(height).enumerate().for_each(|(number, block)| {
            if stop.is_stopped() {
                return;
            }
            to_values(level, Some(coefficients), block, number + 1, &layers);
            work_done::count(height);
        });
        let source = source.is_none().then_some(*given);
        to_values(level, source, first, 0, &layers);
        work_done::count(height);
    });
    Ok(result)
}
