//! Merkle trees and proof of work.

use std::ops::Range;

use gpu_hal::stash::{Stash, check_size};
use gpu_hal::{Digest, HashFn, LOG_WINDOW, NonceSearch, Operation, Result, shapes};

use crate::buffer::{GpuTree, Table, TreeForm};
use crate::call::{Call, Entry, whole};
use crate::device::{DeviceInfo, KernelDevice};
use crate::host_store::HostBlock;
use crate::leaves::LeafTables;
use crate::library::{Unit, no_kernel};
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::GpuProtocol;

/// Words of a digest.
pub(crate) const DIGEST_WORDS: u64 = 4;
/// Levels that a large tree is kept without, and the leaves of a block that hashes them, as in the kernel.
pub(crate) const DROPPED: u32 = 3;
const LOG_BOTTOM_LEAVES: u32 = 11;
/// Threads of a block that hashes leaves, as in the kernel.
const HASH_THREADS: u32 = 256;
/// Threads of a block that makes a subtree, as in the kernel, and the most levels of one.
const SUBTREE_THREADS: u32 = 256;
const SUBTREE_LEVELS: u32 = 9;
/// Levels above more than 2^17 nodes fill the device: each has a launch of its own.
const LOG_WIDE: u32 = 17;

/// Levels, the leaves first, that a tree is kept without: their digests are made from the rows again where one is
/// opened. A tree with fewer blocks of leaves than the device runs at once is made faster, and kept, whole.
fn dropped_levels(info: &DeviceInfo, log_leaves: u32) -> u32 {
    let fills =
        log_leaves >= LOG_BOTTOM_LEAVES && 1u64 << (log_leaves - LOG_BOTTOM_LEAVES) >= u64::from(info.multiprocessors);
    if fills { DROPPED } else { 0 }
}

/// Whether a tree is kept without its lowest levels.
pub(crate) fn lacks_levels(info: &DeviceInfo, log_leaves: u32) -> bool {
    dropped_levels(info, log_leaves) > 0
}

/// Words of the nodes that are kept of a tree.
pub(crate) fn tree_words(info: &DeviceInfo, log_leaves: u32) -> u64 {
    kept_words(log_leaves, dropped_levels(info, log_leaves))
}

/// Words of the nodes of a tree without its lowest levels.
fn kept_words(log_leaves: u32, dropped: u32) -> u64 {
    ((2 << (log_leaves - dropped)) - 1) * DIGEST_WORDS
}

/// Recomputes the digests of the dropped levels that the paths of `count` leaves have: `count` numbers of leaves from
/// word `first_index` of `indices` on; path after path, `log_leaves` digests each, goes to word `first_target` and what
/// follows.
pub(crate) fn open_bottom<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    tree: TreeForm,
    tables: &[Table<'_, D>],
    count: u64,
    (indices, first_index): (&Block<D::Memory>, u64),
    (target, first_target): (&Block<D::Memory>, u64),
) -> Result<()> {
    let leaves = P::leaves(call, tables, tree.log_rows(), tree.rows_per_leaf)?;
    let mut buffers = leaves.arguments(indices);
    buffers.extend([whole(indices), whole(target)]);
    let params =
        leaves.params(Params::new().u64(count).u64(first_index).u64(first_target).u32(tree.has_wide_leaves.into()));
    let params = params.u32(tree.log_leaves);
    let blocks = (count << DROPPED).div_ceil(u64::from(HASH_THREADS));
    let entry = Entry { unit: P::UNITS.hash(Operation::Open, tree.hash)?.tree, name: "open_bottom", defines: &[] };
    call.launch_blocks(entry, blocks, 1, HASH_THREADS, &buffers, params)
}

