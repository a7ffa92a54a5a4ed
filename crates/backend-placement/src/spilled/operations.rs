//! Every operation: its memory, and its execution.

use std::sync::Arc;

use gpu_hal::decorate::Rehearsed;
use gpu_hal::op::{self, Handles, Makes, NoTypes, Op, Out, OutOf, Reads, Wrap};
use gpu_hal::rehearsal::Prepared;
use gpu_hal::{
    BaseOf, Budget, Capabilities, Columns, ConstraintProgram, DeepTerm, DeviceClock, DomainOf, ErrorKind, Footprint,
    HalError, MemoryInfo, OpenRequest, Opened, Operations, Result, Shape, Table, TableRef, Types,
};

use super::session::{Needs, Session};
use crate::{Spilled, SpilledBuffer, SpilledTree};

impl<O: Operations> Reads<Spilled<O>> for Needs<'_, O> {
    fn table(&mut self, table: &TableRef<'_, Spilled<O>>) {
        self.uses(&table.data.handle);
    }

    fn tree(&mut self, tree: &SpilledTree<O>) {
        self.uses(&tree.handle);
    }

    fn domain(&mut self, domain: &DomainOf<O::T>) {
        self.reaches(domain);
    }
}

impl<O: Operations> Makes<Spilled<O>> for Needs<'_, O> {
    type Made = NoTypes<<O::T as Types>::P>;

    fn table(&mut self, width: usize, log_height: u32) -> Columns<()> {
        let shape = Shape::new((), width, log_height);
        self.makes(&Footprint::Table(shape));
        shape
    }

    fn tree(&mut self, log_leaves: u32) {
        self.makes(&Footprint::Tree { log_leaves });
    }

    fn beside(&mut self, what: &Footprint<'_, Spilled<O>>) {
        self.meanwhile(&what.with_program(|prepared| &prepared.program));
    }

    fn zeros(&self, _: usize) -> usize {
        0
    }
}

impl<O: Operations> Handles<Spilled<O>, O::T> for Session<'_, O> {
    fn table<'h>(&'h self, table: TableRef<'h, Spilled<O>>) -> Result<TableRef<'h, O::T>> {
        self.table(table)
    }

    fn table_mut<'h>(
        &'h self,
        table: Columns<&'h mut SpilledBuffer<O>>,
    ) -> Result<Columns<&'h mut <O::T as Types>::Buffer>> {
        let foreign = || HalError::new(ErrorKind::Backend, "spill", "a table that is changed was not lent");
        Ok(Columns::new(table.data.lent.as_mut().ok_or_else(foreign)?, table.width, table.log_height))
    }

    fn tree<'h>(&'h self, tree: &'h SpilledTree<O>) -> Result<&'h <O::T as Types>::Tree> {
        self.tree(tree)
    }

    fn program<'h>(&'h self, program: &'h <Spilled<O> as Types>::Program) -> Result<&'h <O::T as Types>::Program> {
        Ok(&program.program)
    }
}

impl<O: Operations> Wrap<O::T, Spilled<O>> for Session<'_, O> {
    fn table(&mut self, table: Table<O::T>) -> Result<Table<Spilled<O>>> {
        Ok(self.made(table))
    }

    fn tree(&mut self, tree: <O::T as Types>::Tree) -> Result<SpilledTree<O>> {
        Ok(self.made_tree(tree))
    }
}

impl<O: Operations> Spilled<O> {
    /// Does all requests at once, or one after the other where all at once take more than the device has. A request's
    /// result does not depend on the others.
    fn all_or_each<P: Op>(&self, mut args: P::Args<'_, Self>) -> Result<OutOf<P, Self>> {
        if P::requests(&args).is_some_and(|requests| requests > 1)
            && !self.memory.fits(&Self::takes(&self.memory, |needs| Needs::call::<P>(needs, &args)))
        {
            let one = |mut args| self.at_once::<P>(&mut args);
            let results = P::one_by_one(&args).into_iter().map(one).collect::<Result<Vec<_>>>()?;
            if let Some(results) = P::Out::joined(results) {
                return Ok(results);
            }
        }
        self.at_once::<P>(&mut args)
    }

    pub(super) fn at_once<P: Op>(&self, args: &mut P::Args<'_, Self>) -> Result<OutOf<P, Self>> {
        P::changes(args, &mut |table| self.own(table))?;
        let mut on = self.begin(P::NAME, |needs| needs.call::<P>(args))?;
        let lent = P::changes(args, &mut |table| on.lend(table.data));
        let made = lent.and_then(|()| P::through(args, self.inner(), &on));
        P::changes(args, &mut |table| {
            on.give_back(table.data);
            Ok(())
        })?;
        P::Out::map(made?, &mut on)
    }

    /// Makes a table that an operation is about to change one of its own, which no other part has.
    fn own(&self, table: &mut Columns<&mut SpilledBuffer<O>>) -> Result<()> {
        if table.width > 0 && !table.data.claim() {
            let picks: Vec<_> = (0..table.width).map(|column| (0, column)).collect();
            let copy = self.select(&[table.as_shared()], &picks)?;
            *table.data = copy.data;
        }
        Ok(())
    }
}

impl<O: Operations> Types for Spilled<O> {
    type P = <O::T as Types>::P;
    type Buffer = SpilledBuffer<O>;
    type Tree = SpilledTree<O>;
    type Program = Arc<Prepared<O::T>>;
}

impl<O: Operations> Operations for Spilled<O> {
    type T = Self;
    type Shapes = Spilled<Rehearsed<O>>;

    fn capabilities(&self) -> &Capabilities {
        self.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo> {
        self.memory()
    }

    fn budget(&self) -> &Budget {
        self.budget()
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        self.inner().footprint(&of.with_program(|prepared| &prepared.program))
    }

    fn clock(&self) -> Option<&dyn DeviceClock> {
        self.inner().clock()
    }

    fn perform<P: Op>(&self, args: P::Args<'_, Self>) -> Result<OutOf<P, Self>> {
        self.all_or_each::<P>(args)
    }

    /// Nothing is brought back for a few rows, where the backend inside opens it where it is.
    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<Self>>>> {
        if self.inner().placement().opens_stored {
            self.opened_where_it_is(requests)
        } else {
            self.perform::<op::Open>(requests)
        }
    }

    /// Takes some tables after the others where all of them need more than the device has.
    fn deep_quotient(
        &self,
        tables: &[TableRef<'_, Self>],
        log_cut: u32,
        domain: DomainOf<Self>,
        terms: &[DeepTerm<<Self as Types>::P>],
    ) -> Result<Table<Self>> {
        self.quotient(tables, log_cut, domain, terms)
    }

    fn prepare(&self, program: &ConstraintProgram<<Self as Types>::P>) -> Result<<Self as Types>::Program> {
        Prepared::new(self.inner(), program)
    }
}
