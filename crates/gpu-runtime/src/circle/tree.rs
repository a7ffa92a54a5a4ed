//! Merkle trees with Blake2s over tables of any heights.

use gpu_hal::{HashFn, LeafLayout, Result};

use crate::buffer::{GpuTree, Table};
use crate::call::{Call, Entry, whole};
use crate::device::{Argument, KernelDevice};
use crate::library;
use crate::params::Params;
use crate::pool::Block;
use crate::slots::Slots;
use crate::tree::{DROPPED, HASH_THREADS, LOG_BOTTOM_LEAVES, dropped_levels, make_levels, tree_words};

fn entry(name: &'static str) -> Entry<'static> {
    Entry { unit: &library::CIRCLE_TREE, name, defines: &[] }
}

/// The tables that a tree is made over.
struct Leaves<'a, D: KernelDevice> {
    slots: Slots<'a, D>,
    list: Block<D::Memory>,
    elements: u32,
    tables: u32,
    log_height: u32,
    rows_per_leaf: u32,
}

impl<'a, D: KernelDevice> Leaves<'a, D> {
    fn new(call: Call<'_, D>, tables: &[Table<'a, D>], log_height: u32, rows_per_leaf: u32) -> Result<Self> {
        // The kernel goes on to the next table after the last column of one: there must be one.
        let tables: Vec<Table<'a, D>> = tables.iter().filter(|table| table.width > 0).copied().collect();
        let slots = Slots::new(call, &tables)?;
        let words: Vec<u64> = tables
            .iter()
            .enumerate()
            .flat_map(|(number, table)| {
                [slots.column(number, 0), table.width as u64 | u64::from(table.log_height) << 32]
            })
            .collect();
        let width: usize = tables.iter().map(|table| table.width).sum();
        Ok(Self {
            list: call.alloc_words(&words)?,
            slots,
            elements: width as u32 * rows_per_leaf,
            tables: tables.len() as u32,
            log_height,
            rows_per_leaf,
        })
    }

    fn arguments<'s>(&'s self, other: &'s Block<D::Memory>) -> Vec<Argument<'s, D::Memory>> {
        let mut buffers = self.slots.arguments(other);
        buffers.push(whole(&self.list));
        buffers
    }

    fn params(&self, before: Params) -> Params {
        before.u32(self.elements).u32(self.tables).u32(self.log_height).u32(self.rows_per_leaf)
    }
}

/// Words of the list of tables.
pub(super) fn list_words(tables: usize) -> u64 {
    2 * tables as u64
}

pub(super) fn merkle<D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'_, D>],
    layout: LeafLayout,
    log_height: u32,
) -> Result<GpuTree<D::Memory>> {
    let log_leaves = log_height - layout.rows_per_leaf.ilog2();
    let info = call.runtime.device.info();
    let dropped = dropped_levels(info, log_leaves);
    let tree = GpuTree {
        nodes: call.alloc(tree_words(info, log_leaves))?,
        log_leaves,
        dropped,
        rows_per_leaf: layout.rows_per_leaf as u32,
        width: tables.iter().map(|table| table.width).sum(),
        hash: HashFn::Blake2s,
    };
    let leaves = Leaves::new(call, tables, log_height, tree.rows_per_leaf)?;
    let mut buffers = leaves.arguments(&tree.nodes);
    buffers.push(whole(&tree.nodes));
    let params = leaves.params(Params::new().u64(1 << log_leaves));
    if dropped > 0 {
        let blocks = 1 << (log_leaves - LOG_BOTTOM_LEAVES);
        call.launch_blocks(entry("hash_bottom"), blocks, 1, HASH_THREADS, &buffers, params)?;
    } else {
        call.launch_items(entry("hash_leaves"), 1 << log_leaves, 1, &buffers, params)?;
    }
    make_levels(call, &library::CIRCLE_TREE, &tree.nodes, log_leaves - dropped)?;
    Ok(tree)
}

/// Recomputes the digests of the dropped levels that the paths of `count` leaves have: `count` numbers of leaves from word
/// `first_index` of `indices` on; path after path, `log_leaves` digests each, goes to word `first_target` and what follows.
pub(super) fn open_bottom<D: KernelDevice>(
    call: Call<'_, D>,
    tree: &GpuTree<D::Memory>,
    tables: &[Table<'_, D>],
    count: u64,
    (indices, first_index): (&Block<D::Memory>, u64),
    (target, first_target): (&Block<D::Memory>, u64),
) -> Result<()> {
    let log_height = tree.log_leaves + tree.rows_per_leaf.ilog2();
    let leaves = Leaves::new(call, tables, log_height, tree.rows_per_leaf)?;
    let mut buffers = leaves.arguments(indices);
    buffers.extend([whole(indices), whole(target)]);
    let params = leaves.params(Params::new().u64(count).u64(first_index).u64(first_target)).u32(tree.log_leaves);
    let blocks = (count << DROPPED).div_ceil(u64::from(HASH_THREADS));
    call.launch_blocks(entry("open_bottom"), blocks, 1, HASH_THREADS, &buffers, params)
}
