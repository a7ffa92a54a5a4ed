//! Rows and paths of tables and trees that may be in the host's memory: nothing is brought back. Stored rows and
//! digests are read where they are; digests that the tree lacks are made by the device, from the rows of the opened
//! leaves and of the leaves beside them.

use bytemuck::Zeroable;
use gpu_hal::stash::{Stored, StoredRequest};
use gpu_hal::{Digest, Domain, Opened, Protocol, Result, Shape};

use crate::buffer::{Table, TreeForm, new_table};
use crate::call::Call;
use crate::columns::StashedTable;
use crate::device::KernelDevice;
use crate::elements::{per_word, words};
use crate::openings::{check_tables, gather_paths, gather_rows};
use crate::protocol::GpuProtocol;
use crate::tree::{DIGEST_WORDS, StashedTree, digest, open_bottom};
use crate::types::GpuTypes;

type Request<'a, D, P> = StoredRequest<'a, GpuTypes<D, P>>;

const DIGEST: usize = DIGEST_WORDS as usize;

/// Log2 of the leaves of a table of the leaves beside `leaves` opened ones, a group for each.
fn log_beside(leaves: usize, dropped: u32) -> u32 {
    (leaves << dropped).next_power_of_two().ilog2()
}

/// Words of the buffers that [`open`] takes at most.
pub(crate) fn words_of<P: GpuProtocol>(
    dropped: u32,
    (rows, leaves): (usize, usize),
    tables: &[Shape],
    log_leaves: u32,
) -> Vec<u64> {
    let words = |elements: usize| words::<P>(elements as u64);
    let width: usize = tables.iter().map(|table| table.width).sum();
    let log_rows = tables.iter().map(|table| table.log_height).fold(log_leaves, u32::max);
    let has_bottom = dropped > 0 && leaves > 0;
    let bottom = if has_bottom { leaves << (dropped + log_rows - log_leaves) } else { 0 };
    let wanted = rows + bottom;
    let mut list = vec![wanted as u64, words(wanted * width), leaves as u64];
    list.push((leaves * log_leaves as usize * DIGEST) as u64);
    if has_bottom {
        let log_beside = log_beside(leaves, dropped);
        let beside = Shape::new((), width, log_beside + log_rows - log_leaves);
        list.extend([words(beside.elements()), leaves as u64, (leaves * log_beside as usize * DIGEST) as u64]);
        list.extend(P::leaf_words());
        list.extend(P::leaves_words(&[beside]));
    }
    list
}

/// Opens the requests.
pub(crate) fn open<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    request: &Request<'_, D, P>,
) -> Result<Opened<P::Base>> {
    let form = match request.tree {
        Stored::OnDevice(tree) => tree.form,
        Stored::OnHost(stash) => stash.get::<StashedTree>()?.form,
    };
    check_tables::<P>(form, &request.shapes(), !request.leaves.is_empty())?;
    let group = (form.rows_per_leaf as usize) << form.dropped;
    let mut wanted = request.rows.to_vec();
    if form.dropped > 0 {
        let groups = request.leaves.iter().map(|leaf| (leaf >> form.dropped) * group);
        wanted.extend(groups.flat_map(|first| first..first + group));
    }
    let (width, values) = (request.width(), rows(call, request, &wanted)?);
    let mut paths = upper(call, request, form)?;
    if form.dropped > 0 && !request.leaves.is_empty() {
        let beside = &values[request.rows.len() * width..];
        for (path, bottom) in paths.iter_mut().zip(lower(call, request.leaves, form, beside)?) {
            path.splice(0..0, bottom);
        }
    }
    let rows = (0..request.rows.len()).map(|row| values[row * width..][..width].to_vec()).collect();
    Ok(Opened { rows, paths })
}

/// The index in a table of the row that its lift by `shift` has at an index.
fn lifted<P: Protocol>(index: usize, shift: u32) -> usize {
    if P::Domain::LIFTS && shift > 0 { (index >> (shift + 1)) << 1 | (index & 1) } else { index >> shift }
}

