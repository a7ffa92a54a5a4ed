//! Merkle trees over tables, and their openings. Large trees are kept without their lowest levels, which take most of a
//! tree's memory: an opening makes the few digests that it needs again, from the rows.

use gpu_hal::{
    Digest, Domain, HalError, HashFn, Leaves, OpenRequest, Opened, Operation, Protocol, Result, check, shapes,
};
use rayon::prelude::*;

use crate::cpu::{Cpu, CpuProtocol, Table, TreeLeaves};
use crate::memory::{CpuTree, Memory, Origin};
use crate::merkle::dropped_levels;
use crate::simd::SimdLevel;

fn width<P: Protocol>(tables: &[Table<'_, P>]) -> usize {
    tables.iter().map(|table| table.width).sum()
}

/// The tree over the rows of tables; the arguments are checked.
pub(crate) fn build<P: CpuProtocol>(
    memory: &Memory,
    level: SimdLevel,
    tables: &[Table<'_, P>],
    leaves: Leaves,
    hash: HashFn,
) -> Result<CpuTree> {
    let log_leaves = leaves.log_leaves();
    let dropped = dropped_levels(log_leaves);
    let mut tree = memory.tree(Operation::Merkle, log_leaves, dropped)?;
    let has_wide_leaves = leaves.has_wide_leaves(&shapes(tables));
    P::build_tree(&TreeLeaves { level, hash, tables, leaves, has_wide_leaves }, dropped, tree.nodes_mut())?;
    tree.origin = Some(Origin { hash, leaves, has_wide_leaves, width: width::<P>(tables) });
    Ok(tree)
}

/// Rows and paths of several trees.
pub(crate) fn open<P: CpuProtocol>(
    level: SimdLevel,
    requests: &[OpenRequest<'_, Cpu<P>>],
) -> Result<Vec<Opened<P::Base>>> {
    let open = |request: &OpenRequest<'_, Cpu<P>>| {
        let log_rows = check::open_log_rows(request);
        let row = |row: &usize| {
            let elements = request.columns.iter().flat_map(|table| {
                let at = P::Domain::lift_index(*row, log_rows, table.log_height);
                let values = table.data.values();
                (0..table.width).map(move |column| values[(column << table.log_height) + at])
            });
            elements.collect()
        };
        let rows = request.rows.par_iter().with_min_len(16).map(row).collect();
        Ok(Opened { rows, paths: paths(level, request)? })
    };
    requests.iter().map(open).collect()
}

fn paths<P: CpuProtocol>(level: SimdLevel, request: &OpenRequest<'_, Cpu<P>>) -> Result<Vec<Vec<Digest>>> {
    let tree = request.tree;
    let Some(Origin { hash, leaves, has_wide_leaves, width: of }) =
        tree.origin.filter(|_| tree.dropped() > 0 && !request.leaves.is_empty())
    else {
        return Ok(request.leaves.iter().map(|leaf| tree.path(*leaf)).collect());
    };
    let log_height = leaves.log_height;
    let fits = |table: &Table<'_, P>| match leaves.rows_per_leaf {
        1 if P::Domain::LIFTS => table.log_height <= log_height,
        _ => table.log_height == log_height,
    };
    if width::<P>(request.columns) != of || !request.columns.iter().all(fits) {
        let detail =
            format!("paths of a tree over {of} columns of 2^{log_height} rows: give the tables that it was built over");
        return Err(HalError::invalid(Operation::Open, detail));
    }
    let below = TreeLeaves { level, hash, tables: request.columns, leaves, has_wide_leaves };
    let mut paths = P::siblings(&below, request.leaves, tree.dropped())?;
    paths.iter_mut().zip(request.leaves).for_each(|(path, leaf)| path.extend(tree.path(*leaf)));
    Ok(paths)
}
