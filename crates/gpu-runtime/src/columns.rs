//! Transfers, copies and transforms of whole tables.

use std::ops::Range;

use field::{Field, Goldilocks, PrimeField};
use gpu_hal::{Basis, Columns, CosetDomain, ErrorKind, EvalOrder, HalError, Operation, Result, check};

use crate::buffer::{GpuBuffer, NewTable, Table, new_table};
use crate::call::{Call, Entry, part, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::ntt;
use crate::params::Params;
use crate::pool::Block;

/// Columns that [`upload_lde`] takes at once: a power of two or all, so that parts begin where kernels may read several elements at once.
pub(crate) fn batch_columns(device: &impl KernelDevice, width: usize, log_height: u32) -> usize {
    let columns = (device.upload_batch() / 8).checked_shr(log_height).unwrap_or(0).max(1);
    width.min(columns as usize)
}

/// What is wrong with data that was not accepted.
pub(crate) fn refused<F: PrimeField>(call: Call<'_, impl KernelDevice>, slices: &[&[F]]) -> HalError {
    let op = Operation::Upload;
    let none = || HalError::new(ErrorKind::Backend, op.name(), "canonical elements were refused");
    call.named(check::canonical(op, slices).err().unwrap_or_else(none))
}

pub(crate) fn upload<D: KernelDevice>(
    call: Call<'_, D>,
    data: &[Goldilocks],
    width: usize,
    log_height: u32,
) -> Result<NewTable<D>> {
    let table = new_table(call, Operation::Upload, width, log_height)?;
    if !data.is_empty() && !call.upload_elements(&table.data.block, &[data], data.len(), |_| Ok(()))? {
        return Err(refused(call, &[data]));
    }
    Ok(table)
}

/// [`upload`], then [`lde`]: large tables in parts, each of which is extended while the next is on its way.
pub(crate) fn upload_lde<D: KernelDevice>(
    call: Call<'_, D>,
    columns: &[&[Goldilocks]],
    log_height: u32,
    from: Basis<CosetDomain<Goldilocks>>,
    to: CosetDomain<Goldilocks>,
) -> Result<(NewTable<D>, NewTable<D>)> {
    let width = columns.len();
    let rows = new_table(call, Operation::UploadLde, width, log_height)?;
    let extended = new_table(call, Operation::UploadLde, width, to.log_size)?;
    if width == 0 {
        return Ok((rows, extended));
    }
    let batch = batch_columns(&call.runtime.device, width, log_height);
    let workspace = workspace(call, batch, log_height, &from)?;
    let accepted = call.upload_elements(&rows.data.block, columns, batch << log_height, |number| {
        let columns = number * batch..((number + 1) * batch).min(width);
        extend(call, rows.as_ref(), columns, from, to, workspace.as_ref(), &extended)
    })?;
    if !accepted {
        return Err(refused(call, columns));
    }
    Ok((rows, extended))
}

pub(crate) fn download<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    rows: Range<usize>,
) -> Result<Vec<Goldilocks>> {
    let mut out = vec![Goldilocks::ZERO; rows.len() * table.width];
    if out.is_empty() {
        return Ok(out);
    }
    let words = bytemuck::cast_slice_mut(&mut out);
    if rows.len() == table.height() || table.width == 1 {
        call.download(&table.data.block, rows.start as u64, words)?;
        return Ok(out);
    }
    let count = words.len() as u64;
    let packed = call.alloc(count)?;
    let params = Params::new().u64(count).u64(rows.start as u64).u64(rows.len() as u64).u32(table.log_height);
    let entry = Entry { unit: &library::COLUMNS, name: "copy_rows", defines: &[] };
    call.launch_items(entry, count, 1, &[whole(&table.data.block), whole(&packed)], params)?;
    call.download(&packed, 0, words)?;
    Ok(out)
}

/// Exactly one of `from` and `to` is values; in place, but values in row order take a second buffer for as long as it lasts.
pub(crate) fn ntt<D: KernelDevice>(
    call: Call<'_, D>,
    table: Columns<&mut GpuBuffer<D::Memory>>,
    from: Basis<CosetDomain<Goldilocks>>,
    to: Basis<CosetDomain<Goldilocks>>,
) -> Result<()> {
    let (width, log_height) = (table.width, table.log_height);
    if width == 0 {
        return Ok(());
    }
    let block = &mut table.data.block;
    let other = || call.alloc((width as u64) << log_height);
    match (from, to) {
        (Basis::Evaluations { domain, order: EvalOrder::Storage }, _) => {
            ntt::inverse(call, width, whole(block), whole(block), &domain)?;
        }
        (_, Basis::Evaluations { domain, order: EvalOrder::Storage }) => {
            ntt::forward(call, width, (whole(block), log_height), whole(block), &domain, Goldilocks::ONE)?;
        }
        (Basis::Evaluations { domain, order: EvalOrder::Row }, _) if domain.shift == Goldilocks::ONE => {
            let other = other()?;
            ntt::from_rows(call, width, whole(block), [whole(&other), whole(block)], log_height, true)?;
            if ntt::last_target(log_height) == 0 {
                *block = other;
            }
        }
        // Proofs have no use for the other two.
        (Basis::Evaluations { domain, order: EvalOrder::Row }, _) => {
            let other = other()?;
            reverse_rows(call, width, log_height, block, &other)?;
            ntt::inverse(call, width, whole(&other), whole(&other), &domain)?;
            *block = other;
        }
        (_, Basis::Evaluations { domain, order: EvalOrder::Row }) => {
            let other = other()?;
            ntt::forward(call, width, (whole(block), log_height), whole(block), &domain, Goldilocks::ONE)?;
            reverse_rows(call, width, log_height, block, &other)?;
            *block = other;
        }
        // The check refused it.
        (Basis::Coefficients, Basis::Coefficients) => {}
    }
    Ok(())
}

