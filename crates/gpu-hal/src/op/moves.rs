//! Moves of tables and trees to the host's memory and back, and openings of tables and trees where they are.
//! [`crate::PlacementOperations`] has their methods. To decorators they are downloads, uploads and openings.
//!
//! A plan notes no move: the backend that asks for moves adds up their bytes.

use super::*;
use crate::stash::{Stash, Stored, StoredRequest};
use crate::{Digest, Opened, Shape};

op! {
    /// [`crate::PlacementOperations::stash`].
    StashTable = Download(table: TableRef<'a, T>) -> Stashed;

    reads(on) { on.table(table) }
    makes(_) { Stash::new((), 0) }
    costs() { Vec::new() }
    through(on, see) { on.stash(see.table(*table)?) }
    by_others(on) {
        let elements = on.download(table, 0..table.height())?;
        let bytes = size_of_val(elements.as_slice());
        Ok(Stash::new(elements, bytes))
    }
}

op! {
    /// [`crate::PlacementOperations::restore`].
    RestoreTable = Upload(stash: &'a Stash, shape: Shape) -> NewTable;

    makes(on) { on.table(shape.width, shape.log_height) }
    costs() { Vec::new() }
    uploaded() { stash.bytes() }
    through(on, _) { on.restore(stash, *shape) }
    by_others(on) { on.upload(stash.get::<Vec<BaseOf<O::T>>>()?, shape.width, shape.log_height) }
}

op! {
    /// [`crate::PlacementOperations::stash_tree`].
    StashTree = Download(tree: &'a T::Tree) -> Stashed;

    reads(on) { on.tree(tree) }
    makes(_) { Stash::new((), 0) }
    costs() { Vec::new() }
    through(on, see) { on.stash_tree(see.tree(tree)?) }
    by_others(_) { Err(HalError::unsupported(Self::NAME, "trees stay on this device")) }
}

op! {
    /// [`crate::PlacementOperations::restore_tree`].
    RestoreTree = Upload(stash: &'a Stash, log_leaves: u32) -> NewTree;

    makes(on) { on.tree(*log_leaves) }
    costs() { Vec::new() }
    uploaded() { stash.bytes() }
    through(on, _) { on.restore_tree(stash, *log_leaves) }
    by_others(_) { Err(HalError::unsupported(Self::NAME, "trees stay on this device")) }
}

op! {
    /// [`crate::PlacementOperations::open_stored`].
    OpenStored = Open(requests: &'a [StoredRequest<'a, T>]) -> Openings;

    reads(on) {
        for request in *requests {
            for table in request.columns {
                if let Stored::OnDevice(buffer) = table.data {
                    on.table(&table.map(|_| buffer));
                }
            }
            if let Stored::OnDevice(tree) = request.tree {
                on.tree(tree);
            }
        }
    }
    makes(on) {
        let mut opened = Vec::with_capacity(requests.len());
        for request in *requests {
            let (rows, leaves, log_leaves) = (request.rows.len(), request.leaves.len(), request.log_leaves);
            on.beside(&Footprint::OpenStored { rows, leaves, tables: &request.shapes(), log_leaves });
            opened.push(Opened {
                rows: vec![vec![Default::default(); request.width()]; on.zeros(rows)],
                paths: vec![vec![Digest::default(); log_leaves as usize]; on.zeros(leaves)],
            });
        }
        opened
    }
    cost(_) { Cost::default() }
    uploaded() { requests.iter().map(|request| size_of_val(request.rows) + size_of_val(request.leaves)).sum() }
    requests() {}
    through(on, see) {
        let mut tables = Vec::with_capacity(requests.len());
        for request in *requests {
            let stored = request.columns.iter().map(|table| {
                let data = match table.data {
                    Stored::OnDevice(buffer) => Stored::OnDevice(see.table(table.map(|_| buffer))?.data),
                    Stored::OnHost(stash) => Stored::OnHost(stash),
                };
                Ok(table.map(|_| data))
            });
            tables.push(stored.collect::<Result<Vec<_>>>()?);
        }
        let mut seen: Vec<StoredRequest<'_, O::T>> = Vec::with_capacity(requests.len());
        for (&StoredRequest { tree, log_leaves, rows, leaves, .. }, columns) in requests.iter().zip(&tables) {
            let tree = match tree {
                Stored::OnDevice(tree) => Stored::OnDevice(see.tree(tree)?),
                Stored::OnHost(stash) => Stored::OnHost(stash),
            };
            seen.push(StoredRequest { columns, tree, log_leaves, rows, leaves });
        }
        on.open_stored(&seen)
    }
    by_others(_) { Err(HalError::unsupported(Self::NAME, "tables and trees must be on this device to be opened")) }
}
