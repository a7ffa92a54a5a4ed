//! What the kernels of trees take of tables of any heights.

use gpu_hal::Result;

use super::kernels::Call;
use super::units;
use crate::buffer::Table;
use crate::device::KernelDevice;
use crate::leaves::LeafTables;
use crate::slots::Slots;

pub(super) fn leaves<'a, D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'a, D>],
    log_height: u32,
    rows_per_leaf: u32,
) -> Result<LeafTables<'a, D>> {
    // The kernel goes on to the next table after the last column of one: there must be one.
    let tables: Vec<Table<'a, D>> = tables.iter().filter(|table| table.width > 0).copied().collect();
    let slots = Slots::new(call, &tables)?;
    let shape = |table: &Table<'a, D>| table.width as u64 | u64::from(table.log_height) << 32;
    let words: Vec<u64> =
        tables.iter().enumerate().flat_map(|(number, table)| [slots.column(number, 0), shape(table)]).collect();
    let width: usize = tables.iter().map(|table| table.width).sum();
    let fields = vec![width as u32 * rows_per_leaf, tables.len() as u32, log_height, rows_per_leaf];
    Ok(LeafTables { slots, list: Some(call.alloc_words(&words)?), fields })
}

/// Words of the list of as many tables as there are slots.
pub(super) fn list_words() -> u64 {
    2 * units::UNITS.slots as u64
}
