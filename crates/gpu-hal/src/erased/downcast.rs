//! Operations of a backend whose type is erased: arguments are downcast to the backend's types, results are boxed.

use core::marker::PhantomData;
use std::sync::Arc;

use super::backend::ErasedBackend;
use super::dynamic::DynOperations;
use super::handles::{AnyBuffer, AnyProgram, AnyTree, Erased, boxed, table, table_mut};
use crate::op::{DynOp, DynOps, Handles, Op, Out, OutOf, Wrap};
use crate::{
    Budget, Capabilities, Columns, ConstraintProgram, DeviceClock, Footprint, MemoryInfo, Operations, Protocol, Result,
    StarkBackend, Table, TableRef, Types,
};

impl<P: Protocol, B: StarkBackend<P = P>, O: Op> DynOp<O, Erased<P>> for ErasedBackend<B> {
    fn perform(&self, mut args: O::Args<'_, Erased<P>>) -> Result<OutOf<O, Erased<P>>> {
        let made = O::through(&mut args, self.raw(), &Downcast::<B::T>(PhantomData))?;
        O::Out::map(made, &mut Downcast::<B::T>(PhantomData))
    }
}

impl<P: Protocol, B: StarkBackend<P = P>> DynOps<Erased<P>> for ErasedBackend<B> {}

/// Handles of any backend as handles of types `T`, and back.
struct Downcast<T>(PhantomData<fn() -> T>);

impl<T: Types> Handles<Erased<T::P>, T> for Downcast<T> {
    fn table<'h>(&'h self, of: TableRef<'h, Erased<T::P>>) -> Result<TableRef<'h, T>> {
        table::<T>(of)
    }

    fn table_mut<'h>(&'h self, of: Columns<&'h mut AnyBuffer>) -> Result<Columns<&'h mut T::Buffer>> {
        table_mut(of)
    }

    fn tree<'h>(&'h self, tree: &'h AnyTree) -> Result<&'h T::Tree> {
        tree.of()
    }

    fn program<'h>(&'h self, program: &'h AnyProgram<T::P>) -> Result<&'h T::Program> {
        program.of::<T>()
    }
}

impl<T: Types> Wrap<T, Erased<T::P>> for Downcast<T> {
    fn table(&mut self, table: Table<T>) -> Result<Columns<AnyBuffer>> {
        Ok(boxed(table))
    }

    fn tree(&mut self, tree: T::Tree) -> Result<AnyTree> {
        Ok(AnyTree::new(tree))
    }
}

impl<P: Protocol, B: StarkBackend<P = P>> DynOperations<P> for ErasedBackend<B> {
    fn capabilities(&self) -> &Capabilities {
        Operations::capabilities(self.raw())
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Operations::memory(self.raw())
    }

    fn budget(&self) -> &Budget {
        Operations::budget(self.raw())
    }

    fn footprint(&self, of: &Footprint<'_, Erased<P>>) -> u64 {
        match of.try_with_program::<B::T, _>(AnyProgram::of::<B::T>) {
            Ok(of) => Operations::footprint(self.raw(), &of),
            // The operation is refused, too, and takes nothing.
            Err(_) => 0,
        }
    }

    fn clock(&self) -> Option<&dyn DeviceClock> {
        Operations::clock(self.raw())
    }

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>> {
        let prepared = Operations::prepare(self.raw(), program)?;
        Ok(AnyProgram::new::<B::T>(prepared, Arc::new(program.clone())))
    }
}
