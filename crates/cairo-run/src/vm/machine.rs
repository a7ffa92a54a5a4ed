//! The machine as hints see it: they read it as they like, and all that they write or make is taken first.

use std::ops::Deref;

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::vm_core::VirtualMachine;

use super::bounds::Budget;

/// A machine, and the budget of its run.
pub(super) struct Machine<'a> {
    vm: &'a mut VirtualMachine,
    budget: &'a mut Budget,
}

impl<'a> Machine<'a> {
    pub(super) fn new(vm: &'a mut VirtualMachine, budget: &'a mut Budget) -> Self {
        Self { vm, budget }
    }

    /// Writes a cell. One that has another value already is an error.
    pub(super) fn insert_value(
        &mut self,
        address: Relocatable,
        value: impl Into<MaybeRelocatable>,
    ) -> Result<(), HintError> {
        self.budget.take(address)?;
        Ok(self.vm.insert_value(address, value)?)
    }

    /// Writes words from `start` on; the first address behind them.
    pub(super) fn load_data(
        &mut self,
        start: Relocatable,
        words: &[MaybeRelocatable],
    ) -> Result<Relocatable, HintError> {
        if let Some(before) = words.len().checked_sub(1) {
            self.budget.take((start + before)?)?;
        }
        Ok(self.vm.load_data(start, words)?)
    }

    /// A new segment.
    pub(super) fn add_memory_segment(&mut self) -> Result<Relocatable, HintError> {
        self.budget.segment(false)?;
        Ok(self.vm.add_memory_segment())
    }

    /// A new temporary segment.
    pub(super) fn add_temporary_segment(&mut self) -> Result<Relocatable, HintError> {
        self.budget.segment(true)?;
        Ok(self.vm.add_temporary_segment())
    }

    /// Lets a temporary segment become part of another segment in the end.
    pub(super) fn add_relocation_rule(
        &mut self,
        source: Relocatable,
        target: MaybeRelocatable,
    ) -> Result<(), HintError> {
        self.budget.moves(source, &target)?;
        Ok(self.vm.add_relocation_rule(source, target)?)
    }

    /// Whether `cells` cells from `start` on could be written.
    pub(super) fn has_room(&mut self, start: Relocatable, cells: usize) -> Result<(), HintError> {
        Ok(self.budget.has_room(start, cells)?)
    }

    /// Turns of a loop begin: each counts as a step.
    pub(super) fn work(&mut self, turns: usize) -> Result<(), HintError> {
        Ok(self.budget.work(turns)?)
    }

    /// Memory is kept outside of the machine.
    pub(super) fn keep(&mut self, bytes: u64) -> Result<(), HintError> {
        Ok(self.budget.keep(bytes)?)
    }
}

impl Deref for Machine<'_> {
    type Target = VirtualMachine;

    fn deref(&self) -> &VirtualMachine {
        self.vm
    }
}
