//! Rows and paths of trees.

use std::iter::repeat;

use gpu_hal::{Domain, HalError, OpenRequest, Opened, Operation, Result, Shape, check, shapes};

use crate::buffer::{GpuTree, Table, TreeForm};
use crate::call::{Call, whole};
use crate::columns::entry;
use crate::device::KernelDevice;
use crate::elements::{per_word, words};
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::GpuProtocol;
use crate::tree::{DIGEST_WORDS, digest, open_bottom};
use crate::types::GpuTypes;

type Request<'a, D, P> = OpenRequest<'a, GpuTypes<D, P>>;

/// The part of a request in the words that come to the host: its rows, filled up to a whole word, then its paths.
struct Part {
    width: usize,
    row_words: usize,
    path_words: usize,
}

impl Part {
    fn of<D: KernelDevice, P: GpuProtocol>(request: &Request<'_, D, P>) -> Self {
        let width = request.columns.iter().map(|table| table.width).sum();
        let path = request.tree.form.log_leaves as usize * DIGEST_WORDS as usize;
        let row_words = words::<P>((request.rows.len() * width) as u64) as usize;
        Self { width, row_words, path_words: request.leaves.len() * path }
    }
}

/// All rows and paths by gathers into one buffer, then one copy to the host.
pub(crate) fn open<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    requests: &[Request<'_, D, P>],
) -> Result<Vec<Opened<P::Base>>> {
    for request in requests {
        check_tables::<P>(request.tree.form, &shapes(request.columns), !request.leaves.is_empty())?;
    }
    let indices: Vec<u64> =
        requests.iter().flat_map(|request| request.rows.iter().chain(request.leaves)).map(|i| *i as u64).collect();
    let parts: Vec<Part> = requests.iter().map(Part::of).collect();
    let total: usize = parts.iter().map(|part| part.row_words + part.path_words).sum();
    let mut words = vec![0; total];
    if total > 0 {
        let indices = call.alloc_words(&indices)?;
        let gathered = call.alloc(total as u64)?;
        let (mut first_index, mut first_target) = (0, 0);
        for (request, part) in requests.iter().zip(&parts) {
            let rows = (request.columns, check::open_log_rows(request), request.rows.len());
            gather_rows(call, rows, part.width, (&indices, first_index), (&gathered, first_target))?;
            first_index += request.rows.len() as u64;
            first_target += part.row_words as u64;
            let (tree, paths) = (request.tree, request.leaves.len() as u64);
            if tree.form.dropped > 0 && paths > 0 {
                let (indices, target) = ((&indices, first_index), (&gathered, first_target));
                open_bottom(call, tree.form, request.columns, paths, indices, target)?;
            }
            gather_paths(call, tree, paths, (&indices, first_index), (&gathered, first_target))?;
            first_index += request.leaves.len() as u64;
            first_target += part.path_words as u64;
        }
        call.download(&gathered, 0, &mut words)?;
    }
    let mut rest = words.as_slice();
    let mut take = |count: usize| {
        let (taken, left) = rest.split_at(count);
        rest = left;
        taken
    };
    let opened = requests.iter().zip(&parts).map(|(request, part)| {
        let elements: &[P::Base] = bytemuck::cast_slice(take(part.row_words));
        let rows = (0..request.rows.len()).map(|row| elements[row * part.width..][..part.width].to_vec()).collect();
        let path = |words: &[u64]| words.chunks_exact(DIGEST_WORDS as usize).map(digest).collect();
        let path_words = request.tree.form.log_leaves as usize * DIGEST_WORDS as usize;
        let paths = request.leaves.iter().map(|_| path(take(path_words))).collect();
        Opened { rows, paths }
    });
    Ok(opened.collect())
}

/// Rows of tables, numbered among `2^log_rows`, one after the other; `width` elements are from one to the next.
pub(crate) fn gather_rows<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    (tables, log_rows, rows): (&[Table<'_, D>], u32, usize),
    width: usize,
    (indices, first_index): (&Block<D::Memory>, u64),
    (target, first_word): (&Block<D::Memory>, u64),
) -> Result<()> {
    let slots = P::UNITS.slots;
    let mut first_target = first_word * per_word::<P>();
    for tables in tables.chunks(slots) {
        let columns: usize = tables.iter().map(|table| table.width).sum();
        let count = (rows * columns) as u64;
        let params = Params::new().u64(count).u64(first_index).u64(first_target).u64(width as u64);
        let params = params.u32(columns as u32).u32(log_rows);
        let padded = |of: fn(&Table<'_, D>) -> u32| tables.iter().map(of).chain(repeat(0)).take(slots);
        let params = padded(|table| table.width as u32).fold(params, Params::u32);
        let params = padded(|table| table.log_height).fold(params, Params::u32);
        // Slots without a table are not read.
        let blocks = tables.iter().map(|table| whole(&table.data.block)).chain(repeat(whole(target))).take(slots);
        let buffers: Vec<_> = blocks.chain([whole(indices), whole(target)]).collect();
        call.launch_items(entry::<P>("gather_rows"), count, 1, &buffers, params)?;
        first_target += columns as u64;
    }
    Ok(())
}

/// Paths, one after the other, without the digests that the tree lacks.
pub(crate) fn gather_paths<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    tree: &GpuTree<D::Memory>,
    paths: u64,
    (indices, first_index): (&Block<D::Memory>, u64),
    (target, first_target): (&Block<D::Memory>, u64),
) -> Result<()> {
    let TreeForm { log_leaves, dropped, .. } = tree.form;
    let count = paths * u64::from(log_leaves - dropped) * DIGEST_WORDS;
    let params = Params::new().u64(count).u64(first_index).u64(first_target).u32(log_leaves).u32(dropped);
    let buffers = [whole(&tree.nodes), whole(indices), whole(target)];
    call.launch_items(entry::<P>("gather_paths"), count, 1, &buffers, params)
}

/// Digests that the tree lacks are made from the tables, which must at least have a shape that such a tree can be built
/// over.
pub(crate) fn check_tables<P: GpuProtocol>(tree: TreeForm, tables: &[Shape], has_paths: bool) -> Result<()> {
    if tree.dropped == 0 || !has_paths {
        return Ok(());
    }
    let log_rows = tree.log_rows();
    let width: usize = tables.iter().map(|table| table.width).sum();
    let lifts = P::Domain::LIFTS && tree.rows_per_leaf == 1;
    let fits = |log_height: u32| log_height == log_rows || (lifts && (1..=log_rows).contains(&log_height));
    if width == tree.width && tables.iter().all(|table| fits(table.log_height)) {
        return Ok(());
    }
    let detail = format!(
        "paths of a tree over {} columns of 2^{log_rows} rows: give the tables that it was built over",
        tree.width
    );
    Err(HalError::invalid(Operation::Open, detail))
}
