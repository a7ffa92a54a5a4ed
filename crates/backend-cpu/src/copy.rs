//! Operations that move elements: upload, download, split, select.

use std::ops::Range;

use field::{Field, PrimeField};
use gpu_hal::{Columns, Domain, MakeElements, Operation, Protocol, Result, check};
use rayon::prelude::*;

use crate::memory::{CpuBuffer, Memory};

/// Elements that a task copies.
const PIECE: usize = 1 << 15;

type Table<'a, F> = Columns<&'a CpuBuffer<F>>;

/// Copies with all threads.
fn copy<F: Copy + Send + Sync>(source: &[F], target: &mut [F]) {
    target
        .par_chunks_mut(PIECE)
        .zip(source.par_chunks(PIECE))
        .for_each(|(target, source)| target.copy_from_slice(source));
}

/// A table of canonical elements.
pub(crate) fn upload<F: PrimeField>(
    memory: &Memory,
    data: &[F],
    width: usize,
    log_height: u32,
) -> Result<Columns<CpuBuffer<F>>> {
    check_canonical(Operation::Upload, &[data])?;
    let mut table = memory.columns(Operation::Upload, width, log_height)?;
    copy(data, table.data.values_mut());
    Ok(table)
}

/// A table of elements that are made where they are kept.
pub(crate) fn upload_made<F: PrimeField>(
    memory: &Memory,
    make: &MakeElements<'_, F>,
    width: usize,
    log_height: u32,
) -> Result<Columns<CpuBuffer<F>>> {
    let mut table = memory.columns(Operation::Upload, width, log_height)?;
    let values = table.data.values_mut();
    values.par_chunks_mut(PIECE).enumerate().for_each(|(number, target)| make(number * PIECE, target));
    check_canonical(Operation::Upload, &[table.data.values()])?;
    Ok(table)
}

/// A table of columns of canonical elements; their lengths are checked.
pub(crate) fn upload_columns<F: PrimeField>(
    memory: &Memory,
    columns: &[&[F]],
    log_height: u32,
) -> Result<Columns<CpuBuffer<F>>> {
    let op = Operation::UploadLde;
    check_canonical(op, columns)?;
    let mut table = memory.columns(op, columns.len(), log_height)?;
    let targets = table.data.values_mut().chunks_exact_mut(1 << log_height);
    columns.iter().zip(targets).for_each(|(column, target)| copy(column, target));
    Ok(table)
}

/// Refuses elements that are not canonical.
pub(crate) fn check_canonical<F: PrimeField>(op: Operation, slices: &[&[F]]) -> Result<()> {
    let is_canonical = |slice: &&[F]| slice.par_chunks(PIECE).all(|piece| piece.iter().all(F::is_canonical));
    // Where one is wrong, again, in order, to say which.
    if slices.par_iter().all(is_canonical) { Ok(()) } else { check::canonical(op, slices) }
}

/// The given rows of all columns.
pub(crate) fn download<F: Field>(table: Table<'_, F>, rows: Range<usize>) -> Vec<F> {
    let values = table.data.values();
    if rows.len() == table.height() {
        return values.to_vec();
    }
    values.chunks_exact(table.height()).flat_map(|column| &column[rows.clone()]).copied().collect()
}

/// Parts of coefficient columns, part-major; `source(part, index)` is where coefficient `index` of a part comes from.
pub(crate) fn split<P: Protocol>(
    memory: &Memory,
    table: Table<'_, P::Base>,
    parts: usize,
    log_part: u32,
    source: impl Fn(usize, usize) -> usize + Sync,
) -> Result<Columns<CpuBuffer<P::Base>>> {
    let mut result = memory.columns(Operation::Split, table.width * parts, log_part)?;
    let columns: Vec<&[P::Base]> = table.data.values().chunks_exact(table.height()).collect();
    let piece = PIECE.min(1 << log_part);
    result.data.values_mut().par_chunks_mut(piece).enumerate().for_each(|(number, target)| {
        let at = number * piece;
        let (column, first) = (at >> log_part, at & ((1 << log_part) - 1));
        let (part, column) = (column / table.width, columns[column % table.width]);
        for (index, value) in target.iter_mut().enumerate() {
            *value = column[source(part, first + index)];
        }
    });
    Ok(result)
}

/// Adds a table, lifted, to one of the same width.
pub(crate) fn accumulate<P: Protocol>(into: Columns<&mut CpuBuffer<P::Base>>, from: Table<'_, P::Base>) {
    let (high, low) = (into.log_height, from.log_height);
    let piece = PIECE.min(1 << high);
    into.data.values_mut().par_chunks_mut(piece).enumerate().for_each(|(number, target)| {
        let (column, first) = ((number * piece) >> high, (number * piece) & ((1 << high) - 1));
        let source = &from.data.values()[column << low..][..1 << low];
        if high == low {
            target.iter_mut().zip(&source[first..]).for_each(|(sum, value)| *sum += *value);
        } else {
            target.iter_mut().zip(first..).for_each(|(sum, at)| *sum += source[P::Domain::lift_index(at, high, low)]);
        }
    });
}

/// A table of the picked columns.
pub(crate) fn select<F: Field>(
    memory: &Memory,
    tables: &[Table<'_, F>],
    picks: &[(usize, usize)],
) -> Result<Columns<CpuBuffer<F>>> {
    let log_height = tables[picks[0].0].log_height;
    let mut result = memory.columns(Operation::Select, picks.len(), log_height)?;
    let height = 1 << log_height;
    for (target, (table, column)) in result.data.values_mut().chunks_exact_mut(height).zip(picks) {
        copy(&tables[*table].data.values()[column << log_height..][..height], target);
    }
    Ok(result)
}
