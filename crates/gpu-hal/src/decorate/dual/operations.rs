//! Every operation of a [`Dual`], on both sides.

use alloc::collections::VecDeque;
use alloc::format;

use super::{Dual, DualBuffer, DualProgram, DualTree, DualTypes, halves_mut};
use crate::decorate::Rehearsed;
use crate::op::{Handles, NoTypes, Op, Out, OutOf, Wrap};
use crate::{
    Budget, Capabilities, Columns, ConstraintProgram, DeferredFault, DeviceTree, Footprint, MemoryInfo, Operation,
    Operations, Protocol, Result, RowRun, RowsOutput, StarkBackend, Table, TableRef, Types,
};

/// Sees the handles of one side.
macro_rules! side {
    ($side:ident, $half:ident, $of:ident) => {
        struct $side;

        impl<P: Protocol, L: StarkBackend<P = P>, R: StarkBackend<P = P>> Handles<DualTypes<L, R>, $of::T> for $side {
            fn table<'h>(&'h self, table: TableRef<'h, DualTypes<L, R>>) -> Result<TableRef<'h, $of::T>> {
                Ok(table.map(|both| &both.$half))
            }

            fn table_mut<'h>(
                &'h self,
                table: Columns<&'h mut <DualTypes<L, R> as Types>::Buffer>,
            ) -> Result<Columns<&'h mut $of::Buffer>> {
                Ok(table.map(|both| &mut both.$half))
            }

            fn tree<'h>(&'h self, tree: &'h DualTree<L::Tree, R::Tree>) -> Result<&'h $of::Tree> {
                Ok(&tree.$half)
            }

            fn program<'h>(&'h self, program: &'h DualProgram<L::Program, R::Program>) -> Result<&'h $of::Program> {
                Ok(&program.$half)
            }
        }
    };
}

side!(Left, left, L);
side!(Right, right, R);

/// Tables and trees of the second backend, in order, until they are compared.
struct RightResults<T: Types> {
    tables: VecDeque<Table<T>>,
    trees: VecDeque<T::Tree>,
}

impl<T: Types> Wrap<T, NoTypes<T::P>> for RightResults<T> {
    fn table(&mut self, table: Table<T>) -> Result<Columns<()>> {
        let shape = table.shape();
        self.tables.push_back(table);
        Ok(shape)
    }

    fn tree(&mut self, tree: T::Tree) -> Result<()> {
        self.trees.push_back(tree);
        Ok(())
    }
}

/// Compares results of an operation.
struct Comparison<'d, L: StarkBackend, R: StarkBackend> {
    dual: &'d Dual<L, R>,
    op: Operation,
    others: RightResults<R::T>,
}

impl<P: Protocol, L: StarkBackend<P = P>, R: StarkBackend<P = P>> Wrap<L::T, DualTypes<L, R>> for Comparison<'_, L, R> {
    fn table(&mut self, left: Table<L::T>) -> Result<Table<DualTypes<L, R>>> {
        let missing = || self.dual.difference(self.op, "the first has more tables");
        let right = self.others.tables.pop_front().ok_or_else(missing)?;
        self.dual.table(self.op, (left, right))
    }

    fn tree(&mut self, left: L::Tree) -> Result<DualTree<L::Tree, R::Tree>> {
        let missing = || self.dual.difference(self.op, "the first has more trees");
        let right = self.others.trees.pop_front().ok_or_else(missing)?;
        let of_left = (left.log_leaves(), self.dual.left.root(&left)?);
        let of_right = (right.log_leaves(), self.dual.right.root(&right)?);
        if of_left != of_right {
            let detail = format!("(log leaves, root) {of_left:?} and {of_right:?}");
            return Err(self.dual.difference(self.op, detail));
        }
        Ok(DualTree { left, right })
    }
}

impl<P: Protocol, L: StarkBackend<P = P>, R: StarkBackend<P = P>> Operations for Dual<L, R> {
    type T = DualTypes<L, R>;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        let (left, right) = (self.left.memory()?, self.right.memory()?);
        let available = [left.available, right.available].into_iter().flatten().min();
        let is_host = left.is_host || right.is_host;
        Ok(MemoryInfo {
            available,
            in_use: left.in_use + right.in_use,
            peak: left.peak + right.peak,
            is_host,
            moved: None,
        })
    }

    fn budget(&self) -> &Budget {
        self.left.budget()
    }

    fn footprint(&self, of: &Footprint<'_, Self::T>) -> u64 {
        self.left.footprint(&of.with_program(|both| &both.left))
            + self.right.footprint(&of.with_program(|both| &both.right))
    }

    fn perform<O: Op>(&self, mut args: O::Args<'_, DualTypes<L, R>>) -> Result<OutOf<O, DualTypes<L, R>>> {
        let op = O::NAME;
        let left = O::through(&mut args, self.left.raw(), &Left);
        let right = O::through(&mut args, self.right.raw(), &Right);
        let (left, right) = self.both(op, left, right)?;
        O::changes(&mut args, &mut |table| {
            let (left, right) = halves_mut(table);
            self.same_table(op, left.as_shared(), right.as_shared())
        })?;
        let mut others = RightResults::<R::T> { tables: VecDeque::new(), trees: VecDeque::new() };
        let right = O::Out::map(right, &mut others)?;
        let mut both = Comparison { dual: self, op, others };
        let made = O::Out::map(left, &mut both)?;
        if !both.others.tables.is_empty() {
            return Err(self.difference(op, "the second has more tables"));
        }
        match O::Out::difference(&made, &right) {
            Some(detail) => Err(self.difference(op, detail)),
            None => Ok(made),
        }
    }

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<DualProgram<L::Program, R::Program>> {
        let (left, right) =
            (Operations::prepare(self.left.raw(), program), Operations::prepare(self.right.raw(), program));
        let (left, right) = self.both(Operation::Prepare, left, right)?;
        Ok(DualProgram { left, right })
    }

    /// Rows are waited for, so that they can be compared.
    fn rows_ahead(
        &self,
        args: &RowRun<'_, Self::T>,
        counters: &mut [Columns<&mut DualBuffer<L::Buffer, R::Buffer>>],
        _: &mut DeferredFault,
    ) -> Result<RowsOutput<Self::T>> {
        Operations::rows(self, args, counters)
    }
}
