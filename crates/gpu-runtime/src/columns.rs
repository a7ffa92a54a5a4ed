//! Transfers and copies of whole tables; extensions, large ones while they are on their way.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use gpu_hal::stash::{Stash, check_size};
use gpu_hal::{Basis, Columns, Domain, ErrorKind, HalError, MakeElements, Protocol, Result, Shape, check};

use crate::buffer::{GpuBuffer, NewTable, Table, new_table};
use crate::call::{Call, Entry, from_element, whole};
use crate::device::{Argument, KernelDevice};
use crate::elements::{per_word, words};
use crate::host_bytes::HostBytes;
use crate::host_store::HostBlock;
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::GpuProtocol;

pub(crate) fn entry<P: GpuProtocol>(name: &'static str) -> Entry<'static> {
    Entry { unit: P::UNITS.columns, name, defines: &[] }
}

/// Whether columns of this height are whole words.
fn whole_words<P: Protocol>(log_height: u32) -> bool {
    per_word::<P>() >> log_height <= 1
}

/// Columns that [`upload_lde`] takes at once: a power of two or all, so that parts begin where kernels may read several
/// elements at once.
pub(crate) fn batch_columns<P: Protocol>(device: &impl KernelDevice, width: usize, log_height: u32) -> usize {
    let elements = device.upload_batch() / size_of::<P::Base>() as u64;
    let columns = elements.checked_shr(log_height).unwrap_or(0).max(1);
    if whole_words::<P>(log_height) { width.min(columns as usize) } else { width }
}

/// Uploads slices of whole columns with `then` called after each part of `columns` columns. Transfers are whole words:
/// columns of less come at once, with a few elements more.
fn upload_parts<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    slices: &[&[P::Base]],
    table: &NewTable<D>,
    columns: usize,
    then: impl FnMut(usize) -> Result<()>,
) -> Result<()> {
    let block = &table.data.block;
    let accepted = if table.width == 0 {
        true
    } else if whole_words::<P>(table.log_height) {
        let bytes: Vec<&[u8]> = slices.iter().map(|slice| bytemuck::cast_slice(slice)).collect();
        call.upload_elements((block, 0), HostBytes::new(&bytes), columns << table.log_height, then)?
    } else {
        let mut elements = slices.concat();
        elements.resize(elements.len().next_multiple_of(per_word::<P>() as usize), P::Base::zeroed());
        call.upload_elements((block, 0), HostBytes::new(&[bytemuck::cast_slice(&elements)]), elements.len(), then)?
    };
    if accepted { Ok(()) } else { refused(call, slices) }
}

/// The error for slices of which an element was refused.
pub(crate) fn refused<T, D: KernelDevice, P: GpuProtocol>(call: Call<'_, D, P>, slices: &[&[P::Base]]) -> Result<T> {
    check::canonical(call.op, slices)?;
    Err(HalError::new(ErrorKind::Backend, call.op, "canonical elements were refused"))
}

/// [`upload`] of elements that are made where they are sent from.
pub(crate) fn upload_made<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    make: &MakeElements<'_, P::Base>,
    width: usize,
    log_height: u32,
) -> Result<NewTable<D>> {
    let elements = width << log_height;
    let all = || {
        let mut all = vec![P::Base::zeroed(); elements];
        make(0, &mut all);
        all
    };
    if elements == 0 || !whole_words::<P>(log_height) {
        return upload(call, &all(), width, log_height);
    }
    let table = new_table(call, width, log_height)?;
    let size = size_of::<P::Base>();
    let bytes = |first: usize, to: &mut [u8]| make(first / size, bytemuck::cast_slice_mut(to));
    let from = HostBytes::made(elements * size, &bytes);
    if call.upload_elements((&table.data.block, 0), from, elements, |_| Ok(()))? {
        return Ok(table);
    }
    refused(call, &[&all()])
}

pub(crate) fn upload<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    data: &[P::Base],
    width: usize,
    log_height: u32,
) -> Result<NewTable<D>> {
    let table = new_table(call, width, log_height)?;
    upload_parts(call, &[data], &table, width, |_| Ok(()))?;
    Ok(table)
}

/// [`upload`], then [`lde`]: large tables in parts, each of which is extended while the next is on its way.
pub(crate) fn upload_lde<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    columns: &[&[P::Base]],
    log_height: u32,
    from: Basis<P::Domain>,
    to: P::Domain,
) -> Result<(NewTable<D>, NewTable<D>)> {
    let width = columns.len();
    let rows = new_table(call, width, log_height)?;
    let extended = new_table(call, width, to.log_size())?;
    if width == 0 {
        return Ok((rows, extended));
    }
    let batch = batch_columns::<P>(&call.runtime.device, width, log_height);
    let workspace = workspace(call, batch, log_height, &from)?;
    upload_parts(call, columns, &rows, batch, |number| {
        let columns = number * batch..((number + 1) * batch).min(width);
        P::extend(call, rows.as_ref(), columns, (from, to), workspace.as_ref(), &extended)
    })?;
    Ok((rows, extended))
}

