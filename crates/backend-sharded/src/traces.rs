//! The operations that make traces: on the first device.

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
        self.made(|on| on.recurrence(recurrence)).map(ShardedBuffer::whole)
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<Table<Self>> {
        let columns = self.wholes(args.columns)?;
        let &Map { program, log_height, outputs, .. } = args;
        let args = Map { program: program.on(0), columns: &refs(&columns), log_height, outputs };
        self.made(|on| on.map(&args)).map(ShardedBuffer::whole)
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<Table<Self>> {
        let columns = self.wholes(args.columns)?;
        let &TreeMap { leaf, node, log_height, width, .. } = args;
        let args = TreeMap { leaf: leaf.on(0), node: node.on(0), columns: &refs(&columns), log_height, width };
        self.made(|on| on.tree_map(&args)).map(ShardedBuffer::whole)
    }

    fn count(&self, indices: TableRef<'_, Self>, log_size: u32) -> Result<Table<Self>> {
        let indices = self.whole(indices)?;
        self.made(|on| on.count(indices.as_ref(), log_size)).map(ShardedBuffer::whole)
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
