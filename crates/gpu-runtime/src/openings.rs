//! Rows and paths of trees.

use field::Goldilocks;
use gpu_hal::{Columns, HalError, OpenRequest, Opened, Operation, Result, StarkBackend};

use crate::buffer::{GpuBuffer, GpuTree, Table};
use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;
use crate::pool::Block;
use crate::tree::{DIGEST_WORDS, digest, open_bottom};

/// All rows and paths by gathers into one buffer, then one copy to the host.
pub(crate) fn open<D, B>(call: Call<'_, D>, requests: &[OpenRequest<'_, B>]) -> Result<Vec<Opened<Goldilocks>>>
where
    D: KernelDevice,
    B: StarkBackend<Buffer = GpuBuffer<D::Memory>, Tree = GpuTree<D::Memory>>,
{
    let row_width = |request: &OpenRequest<'_, B>| request.columns.iter().map(|table| table.width).sum::<usize>();
    let path_words = |request: &OpenRequest<'_, B>| request.tree.log_leaves as usize * DIGEST_WORDS as usize;
    requests.iter().try_for_each(check_tables)?;
    let indices: Vec<u64> =
        requests.iter().flat_map(|request| request.rows.iter().chain(request.leaves)).map(|i| *i as u64).collect();
    let total: usize = requests
        .iter()
        .map(|request| request.rows.len() * row_width(request) + request.leaves.len() * path_words(request))
        .sum();
    let mut words = vec![0; total];
    if total > 0 {
        let indices = call.alloc_words(&indices)?;
        let gathered = call.alloc(total as u64)?;
        let (mut first_index, mut first_target) = (0, 0);
        for request in requests {
            gather_rows(
                call,
                request.columns,
                request.rows.len() as u64,
                (&indices, first_index),
                (&gathered, first_target),
            )?;
            first_index += request.rows.len() as u64;
            first_target += (request.rows.len() * row_width(request)) as u64;
            let tree = request.tree;
            let paths = request.leaves.len() as u64;
            if tree.dropped > 0 && paths > 0 {
                open_bottom(call, tree, request.columns, paths, (&indices, first_index), (&gathered, first_target))?;
            }
            let count = paths * u64::from(tree.log_leaves - tree.dropped) * DIGEST_WORDS;
            let params =
                Params::new().u64(count).u64(first_index).u64(first_target).u32(tree.log_leaves).u32(tree.dropped);
            let buffers = [whole(&tree.nodes), whole(&indices), whole(&gathered)];
            let entry = Entry { unit: &library::COLUMNS, name: "gather_paths", defines: &[] };
            call.launch_items(entry, count, 1, &buffers, params)?;
            first_target += paths * path_words(request) as u64;
            first_index += request.leaves.len() as u64;
        }
        call.download(&gathered, 0, &mut words)?;
    }
    let mut rest = words.as_slice();
    let mut take = |count: usize| {
        let (taken, left) = rest.split_at(count);
        rest = left;
        taken
    };
    let opened = requests.iter().map(|request| {
        let (width, words) = (row_width(request), path_words(request));
        let rows = request.rows.iter().map(|_| bytemuck::cast_slice(take(width)).to_vec()).collect();
        let path = |words: &[u64]| words.chunks_exact(DIGEST_WORDS as usize).map(digest).collect();
        let paths = request.leaves.iter().map(|_| path(take(words))).collect();
        Opened { rows, paths }
    });
    Ok(opened.collect())
}

fn gather_rows<D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'_, D>],
    rows: u64,
    (indices, first_index): (&Block<D::Memory>, u64),
    (target, first_target): (&Block<D::Memory>, u64),
) -> Result<()> {
    let stride: usize = tables.iter().map(|table| table.width).sum();
    let mut first_column = 0;
    for Columns { data, width, log_height } in tables {
        let count = rows * *width as u64;
        let params = Params::new()
            .u64(count)
            .u64(first_index)
            .u64(first_target + first_column)
            .u64(stride as u64)
            .u32(*width as u32)
            .u32(*log_height);
        let entry = Entry { unit: &library::COLUMNS, name: "gather_rows", defines: &[] };
        call.launch_items(entry, count, 1, &[whole(&data.block), whole(indices), whole(target)], params)?;
        first_column += *width as u64;
    }
    Ok(())
}

/// Digests that the tree lacks are made from the tables, which must at least have the shape of those that it was built over.
fn check_tables<M, B>(request: &OpenRequest<'_, B>) -> Result<()>
where
    M: Send + Sync + 'static,
    B: StarkBackend<Buffer = GpuBuffer<M>, Tree = GpuTree<M>>,
{
    let tree = request.tree;
    if tree.dropped == 0 || request.leaves.is_empty() {
        return Ok(());
    }
    let rows = u64::from(tree.rows_per_leaf) << tree.log_leaves;
    let width: usize = request.columns.iter().map(|table| table.width).sum();
    if width == tree.width
        && request.columns.iter().all(|table| table.height() as u64 == rows)
        && !request.columns.is_empty()
    {
        return Ok(());
    }
    let detail =
        format!("paths of a tree over {} columns of {rows} rows: give the tables that it was built over", tree.width);
    Err(HalError::invalid(Operation::Open.name(), detail))
}
