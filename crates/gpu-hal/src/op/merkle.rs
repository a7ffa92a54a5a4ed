//! A tree over rows.

use super::*;
use crate::{HashFn, Leaves};

op! {
    /// [`crate::StarkBackend::merkle`]: tables of one height or of heights that can be lifted, at least one leaf, a
    /// hash that the backend has.
    Merkle(tables: &'a [TableRef<'a, T>], leaves: Leaves, hash: HashFn) -> NewTree;

    check(capabilities) {
        let (op, &Leaves { rows_per_leaf, log_height }) = (Self::NAME, leaves);
        let invalid = |detail| Err(HalError::invalid(op, detail));
        tables.iter().try_for_each(|table| columns(op, table))?;
        if !capabilities.hashes.contains(hash) {
            let detail = format!("{hash}; this backend has {:?}", capabilities.hashes);
            return Err(HalError::unsupported(op, detail));
        }
        if ![1, 2, 4].contains(&rows_per_leaf) {
            return invalid(format!("{rows_per_leaf} rows a leaf: 1, 2 or 4"));
        }
        let Some(highest) = tables.iter().map(|table| table.log_height).max() else {
            return invalid("no table to commit to".into());
        };
        let lowest = tables.iter().map(|table| table.log_height).min().unwrap_or(highest);
        if highest > log_height || log_height >= usize::BITS {
            return invalid(format!("a table of 2^{highest} rows in a tree of 2^{log_height}"));
        }
        // A lift keeps the last bit of the index, so that even the lowest table must have two rows.
        if lowest != log_height && !(T::P::LIFTS && rows_per_leaf == 1 && lowest > 0) {
            return invalid(format!(
                "tables of 2^{lowest} and of 2^{log_height} rows in one tree, where they must have one height"
            ));
        }
        if rows_per_leaf > 1 << log_height {
            return invalid("fewer rows than one leaf takes".into());
        }
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
