//! The operations that make traces, through the door.

use alloc::vec::Vec;

use super::Erased;
use super::door::Door;
use super::handles::{AnyBuffer, all_boxed, boxed, table_mut, tables};
use crate::{
    Columns, Map, Protocol, Recurrence, Result, RowRun, RowsMade, StarkBackend, Table, TraceOperations, TreeMap,
    Verdict, traces_of,
};

impl<B: StarkBackend> Door<B> {
    fn run_rows(
        &self,
        args: &RowRun<'_, Erased<B::P>>,
        counters: &mut [Columns<&mut AnyBuffer>],
        run: impl FnOnce(
            &dyn TraceOperations<B::T>,
            &RowRun<'_, B::T>,
            &mut [Columns<&mut B::Buffer>],
        ) -> Result<RowsMade<B::T>>,
    ) -> Result<RowsMade<Erased<B::P>>> {
        let &RowRun { program, source, period, tables: read, log_height } = args;
        let (source, read) = (tables::<B::T>(source)?, tables::<B::T>(read)?);
        let args = RowRun { program, source: &source, period, tables: &read, log_height };
        let counters = counters.iter_mut().map(|counter| table_mut(counter.reborrow()));
        let mut counters = counters.collect::<Result<Vec<_>>>()?;
        let RowsMade { lists, columns } = run(traces_of(self.raw())?, &args, &mut counters)?;
        Ok(RowsMade { lists: all_boxed::<B::T>(lists), columns: boxed(columns) })
    }
}

impl<P: Protocol, B: StarkBackend<P = P>> TraceOperations<Erased<P>> for Door<B> {
    fn recurrence(&self, recurrence: &Recurrence<P::Base>) -> Result<Table<Erased<P>>> {
        traces_of(self.raw())?.recurrence(recurrence).map(boxed)
    }

    fn map(&self, args: &Map<'_, Erased<P>>) -> Result<Table<Erased<P>>> {
        let &Map { program, columns, log_height, outputs } = args;
        let (program, columns) = (program.of::<B::T>()?, tables::<B::T>(columns)?);
        traces_of(self.raw())?.map(&Map { program, columns: &columns, log_height, outputs }).map(boxed)
    }

    fn tree_map(&self, args: &TreeMap<'_, Erased<P>>) -> Result<Table<Erased<P>>> {
        let &TreeMap { leaf, node, columns, log_height, width } = args;
        let (leaf, node, columns) = (leaf.of::<B::T>()?, node.of::<B::T>()?, tables::<B::T>(columns)?);
        traces_of(self.raw())?.tree_map(&TreeMap { leaf, node, columns: &columns, log_height, width }).map(boxed)
    }

    fn rows(
        &self,
        args: &RowRun<'_, Erased<P>>,
        counters: &mut [Columns<&mut AnyBuffer>],
    ) -> Result<RowsMade<Erased<P>>> {
        self.run_rows(args, counters, |on, args, counters| on.rows(args, counters))
    }

    fn rows_ahead(
        &self,
        args: &RowRun<'_, Erased<P>>,
        counters: &mut [Columns<&mut AnyBuffer>],
        verdict: &mut Verdict,
    ) -> Result<RowsMade<Erased<P>>> {
        self.run_rows(args, counters, |on, args, counters| on.rows_ahead(args, counters, verdict))
    }

    fn had_fault(&self, verdict: &Verdict) -> Result<bool> {
        traces_of(self.raw())?.had_fault(verdict)
    }
}
