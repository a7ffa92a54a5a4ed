//! Every operation: operations that several devices share, and operations that make tables in blocks.

use std::ops::Range;
use std::sync::Arc;

use gpu_hal::op::{Data, Lde, Ntt, Op, OutOf, Upload, UploadLde};
use gpu_hal::rehearsal::Prepared;
use gpu_hal::{
    Accumulated, BaseOf, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeferredFault,
    DeviceClock, Digest, Domain, DomainOf, EvalOrder, EvalRequest, ExtOf, Footprint, HashFn, Leaves, LinearRecurrence,
    MakeElements, MapArgs, MemoryInfo, NonceSearch, OpenRequest, Opened, Operations, PlacementOperations, RandomRows,
    Result, RowRun, RowsOutput, RunningRequest, Shape, Table, TableRef, TreeMapArgs, Types, Uploaded, Values,
};

use super::layout::Layout;
use crate::{Sharded, ShardedBuffer, ShardedProgram, ShardedTree};

impl<O: Operations> Sharded<O> {
    /// The domains of the blocks of an extension of `2^log_height` elements, if it is made in blocks.
    fn extended_blocks(&self, log_height: u32, to: &DomainOf<O::T>) -> Option<Vec<DomainOf<O::T>>> {
        // A block has as many points as fix the polynomial: there are as many devices as the blowup at most.
        self.blocks_of(to).filter(|blocks| blocks[0].log_size() >= log_height)
    }

    /// Extensions to blocks of the values that each device has at the first points of its own, or copies, if it has all
    /// points.
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
}

impl<O: Operations> Types for Sharded<O> {
    type P = <O::T as Types>::P;
    type Buffer = ShardedBuffer<O::T>;
    type Tree = ShardedTree<<O::T as Types>::Tree>;
    type Program = ShardedProgram<O>;
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

    /// On the first device.
    fn perform<P: Op>(&self, args: P::Args<'_, Self>) -> Result<OutOf<P, Self>> {
        self.by_first::<P>(args)
    }

    fn prepare(&self, program: &ConstraintProgram<<Self as Types>::P>) -> Result<<Self as Types>::Program> {
        let source = Arc::new(program.clone());
        self.each(|device| self.on(device, |on| Prepared::shared(on, &source))).map(ShardedProgram)
    }

    fn upload(&self, data: &[BaseOf<Self>], width: usize, log_height: u32) -> Result<Table<Self>> {
        self.uploaded_table(Data::Slice(data), width, log_height)
    }

    fn upload_made(&self, make: &MakeElements<'_, BaseOf<Self>>, width: usize, log_height: u32) -> Result<Table<Self>> {
        let mut table = self.uploaded_table(Data::Function(make), width, log_height)?;
        // The host makes elements once. All devices are about to make more of them.
        if self.makers(log_height) > 1 && width > 0 && !self.cuts_uploads() {
            self.spread(table.as_mut())?;
        }
        Ok(table)
    }

    /// Every device takes its part of the columns, or all of them, from the host by a link of its own.
    fn upload_lde(
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
        let kept = if keep { makers } else { 0 };
        let shares = self.devices()[0].placement().shares_uploads;
        let made = if makers > 1 && shares(columns.len(), log_height) {
            let (others, columns) = (self.others(), (columns, log_height));
            let shared = self.on(0, |first| Ok(first.upload_lde_shared(&others, columns, from, &blocks, kept)))?;
            shared.map_err(|(device, error)| self.of_device(device, error))?
        } else {
            self.each(|device| {
                self.on(device, |on| on.upload_lde(columns, log_height, from, blocks[device], device < kept))
            })?
        };
        let (rows, extended): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let rows: Option<Vec<_>> = rows.into_iter().take(makers).collect();
        Ok((rows.map(ShardedBuffer::made), ShardedBuffer::extended(extended, to, log_height)))
    }

    /// Waits for all devices.
    fn sync(&self) -> Result<()> {
        self.each(|device| self.on(device, Operations::sync)).map(drop)
    }

