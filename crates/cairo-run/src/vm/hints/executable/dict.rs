//! Dictionaries: the values that their keys have, which the program only learns access by access.
//!
//! An access is three cells: key, value before, value after. The first dictionary of a run has a segment of its own;
//! every later one has a temporary segment, which the program itself places behind the one before when it ends (see
//! [`super::external::add_relocation_rule`]). So all accesses lie in one segment in the end.

use std::collections::HashMap;

use cairo_lang_casm::operand::{CellRef, ResOperand};
use cairo_vm::Felt252;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;

use super::{Machine, custom, operand};

/// Cells of an access, and of an entry of the arena's table (start, end, squashed end).
const ACCESS: usize = 3;
const INFO: usize = 3;

/// Bytes that a key and its value take at most, in a map that may have room for twice as many.
const ENTRY_BYTES: u64 = 192;

/// The value of a key that was never written.
const DEFAULT: MaybeRelocatable = MaybeRelocatable::Int(Felt252::ZERO);

/// All dictionaries of a run.
#[derive(Default)]
pub(super) struct Dicts {
    /// Number and values of each dictionary, by the index of its segment.
    by_segment: HashMap<isize, Dict>,
}

struct Dict {
    number: usize,
    values: HashMap<Felt252, MaybeRelocatable>,
}

impl Dicts {
    fn get(&mut self, pointer: Relocatable) -> Result<&mut Dict, HintError> {
        let unknown = || custom(format!("{pointer} points into no dictionary"));
        self.by_segment.get_mut(&pointer.segment_index).ok_or_else(unknown)
    }

    /// Sets a key of the dictionary that a pointer points into.
    fn set(
        &mut self,
        vm: &mut Machine<'_>,
        pointer: Relocatable,
        key: Felt252,
        value: MaybeRelocatable,
    ) -> Result<(), HintError> {
        if self.get(pointer)?.values.insert(key, value).is_none() {
            vm.keep(ENTRY_BYTES)?;
        }
        Ok(())
    }

    /// A new dictionary, entered in the arena. The arena's pointer follows three cells: the table of dictionaries, how
    /// many there are, and how many have been squashed.
    pub(super) fn allocate(&mut self, vm: &mut Machine<'_>, arena: &ResOperand) -> Result<(), HintError> {
        let arena = operand::pointer(vm, arena)?;
        let table = vm.get_relocatable((arena - 3)?)?;
        let count = vm.get_integer((arena - 2)?)?;
        let start = if self.by_segment.is_empty() { vm.add_memory_segment()? } else { vm.add_temporary_segment()? };
        let number = self.by_segment.len();
        self.by_segment.insert(start.segment_index, Dict { number, values: HashMap::new() });
        let entry = (table + &(count * Felt252::from(INFO)))?;
        vm.insert_value(entry, start)
    }

    /// Writes the value of `key` as the value before an access.
    pub(super) fn begin_access(
        &mut self,
        vm: &mut Machine<'_>,
        access: &ResOperand,
        key: &ResOperand,
    ) -> Result<(), HintError> {
        let (access, key) = (operand::pointer(vm, access)?, operand::felt(vm, key)?);
        let value = self.get(access)?.values.get(&key).cloned().unwrap_or(DEFAULT);
        vm.insert_value((access + 1)?, value)
    }

    /// Sets the key of the access that ends at `end` to `value`.
    pub(super) fn end_access(
        &mut self,
        vm: &mut Machine<'_>,
        end: &ResOperand,
        value: &ResOperand,
    ) -> Result<(), HintError> {
        let (end, value) = (operand::pointer(vm, end)?, operand::any(vm, value)?);
        let key = vm.get_integer((end - ACCESS)?)?;
        self.set(vm, end, key, value)
    }

    /// Writes the value of `key` to `dst`.
    pub(super) fn read(
        &mut self,
        vm: &mut Machine<'_>,
        dict: &ResOperand,
        key: &ResOperand,
        dst: &CellRef,
    ) -> Result<(), HintError> {
        let (dict, key) = (operand::pointer(vm, dict)?, operand::felt(vm, key)?);
        let value = self.get(dict)?.values.get(&key).cloned().unwrap_or(DEFAULT);
        operand::write(vm, dst, value)
    }

    /// Sets `key` to `value` and writes the value before to the access at `access`.
    pub(super) fn write(
        &mut self,
        vm: &mut Machine<'_>,
        access: &ResOperand,
        key: &ResOperand,
        value: &ResOperand,
    ) -> Result<(), HintError> {
        self.begin_access(vm, access, key)?;
        let (access, key, value) = (operand::pointer(vm, access)?, operand::felt(vm, key)?, operand::any(vm, value)?);
        self.set(vm, access, key, value)
    }

    /// Writes the number of a dictionary in the arena's table.
    pub(super) fn number(&mut self, vm: &mut Machine<'_>, end: &ResOperand, dst: &CellRef) -> Result<(), HintError> {
        let end = operand::pointer(vm, end)?;
        let number = self.get(end)?.number;
        operand::write(vm, dst, Felt252::from(number))
    }
}
