//! The operations of shapes: each counts its memory, and gives zeros.

use std::sync::Arc;

use super::{Prepared, Rehearsed, ShapeBuffer, ShapeTree};
use crate::op::{Cost, Makes, Op, OutOf, Reads};
use crate::{
    Budget, Capabilities, Columns, ConstraintProgram, DeferredFault, Domain, DomainOf, Footprint, MemoryInfo,
    Operation, Operations, Result, RowRun, RowsOutput, StarkBackend, Table, TableRef,
};

impl<B: StarkBackend> Reads<Rehearsed<B>> for &Rehearsed<B> {
    fn table(&mut self, _: &TableRef<'_, Rehearsed<B>>) {}

    fn domain(&mut self, domain: &DomainOf<B::T>) {
        let mut account = self.ledger.lock();
        account.log_domain = account.log_domain.max(domain.log_whole());
    }
}

impl<B: StarkBackend> Makes<Rehearsed<B>> for &Rehearsed<B> {
    type Made = Rehearsed<B>;

    fn table(&mut self, width: usize, log_height: u32) -> Table<Rehearsed<B>> {
        Rehearsed::table(self, width, log_height)
    }

    fn tree(&mut self, log_leaves: u32) -> ShapeTree {
        Rehearsed::tree(self, log_leaves)
    }

    fn beside(&mut self, what: &Footprint<'_, Rehearsed<B>>) {
        drop(self.take(&what.with_program(|prepared| &prepared.program)));
    }

    fn zeros(&self, count: usize) -> usize {
        count
    }
}

/// Log2 of the elements that a backend may keep of a verdict.
const LOG_VERDICT: u32 = 3;

impl<B: StarkBackend> Operations for Rehearsed<B> {
    type T = Self;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo> {
        let MemoryInfo { available, is_host, moved, .. } = self.inner.memory()?;
        let account = self.ledger.lock();
        Ok(MemoryInfo { available, in_use: account.live, peak: account.peak, is_host, moved })
    }

    fn budget(&self) -> &Budget {
        self.inner.budget()
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        self.inner.footprint(&of.with_program(|prepared| &prepared.program))
    }

    fn perform<O: Op>(&self, args: O::Args<'_, Self>) -> Result<OutOf<O, Self>> {
        O::reads::<Self>(&args, &mut &*self);
        O::costs(&args).into_iter().for_each(|cost| self.note(O::NAME, cost));
        Ok(O::makes(&args, &mut &*self))
    }

    fn prepare(&self, program: &ConstraintProgram<B::P>) -> Result<Arc<Prepared<B::T>>> {
        self.note(Operation::Prepare, Cost::default());
        Prepared::new(&*self.inner, program)
    }

    fn rows_ahead(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut ShapeBuffer>],
        verdict: &mut DeferredFault,
    ) -> Result<RowsOutput<Self>> {
        if verdict.get::<ShapeBuffer>().is_none() {
            verdict.keep(self.table(1, LOG_VERDICT).data);
        }
        Operations::rows(self, args, counters)
    }
}