pub(crate) fn merkle<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    tables: &[Table<'_, D>],
    leaves: gpu_hal::Leaves,
    hash: HashFn,
) -> Result<GpuTree<D::Memory>> {
    let gpu_hal::Leaves { log_height, rows_per_leaf, .. } = leaves;
    let (has_wide_leaves, log_wide) = (leaves.has_wide_leaves(&shapes(tables)), leaves.log_wide());
    let unit = P::UNITS.hash(Operation::Merkle, hash)?.tree;
    let entry = |name| Entry { unit, name, defines: &[] };
    let log_leaves = leaves.log_leaves();
    let info = call.runtime.device.info();
    let dropped = dropped_levels(info, log_leaves);
    let (rows_per_leaf, width) = (rows_per_leaf as u32, tables.iter().map(|table| table.width).sum());
    let form = TreeForm { log_leaves, dropped, rows_per_leaf, width, hash, has_wide_leaves };
    let tree = GpuTree { nodes: call.alloc(tree_words(info, log_leaves))?, form };
    let nodes = &tree.nodes;

    let leaves = P::all_leaves(call, tables, (log_height, rows_per_leaf), hash)?;
    if dropped > 0 {
        let mut buffers = leaves.arguments(nodes);
        buffers.push(whole(nodes));
        let first = (1 << (log_leaves - dropped)) - 1;
        let params = leaves.params(Params::new().u64(1 << log_leaves).u64(first).u32(has_wide_leaves.into()));
        let blocks = 1 << (log_leaves - LOG_BOTTOM_LEAVES);
        call.launch_blocks(entry("hash_bottom"), blocks, 1, HASH_THREADS, &buffers, params)?;
    } else {
        let first = (1 << log_leaves) - 1;
        hash_leaves(call, (unit, "hash_leaves"), (&leaves, has_wide_leaves), log_leaves, (nodes, first))?;
    }

    make_levels(call, unit, nodes, log_leaves - dropped, log_wide)?;
    Ok(tree)
}

/// A tree in the host's memory.
pub(crate) struct StashedTree {
    /// The nodes that are kept.
    pub(crate) nodes: HostBlock,
    pub(crate) form: TreeForm,
}

/// A copy of a tree in the host's memory.
pub(crate) fn stash<D: KernelDevice, P: GpuProtocol>(call: Call<'_, D, P>, tree: &GpuTree<D::Memory>) -> Result<Stash> {
    let form = tree.form;
    let nodes = call.keep(&tree.nodes, kept_words(form.log_leaves, form.dropped))?;
    let bytes = nodes.count() * size_of::<u64>();
    Ok(Stash::new(StashedTree { nodes, form }, bytes))
}

/// The tree that was stashed.
pub(crate) fn restore<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    stashed: &StashedTree,
    log_leaves: u32,
) -> Result<GpuTree<D::Memory>> {
    let form = stashed.form;
    check_size(form.log_leaves as usize, log_leaves as usize)?;
    let nodes = call.alloc(kept_words(form.log_leaves, form.dropped))?;
    call.bring_back(&stashed.nodes, &nodes)?;
    Ok(GpuTree { nodes, form })
}

/// Hashes `2^log_count` leaves, wide or not, by a kernel, each to a node from `first` on, or to a state in their place.
pub(crate) fn hash_leaves<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    (unit, name): (&'static Unit, &'static str),
    (leaves, is_wide): (&LeafTables<'_, D>, bool),
    log_count: u32,
    (nodes, first): (&Block<D::Memory>, u64),
) -> Result<()> {
    let mut buffers = leaves.arguments(nodes);
    buffers.push(whole(nodes));
    let params = leaves.params(Params::new().u64(1 << log_count).u64(first).u32(is_wide.into()));
    call.launch_items(Entry { unit, name, defines: &[] }, 1 << log_count, 1, &buffers, params)
}

/// Makes the levels of nodes above one of `2^log_below` nodes, which is there; those of `2^log_wide` nodes or more are
/// wide.
fn make_levels<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    unit: &'static Unit,
    nodes: &Block<D::Memory>,
    mut log_below: u32,
    log_wide: u32,
) -> Result<()> {
    let entry = |name| Entry { unit, name, defines: &[] };
    while log_below > LOG_WIDE {
        let count = 1u64 << (log_below - 1);
        let params = Params::new().u64(count - 1).u64(count);
        call.launch_items(entry("hash_nodes"), count, 1, &[whole(nodes)], params)?;
        log_below -= 1;
    }
    while log_below > 0 {
        let levels = log_below.min(SUBTREE_LEVELS);
        let (blocks, params) = (1 << (log_below - levels), Params::new().u32(log_below).u32(levels).u32(log_wide));
        call.launch_blocks(entry("hash_subtrees"), blocks, 1, SUBTREE_THREADS, &[whole(nodes)], params)?;
        log_below -= levels;
    }
    Ok(())
}