/// Rows of all tables, one after the other.
fn rows<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    request: &Request<'_, D, P>,
    wanted: &[usize],
) -> Result<Vec<P::Base>> {
    let (width, log_rows) = (request.width(), request.log_rows());
    let mut values = vec![P::Base::zeroed(); wanted.len() * width];
    let mut here: Vec<(usize, Table<'_, D>)> = Vec::new();
    let mut first = 0;
    for table in request.columns {
        match table.data {
            Stored::OnDevice(buffer) => here.push((first, Table::<D>::new(buffer, table.width, table.log_height))),
            Stored::OnHost(stash) => {
                let stashed: &StashedTable = stash.get()?;
                let rows = wanted.iter().map(|row| lifted::<P>(*row, log_rows - table.log_height));
                for (row, values) in rows.zip(values.chunks_mut(width.max(1))) {
                    for (column, value) in values[first..first + table.width].iter_mut().enumerate() {
                        *value = stashed.element((column << table.log_height) + row);
                    }
                }
            }
        }
        first += table.width;
    }
    let tables: Vec<Table<'_, D>> = here.iter().map(|(_, table)| *table).collect();
    let width_here: usize = tables.iter().map(|table| table.width).sum();
    let count = wanted.len() * width_here;
    if count == 0 {
        return Ok(values);
    }
    let numbers: Vec<u64> = wanted.iter().map(|row| *row as u64).collect();
    let (indices, gathered) = (call.alloc_words(&numbers)?, call.alloc_elements(count as u64)?);
    gather_rows(call, (&tables, log_rows, wanted.len()), width_here, (&indices, 0), (&gathered, 0))?;
    let mut elements = vec![P::Base::zeroed(); count.next_multiple_of(per_word::<P>() as usize)];
    call.download(&gathered, 0, bytemuck::cast_slice_mut(&mut elements))?;
    for (from, to) in elements.chunks_exact(width_here).zip(values.chunks_exact_mut(width)) {
        let mut from = from;
        for (first, table) in &here {
            let (of_table, rest) = from.split_at(table.width);
            to[*first..first + table.width].copy_from_slice(of_table);
            from = rest;
        }
    }
    Ok(values)
}

/// The part of every path that the tree has.
fn upper<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    request: &Request<'_, D, P>,
    form: TreeForm,
) -> Result<Vec<Vec<Digest>>> {
    let (levels, leaves) = (form.log_leaves as usize, request.leaves);
    let kept = form.dropped as usize..levels;
    let tree = match request.tree {
        Stored::OnDevice(tree) => tree,
        Stored::OnHost(stash) => {
            let nodes = &stash.get::<StashedTree>()?.nodes;
            // The ancestor `level` levels up, numbered from 1, has the number of its subtree; its sibling differs in
            // the last bit.
            let sibling = |leaf: usize, level: usize| (((1 << levels) + leaf) >> level) ^ 1;
            let node = |number: usize| {
                let first = (number - 1) * DIGEST;
                digest(&std::array::from_fn::<u64, DIGEST, _>(|word| nodes.word(first + word)))
            };
            let path = |leaf: &usize| kept.clone().map(|level| node(sibling(*leaf, level))).collect();
            return Ok(leaves.iter().map(path).collect());
        }
    };
    if leaves.is_empty() || kept.is_empty() {
        return Ok(vec![Vec::new(); leaves.len()]);
    }
    let numbers: Vec<u64> = leaves.iter().map(|leaf| *leaf as u64).collect();
    let mut words = vec![0; leaves.len() * levels * DIGEST];
    let (indices, target) = (call.alloc_words(&numbers)?, call.alloc(words.len() as u64)?);
    gather_paths(call, tree, leaves.len() as u64, (&indices, 0), (&target, 0))?;
    call.download(&target, 0, &mut words)?;
    let path = |words: &[u64]| words[kept.start * DIGEST..].chunks_exact(DIGEST).map(digest).collect();
    Ok(words.chunks_exact(levels * DIGEST).map(path).collect())
}

/// The part of every path that the tree lacks: `beside` has the rows of the leaves of its group, group after group.
fn lower<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    leaves: &[usize],
    form: TreeForm,
    beside: &[P::Base],
) -> Result<Vec<Vec<Digest>>> {
    let log_leaves = log_beside(leaves.len(), form.dropped);
    let of_groups = TreeForm { log_leaves, ..form };
    let table = new_table(call, form.width, of_groups.log_rows())?;
    let mut columns = vec![P::Base::zeroed(); table.elements()];
    for (row, values) in beside.chunks_exact(form.width.max(1)).enumerate() {
        for (column, value) in values.iter().enumerate() {
            columns[(column << table.log_height) + row] = *value;
        }
    }
    if !columns.is_empty() {
        call.upload(&table.data.block, bytemuck::cast_slice(&columns))?;
    }
    let within = (1 << form.dropped) - 1;
    let numbers = leaves.iter().enumerate().map(|(group, leaf)| (group << form.dropped | leaf & within) as u64);
    let indices = call.alloc_words(&numbers.collect::<Vec<_>>())?;
    let mut words = vec![0; leaves.len() * log_leaves as usize * DIGEST];
    let target = call.alloc(words.len() as u64)?;
    open_bottom(call, of_groups, &[table.as_ref()], leaves.len() as u64, (&indices, 0), (&target, 0))?;
    call.download(&target, 0, &mut words)?;
    let path = |words: &[u64]| words[..form.dropped as usize * DIGEST].chunks_exact(DIGEST).map(digest).collect();
    Ok(words.chunks_exact(log_leaves as usize * DIGEST).map(path).collect())
}
