//! Tables and trees that leave the device and come back.

use gpu_hal::{LeafLayout, Operation, PlacementOperations, StarkBackend};

use super::{LOG_SLOW, MAX_LOG, is_slow};
use crate::failure::ensure;
use crate::{Suite, TestProtocol};

/// [`PlacementOperations::stash`] and [`PlacementOperations::restore`], of tables without columns, too; and of trees,
/// if the backend has [`PlacementOperations::stash_tree`]. The stashed table may be gone.
pub fn moves<P: TestProtocol>(suite: &Suite<P>) {
    let backend = suite.backend();
    suite.check(0..=MAX_LOG, 1..=9, "moves", |case| {
        let random = &mut case.random();
        let width = if random.one_in(4) { 0 } else { case.width };
        let data = random.elements::<P::Base>(width << case.log);
        let table = backend.upload(&data, width, case.log)?;
        let (shape, stash) = (table.shape(), backend.stash(table.as_ref())?);
        ensure(stash.bytes() >= size_of_val(data.as_slice()), || format!("{} bytes of the table", stash.bytes()))?;
        drop(table);
        let restored = backend.restore(&stash, shape)?;
        let back = backend.download(restored.as_ref(), 0..restored.height())?;
        ensure(back == data, || "another table came back".into())?;
        let has_trees = [Operation::Merkle, Operation::Root].into_iter().all(|op| suite.has(op));
        if !(has_trees && backend.placement().stashes_trees) {
            return Ok(());
        }
        let hashes = backend.capabilities().hashes.clone();
        for hash in hashes.into_iter().filter(|hash| case.log <= LOG_SLOW || !is_slow(*hash)) {
            let tree = backend.merkle(&[restored.as_ref()], LeafLayout::new(1), hash)?;
            let (root, stash) = (backend.root(&tree)?, backend.stash_tree(&tree)?);
            drop(tree);
            let tree = backend.restore_tree(&stash, case.log)?;
            ensure(backend.root(&tree)? == root, || "another tree came back".into())?;
            ensure(backend.restore_tree(&stash, case.log + 1).is_err(), || {
                "a tree of another height came back".into()
            })?;
        }
        Ok(())
    });
}
