//! Tables of binary trees: level after level, from the leaves to the root. The rows of a level are independent.

use field::Field;
use gpu_hal::ir::Schedule;
use gpu_hal::{Columns, Operation, Result, Shape, TreeMapArgs};

use crate::blocks::log_block;
use crate::cpu::{Cpu, CpuProtocol};
use crate::memory::{CpuBuffer, Memory};

/// Rows of a task, as a logarithm; a level of fewer is one task.
const LOG_BLOCK: std::ops::RangeInclusive<u32> = 5..=12;

/// Rows of one level that a task makes: a power of two of them, as many as the level has or as a task takes.
pub(crate) struct Block<'a, F> {
    /// The first row.
    pub(crate) first: usize,
    columns: Vec<&'a mut [F]>,
    /// A row for each parent: the values that go up from the left children, then from the right. None from the root.
    up: Vec<&'a mut [F]>,
}

impl<F: Field> Block<'_, F> {
    /// How many rows.
    pub(crate) fn rows(&self) -> usize {
        self.columns[0].len()
    }

    /// Sets an output of consecutive rows of the block, from number `at` on.
    pub(crate) fn set(&mut self, output: usize, at: usize, values: &[F]) {
        let Some(value) = output.checked_sub(self.columns.len()) else {
            return self.columns[output][at..at + values.len()].copy_from_slice(values);
        };
        let width = self.up.len() / 2;
        if width > 0 {
            for (row, element) in (at..).zip(values) {
                self.up[row % 2 * width + value][row / 2] = *element;
            }
        }
    }
}

/// The tables of values that go up that are alive at once: from the leaves, and from the level above them.
pub(crate) fn scratch(values: usize, log_height: u32) -> impl Iterator<Item = Shape> {
    [2, 3].into_iter().filter_map(move |levels| Some(Columns::new((), 2 * values, log_height.checked_sub(levels)?)))
}

/// The columns; the arguments are checked. `run` makes the blocks of a level from tables of which the last, except for
/// the leaves, has the values that their children handed up: row `i` of `2^k, .., 2^(k+1) - 1` reads row `i mod 2^k` of
/// it.
pub(crate) fn tree_map<P: CpuProtocol>(
    memory: &Memory,
    args: &TreeMapArgs<'_, Cpu<P>>,
    run: impl Fn(&Schedule<P>, &[Columns<&CpuBuffer<P::Base>>], Vec<Block<'_, P::Base>>),
) -> Result<Columns<CpuBuffer<P::Base>>> {
    let op = Operation::TreeMap;
    // The other outputs go up.
    let values = args.leaf.program().outputs().len() - args.width;
    let mut result = memory.columns(op, args.width, args.log_height)?;
    let mut rest: Vec<&mut [P::Base]> = result.data.values_mut().chunks_exact_mut(1 << args.log_height).collect();
    let columns = rest.iter_mut().map(|column| split_off(column, 1)).collect();
    run(args.leaf, args.columns, vec![Block { first: 0, columns, up: Vec::new() }]);
    // Columns behind row 0 are the levels one after the other, the root's first: taken from their ends.
    let mut children: Option<Columns<CpuBuffer<P::Base>>> = None;
    for log_rows in (0..args.log_height).rev() {
        let rows = 1usize << log_rows;
        let mut parents =
            log_rows.checked_sub(1).map(|log_parents| memory.columns(op, 2 * values, log_parents)).transpose()?;
        let level: Vec<&mut [P::Base]> = rest.iter_mut().map(|column| split_last(column, rows)).collect();
        let log_block = log_block(log_rows, *LOG_BLOCK.start(), *LOG_BLOCK.end());
        let mut blocks: Vec<Block<'_, P::Base>> = (0..rows >> log_block)
            .map(|block| Block { first: rows + (block << log_block), columns: Vec::new(), up: Vec::new() })
            .collect();
        for column in level {
            let parts = column.chunks_exact_mut(1 << log_block);
            blocks.iter_mut().zip(parts).for_each(|(block, part)| block.columns.push(part));
        }
        if let Some(parents) = &mut parents {
            for column in parents.data.values_mut().chunks_exact_mut(rows / 2) {
                let parts = column.chunks_exact_mut(1 << (log_block - 1));
                blocks.iter_mut().zip(parts).for_each(|(block, part)| block.up.push(part));
            }
        }
        let mut tables: Vec<Columns<&CpuBuffer<P::Base>>> = args.columns.to_vec();
        tables.extend(children.as_ref().map(Columns::as_ref));
        run(if children.is_some() { args.node } else { args.leaf }, &tables, blocks);
        children = parents;
    }
    Ok(result)
}

/// Takes the first rows from a column.
fn split_off<'a, F>(column: &mut &'a mut [F], rows: usize) -> &'a mut [F] {
    let (first, rest) = std::mem::take(column).split_at_mut(rows);
    *column = rest;
    first
}

/// Takes the last rows from a column.
fn split_last<'a, F>(column: &mut &'a mut [F], rows: usize) -> &'a mut [F] {
    let whole = std::mem::take(column);
    let (rest, last) = whole.split_at_mut(whole.len() - rows);
    *column = rest;
    last
}
