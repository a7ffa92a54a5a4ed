//! Every operation: operations that several devices share, and operations that make tables in blocks.

use std::sync::Arc;

use gpu_hal::op::{Data, Lde, Ntt, Upload, UploadLde};
use gpu_hal::{
    Accumulated, BaseOf, Basis, Budget, Capabilities, Columns, ConstraintProgram, DeviceClock, Domain, DomainOf,
    EvalOrder, Footprint, MemoryInfo, Operations, PlacementOperations, Prepared, Result, Running, Shape, Table,
    TableRef, Types, Uploaded, methods,
};

use super::layout::Layout;
use crate::{Sharded, ShardedBuffer, ShardedProgram};

impl<O: Operations> Sharded<O> {
    /// The domains of the blocks of an extension of `2^log_height` elements, if it is made in blocks.
    fn extended_blocks(&self, log_height: u32, to: &DomainOf<O::T>) -> Option<Vec<DomainOf<O::T>>> {
        // A block has as many points as fix the polynomial: there are as many devices as the blowup at most.
        self.blocks_of(to).filter(|blocks| blocks[0].log_size() >= log_height)
    }

    /// Extensions to blocks of what each device has at the first points of its own, or copies, if that is all points.
    fn extended_alike(
        &self,
        buffers: &[<O::T as Types>::Buffer],
        table: Shape,
        blocks: &[DomainOf<O::T>],
    ) -> Result<Vec<Table<O::T>>> {
        self.each(|device| {
            let (values, block) = (table.map(|()| &buffers[device]), blocks[device]);
            match block.prefix(table.log_height) {
                Some(domain) if domain != block => {
                    let from = Basis::Evaluations { domain, order: EvalOrder::Storage };
                    self.on(device, |on| on.lde(values, from, block))
                }
                _ => {
                    let all: Vec<_> = (0..table.width).map(|column| (0, column)).collect();
                    self.on(device, |on| on.select(&[values], &all))
                }
            }
        })
    }

    /// [`Operations::upload`] and [`Operations::upload_made`]: on the first device, or in blocks where tests want it.
    fn uploaded_table(&self, data: Data<'_, BaseOf<Self>>, width: usize, log_height: u32) -> Result<Table<Self>> {
        let table = self.by_first::<Upload>((data, width, log_height))?;
        if self.cuts_uploads() { self.scattered(table) } else { Ok(table) }
    }

    /// [`Operations::upload_lde`]: every device takes the columns from the host by a link of its own.
    fn uploaded_columns(
        &self,
        columns: &[&[BaseOf<Self>]],
        log_height: u32,
        from: Basis<DomainOf<Self>>,
        to: DomainOf<Self>,
        keep: bool,
    ) -> Result<Uploaded<<Self as Types>::Buffer>> {
        let Some(blocks) = self.extended_blocks(log_height, &to) else {
            return self.by_first::<UploadLde>((columns, log_height, from, to, keep));
        };
        // A prover that keeps rows is about to make more of them.
        let makers = self.makers(log_height);
        let made = self.each(|device| {
            let keep = keep && device < makers;
            self.on(device, |on| on.upload_lde(columns, log_height, from, blocks[device], keep))
        })?;
        let (rows, extended): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let rows: Option<Vec<_>> = rows.into_iter().take(makers).collect();
        Ok((rows.map(ShardedBuffer::made), ShardedBuffer::extended(extended, to, log_height)))
    }

    /// [`Operations::sync`] of all devices.
    fn synced(&self) -> Result<()> {
        self.each(|device| self.on(device, Operations::sync)).map(drop)
    }

    /// [`Operations::ntt`]: on every device that has the table.
    fn transformed(
        &self,
        table: Columns<&mut <Self as Types>::Buffer>,
        from: Basis<DomainOf<Self>>,
        to: Basis<DomainOf<Self>>,
    ) -> Result<()> {
        if let Layout::Everywhere(buffers) = &mut table.data.layout {
            for (device, buffer) in buffers.iter_mut().enumerate() {
                let table = Columns::new(buffer, table.width, table.log_height);
                self.on(device, |on| on.ntt(table, from, to))?;
            }
            return Ok(());
        }
        self.by_first::<Ntt>((table, from, to))
    }

    /// [`Operations::lde`]: every device its block.
    fn extended(
        &self,
        table: TableRef<'_, Self>,
        from: Basis<DomainOf<Self>>,
        to: DomainOf<Self>,
    ) -> Result<Table<Self>> {
        let Some(blocks) = self.extended_blocks(table.log_height, &to) else {
            return self.by_first::<Lde>((table, from, to));
        };
        let extended = match (&table.data.layout, from) {
            (Layout::Alike(buffers), Basis::Evaluations { domain, order: EvalOrder::Storage })
                if to.prefix(table.log_height) == Some(domain) =>
            {
                self.extended_alike(buffers, table.shape(), &blocks)?
            }
            (Layout::Everywhere(_), from @ Basis::Evaluations { .. })
                if (self.devices()[0].placement().shares_lde)(table.width, table.log_height) =>
            {
                let tables: Vec<_> = self.numbers().map(|device| self.block(table, device)).collect();
                let others: Vec<&O> = self.devices()[1..].iter().map(|device| &**device).collect();
                let named = |(device, error)| self.of_device(device, error);
                self.on(0, |first| Ok(first.lde_shared(&others, &tables, from, &blocks)))?.map_err(named)?
            }
            _ => self.brought(
                self.count(),
                |device| self.rows(table, device, 0, table.log_height).map(|copy| vec![copy]),
                |device, on, copy| on.lde(copy[0], from, blocks[device]),
            )?,
        };
        Ok(ShardedBuffer::extended(extended, to, table.log_height))
    }