/// Row order to storage order or back.
fn reverse_rows<D: KernelDevice>(
    call: Call<'_, D>,
    width: usize,
    log_height: u32,
    source: &Block<D::Memory>,
    target: &Block<D::Memory>,
) -> Result<()> {
    let count = (width as u64) << log_height;
    let entry = Entry { unit: &library::COLUMNS, name: "reverse_rows", defines: &[] };
    let params = Params::new().u64(count).u32(log_height);
    call.launch_items(entry, count, 1, &[whole(source), whole(target)], params)
}

pub(crate) fn lde<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    from: Basis<CosetDomain<Goldilocks>>,
    to: CosetDomain<Goldilocks>,
) -> Result<NewTable<D>> {
    let extended = new_table(call, Operation::Lde, table.width, to.log_size)?;
    if table.width > 0 {
        let workspace = workspace(call, table.width, table.log_height, &from)?;
        extend(call, table, 0..table.width, from, to, workspace.as_ref(), &extended)?;
    }
    Ok(extended)
}

/// Memory for the coefficients of so many columns, if they are not given.
fn workspace<D: KernelDevice>(
    call: Call<'_, D>,
    width: usize,
    log_height: u32,
    from: &Basis<CosetDomain<Goldilocks>>,
) -> Result<Option<Block<D::Memory>>> {
    match from {
        Basis::Coefficients => Ok(None),
        Basis::Evaluations { .. } => call.alloc((width as u64) << log_height).map(Some),
    }
}

/// Extends some columns, at least one. The workspace has room for the coefficients of as many, if they are not given.
fn extend<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    columns: Range<usize>,
    from: Basis<CosetDomain<Goldilocks>>,
    to: CosetDomain<Goldilocks>,
    workspace: Option<&Block<D::Memory>>,
    extended: &NewTable<D>,
) -> Result<()> {
    let (width, log_height) = (columns.len(), table.log_height);
    let at = |buffer, log_height| part(buffer, (columns.start as u64) << log_height);
    let source = at(&table.data.block, log_height);
    let target = at(&extended.data.block, to.log_size);
    let coefficients = workspace.map_or(source, whole);
    let forward = |domain, scale| ntt::forward(call, width, (coefficients, log_height), target, &domain, scale);
    match from {
        Basis::Coefficients => forward(to, Goldilocks::ONE),
        Basis::Evaluations { domain, order: EvalOrder::Storage } => {
            ntt::inverse(call, width, source, coefficients, &domain)?;
            forward(to, Goldilocks::ONE)
        }
        Basis::Evaluations { domain, order: EvalOrder::Row } => {
            // With x = shift * y the values are those of f(shift * y) on the subgroup, and to.shift * w is shift times
            // (to.shift / shift) * w. The target, at least as large, serves as the second memory.
            let targets = match ntt::last_target(log_height) {
                0 => [coefficients, target],
                _ => [target, coefficients],
            };
            ntt::from_rows(call, width, source, targets, log_height, false)?;
            let shift = to.shift * domain.shift.inverse_or_zero();
            forward(CosetDomain::new(shift, to.log_size), ntt::inverse_size(log_height))
        }
    }
}

pub(crate) fn split<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    parts: usize,
    log_part: u32,
) -> Result<NewTable<D>> {
    let split = new_table(call, Operation::Split, table.width * parts, log_part)?;
    let count = split.elements() as u64;
    // The check bounds the parts by the height, at most 2^32, and the width by the memory.
    let params = Params::new().u64(count).u32(table.width as u32).u32(parts as u32).u32(table.log_height).u32(log_part);
    let entry = Entry { unit: &library::COLUMNS, name: "split_columns", defines: &[] };
    call.launch_items(entry, count, 1, &[whole(&table.data.block), whole(&split.data.block)], params)?;
    Ok(split)
}

pub(crate) fn select<D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'_, D>],
    picks: &[(usize, usize)],
) -> Result<NewTable<D>> {
    let log_height = tables[picks[0].0].log_height;
    let selected = new_table(call, Operation::Select, picks.len(), log_height)?;
    let mut done = 0;
    while done < picks.len() {
        // Neighbours that follow each other in one table are one copy.
        let (table, first) = picks[done];
        let run = picks[done..].iter().enumerate().take_while(|(i, pick)| **pick == (table, first + i)).count();
        let from = (&tables[table].data.block, (first as u64) << log_height);
        call.copy(from, (&selected.data.block, (done as u64) << log_height), (run as u64) << log_height)?;
        done += run;
    }
    Ok(selected)
}