pub(crate) fn download<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    table: Table<'_, D>,
    rows: Range<usize>,
) -> Result<Vec<P::Base>> {
    let (count, per_word) = (rows.len() * table.width, per_word::<P>() as usize);
    if count == 0 {
        return Ok(Vec::new());
    }
    // Transfers are whole words, and so is all memory.
    let mut out = vec![P::Base::zeroed(); count.next_multiple_of(per_word)];
    let words = bytemuck::cast_slice_mut(&mut out);
    let is_whole = rows.len() == table.height() || (table.width == 1 && rows.start.is_multiple_of(per_word));
    if is_whole {
        call.download(&table.data.block, (rows.start / per_word) as u64, words)?;
    } else {
        let packed = call.alloc_elements(count as u64)?;
        let params =
            Params::new().u64(count as u64).u64(rows.start as u64).u64(rows.len() as u64).u32(table.log_height);
        let buffers = [whole(&table.data.block), whole(&packed)];
        call.launch_items(entry::<P>("copy_rows"), count as u64, 1, &buffers, params)?;
        call.download(&packed, 0, words)?;
    }
    out.truncate(count);
    Ok(out)
}

/// A table in the host's memory.
pub(crate) struct StashedTable {
    elements: HostBlock,
}

impl StashedTable {
    /// An element.
    pub(crate) fn element<F: Pod>(&self, at: usize) -> F {
        let per_word = size_of::<u64>() / size_of::<F>();
        let word = [self.elements.word(at / per_word)];
        bytemuck::cast_slice(&word)[at % per_word]
    }
}

/// A copy of a table in the host's memory.
pub(crate) fn stash<D: KernelDevice, P: GpuProtocol>(call: Call<'_, D, P>, table: Table<'_, D>) -> Result<Stash> {
    let elements = call.keep(&table.data.block, words::<P>(table.elements() as u64))?;
    let bytes = elements.count() * size_of::<u64>();
    Ok(Stash::new(StashedTable { elements }, bytes))
}

/// The table that was stashed.
pub(crate) fn restore<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    stashed: &StashedTable,
    shape: Shape,
) -> Result<NewTable<D>> {
    let table = new_table(call, shape.width, shape.log_height)?;
    check_size(stashed.elements.count(), words::<P>(table.elements() as u64) as usize)?;
    call.bring_back(&stashed.elements, &table.data.block)?;
    Ok(table)
}

pub(crate) fn lde<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    table: Table<'_, D>,
    from: Basis<P::Domain>,
    to: P::Domain,
) -> Result<NewTable<D>> {
    let extended = new_table(call, table.width, to.log_size())?;
    if table.width > 0 {
        let workspace = workspace(call, table.width, table.log_height, &from)?;
        P::extend(call, table, 0..table.width, (from, to), workspace.as_ref(), &extended)?;
    }
    Ok(extended)
}

/// Memory for the coefficients of the columns, if it is not given.
pub(crate) fn workspace<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    width: usize,
    log_height: u32,
    from: &Basis<P::Domain>,
) -> Result<Option<Block<D::Memory>>> {
    match from {
        Basis::Coefficients => Ok(None),
        Basis::Evaluations { .. } => call.alloc_elements((width as u64) << log_height).map(Some),
    }
}

pub(crate) fn split<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    table: Table<'_, D>,
    parts: usize,
    log_part: u32,
) -> Result<NewTable<D>> {
    let split = new_table(call, table.width * parts, log_part)?;
    let count = split.elements() as u64;
    // The check bounds the parts by the height, at most 2^32, and the width by the memory.
    let params = Params::new().u64(count).u32(table.width as u32).u32(parts as u32).u32(table.log_height).u32(log_part);
    let buffers = [whole(&table.data.block), whole(&split.data.block)];
    call.launch_items(entry::<P>("split_columns"), count, 1, &buffers, params)?;
    Ok(split)
}

pub(crate) fn select<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    tables: &[Table<'_, D>],
    picks: &[(usize, usize)],
) -> Result<NewTable<D>> {
    let log_height = tables[picks[0].0].log_height;
    let selected = new_table(call, picks.len(), log_height)?;
    let mut done = 0;
    while done < picks.len() {
        // Neighbours that follow each other in one table are one copy.
        let (table, first) = picks[done];
        let run = picks[done..].iter().enumerate().take_while(|(i, pick)| **pick == (table, first + i)).count();
        let (from, to) = (&tables[table].data.block, &selected.data.block);
        let [first, place, count] = [first, done, run].map(|columns| (columns as u64) << log_height);
        if whole_words::<P>(log_height) {
            let per_word = per_word::<P>();
            call.copy((from, first / per_word), (to, place / per_word), count / per_word)?;
        } else {
            copy_elements(call, from_element::<P, _>(from, first), from_element::<P, _>(to, place), count)?;
        }
        done += run;
    }
    Ok(selected)
}

/// Copies elements from the begin of one argument to that of another.
fn copy_elements<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    source: Argument<'_, D::Memory>,
    target: Argument<'_, D::Memory>,
    count: u64,
) -> Result<()> {
    // As rows of one column.
    let params = Params::new().u64(count).u64(0).u64(count).u32(0);
    call.launch_items(entry::<P>("copy_rows"), count, 1, &[source, target], params)
}

/// Adds a table, lifted, to one of the same width.
pub(crate) fn accumulate<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    into: Columns<&mut GpuBuffer<D::Memory>>,
    from: Table<'_, D>,
) -> Result<()> {
    let count = (into.width as u64) << into.log_height;
    let params = Params::new().u64(count).u32(into.log_height).u32(from.log_height);
    let buffers = [whole(&into.data.block), whole(&from.data.block)];
    call.launch_items(entry::<P>("accumulate"), count, 1, &buffers, params)
}

/// A table's copy on another device.
pub(crate) fn copy_to<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    table: Table<'_, D>,
    peer: Call<'_, D, P>,
) -> Result<NewTable<D>> {
    let copy = new_table(peer, table.width, table.log_height)?;
    let words = words::<P>(table.elements() as u64);
    call.copy_peer(&table.data.block, &peer.runtime.device, &copy.data.block, words)?;
    Ok(copy)
}
