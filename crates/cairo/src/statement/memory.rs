//! Reading the memory of a run without trusting it.

use stwo_cairo_adapter::memory::{DEFAULT_ID, Memory};
use stwo_cairo_common::memory::LARGE_MEMORY_VALUE_ID_BASE;

use super::RunError;

/// An id and the value that it stands for, least significant word first.
pub(crate) type Cell = (u32, [u32; 8]);

/// The id at an address and its value; `what` is there.
pub(crate) fn cell(memory: &Memory, address: u32, what: impl Fn() -> String) -> Result<Cell, RunError> {
    let id = memory.address_to_id.get(address as usize).map(|id| id.0).filter(|id| *id != DEFAULT_ID);
    let last = memory.address_to_id.len().saturating_sub(1);
    let id = id.ok_or_else(|| RunError::Address { what: what(), address, last })?;
    let value = match id.checked_sub(LARGE_MEMORY_VALUE_ID_BASE) {
        None => memory.small_values.get(id as usize).map(|value| {
            let word = |index: usize| if index < 4 { (value >> (32 * index)) as u32 } else { 0 };
            std::array::from_fn(word)
        }),
        Some(index) => memory.f252_values.get(index as usize).copied(),
    };
    value.map(|value| (id, value)).ok_or(RunError::Id { address, id })
}