pub(crate) fn digest(words: &[u64]) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(bytemuck::cast_slice(words));
    digest
}

pub(crate) fn root<D: KernelDevice, P: GpuProtocol>(call: Call<'_, D, P>, tree: &GpuTree<D::Memory>) -> Result<Digest> {
    let mut words = [0; DIGEST_WORDS as usize];
    call.download(&tree.nodes, 0, &mut words)?;
    Ok(digest(&words))
}

/// Threads of a block, as in the kernel.
const GRIND_THREADS: u32 = 256;
/// Log2 of the nonces of the first and of the largest batch.
const LOG_BATCHES: (u32, u32) = (10, 26);
/// Log2 of the most blocks of a batch; larger batches give each thread more nonces.
const LOG_GRIND_BLOCKS: u32 = 12;
/// The value that the kernel writes where no nonce was found.
const NO_NONCE: u64 = u64::MAX;

/// Log2 of the nonces of a batch, `2^log_tries` at most, and of its blocks. One batch in three or so is enough when it
/// has as many nonces as are tried on average.
fn batch(bits: u32, log_tries: u32) -> (u32, u32) {
    let log_batch = bits.clamp(LOG_BATCHES.0, LOG_BATCHES.1).min(log_tries);
    (log_batch, (log_batch - GRIND_THREADS.ilog2()).min(LOG_GRIND_BLOCKS))
}

/// Words of the buffers that [`grind`] takes at most.
pub(crate) fn grind_words(bits: u32) -> [u64; 2] {
    [1 << batch(bits, u64::BITS).1, 1]
}

/// Batches of numbers in order; the nonce of the smallest of the first batch that has one which will do. The last batch
/// may reach beyond the windows: nonces there do not count.
pub(crate) fn grind<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    grind: &NonceSearch,
    windows: Range<u64>,
) -> Result<Option<u64>> {
    let count = windows.end - windows.start;
    if count == 0 {
        return Ok(None);
    }
    // As many as all windows have, rounded up.
    let log_tries = LOG_WINDOW + u64::BITS - (count - 1).leading_zeros();
    let (log_batch, log_blocks) = batch(grind.bits, log_tries);
    let is_within = |number: &u64| number >> LOG_WINDOW < windows.end;
    let (blocks, tries) = (1u64 << log_blocks, 1u64 << (log_batch - GRIND_THREADS.ilog2() - log_blocks));
    let found = call.alloc(blocks)?;
    let smallest = call.alloc(1)?;
    let words: [u64; 4] = bytemuck::pod_read_unaligned(&grind.prefix);
    let unit = P::UNITS.hash(Operation::Grind, grind.hash)?.grind;
    let unit = unit.ok_or_else(|| no_kernel(Operation::Grind, grind.hash))?;
    let entry = |name| Entry { unit, name, defines: &[] };
    let mut first = windows.start << LOG_WINDOW;
    loop {
        let params = words.iter().fold(Params::new(), |params, word| params.u64(*word));
        let params = params.u64(first).u64(tries).u32(grind.bits);
        call.launch_blocks(entry("grind"), blocks, 1, GRIND_THREADS, &[whole(&found)], params)?;
        let params = Params::new().u64(blocks);
        call.launch_blocks(entry("smallest"), 1, 1, GRIND_THREADS, &[whole(&found), whole(&smallest)], params)?;
        let mut offset = [0];
        call.download(&smallest, 0, &mut offset)?;
        if offset[0] != NO_NONCE {
            let number = first.checked_add(offset[0]).filter(is_within);
            return Ok(number.map(|number| grind.hash.nonces().nonce(number)));
        }
        match first.checked_add(1 << log_batch).filter(is_within) {
            Some(next) => first = next,
            None => return Ok(None),
        }
    }
}