    /// [`Operations::split`] on the first device.
    fn parts(&self, coefficients: TableRef<'_, Self>, parts: usize, log_part: u32) -> Result<Table<Self>> {
        // One part is the first rows: the rows of the first block, if it has as many.
        let first = log_part.max(coefficients.log_height.saturating_sub(self.log_count()));
        let log_rows = if parts == 1 && coefficients.data.is_split() { first } else { coefficients.log_height };
        let table = self.rows(coefficients, 0, 0, log_rows)?;
        self.on(0, |on| on.split(table.as_ref(), parts, log_part)).map(ShardedBuffer::whole)
    }

    /// [`Operations::running`]: every device that has the tables, all of it.
    fn accumulated_rows(&self, requests: &[Running<'_, Self>]) -> Result<Vec<Accumulated<Self>>> {
        let tables: Vec<_> = requests.iter().flat_map(|request| request.columns).copied().collect();
        let made = self.in_full(&tables, |device, on, mut tables| {
            let mut on_device: Vec<Running<'_, O::T>> = Vec::with_capacity(requests.len());
            for &Running { program, columns, log_height, params, form } in requests {
                let (columns, others) = tables.split_at(columns.len());
                on_device.push(Running { program: program.on(device), columns, log_height, params, form });
                tables = others;
            }
            on.running(&on_device)
        })?;
        // Totals are the same on all.
        let mut totals = Vec::with_capacity(requests.len());
        let mut tables: Vec<Vec<Table<O::T>>> = requests.iter().map(|_| Vec::new()).collect();
        for (device, made) in made.into_iter().enumerate() {
            for (Accumulated { total, columns }, tables) in made.into_iter().zip(&mut tables) {
                tables.push(columns);
                if device == 0 {
                    totals.push(total);
                }
            }
        }
        let all = |(total, tables)| Accumulated { total, columns: ShardedBuffer::made(tables) };
        Ok(totals.into_iter().zip(tables).map(all).collect())
    }
}

/// The operations that are shared out, each with its function; the others are done by the first device.
macro_rules! sharded {
    ($on:ident, upload, $op:ty, $args:tt) => { $on.uploaded_table $args };
    ($on:ident, download, $op:ty, $args:tt) => { $on.downloaded $args };
    ($on:ident, sync, $op:ty, $args:tt) => { $on.synced $args };
    ($on:ident, ntt, $op:ty, $args:tt) => { $on.transformed $args };
    ($on:ident, lde, $op:ty, $args:tt) => { $on.extended $args };
    ($on:ident, upload_lde, $op:ty, $args:tt) => { $on.uploaded_columns $args };
    ($on:ident, split, $op:ty, $args:tt) => { $on.parts $args };
    ($on:ident, select, $op:ty, $args:tt) => { $on.selected $args };
    ($on:ident, merkle, $op:ty, $args:tt) => { $on.tree $args };
    ($on:ident, root, $op:ty, $args:tt) => { $on.root_of $args };
    ($on:ident, open, $op:ty, $args:tt) => { $on.opened $args };
    ($on:ident, running, $op:ty, $args:tt) => { $on.accumulated_rows $args };
    ($on:ident, constraint_eval, $op:ty, $args:tt) => { $on.evaluated $args };
    ($on:ident, accumulate, $op:ty, $args:tt) => { $on.accumulated $args };
    ($on:ident, eval_at, $op:ty, $args:tt) => { $on.values $args };
    ($on:ident, deep_quotient, $op:ty, $args:tt) => { $on.quotient $args };
    ($on:ident, fri_fold, $op:ty, $args:tt) => { $on.folded $args };
    ($on:ident, grind, $op:ty, $args:tt) => { $on.nonce $args };
    ($on:ident, $name:ident, $op:ty, $args:expr) => { $on.by_first::<$op>($args) };
}

impl<O: Operations> Operations for Sharded<O> {
    type T = Self;
    type Shapes = Sharded<O::Shapes>;

    fn capabilities(&self) -> &Capabilities {
        self.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo> {
        self.memory_info()
    }

    fn budget(&self) -> &Budget {
        // A caller that asks is about to ask the system, too, how much memory it has: each device gives back the memory
        // that it keeps for tables to come.
        let budgets: Vec<&Budget> = self.devices().iter().map(|device| device.budget()).collect();
        if let [only] = budgets[..] { only } else { &self.budget }
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        self.bytes_of(of)
    }

    fn clock(&self) -> Option<&dyn DeviceClock> {
        self.devices()[0].clock().map(|_| self as _)
    }

    methods!(sharded, Self);

    fn prepare(&self, program: &ConstraintProgram<<Self as Types>::P>) -> Result<<Self as Types>::Program> {
        let source = Arc::new(program.clone());
        self.each(|device| self.on(device, |on| Prepared::shared(on, &source))).map(ShardedProgram)
    }
}

impl<O: Operations> PlacementOperations<Self> for Sharded<O> {
    fn copy_to(&self, table: TableRef<'_, Self>, peer: &Self) -> Result<Table<Self>> {
        self.copied(table, peer)
    }
}
