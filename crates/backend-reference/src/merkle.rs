//! Merkle trees: a leaf is the hash of a list of elements, a parent that of its two children.

use gpu_hal::{Columns, Domain, HashFn, Leaves, OpenRequest, Opened, Operation, Protocol, Result, check, shapes};

use crate::CpuReference;
use crate::memory::{Memory, ReferenceBuffer, ReferenceTree};
use crate::protocol::ReferenceProtocol;
use crate::table::{Table, base};

/// The tree over the rows of tables: leaf `i` takes the rows `i * rows_per_leaf ..`, each with all its columns.
pub(crate) fn tree<P: ReferenceProtocol>(
    memory: &Memory,
    tables: &[Table<'_, P>],
    leaves: Leaves,
    hash: HashFn,
) -> Result<ReferenceTree> {
    let log_leaves = leaves.log_leaves();
    let has_wide_leaves = leaves.has_wide_leaves(&shapes(tables));
    let mut tree = memory.tree(Operation::Merkle, log_leaves)?;
    let first_leaf = (1 << log_leaves) - 1;
    let nodes = &mut tree.nodes;
    for index in 0..=first_leaf {
        let rows = index * leaves.rows_per_leaf..(index + 1) * leaves.rows_per_leaf;
        let elements = rows.flat_map(|r| row::<P>(tables, r, leaves.log_height));
        nodes[first_leaf + index] = hash.tree_leaf(elements, has_wide_leaves);
    }
    for node in (0..first_leaf).rev() {
        let is_wide = leaves.is_wide(1 << (node + 1).ilog2());
        let parent = hash.tree_parent(&nodes[2 * node + 1], &nodes[2 * node + 2], is_wide);
        nodes[node] = parent.expect("every node is a digest");
    }
    Ok(tree)
}

/// All columns of all tables at a row of `2^log_height`, lower tables lifted.
fn row<P: Protocol>(tables: &[Table<'_, P>], row: usize, log_height: u32) -> Vec<P::Base> {
    let element = |table: &Columns<&ReferenceBuffer<P::Base>>, column| {
        base(table, column, P::Domain::lift_index(row, log_height, table.log_height))
    };
    tables.iter().flat_map(|table| (0..table.width).map(move |column| element(table, column))).collect()
}

/// Opens a request, which is checked.
pub(crate) fn open<P: ReferenceProtocol>(request: &OpenRequest<'_, CpuReference<P>>) -> Opened<P::Base> {
    let log_rows = check::open_log_rows(request);
    Opened {
        rows: request.rows.iter().map(|at| row::<P>(request.columns, *at, log_rows)).collect(),
        paths: request.leaves.iter().map(|leaf| request.tree.path(*leaf)).collect(),
    }
}
