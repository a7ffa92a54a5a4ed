//! Arguments of the kernels of trees for tables of any heights.

use gpu_hal::{CircleStark, HashFn, Leaves, Operation, Result, Shape, shapes};

use super::kernels::Call;
use super::stages::{LeafStage, stages};
use super::units;
use crate::buffer::Table;
use crate::call::Runtime;
use crate::device::KernelDevice;
use crate::footprint::bytes;
use crate::leaves::LeafTables;
use crate::library::no_kernel;
use crate::pool::Block;
use crate::slots::{Slots, packed_words};
use crate::tree::hash_leaves;

/// All blocks of leaves.
pub(super) fn leaves<'a, D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'a, D>],
    log_height: u32,
    rows_per_leaf: u32,
) -> Result<LeafTables<'a, D>> {
    let tables = with_columns::<D>(tables);
    let all = Leaves { log_height, rows_per_leaf: rows_per_leaf as usize, log_parts: 0 };
    let stages = stages(&shapes(&tables), all, log_height, usize::MAX);
    prepared(call, &tables, rows_per_leaf, &stages[0], None)
}

/// The last blocks of leaves, after the states that lower tables have in common.
pub(super) fn all_leaves<'a, D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'a, D>],
    (log_height, rows_per_leaf): (u32, u32),
    hash: HashFn,
) -> Result<LeafTables<'a, D>> {
    let tables = with_columns::<D>(tables);
    let all = Leaves { log_height, rows_per_leaf: rows_per_leaf as usize, log_parts: 0 };
    let stages = stages_of(call.runtime, &shapes(&tables), all);
    let (last, lower) = stages.split_last().expect("there is a stage of the tree's height");
    let mut below = None;
    let (unit, kernel, words) = units::states(hash).ok_or_else(|| no_kernel(Operation::Merkle, hash))?;
    for stage in lower {
        let states = call.alloc(words << stage.log_rows)?;
        let leaves = prepared(call, &tables, rows_per_leaf, stage, below)?;
        hash_leaves(call, (unit, kernel), (&leaves, false), stage.log_rows, (&states, 0))?;
        below = Some((states, stage.log_rows));
    }
    prepared(call, &tables, rows_per_leaf, last, below)
}

/// Words of the buffers of [`all_leaves`] without one list of [`list_words`], at most.
pub(super) fn all_leaves_words<D: KernelDevice>(
    runtime: &Runtime<D, CircleStark>,
    tables: &[Shape],
    leaves: Leaves,
    hash: HashFn,
) -> Vec<u64> {
    let tables: Vec<Shape> = tables.iter().filter(|table| table.width > 0).copied().collect();
    let stages = stages_of(runtime, &tables, leaves);
    let mut below = None;
    let of_stage = |(number, stage): (usize, &LeafStage)| {
        let is_last = number + 1 == stages.len();
        let mut words: Vec<u64> = below.into_iter().collect();
        below = units::states(hash).map(|(.., words)| words << stage.log_rows);
        words.extend(below.filter(|_| !is_last));
        words.extend(leaves_words(&tables[stage.tables.clone()]));
        words
    };
    stages.iter().enumerate().map(of_stage).max_by_key(|words| bytes(runtime, words.clone())).unwrap_or_default()
}

/// Words of the buffers of [`leaves`] without one list of [`list_words`]: of more tables than there are slots.
pub(super) fn leaves_words(tables: &[Shape]) -> Vec<u64> {
    let tables: Vec<Shape> = tables.iter().filter(|table| table.width > 0).copied().collect();
    let list = Some(2 * tables.len() as u64).filter(|list| *list > list_words());
    packed_words::<CircleStark>(&tables, units::UNITS.slots).into_iter().chain(list).collect()
}

/// Words of the list of as many tables as there are slots.
pub(super) fn list_words() -> u64 {
    2 * units::UNITS.slots as u64
}

fn stages_of<D: KernelDevice>(runtime: &Runtime<D, CircleStark>, tables: &[Shape], leaves: Leaves) -> Vec<LeafStage> {
    stages(tables, leaves, runtime.device.info().log_threads(), units::UNITS.slots)
}

/// The kernel goes on to the next table after the last column of one: there must be one.
fn with_columns<'a, D: KernelDevice>(tables: &[Table<'a, D>]) -> Vec<Table<'a, D>> {
    tables.iter().filter(|table| table.width > 0).copied().collect()
}

/// One stage, after the states of the stages before it, with log2 of their number.
fn prepared<'a, D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'a, D>],
    rows_per_leaf: u32,
    stage: &LeafStage,
    below: Option<(Block<D::Memory>, u32)>,
) -> Result<LeafTables<'a, D>> {
    // Columns before the blocks, all of them of the first table or of tables before it.
    let before = stage.words_before();
    let earlier: usize = tables[..stage.tables.start].iter().map(|table| table.width).sum();
    let width: usize = tables.iter().map(|table| table.width).sum();
    let tables = &tables[stage.tables.clone()];
    let slots = Slots::new(call, tables)?;
    let mut list = Vec::new();
    for (number, table) in tables.iter().enumerate() {
        let first = if number == 0 { before - earlier } else { 0 };
        list.push(slots.column(number, (first as u64) << table.log_height));
        list.push((table.width - first) as u64 | u64::from(table.log_height) << 32);
    }
    let (states, log_below) = below.unzip();
    let left = (width * rows_per_leaf as usize).saturating_sub(before) as u32;
    let fields = vec![
        stage.blocks.len() as u32,
        4 * before as u32,
        log_below.unwrap_or(0),
        left,
        tables.len() as u32,
        stage.log_rows,
        rows_per_leaf,
    ];
    Ok(LeafTables { slots, others: vec![Some(call.alloc_words(&list)?), states], fields })
}
