//! Rows of tables, brought to where they are wanted: the only place where tables move between devices.
//!
//! A column of `2^h` rows is `2^k` runs of `2^(h-k)` rows one after the other, so that a table of `w` columns is, as it
//! lies in memory, a table of `w << k` lower columns. To cut runs out of columns and to join runs to columns is to
//! select columns.

use std::ops::Range;

use gpu_hal::op::{Accumulate, Random};
use gpu_hal::{
    Columns, Domain, DomainOf, ErrorKind, HalError, Operations, Protocol, RandomRows, Result, Table, TableRef, Types,
};

use super::layout::{Layout, Part, refs};
use crate::{Sharded, ShardedBuffer};

type BufferOf<O> = <<O as Operations>::T as Types>::Buffer;

/// The error of a copy says where it goes to; whose it is says the device that it comes from.
fn copying(error: HalError, to: usize) -> HalError {
    HalError { detail: format!("copy to device {to}: {}", error.detail), ..error }
}

impl<O: Operations> Sharded<O> {
    /// The rows `first..first + 2^log_rows` of a table, on a device. `first` is a multiple of their number.
    pub(crate) fn rows<'a>(
        &self,
        table: TableRef<'a, Self>,
        device: usize,
        first: usize,
        log_rows: u32,
    ) -> Result<Part<'a, O::T>> {
        let has_all = match table.data.layout {
            Layout::Whole(_) | Layout::Alike(_) => device == 0,
            Layout::Everywhere(_) => true,
            Layout::Blocks(_) => false,
        };
        // Nothing can be cut of no columns.
        if table.width == 0 && !(has_all && log_rows == table.log_height) {
            return self.on(device, |on| on.upload(&[], 0, log_rows)).map(Part::Made);
        }
        let log_block = self.block(table, 0).log_height;
        let block = |number| self.block(table, number);
        let owner = if table.data.is_everywhere() { device } else { first >> log_block };
        if log_rows <= log_block {
            let within = (first & ((1 << log_block) - 1)) >> log_rows;
            let part = self.cut(block(owner), owner, within, log_rows)?;
            return self.moved(part, owner, device);
        }
        let owners = owner..owner + (1 << (log_rows - log_block));
        let parts = owners.map(|owner| self.moved(Part::Here(block(owner)), owner, device));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        self.joined(device, &parts).map(Part::Made)
    }

    /// The part of a table that a device has: its block, or all of it if it is whole on the first device or on every
    /// one.
    pub(crate) fn block<'a>(&self, table: TableRef<'a, Self>, device: usize) -> Columns<&'a BufferOf<O>> {
        match &table.data.layout {
            Layout::Whole(buffer) => Columns::new(buffer, table.width, table.log_height),
            Layout::Everywhere(buffers) => Columns::new(&buffers[device], table.width, table.log_height),
            Layout::Alike(buffers) => Columns::new(&buffers[0], table.width, table.log_height),
            Layout::Blocks(blocks) => Columns::new(&blocks[device], table.width, table.log_height - self.log_count()),
        }
    }

    /// Runs of as many rows of the same columns, all on one device, joined to higher columns. Their number is a power
    /// of two.
    fn joined(&self, device: usize, parts: &[Part<'_, O::T>]) -> Result<Table<O::T>> {
        let runs = refs(parts);
        let (width, log_rows) = (runs[0].width, runs[0].log_height + runs.len().ilog2());
        let picks: Vec<_> = (0..width).flat_map(|column| (0..runs.len()).map(move |run| (run, column))).collect();
        let joined = self.on(device, |on| on.select(&runs, &picks))?;
        Ok(Columns::new(joined.data, width, log_rows))
    }

    /// Part `b` of a table's rows on device `b`, for a power of two of the first devices: blocks, or the whole on the
    /// first where there are fewer parts than devices.
    pub(crate) fn gathered(&self, parts: Vec<Table<O::T>>, log_height: u32) -> Result<Table<Self>> {
        if parts.len() == self.count() {
            return Ok(ShardedBuffer::blocks(parts, log_height));
        }
        let on_first = parts.iter().enumerate().map(|(device, part)| self.moved(Part::Here(part.as_ref()), device, 0));
        let on_first = on_first.collect::<Result<Vec<_>>>()?;
        self.joined(0, &on_first).map(ShardedBuffer::whole)
    }

    /// Brings its inputs to each of the first `count` devices, one after the other, and then runs something on all of
    /// them at once. So the peak of a device does not depend on the threads; copies are enqueued, and none is waited
    /// for.
    pub(crate) fn brought<'a, R: Send>(
        &self,
        count: usize,
        bring: impl FnMut(usize) -> Result<Vec<Part<'a, O::T>>>,
        run: impl Fn(usize, &O, &[TableRef<'_, O::T>]) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let parts = (0..count).map(bring).collect::<Result<Vec<_>>>()?;
        self.first(count, |device| self.on(device, |on| run(device, on, &refs(&parts[device]))))
    }

    /// Run `run` of `2^log_rows` rows of every column of a device's part.
    fn cut<'a>(
        &self,
        block: Columns<&'a BufferOf<O>>,
        owner: usize,
        run: usize,
        log_rows: u32,
    ) -> Result<Part<'a, O::T>> {
        let log_runs = block.log_height - log_rows;
        if log_runs == 0 {
            return Ok(Part::Here(block));
        }
        let runs = Columns::new(block.data, block.width << log_runs, log_rows);
        let picks: Vec<_> = (0..block.width).map(|column| (0, (column << log_runs) + run)).collect();
        self.on(owner, |on| on.select(&[runs], &picks)).map(Part::Made)
    }

    /// A part on another device.
    fn moved<'a>(&self, part: Part<'a, O::T>, from: usize, to: usize) -> Result<Part<'a, O::T>> {
        if from == to { Ok(part) } else { self.copy(part.as_ref(), from, to).map(Part::Made) }
    }

    pub(crate) fn copy(&self, table: TableRef<'_, O::T>, from: usize, to: usize) -> Result<Table<O::T>> {
        self.on(from, |on| on.copy_to(table, &self.devices()[to]).map_err(|error| copying(error, self.real(to))))
    }

    /// A table that a device made, on the first.
    pub(crate) fn on_first(&self, made: Table<O::T>, device: usize) -> Result<Table<O::T>> {
        if device == 0 { Ok(made) } else { self.copy(made.as_ref(), device, 0) }
    }

    /// A table on the first device, in one piece.
    pub(crate) fn whole<'a>(&self, table: TableRef<'a, Self>) -> Result<Part<'a, O::T>> {
        self.rows(table, 0, 0, table.log_height)
    }

    /// Tables on the first device, each in one piece.
    pub(crate) fn wholes<'a>(&self, tables: &[TableRef<'a, Self>]) -> Result<Vec<Part<'a, O::T>>> {
        tables.iter().map(|table| self.whole(*table)).collect()
    }

    /// A table on the first device, in one piece from here on.
    pub(crate) fn whole_mut<'a>(
        &self,
        table: Columns<&'a mut ShardedBuffer<O::T>>,
    ) -> Result<Columns<&'a mut BufferOf<O>>> {
        let joined = if table.data.is_split() { self.whole(table.as_shared())?.made() } else { None };
        if let Some(joined) = joined {
            *table.data = ShardedBuffer { layout: Layout::Whole(joined.data), extension: None };
        }
        if let Layout::Everywhere(buffers) | Layout::Alike(buffers) = &mut table.data.layout {
            // It is about to change: the others' copies are no longer the same.
            *table.data = ShardedBuffer { layout: Layout::Whole(buffers.swap_remove(0)), extension: None };
        }
        match &mut table.data.layout {
            Layout::Whole(buffer) => Ok(Columns::new(buffer, table.width, table.log_height)),
            _ => Err(HalError::new(ErrorKind::Backend, "sharded", "blocks that were not joined")),
        }
    }

    /// A table in blocks, if it is large enough.
    pub(crate) fn scattered(&self, table: Columns<ShardedBuffer<O::T>>) -> Result<Columns<ShardedBuffer<O::T>>> {
        let Some(log_block) = self.log_block(table.log_height) else { return Ok(table) };
        let block = |device: usize| Ok(self.rows(table.as_ref(), device, device << log_block, log_block)?.made());
        let blocks: Option<Vec<_>> = self.numbers().map(block).collect::<Result<_>>()?;
        let log_height = table.log_height;
        Ok(blocks.map_or(table, |blocks| ShardedBuffer::blocks(blocks, log_height)))
    }

    /// Log2 of the rows of a table that `2^log_rows` rows read which it is lifted to, aligned, if these are a lift of
    /// them: a table that is `2^lift` times lower.
    pub(crate) fn log_share(&self, lift: u32, log_rows: u32) -> Option<u32> {
        match DomainOf::<O::T>::LIFTS {
            // A lift keeps the last bit of the index.
            true => log_rows.checked_sub(lift).filter(|log_rows| *log_rows > 0 || lift == 0),
            false => Some(log_rows.saturating_sub(lift)),
        }
    }

    /// The part of tables lifted to `2^log_height` rows that a device has for the rows `first..first + 2^log_rows`.
    /// There is a [`Self::log_share`] of each.
    pub(crate) fn shares<'a>(
        &self,
        tables: &[TableRef<'a, Self>],
        device: usize,
        (first, log_rows): (usize, u32),
        log_height: u32,
    ) -> Result<Vec<Part<'a, O::T>>> {
        let share = |table: &TableRef<'a, Self>| {
            let lift = log_height - table.log_height;
            let log_share = self.log_share(lift, log_rows).ok_or_else(|| {
                let detail =
                    format!("a table of 2^{} rows, of which {} devices have no parts", table.log_height, self.count());
                HalError::invalid("sharded", detail)
            })?;
            self.rows(*table, device, first >> lift, log_share)
        };
        tables.iter().map(share).collect()
    }

    /// Log2 of the rows of the blocks of `2^log_height` rows, if one of the tables that are lifted to that height is in
    /// blocks and all can be cut so.
    pub(crate) fn common_block(&self, tables: &[TableRef<'_, Self>], log_height: u32) -> Option<u32> {
        let log_block = self.log_block(log_height)?;
        let is_cut = |table: &TableRef<'_, Self>| self.log_share(log_height - table.log_height, log_block).is_some();
        (tables.iter().any(|table| table.data.is_split()) && tables.iter().all(is_cut)).then_some(log_block)
    }

    /// The given rows of all columns on the host, column after column.
    pub(crate) fn downloaded(
        &self,
        table: TableRef<'_, Self>,
        rows: Range<usize>,
    ) -> Result<Vec<<<O::T as Types>::P as Protocol>::Base>> {
        if !table.data.is_split() {
            return self.on(0, |on| on.download(self.block(table, 0), rows));
        }
        let log_block = table.log_height - self.log_count();
        let within = |device: usize| {
            let first = device << log_block;
            let clamped = |row: usize| row.clamp(first, first + (1 << log_block)) - first;
            clamped(rows.start)..clamped(rows.end)
        };
        let parts = self.each(|device| match within(device) {
            rows if rows.is_empty() => Ok(Vec::new()),
            rows => self.on(device, |on| on.download(self.block(table, device), rows)),
        })?;
        let mut elements = Vec::with_capacity(table.width * rows.len());
        for column in 0..table.width {
            for (device, part) in parts.iter().enumerate() {
                let count = within(device).len();
                elements.extend_from_slice(&part[column * count..(column + 1) * count]);
            }
        }
        Ok(elements)
    }

    /// [`gpu_hal::PlacementOperations::copy_to`]: block by block between as many devices.
    pub(crate) fn copied(&self, table: TableRef<'_, Self>, peer: &Self) -> Result<Columns<ShardedBuffer<O::T>>> {
        let copy = |part: TableRef<'_, O::T>, device: usize| {
            self.on(device, |on| {
                on.copy_to(part, &peer.devices()[device]).map_err(|error| copying(error, peer.real(device)))
            })
        };
        if table.data.is_split() && peer.count() == self.count() {
            let copies = self.each(|device| copy(self.block(table, device), device))?;
            return Ok(ShardedBuffer::blocks(copies, table.log_height));
        }
        copy(self.whole(table)?.as_ref(), 0).map(ShardedBuffer::whole)
    }

    /// [`Operations::select`] of tables of one height, of which some may be in blocks.
    pub(crate) fn selected(
        &self,
        tables: &[TableRef<'_, Self>],
        picks: &[(usize, usize)],
    ) -> Result<Columns<ShardedBuffer<O::T>>> {
        let log_height = tables.first().map_or(0, |table| table.log_height);
        let Some(log_block) = self.common_block(tables, log_height) else {
            return self.in_full(tables, |_, on, tables| on.select(tables, picks)).map(ShardedBuffer::made);
        };
        let blocks = self.brought(
            self.count(),
            |device| self.shares(tables, device, (device << log_block, log_block), log_height),
            |_, on, parts| on.select(parts, picks),
        )?;
        Ok(ShardedBuffer::blocks(blocks, log_height))
    }

    /// [`gpu_hal::Operation::Accumulate`].
    pub(crate) fn accumulated(&self, into: Columns<&mut ShardedBuffer<O::T>>, from: TableRef<'_, Self>) -> Result<()> {
        let (width, log_height) = (into.width, into.log_height);
        let lift = log_height - from.log_height;
        let log_block = self.log_block(log_height).filter(|log_block| self.log_share(lift, *log_block).is_some());
        // A sum has a new value; it may be no extension of anything.
        into.data.extension = None;
        if let (Layout::Blocks(blocks), Some(log_block)) = (&mut into.data.layout, log_block) {
            // One after the other: the target is borrowed for writing. Devices go on by themselves.
            for (device, block) in blocks.iter_mut().enumerate() {
                let parts = self.shares(&[from], device, (device << log_block, log_block), log_height)?;
                let block = Columns::new(block, width, log_block);
                self.on(device, |on| on.accumulate(block, parts[0].as_ref()))?;
            }
            return Ok(());
        }
        self.by_first::<Accumulate>((into, from))
    }

    /// [`gpu_hal::Operation::Random`]: every device the rows that it has.
    pub(crate) fn randomized(&self, into: Columns<&mut ShardedBuffer<O::T>>, rows: &RandomRows) -> Result<()> {
        let (width, log_height) = (into.width, into.log_height);
        let log_block = self.log_block(log_height);
        // New values may be no extension of anything.
        into.data.extension = None;
        match (&mut into.data.layout, log_block) {
            (Layout::Everywhere(tables), _) => {
                for (device, table) in tables.iter_mut().enumerate() {
                    self.on(device, |on| on.random(Columns::new(table, width, log_height), rows))?;
                }
                Ok(())
            }
            (Layout::Blocks(blocks), Some(log_block)) => {
                for (device, block) in blocks.iter_mut().enumerate() {
                    let start = device << log_block;
                    let from = rows.from.saturating_sub(start).min(1 << log_block);
                    let rows = RandomRows { first: rows.first + start as u64, from, ..*rows };
                    self.on(device, |on| on.random(Columns::new(block, width, log_block), &rows))?;
                }
                Ok(())
            }
            _ => self.by_first::<Random>((into, rows)),
        }
    }
}
