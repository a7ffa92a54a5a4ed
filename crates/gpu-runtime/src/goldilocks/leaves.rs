//! Arguments of the kernels of trees for tables of one height.

use field::{ExtensionField, Goldilocks};
use gpu_hal::Result;

use super::kernels::Call;
use super::units;
use crate::buffer::Table;
use crate::device::KernelDevice;
use crate::leaves::LeafTables;
use crate::slots::Slots;

pub(super) fn leaves<'a, D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    tables: &[Table<'a, D>],
    log_height: u32,
    rows_per_leaf: u32,
) -> Result<LeafTables<'a, D>> {
    // The kernel goes on to the next table after the last column of one: there must be one.
    let tables: Vec<Table<'a, D>> = tables.iter().filter(|table| table.width > 0).copied().collect();
    // In their order; all tables behind the last but one become one table.
    let slots = Slots::in_order(call, &tables)?;
    let mut widths = [0; units::UNITS.slots];
    for (number, table) in tables.iter().enumerate() {
        widths[number.min(units::UNITS.slots - 1)] += table.width as u32;
    }
    let used = tables.len().min(units::UNITS.slots) as u32;
    let fields = widths.into_iter().chain([used, log_height, rows_per_leaf]).collect();
    Ok(LeafTables { slots, others: Vec::new(), fields })
}
