//! The machine as hints see it: they read it as they like, and all that they write or make is taken first.

use std::ops::{Deref, DerefMut};

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::errors::memory_errors::MemoryError;
use cairo_vm::vm::vm_core::VirtualMachine;

use super::bounds::Budget;

/// Registers and memory of a machine, and the budget of its run.
pub(super) trait HintMemory {
    /// Where the instruction is.
    fn get_pc(&self) -> Relocatable;

    /// The allocation pointer.
    fn get_ap(&self) -> Relocatable;

    /// The frame pointer.
    fn get_fp(&self) -> Relocatable;

    /// The value of a cell, if it has one.
    fn get_maybe(&self, address: &Relocatable) -> Option<MaybeRelocatable>;

    /// Writes a cell that was taken. One that has another value already is an error.
    fn write(&mut self, address: Relocatable, value: MaybeRelocatable) -> Result<(), HintError>;

    /// Makes a segment that was taken.
    fn make_segment(&mut self, is_temporary: bool) -> Relocatable;

    /// Lets a temporary segment become part of another one in the end, which was taken.
    fn move_segment(&mut self, source: Relocatable, target: MaybeRelocatable) -> Result<(), HintError>;

    /// The budget of the run.
    fn budget(&mut self) -> &mut Budget;

    /// Takes a cell and writes it. One that has another value already is an error.
    fn put(&mut self, address: Relocatable, value: MaybeRelocatable) -> Result<(), HintError> {
        self.budget().take(address)?;
        self.write(address, value)
    }
}

/// A machine at a hint.
pub(super) type Machine<'a> = dyn HintMemory + 'a;

impl Machine<'_> {
    /// The number in a cell.
    pub(super) fn get_integer(&self, address: Relocatable) -> Result<Felt252, MemoryError> {
        match self.get_maybe(&address) {
            Some(MaybeRelocatable::Int(felt)) => Ok(felt),
            Some(_) => Err(MemoryError::ExpectedInteger(Box::new(address))),
            None => Err(MemoryError::UnknownMemoryCell(Box::new(address))),
        }
    }

    /// The pointer in a cell.
    pub(super) fn get_relocatable(&self, address: Relocatable) -> Result<Relocatable, MemoryError> {
        match self.get_maybe(&address) {
            Some(MaybeRelocatable::RelocatableValue(pointer)) => Ok(pointer),
            Some(_) => Err(MemoryError::ExpectedRelocatable(Box::new(address))),
            None => Err(MemoryError::UnknownMemoryCell(Box::new(address))),
        }
    }

    /// Writes a cell. One that has another value already is an error.
    pub(super) fn insert_value(
        &mut self,
        address: Relocatable,
        value: impl Into<MaybeRelocatable>,
    ) -> Result<(), HintError> {
        self.put(address, value.into())
    }

    /// Writes words from `start` on.
    pub(super) fn load_data(&mut self, start: Relocatable, words: Vec<MaybeRelocatable>) -> Result<(), HintError> {
        // The last one first, so that the segment grows once.
        words.into_iter().enumerate().rev().try_for_each(|(index, word)| self.insert_value((start + index)?, word))
    }

    /// A new segment.
    pub(super) fn add_memory_segment(&mut self) -> Result<Relocatable, HintError> {
        self.budget().segment(false)?;
        Ok(self.make_segment(false))
    }

    /// A new temporary segment.
    pub(super) fn add_temporary_segment(&mut self) -> Result<Relocatable, HintError> {
        self.budget().segment(true)?;
        Ok(self.make_segment(true))
    }

    /// Lets a temporary segment become part of another segment in the end.
    pub(super) fn add_relocation_rule(
        &mut self,
        source: Relocatable,
        target: MaybeRelocatable,
    ) -> Result<(), HintError> {
        self.budget().moves(source, &target)?;
        self.move_segment(source, target)
    }

    /// Whether `cells` cells from `start` on could be written.
    pub(super) fn has_room(&mut self, start: Relocatable, cells: usize) -> Result<(), HintError> {
        Ok(self.budget().has_room(start, cells)?)
    }

    /// Turns of a loop begin: each counts as a step.
    pub(super) fn work(&mut self, turns: usize) -> Result<(), HintError> {
        Ok(self.budget().work(turns)?)
    }

    /// Memory is kept outside of the machine.
    pub(super) fn keep(&mut self, bytes: u64) -> Result<(), HintError> {
        Ok(self.budget().keep(bytes)?)
    }
}

/// cairo-vm at a hint.
pub(super) struct VmMemory<'a> {
    pub(super) vm: &'a mut VirtualMachine,
    pub(super) budget: &'a mut Budget,
}

/// Hints that run in cairo-vm alone see all of it. Memory that they take past the budget is counted when they are done.
impl Deref for VmMemory<'_> {
    type Target = VirtualMachine;

    fn deref(&self) -> &VirtualMachine {
        self.vm
    }
}

impl DerefMut for VmMemory<'_> {
    fn deref_mut(&mut self) -> &mut VirtualMachine {
        self.vm
    }
}

impl HintMemory for VmMemory<'_> {
    fn get_pc(&self) -> Relocatable {
        self.vm.get_pc()
    }

    fn get_ap(&self) -> Relocatable {
        self.vm.get_ap()
    }

    fn get_fp(&self) -> Relocatable {
        self.vm.get_fp()
    }

    fn get_maybe(&self, address: &Relocatable) -> Option<MaybeRelocatable> {
        self.vm.get_maybe(address)
    }

    fn write(&mut self, address: Relocatable, value: MaybeRelocatable) -> Result<(), HintError> {
        Ok(self.vm.insert_value(address, value)?)
    }

    fn make_segment(&mut self, is_temporary: bool) -> Relocatable {
        if is_temporary { self.vm.add_temporary_segment() } else { self.vm.add_memory_segment() }
    }

    fn move_segment(&mut self, source: Relocatable, target: MaybeRelocatable) -> Result<(), HintError> {
        Ok(self.vm.add_relocation_rule(source, target)?)
    }

    fn budget(&mut self) -> &mut Budget {
        self.budget
    }
}
