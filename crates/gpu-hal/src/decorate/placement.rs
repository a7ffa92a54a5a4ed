//! The parts of [`PlacementOperations`] that are no [`crate::op::Op`]s, in every decorator.

use super::dual::{Dual, DualTypes, halves};
use super::hook::{Hook, Hooked};
use super::rehearsed::Rehearsed;
use crate::op::{self, Cost, Op, Outcome};
use crate::stash::Stash;
use crate::{
    Operation, Operations, Placement, PlacementOperations, Protocol, Result, Shape, StarkBackend, Table, TableRef,
    Types,
};

/// The parts that a backend inside has. An extension on several devices passes the decorator once for each of them.
fn of_inner(inner: &impl Operations) -> Placement {
    Placement { shares_lde: |_, _| false, shares_uploads: |_, _| false, ..inner.placement() }
}

impl<B: StarkBackend, H: Hook<B>> PlacementOperations<B::T> for Hooked<B, H> {
    fn placement(&self) -> Placement {
        of_inner(self.inner.raw())
    }

    fn copy_to(&self, table: TableRef<'_, B::T>, peer: &Self) -> Result<Table<B::T>> {
        let run = || PlacementOperations::copy_to(self.inner.raw(), table, peer.inner.raw());
        self.around(Operation::CopyTo, 0, run, |t| Outcome::Table(t))
    }
}

impl<P: Protocol, L: StarkBackend<P = P>, R: StarkBackend<P = P>> PlacementOperations<DualTypes<L, R>> for Dual<L, R> {
    fn copy_to(&self, table: TableRef<'_, DualTypes<L, R>>, peer: &Self) -> Result<Table<DualTypes<L, R>>> {
        let op = Operation::CopyTo;
        let (left, right) = halves(table);
        let left = PlacementOperations::copy_to(self.left().raw(), left, peer.left().raw());
        let right = PlacementOperations::copy_to(self.right().raw(), right, peer.right().raw());
        peer.table(op, self.both(op, left, right)?)
    }

    // The sides keep tables in different forms: moves go through the elements, which are compared. Trees stay.

    fn stash(&self, table: TableRef<'_, DualTypes<L, R>>) -> Result<Stash> {
        op::StashTable::by_others(table, self)
    }

    fn restore(&self, stash: &Stash, shape: Shape) -> Result<Table<DualTypes<L, R>>> {
        op::RestoreTable::by_others((stash, shape), self)
    }

    fn stash_tree(&self, tree: &<DualTypes<L, R> as Types>::Tree) -> Result<Stash> {
        op::StashTree::by_others(tree, self)
    }
}

impl<B: StarkBackend> PlacementOperations<Self> for Rehearsed<B> {
    fn placement(&self) -> Placement {
        of_inner(self.inner.raw())
    }

    fn copy_to(&self, table: TableRef<'_, Self>, peer: &Self) -> Result<Table<Self>> {
        self.note(Operation::CopyTo, Cost { moved: 2.0 * table.elements() as f64, ..Cost::default() });
        Ok(peer.table(table.width, table.log_height))
    }
}
