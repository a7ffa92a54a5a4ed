//! The machine as hints see it: they read it as they like, and all that they write or make is taken first.

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::errors::memory_errors::MemoryError;

use crate::BuiltinName;
use crate::pie::Cell;
use crate::vm::bases::Bases;
use crate::vm::bounds::Budget;

/// Registers and memory of a machine, and the budget of its run.
pub(in crate::vm) trait HintContext {
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

    /// Writes cells of a segment of another run that were taken, one at least, in their order. One that has another
    /// value already is an error.
    fn write_part(&mut self, cells: &[Cell], bases: &Bases) -> Result<(), HintError>;

    /// Makes a segment that was taken, for a builtin that the run does not have: its results follow from its inputs
    /// there. There is one at most of each builtin.
    fn make_simulated(&mut self, builtin: BuiltinName) -> Result<Relocatable, HintError>;

    /// Lets a signature, `r` and `s`, belong to the public key at a place of the simulated `ecdsa`, unless another one
    /// does.
    fn add_signature(&mut self, key: Relocatable, signature: [Felt252; 2]) -> Result<(), HintError>;

    /// The signature of the public key at a place.
    fn signature(&self, key: Relocatable) -> Option<[Felt252; 2]>;

    /// The budget of the run.
    fn budget(&mut self) -> &mut Budget;

    /// Takes a cell and writes it. One that has another value already is an error.
    fn put(&mut self, address: Relocatable, value: MaybeRelocatable) -> Result<(), HintError> {
        self.budget().take(address)?;
        self.write(address, value)
    }
}

/// A machine at a hint.
pub(in crate::vm) type Machine<'a> = dyn HintContext + 'a;

impl Machine<'_> {
    /// The number in a cell.
    pub(in crate::vm) fn get_integer(&self, address: Relocatable) -> Result<Felt252, MemoryError> {
        match self.get_maybe(&address) {
            Some(MaybeRelocatable::Int(felt)) => Ok(felt),
            Some(_) => Err(MemoryError::ExpectedInteger(Box::new(address))),
            None => Err(MemoryError::UnknownMemoryCell(Box::new(address))),
        }
    }

    /// The pointer in a cell.
    pub(in crate::vm) fn get_relocatable(&self, address: Relocatable) -> Result<Relocatable, MemoryError> {
        match self.get_maybe(&address) {
            Some(MaybeRelocatable::RelocatableValue(pointer)) => Ok(pointer),
            Some(_) => Err(MemoryError::ExpectedRelocatable(Box::new(address))),
            None => Err(MemoryError::UnknownMemoryCell(Box::new(address))),
        }
    }

    /// Writes a cell. One that has another value already is an error.
    pub(in crate::vm) fn insert_value(
        &mut self,
        address: Relocatable,
        value: impl Into<MaybeRelocatable>,
    ) -> Result<(), HintError> {
        self.put(address, value.into())
    }

    /// Writes words from `start` on.
    pub(in crate::vm) fn load_data(
        &mut self,
        start: Relocatable,
        words: Vec<MaybeRelocatable>,
    ) -> Result<(), HintError> {
        // The last one first, so that the segment grows once.
        words.into_iter().enumerate().rev().try_for_each(|(index, word)| self.insert_value((start + index)?, word))
    }

    /// Writes cells of another run, in the order of their addresses.
    pub(in crate::vm) fn load_cells(&mut self, cells: &[Cell], bases: &Bases) -> Result<(), HintError> {
        for part in cells.chunk_by(|cell, next| cell.address.segment == next.address.segment) {
            let [.., last] = part else { continue };
            let last = bases.place(last.address)?;
            self.budget().take(last)?;
            self.write_part(part, bases)?;
        }
        Ok(())
    }

    /// A new segment.
    pub(in crate::vm) fn add_memory_segment(&mut self) -> Result<Relocatable, HintError> {
        self.budget().segment(false)?;
        Ok(self.make_segment(false))
    }

    /// A new temporary segment.
    pub(in crate::vm) fn add_temporary_segment(&mut self) -> Result<Relocatable, HintError> {
        self.budget().segment(true)?;
        Ok(self.make_segment(true))
    }

    /// A new segment for a builtin that the run does not have.
    pub(in crate::vm) fn add_simulated(&mut self, builtin: BuiltinName) -> Result<Relocatable, HintError> {
        self.budget().segment(false)?;
        self.make_simulated(builtin)
    }

    /// Lets a temporary segment become part of another segment in the end.
    pub(in crate::vm) fn add_relocation_rule(
        &mut self,
        source: Relocatable,
        target: MaybeRelocatable,
    ) -> Result<(), HintError> {
        self.budget().moves(source, &target)?;
        self.move_segment(source, target)
    }

    /// Whether `cells` cells from `start` on could be written.
    pub(in crate::vm) fn has_room(&mut self, start: Relocatable, cells: usize) -> Result<(), HintError> {
        Ok(self.budget().has_room(start, cells)?)
    }

    /// Turns of a loop begin: each counts as a step.
    pub(in crate::vm) fn work(&mut self, turns: usize) -> Result<(), HintError> {
        Ok(self.budget().work(turns)?)
    }

    /// Memory is kept outside of the machine.
    pub(in crate::vm) fn keep(&mut self, bytes: u64) -> Result<(), HintError> {
        Ok(self.budget().keep(bytes)?)
    }
}
