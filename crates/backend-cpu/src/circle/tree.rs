//! Merkle trees over lifted tables, and their openings. As for Goldilocks, large trees are kept without their lowest levels: an opening
//! makes the few digests that it needs again, from the rows.

use field::M31;
use gpu_hal::{
    CircleStark, Columns, DeviceTree, Digest, HalError, HashFn, LeafLayout, OpenRequest, Opened, Operation, Protocol,
    Result, StarkBackend, check,
};
use rayon::prelude::*;

use super::hash::{Blake2s, Leaves};
use crate::memory::{CpuBuffer, CpuTree, Memory, Origin};
use crate::merkle::{self, dropped_levels};
use crate::simd::SimdLevel;

type Table<'a> = Columns<&'a CpuBuffer<M31>>;

fn width(tables: &[Table<'_>]) -> usize {
    tables.iter().map(|table| table.width).sum()
}

/// The tree over the rows of tables; the arguments are checked.
pub(crate) fn build(
    memory: &Memory,
    level: SimdLevel,
    tables: &[Table<'_>],
    layout: LeafLayout,
    log_height: u32,
) -> Result<CpuTree> {
    let rows_per_leaf = layout.rows_per_leaf;
    let log_leaves = log_height - rows_per_leaf.ilog2();
    let dropped = dropped_levels(log_leaves);
    let mut result = memory.tree(Operation::Merkle, log_leaves, dropped)?;
    let hash = Blake2s { level, leaves: Leaves::new(tables, rows_per_leaf, log_height) };
    merkle::build(&hash, dropped, result.nodes_mut());
    result.origin = Some(Origin { hash: HashFn::Blake2s, rows_per_leaf, width: width(tables) });
    Ok(result)
}

/// Rows and paths of several trees.
pub(crate) fn open<B>(level: SimdLevel, requests: &[OpenRequest<'_, B>]) -> Result<Vec<Opened<M31>>>
where
    B: StarkBackend<P = CircleStark, Buffer = CpuBuffer<M31>, Tree = CpuTree>,
{
    check::open(requests)?;
    let open = |request: &OpenRequest<'_, B>| {
        let log_rows = check::open_log_rows(request);
        let row = |row: &usize| {
            let elements = request.columns.iter().flat_map(|table| {
                let at = CircleStark::lift_index(*row, log_rows, table.log_height);
                let values = table.data.values();
                (0..table.width).map(move |column| values[(column << table.log_height) + at])
            });
            elements.collect()
        };
        Ok(Opened { rows: request.rows.par_iter().with_min_len(16).map(row).collect(), paths: paths(level, request)? })
    };
    requests.iter().map(open).collect()
}

fn paths<B>(level: SimdLevel, request: &OpenRequest<'_, B>) -> Result<Vec<Vec<Digest>>>
where
    B: StarkBackend<P = CircleStark, Buffer = CpuBuffer<M31>, Tree = CpuTree>,
{
    let built = request.tree;
    let leaves = request.leaves.par_iter().with_min_len(16);
    let Some(origin) = built.origin.filter(|_| built.dropped() > 0 && !request.leaves.is_empty()) else {
        return Ok(leaves.map(|leaf| built.path(*leaf)).collect());
    };
    let log_height = built.log_leaves() + origin.rows_per_leaf.ilog2();
    let fits = |table: &Table<'_>| match origin.rows_per_leaf {
        1 => table.log_height <= log_height,
        _ => table.log_height == log_height,
    };
    if width(request.columns) != origin.width || !request.columns.iter().all(fits) {
        let detail = format!(
            "paths of a tree over {} columns of 2^{log_height} rows: give the tables that it was built over",
            origin.width
        );
        return Err(HalError::invalid(Operation::Open.name(), detail));
    }
    let hash = Blake2s { level, leaves: Leaves::new(request.columns, origin.rows_per_leaf, log_height) };
    let path = |leaf: &usize| {
        let mut path = merkle::siblings(&hash, *leaf, built.dropped());
        path.extend(built.path(*leaf));
        path
    };
    Ok(leaves.map(path).collect())
}