    /// On every device that has the table.
    fn ntt(
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

    /// Every device its block.
    fn lde(&self, table: TableRef<'_, Self>, from: Basis<DomainOf<Self>>, to: DomainOf<Self>) -> Result<Table<Self>> {
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
                let others = self.others();
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

    /// On the first device.
    fn split(&self, coefficients: TableRef<'_, Self>, parts: usize, log_part: u32) -> Result<Table<Self>> {
        // One part is the first rows: the rows of the first block, if it has as many.
        let first = log_part.max(coefficients.log_height.saturating_sub(self.log_count()));
        let log_rows = if parts == 1 && coefficients.data.is_split() { first } else { coefficients.log_height };
        let table = self.rows(coefficients, 0, 0, log_rows)?;
        self.on(0, |on| on.split(table.as_ref(), parts, log_part)).map(ShardedBuffer::whole)
    }

    /// Every device that has the tables, all of it.
    fn running(&self, requests: &[RunningRequest<'_, Self>]) -> Result<Vec<Accumulated<Self>>> {
        let tables: Vec<_> = requests.iter().flat_map(|request| request.columns).copied().collect();
        let made = self.in_full(&tables, |device, on, mut tables| {
            let mut on_device: Vec<RunningRequest<'_, O::T>> = Vec::with_capacity(requests.len());
            for &RunningRequest { program, columns, log_height, params, form } in requests {
                let (columns, others) = tables.split_at(columns.len());
                on_device.push(RunningRequest { program: program.on(device), columns, log_height, params, form });
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

    fn download(&self, table: TableRef<'_, Self>, rows: Range<usize>) -> Result<Vec<BaseOf<Self>>> {
        self.downloaded(table, rows)
    }

    fn select(&self, tables: &[TableRef<'_, Self>], picks: &[(usize, usize)]) -> Result<Table<Self>> {
        self.selected(tables, picks)
    }

    fn merkle(&self, tables: &[TableRef<'_, Self>], leaves: Leaves, hash: HashFn) -> Result<<Self as Types>::Tree> {
        self.tree(tables, leaves, hash)
    }

    fn root(&self, tree: &<Self as Types>::Tree) -> Result<Digest> {
        self.root_of(tree)
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<Self>>>> {
        self.opened(requests)
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, Self>]) -> Result<Vec<Table<Self>>> {
        self.evaluated(requests)
    }

    fn accumulate(&self, into: Columns<&mut <Self as Types>::Buffer>, from: TableRef<'_, Self>) -> Result<()> {
        self.accumulated(into, from)
    }

    fn random(&self, into: Columns<&mut <Self as Types>::Buffer>, rows: &RandomRows) -> Result<()> {
        self.randomized(into, rows)
    }

    fn eval_at(&self, requests: &[EvalRequest<'_, Self>]) -> Result<Vec<Values<Self>>> {
        self.values(requests)
    }

    fn deep_quotient(
        &self,
        tables: &[TableRef<'_, Self>],
        log_cut: u32,
        domain: DomainOf<Self>,
        terms: &[DeepTerm<<Self as Types>::P>],
    ) -> Result<Table<Self>> {
        self.quotient(tables, log_cut, domain, terms)
    }

    fn fri_fold(
        &self,
        layer: TableRef<'_, Self>,
        domain: DomainOf<Self>,
        folded: DomainOf<Self>,
        alpha: ExtOf<Self>,
    ) -> Result<Table<Self>> {
        self.folded(layer, domain, folded, alpha)
    }

    fn grind(&self, search: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        self.nonce(search, windows)
    }

    fn recurrence(&self, recurrence: &LinearRecurrence<BaseOf<Self>>) -> Result<Table<Self>> {
        self.recurrence_of(recurrence)
    }

    fn rows(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut <Self as Types>::Buffer>],
    ) -> Result<RowsOutput<Self>> {
        self.ran(args, counters, None)
    }

    fn rows_ahead(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut <Self as Types>::Buffer>],
        verdict: &mut DeferredFault,
    ) -> Result<RowsOutput<Self>> {
        self.ran(args, counters, Some(verdict))
    }

    fn had_fault(&self, verdict: &DeferredFault) -> Result<bool> {
        self.had_any_fault(verdict)
    }

    fn map(&self, args: &MapArgs<'_, Self>) -> Result<Table<Self>> {
        self.mapped(args)
    }

    fn tree_map(&self, args: &TreeMapArgs<'_, Self>) -> Result<Table<Self>> {
        self.tree_mapped(args)
    }
}

impl<O: Operations> PlacementOperations<Self> for Sharded<O> {
    fn copy_to(&self, table: TableRef<'_, Self>, peer: &Self) -> Result<Table<Self>> {
        self.copied(table, peer)
    }
}
