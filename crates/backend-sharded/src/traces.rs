//! The operations that make traces: on every device for itself, as [`crate::everywhere`] says, or on the first.

use gpu_hal::{
    BaseOf, Columns, Map, Operations, Recurrence, Result, RowRun, RowsMade, Table, TableRef, TraceOperations, TreeMap,
    Types, Verdict, traces_of,
};

use crate::layout::refs;
use crate::{Sharded, ShardedBuffer};

impl<O: Operations> Sharded<O> {
    /// Makes a trace on the first device.
    fn made<R>(&self, run: impl FnOnce(&dyn TraceOperations<O::T>) -> Result<R>) -> Result<R> {
        self.on(0, |on| run(traces_of(on)?))
    }

    /// Makes a table of `2^log_height` rows, of others if there are any.
    fn made_of(
        &self,
        tables: &[TableRef<'_, Self>],
        log_height: u32,
        run: impl Fn(usize, &dyn TraceOperations<O::T>, &[TableRef<'_, O::T>]) -> Result<Table<O::T>> + Sync,
    ) -> Result<Table<Self>> {
        let made = match tables {
            [] => self.first(self.makers(log_height), |device| self.on(device, |on| run(device, traces_of(on)?, &[]))),
            _ => self.in_full(tables, |device, on, tables| run(device, traces_of(on)?, tables)),
        };
        made.map(ShardedBuffer::made)
    }

    /// Runs a row program by `run`.
    fn run_rows(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut <Self as Types>::Buffer>],
        run: impl FnOnce(
            &dyn TraceOperations<O::T>,
            &RowRun<'_, O::T>,
            &mut [Columns<&mut <O::T as Types>::Buffer>],
        ) -> Result<RowsMade<O::T>>,
    ) -> Result<RowsMade<Self>> {
        let (source, tables) = (self.wholes(args.source)?, self.wholes(args.tables)?);
        let counters = counters.iter_mut().map(|counter| self.whole_mut(counter.reborrow()));
        let mut counters = counters.collect::<Result<Vec<_>>>()?;
        let &RowRun { program, period, log_height, .. } = args;
        let args = RowRun { program, source: &refs(&source), period, tables: &refs(&tables), log_height };
        let made = self.made(|on| run(on, &args, &mut counters))?;
        let lists = made.lists.into_iter().map(ShardedBuffer::whole).collect();
        Ok(RowsMade { lists, columns: ShardedBuffer::whole(made.columns) })
    }
}

impl<O: Operations> TraceOperations<Self> for Sharded<O> {
    fn recurrence(&self, recurrence: &Recurrence<BaseOf<Self>>) -> Result<Table<Self>> {
        self.made_of(&[], recurrence.log_height, |_, on, _| on.recurrence(recurrence))
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<Table<Self>> {
        let &Map { program, log_height, outputs, .. } = args;
        self.made_of(args.columns, log_height, |device, on, columns| {
            on.map(&Map { program: program.on(device), columns, log_height, outputs })
        })
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<Table<Self>> {
        let &TreeMap { leaf, node, log_height, width, .. } = args;
        self.made_of(args.columns, log_height, |device, on, columns| {
            on.tree_map(&TreeMap { leaf: leaf.on(device), node: node.on(device), columns, log_height, width })
        })
    }

    fn rows(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut <Self as Types>::Buffer>],
    ) -> Result<RowsMade<Self>> {
        self.run_rows(args, counters, |on, args, counters| on.rows(args, counters))
    }

    fn rows_ahead(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut <Self as Types>::Buffer>],
        verdict: &mut Verdict,
    ) -> Result<RowsMade<Self>> {
        self.run_rows(args, counters, |on, args, counters| on.rows_ahead(args, counters, verdict))
    }

    fn had_fault(&self, verdict: &Verdict) -> Result<bool> {
        self.made(|on| on.had_fault(verdict))
    }
}
