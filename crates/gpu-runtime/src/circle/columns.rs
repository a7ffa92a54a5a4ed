//! Transfers, copies, sums and transforms of whole tables.

use std::ops::Range;

use field::{Field, M31};
use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, EvalOrder, HalError, Operation, Protocol, Result};

use super::{from_element, ntt};
use crate::buffer::{GpuBuffer, NewTable, Table, new_table};
use crate::call::{Call, Entry, whole};
use crate::columns::refused;
use crate::device::{Argument, KernelDevice};
use crate::library;
use crate::params::Params;
use crate::pool::Block;

pub(super) fn entry(name: &'static str) -> Entry<'static> {
    Entry { unit: &library::CIRCLE_COLUMNS, name, defines: &[] }
}

/// Uploads slices of whole columns with `then` called after each part of so many columns. Transfers are whole words: columns of one
/// element come at once, and an odd number of them gets one more.
fn upload_parts<D: KernelDevice>(
    call: Call<'_, D>,
    slices: &[&[M31]],
    table: &NewTable<D>,
    columns: usize,
    then: impl FnMut(usize) -> Result<()>,
) -> Result<()> {
    let (width, log_height) = (table.width, table.log_height);
    let accepted = match (width, log_height) {
        (0, _) => true,
        (_, 0) => {
            let mut elements = slices.concat();
            elements.resize(width.next_multiple_of(2), M31::ZERO);
            call.upload_elements(&table.data.block, &[&elements], elements.len(), then)?
        }
        _ => call.upload_elements(&table.data.block, slices, columns << log_height, then)?,
    };
    if accepted { Ok(()) } else { Err(refused(call, slices)) }
}

pub(super) fn upload<D: KernelDevice>(
    call: Call<'_, D>,
    data: &[M31],
    width: usize,
    log_height: u32,
) -> Result<NewTable<D>> {
    let table = new_table(call, Operation::Upload, width, log_height)?;
    upload_parts(call, &[data], &table, width, |_| Ok(()))?;
    Ok(table)
}

/// Columns that [`upload_lde`] takes at once: a power of two or all.
pub(super) fn batch_columns(device: &impl KernelDevice, width: usize, log_height: u32) -> usize {
    let columns = (device.upload_batch() / super::ELEMENT).checked_shr(log_height).unwrap_or(0).max(1);
    if log_height == 0 { width } else { width.min(columns as usize) }
}

/// [`upload`], then [`lde`]: large tables in parts, each of which is extended while the next is on its way.
pub(super) fn upload_lde<D: KernelDevice>(
    call: Call<'_, D>,
    columns: &[&[M31]],
    log_height: u32,
    from: Basis<CircleDomain>,
    to: CircleDomain,
) -> Result<(NewTable<D>, NewTable<D>)> {
    let width = columns.len();
    check_basis(Operation::UploadLde, &from, &to)?;
    let rows = new_table(call, Operation::UploadLde, width, log_height)?;
    let extended = new_table(call, Operation::UploadLde, width, CircleStark::log_size(&to))?;
    let batch = batch_columns(&call.runtime.device, width, log_height);
    let workspace = workspace(call, batch, log_height, &from)?;
    upload_parts(call, columns, &rows, batch, |number| {
        let columns = number * batch..((number + 1) * batch).min(width);
        extend(call, rows.as_ref(), columns, from, to, workspace.as_ref(), &extended)
    })?;
    Ok((rows, extended))
}

pub(super) fn download<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    rows: Range<usize>,
) -> Result<Vec<M31>> {
    let count = rows.len() * table.width;
    // Transfers are whole words, and so is all memory.
    let mut out = vec![M31::ZERO; count.next_multiple_of(2)];
    if count == 0 {
        return Ok(Vec::new());
    }
    let words = bytemuck::cast_slice_mut(&mut out);
    if rows.len() == table.height() {
        call.download(&table.data.block, 0, words)?;
    } else {
        let packed = call.alloc_elements(count as u64)?;
        let params =
            Params::new().u64(count as u64).u64(rows.start as u64).u64(rows.len() as u64).u32(table.log_height);
        let buffers = [whole(&table.data.block), whole(&packed)];
        call.launch_items(entry("copy_rows"), count as u64, 1, &buffers, params)?;
        call.download(&packed, 0, words)?;
    }
    out.truncate(count);
    Ok(out)
}

/// Copies elements from the begin of one argument to that of another.
fn copy<D: KernelDevice>(
    call: Call<'_, D>,
    source: Argument<'_, D::Memory>,
    target: Argument<'_, D::Memory>,
    count: u64,
) -> Result<()> {
    let params = Params::new().u64(count).u64(0).u64(0);
    call.launch_items(entry("copy_elements"), count, 1, &[source, target], params)
}

