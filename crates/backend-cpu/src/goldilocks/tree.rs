//! Merkle trees and their openings. Large trees are kept without their lowest levels, which take most of a tree's memory: an opening
//! makes the few digests that it needs again, from the rows.

use field::Goldilocks;
use gpu_hal::{
    Columns, Digest, HalError, HashFn, LeafLayout, OpenRequest, Opened, Operation, Result, StarkBackend, check,
};
use rayon::prelude::*;

use super::hash;
use crate::memory::{CpuBuffer, CpuTree, Memory, Origin};
use crate::merkle::dropped_levels;
use crate::simd::SimdLevel;

type Table<'a> = Columns<&'a CpuBuffer<Goldilocks>>;

fn slices<'a>(tables: &[Table<'a>]) -> Vec<&'a [Goldilocks]> {
    tables.iter().flat_map(|table| table.data.values().chunks_exact(table.height())).collect()
}

/// The tree over the rows of tables; the arguments are checked.
pub(crate) fn merkle(
    memory: &Memory,
    level: SimdLevel,
    tables: &[Table<'_>],
    layout: LeafLayout,
    hash: HashFn,
) -> Result<CpuTree> {
    let (log_height, columns) = (tables[0].log_height, slices(tables));
    let log_leaves = log_height - layout.rows_per_leaf.ilog2();
    let dropped = dropped_levels(log_leaves);
    let mut tree = memory.tree(Operation::Merkle, log_leaves, dropped)?;
    let rows = 1 << log_height;
    hash::merkle_tree_into(level, hash, &columns, rows, layout.rows_per_leaf, dropped, tree.nodes_mut())?;
    tree.origin = Some(Origin { hash, rows_per_leaf: layout.rows_per_leaf, width: columns.len() });
    Ok(tree)
}

/// Rows and paths of several trees.
pub(crate) fn open<B>(level: SimdLevel, requests: &[OpenRequest<'_, B>]) -> Result<Vec<Opened<Goldilocks>>>
where
    B: StarkBackend<Buffer = CpuBuffer<Goldilocks>, Tree = CpuTree>,
{
    check::open(requests)?;
    let open = |request: &OpenRequest<'_, B>| {
        let row = |row: &usize| {
            let tables = request.columns.iter();
            let elements = tables.flat_map(|table| {
                let values = table.data.values();
                (0..table.width).map(move |column| values[(column << table.log_height) + row])
            });
            elements.collect()
        };
        Ok(Opened { rows: request.rows.par_iter().with_min_len(16).map(row).collect(), paths: paths(level, request)? })
    };
    requests.iter().map(open).collect()
}

fn paths<B>(level: SimdLevel, request: &OpenRequest<'_, B>) -> Result<Vec<Vec<Digest>>>
where
    B: StarkBackend<Buffer = CpuBuffer<Goldilocks>, Tree = CpuTree>,
{
    let tree = request.tree;
    let leaves = request.leaves.par_iter().with_min_len(16);
    let Some(origin) = tree.origin.filter(|_| tree.dropped() > 0 && !request.leaves.is_empty()) else {
        return Ok(leaves.map(|leaf| tree.path(*leaf)).collect());
    };
    let (columns, rows) = (slices(request.columns), origin.rows_per_leaf << gpu_hal::DeviceTree::log_leaves(tree));
    if columns.len() != origin.width || columns.iter().any(|column| column.len() != rows) || columns.is_empty() {
        let detail = format!(
            "paths of a tree over {} columns of {rows} rows: give the tables that it was built over",
            origin.width
        );
        return Err(HalError::invalid(Operation::Open.name(), detail));
    }
    let path = |leaf: &usize| {
        let Origin { hash, rows_per_leaf, .. } = origin;
        let mut path = hash::merkle_siblings(level, hash, &columns, rows, rows_per_leaf, tree.dropped(), *leaf)?;
        path.extend(tree.path(*leaf));
        Ok(path)
    };
    leaves.map(path).collect()
}
