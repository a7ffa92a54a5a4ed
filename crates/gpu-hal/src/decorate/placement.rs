//! Moves of tables and trees, through every decorator.

use alloc::vec;
use alloc::vec::Vec;

use super::dual::{Dual, DualTypes, halves};
use super::hook::{Hook, Hooked};
use super::rehearsed::{Rehearsed, ShapeTree};
use crate::op::{Cost, Outcome};
use crate::stash::{Stash, StoredRequest};
use crate::{
    BaseOf, DeviceTree, Digest, Footprint, Opened, Operation, Operations, Placement, PlacementOperations, Protocol,
    Result, Shape, StarkBackend, Table, TableRef,
};

/// A move is an upload or a download to a hook.
impl<B: StarkBackend, H: Hook<B>> PlacementOperations<B::T> for Hooked<B, H> {
    fn placement(&self) -> Placement {
        // An extension on several devices passes the hook once for each of them.
        Placement { shares_lde: |_, _| false, ..self.inner.raw().placement() }
    }

    fn copy_to(&self, table: TableRef<'_, B::T>, peer: &Self) -> Result<Table<B::T>> {
        let run = || PlacementOperations::copy_to(self.inner.raw(), table, peer.inner.raw());
        self.around(Operation::CopyTo, 0, run, |t| Outcome::Table(t))
    }

    fn stash(&self, table: TableRef<'_, B::T>) -> Result<Stash> {
        let bytes = table.elements() * size_of::<BaseOf<B::T>>();
        self.around(Operation::Download, 0, || self.inner.raw().stash(table), |_| Outcome::Stashed(bytes as u64))
    }

    fn restore(&self, stash: &Stash, shape: Shape) -> Result<Table<B::T>> {
        let bytes = shape.elements() * size_of::<BaseOf<B::T>>();
        self.around(Operation::Upload, bytes, || self.inner.raw().restore(stash, shape), |t| Outcome::Table(t))
    }

    fn stash_tree(&self, tree: &B::Tree) -> Result<Stash> {
        let bytes = Operations::footprint(self, &Footprint::Tree { log_leaves: tree.log_leaves() });
        self.around(Operation::Download, 0, || self.inner.raw().stash_tree(tree), |_| Outcome::Stashed(bytes))
    }

    fn restore_tree(&self, stash: &Stash) -> Result<B::Tree> {
        self.around(Operation::Upload, 0, || self.inner.raw().restore_tree(stash), |t| Outcome::Tree(t))
    }

    fn open_stored(&self, requests: &[StoredRequest<'_, B::T>]) -> Result<Vec<Opened<BaseOf<B::T>>>> {
        let uploaded = requests.iter().map(|r| size_of_val(r.rows) + size_of_val(r.leaves)).sum();
        self.around(Operation::Open, uploaded, || self.inner.raw().open_stored(requests), |t| Outcome::Opened(t))
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
}

/// Moves are not noted: a plan knows them from the backend that asks for them.
impl<B: StarkBackend> PlacementOperations<Self> for Rehearsed<B> {
    fn placement(&self) -> Placement {
        Placement { shares_lde: |_, _| false, ..self.inner.raw().placement() }
    }

    fn copy_to(&self, table: TableRef<'_, Self>, peer: &Self) -> Result<Table<Self>> {
        self.note(Operation::CopyTo, Cost { moved: 2.0 * table.elements() as f64, ..Cost::default() });
        Ok(peer.table(table.width, table.log_height))
    }

    fn stash(&self, _: TableRef<'_, Self>) -> Result<Stash> {
        Ok(Stash::new(()))
    }

    fn restore(&self, _: &Stash, shape: Shape) -> Result<Table<Self>> {
        Ok(self.table(shape.width, shape.log_height))
    }

    fn stash_tree(&self, tree: &ShapeTree) -> Result<Stash> {
        Ok(Stash::new(tree.log_leaves()))
    }

    fn restore_tree(&self, stash: &Stash) -> Result<ShapeTree> {
        Ok(self.tree(*stash.get()?))
    }

    fn open_stored(&self, requests: &[StoredRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<B::T>>>> {
        let open = |request: &StoredRequest<'_, Self>| {
            self.note(Operation::Open, Cost::default());
            let (rows, leaves, log_leaves) = (request.rows.len(), request.leaves.len(), request.log_leaves);
            self.pass(&Footprint::OpenStored { rows, leaves, tables: &request.shapes(), log_leaves });
            Opened {
                rows: vec![vec![Default::default(); request.width()]; rows],
                paths: vec![vec![Digest::default(); log_leaves as usize]; leaves],
            }
        };
        Ok(requests.iter().map(open).collect())
    }
}
