//! A tree over rows.

use super::*;
use crate::{HashFn, Leaves};

op! {
    /// [`crate::StarkBackend::merkle`]: tables of one height or of heights that can be lifted, at least one leaf, a
    /// hash that the backend has.
    Merkle(tables: &'a [TableRef<'a, T>], leaves: Leaves, hash: HashFn) -> NewTree;

    check(capabilities) {
        let (op, &Leaves { rows_per_leaf, log_height }) = (Self::NAME, leaves);
        tables.iter().try_for_each(|table| columns(op, table))?;
        if !capabilities.hashes.contains(hash) {
            let detail = format!("{hash}; this backend has {:?}", capabilities.hashes);
            return Err(HalError::unsupported(op, detail));
        }
        require!([1, 2, 4].contains(&rows_per_leaf), op, "{rows_per_leaf} rows a leaf: 1, 2 or 4");
        let logs = tables.iter().map(|table| table.log_height);
        let highest = logs.clone().max();
        let Some((highest, lowest)) = highest.zip(logs.min()) else {
            return Err(HalError::invalid(op, "no table to commit to"));
        };
        let has_room = highest <= log_height && log_height < usize::BITS;
        require!(has_room, op, "a table of 2^{highest} rows in a tree of 2^{log_height}");
        // A lift keeps the last bit of the index, so that even the lowest table must have two rows.
        let is_lifted = lowest == log_height || (T::P::LIFTS && rows_per_leaf == 1 && lowest > 0);
        let rows = "rows in one tree, where they must have one height";
        require!(is_lifted, op, "tables of 2^{lowest} and of 2^{log_height} {rows}");
        require!(rows_per_leaf <= 1 << log_height, op, "fewer rows than one leaf takes");
        Ok(())
    }
    reads(on) { on.tables(tables) }
    makes(on) {
        let (tables, rows_per_leaf) = (shapes(tables), leaves.rows_per_leaf);
        let log_leaves = leaves.log_height - rows_per_leaf.ilog2();
        let tree = on.tree(log_leaves);
        on.beside(&Footprint::Merkle { tables: &tables, leaves: *leaves });
        on.step(|_| Step::Merkle { tables, rows_per_leaf, log_leaves, hash: *hash });
        tree
    }
    through(on, see) { on.merkle(&see.tables(tables)?, *leaves, *hash) }
}
