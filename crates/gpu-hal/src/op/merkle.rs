//! A tree over rows.

use super::cost::rows;
use super::*;
use crate::{HashFn, LeafLayout, Leaves, Shape};

op! {
    /// [`crate::StarkBackend::merkle`]: tables of one height or of heights that can be lifted, at least one leaf, a
    /// hash that the backend has.
    Merkle(tables: &'a [TableRef<'a, T>], leaves: Leaves, hash: HashFn) -> NewTree;

    check(capabilities) {
        let (op, &Leaves { rows_per_leaf, log_height, .. }) = (Self::NAME, leaves);
        tables.iter().try_for_each(|table| columns(op, table))?;
        if !capabilities.hashes.contains(hash) {
            let detail = format!("{hash}; this backend has {:?}", capabilities.hashes);
            return Err(HalError::unsupported(op, detail));
        }
        let is_leaf = LeafLayout::ROWS.contains(&rows_per_leaf);
        require!(is_leaf, op, "{rows_per_leaf} rows a leaf: 1, 2, 4, 8 or 16");
        let logs = tables.iter().map(|table| table.log_height);
        let highest = logs.clone().max();
        let Some((highest, lowest)) = highest.zip(logs.min()) else {
            return Err(HalError::invalid(op, "no table to commit to"));
        };
        let has_room = highest <= log_height && log_height < usize::BITS;
        require!(has_room, op, "a table of 2^{highest} rows in a tree of 2^{log_height}");
        // A lift keeps the last bit of the index, so that even the lowest table must have two rows.
        let is_lifted = lowest == log_height || (DomainOf::<T>::LIFTS && rows_per_leaf == 1 && lowest > 0);
        let rows = "rows in one tree, where they must have one height";
        require!(is_lifted, op, "tables of 2^{lowest} and of 2^{log_height} {rows}");
        require!(rows_per_leaf <= 1 << log_height, op, "fewer rows than one leaf takes");
        Ok(())
    }
    reads(on) { on.tables(tables) }
    makes(on) {
        let tree = on.tree(leaves.log_leaves());
        on.beside(&Footprint::Merkle { tables: &shapes(tables), leaves: *leaves, hash: *hash });
        tree
    }
    cost() { tree(&shapes(tables), *leaves, *hash) }
    through(on, see) { on.merkle(&see.tables(tables)?, *leaves, *hash) }
}

/// Lowest levels of a tree that need not be kept: an opening can make them again from the rows.
const LEVELS_MADE_AGAIN: u32 = 3;

/// The work of a tree over tables of one height, or over tables that are lifted, lowest first.
fn tree(tables: &[Shape], leaves: Leaves, hash: HashFn) -> Cost {
    let log_leaves = leaves.log_leaves();
    let width = leaves.rows_per_leaf * tables.iter().map(|table| table.width).sum::<usize>();
    let of_leaves = if tables.iter().all(|table| table.log_height == leaves.log_height) {
        rows(log_leaves) * hash.leaf_permutations(width) as f64
    } else {
        lifted(tables, width, hash)
    };
    Cost {
        moved: tables.iter().map(|table| table.elements() as f64).sum(),
        digests: 2.0 * rows(log_leaves.saturating_sub(LEVELS_MADE_AGAIN)) - 1.0,
        hashes: Some((hash, of_leaves + rows(log_leaves) - 1.0)),
        progress: (width as u64) << log_leaves,
        ..Cost::default()
    }
}

/// Permutations of all leaves. A leaf is hashed in blocks: blocks that hold values of low columns alone are the same
/// for many leaves, and are hashed once for each value.
fn lifted(tables: &[Shape], width: usize, hash: HashFn) -> f64 {
    let block = hash.permutation().elements();
    let (mut permutations, mut end, mut blocks) = (0.0, 0, 0);
    for table in tables {
        end += table.width;
        // The blocks that end in this table.
        permutations += (end / block - blocks) as f64 * rows(table.log_height);
        blocks = end / block;
    }
    // The rest; of nothing there is a block, too.
    let rest = hash.leaf_permutations(width) - blocks;
    permutations + rest as f64 * tables.last().map_or(0.0, |table| rows(table.log_height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_columns_are_hashed_once() {
        let leaves = Leaves { rows_per_leaf: 1, log_height: 10, log_parts: 0 };
        // A full block of low values, then a block that holds both.
        let tables = [Shape::new((), 17, 4), Shape::new((), 3, 10)];
        let cost = tree(&tables, leaves, HashFn::Blake2s);
        assert_eq!(cost.hashes, Some((HashFn::Blake2s, 16.0 + 1024.0 + 1023.0)));
        assert_eq!(cost.moved, 17.0 * 16.0 + 3.0 * 1024.0);
    }

    #[test]
    fn trees_count_permutations_and_the_digests_that_are_kept() {
        let hashes = |hash, width, rows_per_leaf, log_height| {
            let leaves = Leaves { rows_per_leaf, log_height, log_parts: 0 };
            let cost = tree(&[Shape::new((), width, log_height)], leaves, hash);
            (cost.hashes.map_or(0.0, |(_, count)| count), cost.digests)
        };
        let leaves = 1024.0;
        assert_eq!(hashes(HashFn::Keccak256, 8, 1, 10), (2.0 * leaves - 1.0, leaves / 4.0 - 1.0));
        assert_eq!(hashes(HashFn::Keccak256, 17, 1, 10).0, 3.0 * leaves - 1.0);
        assert_eq!(hashes(HashFn::Poseidon2, 8, 1, 10).0, 3.0 * leaves - 1.0);
        assert_eq!(hashes(HashFn::Poseidon2, 4, 1, 0), (1.0, 1.0));
        assert_eq!(hashes(HashFn::Blake2s, 16, 1, 10).0, 2.0 * leaves - 1.0);
        assert_eq!(hashes(HashFn::Blake2s, 17, 1, 10).0, 3.0 * leaves - 1.0);
        assert_eq!(hashes(HashFn::Blake2s, 4, 4, 12).0, 2.0 * leaves - 1.0);
    }
}