/// Exactly one of `from` and `to` is values; in place, but values in row order take a second buffer.
pub(super) fn ntt<D: KernelDevice>(
    call: Call<'_, D>,
    table: Columns<&mut GpuBuffer<D::Memory>>,
    from: Basis<CircleDomain>,
    to: Basis<CircleDomain>,
) -> Result<()> {
    let (width, log_height) = (table.width, table.log_height);
    if width == 0 || log_height == 0 {
        // A polynomial of one coefficient is its value.
        return Ok(());
    }
    let block = &mut table.data.block;
    let other = || call.alloc_elements((width as u64) << log_height);
    match (from, to) {
        (Basis::Evaluations { domain, order: EvalOrder::Storage }, _) => {
            ntt::inverse(call, width, whole(block), whole(block), (&domain, EvalOrder::Storage))
        }
        (Basis::Evaluations { domain, order: EvalOrder::Row }, _) => {
            let other = other()?;
            ntt::inverse(call, width, whole(block), whole(&other), (&domain, EvalOrder::Row))?;
            *block = other;
            Ok(())
        }
        (_, Basis::Evaluations { domain, order }) => {
            ntt::forward(call, width, (whole(block), log_height), whole(block), &domain)?;
            if order == EvalOrder::Row {
                let other = other()?;
                let count = (width as u64) << log_height;
                let is_circle = matches!(domain, CircleDomain::Circle { .. });
                let params = Params::new().u64(count).u32(log_height).u32(is_circle.into());
                call.launch_items(entry("to_rows"), count, 1, &[whole(block), whole(&other)], params)?;
                *block = other;
            }
            Ok(())
        }
        // The check refused it.
        (Basis::Coefficients, Basis::Coefficients) => Ok(()),
    }
}

/// Polynomials on circles are none on lines.
fn check_basis(op: Operation, from: &Basis<CircleDomain>, to: &CircleDomain) -> Result<()> {
    let is_line = |domain: &CircleDomain| matches!(domain, CircleDomain::Line { .. });
    match from {
        Basis::Evaluations { domain, .. } if is_line(domain) != is_line(to) => {
            let detail = format!("polynomials on {domain:?} are not polynomials on {to:?}; use domains of one kind");
            Err(HalError::invalid(op.name(), detail))
        }
        _ => Ok(()),
    }
}

pub(super) fn lde<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    from: Basis<CircleDomain>,
    to: CircleDomain,
) -> Result<NewTable<D>> {
    check_basis(Operation::Lde, &from, &to)?;
    let extended = new_table(call, Operation::Lde, table.width, CircleStark::log_size(&to))?;
    let workspace = workspace(call, table.width, table.log_height, &from)?;
    extend(call, table, 0..table.width, from, to, workspace.as_ref(), &extended)?;
    Ok(extended)
}

/// Memory for the coefficients of so many columns, if they are not given.
fn workspace<D: KernelDevice>(
    call: Call<'_, D>,
    width: usize,
    log_height: u32,
    from: &Basis<CircleDomain>,
) -> Result<Option<Block<D::Memory>>> {
    match from {
        Basis::Coefficients => Ok(None),
        Basis::Evaluations { .. } => call.alloc_elements((width as u64) << log_height).map(Some),
    }
}

/// Extends some columns. The workspace has room for the coefficients of as many, if they are not given.
fn extend<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    columns: Range<usize>,
    from: Basis<CircleDomain>,
    to: CircleDomain,
    workspace: Option<&Block<D::Memory>>,
    extended: &NewTable<D>,
) -> Result<()> {
    let width = columns.len();
    if width == 0 {
        return Ok(());
    }
    let source = from_element(&table.data.block, (columns.start as u64) << table.log_height);
    let target = from_element(&extended.data.block, (columns.start as u64) << extended.log_height);
    if table.log_height == 0 {
        // A constant.
        let count = (width as u64) << extended.log_height;
        let params = Params::new().u64(count).u32(extended.log_height);
        return call.launch_items(entry("repeat_elements"), count, 1, &[source, target], params);
    }
    let coefficients = match (from, workspace) {
        (Basis::Evaluations { domain, order }, Some(workspace)) => {
            ntt::inverse(call, width, source, whole(workspace), (&domain, order))?;
            whole(workspace)
        }
        _ => source,
    };
    ntt::forward(call, width, (coefficients, table.log_height), target, &to)
}

pub(super) fn split<D: KernelDevice>(
    call: Call<'_, D>,
    table: Table<'_, D>,
    parts: usize,
    log_part: u32,
) -> Result<NewTable<D>> {
    let split = new_table(call, Operation::Split, table.width * parts, log_part)?;
    let count = split.elements() as u64;
    // The check bounds the width by the memory.
    let params = Params::new().u64(count).u32(table.width as u32).u32(table.log_height).u32(log_part);
    let buffers = [whole(&table.data.block), whole(&split.data.block)];
    call.launch_items(entry("split_columns"), count, 1, &buffers, params)?;
    Ok(split)
}

pub(super) fn select<D: KernelDevice>(
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
        let (from, to) = (&tables[table].data.block, &selected.data.block);
        let [first, place, count] = [first, done, run].map(|columns| (columns as u64) << log_height);
        if log_height == 0 {
            copy(call, from_element(from, first), from_element(to, place), count)?;
        } else {
            // Columns are whole words.
            call.copy((from, first / 2), (to, place / 2), count / 2)?;
        }
        done += run;
    }
    Ok(selected)
}

pub(super) fn accumulate<D: KernelDevice>(
    call: Call<'_, D>,
    into: Columns<&mut GpuBuffer<D::Memory>>,
    from: Table<'_, D>,
) -> Result<()> {
    let count = (into.width as u64) << into.log_height;
    let params = Params::new().u64(count).u32(into.log_height).u32(from.log_height);
    let buffers = [whole(&into.data.block), whole(&from.data.block)];
    call.launch_items(entry("accumulate"), count, 1, &buffers, params)
}
