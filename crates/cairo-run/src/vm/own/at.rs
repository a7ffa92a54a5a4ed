//! Our machine at a hint.

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;

use super::place::{pointer, relocatable};
use crate::BuiltinName;
use crate::machine::{Cell, Machine, PROGRAM, Pointer, Stop};
use crate::pie::{self, Address, Value};
use crate::vm::bases::Bases;
use crate::vm::bounds::Budget;
use crate::vm::hints::error::custom;
use crate::vm::hints::machine::HintContext;

/// Our machine at a hint.
pub(super) struct At<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) budget: &'a mut Budget,
}

fn cell(value: &MaybeRelocatable) -> Cell {
    match value {
        MaybeRelocatable::Int(felt) => Cell::felt(felt),
        MaybeRelocatable::RelocatableValue(to) => Cell::pointer(pointer(*to)),
    }
}

fn failed(stop: Stop) -> HintError {
    let (Stop::Fails(why) | Stop::Lacks(why)) = stop;
    custom(why)
}

impl HintContext for At<'_> {
    fn get_pc(&self) -> Relocatable {
        relocatable(self.machine.place())
    }

    fn get_ap(&self) -> Relocatable {
        Relocatable { segment_index: PROGRAM as isize + 1, offset: self.machine.ap }
    }

    fn get_fp(&self) -> Relocatable {
        Relocatable { segment_index: PROGRAM as isize + 1, offset: self.machine.fp }
    }

    fn get_maybe(&self, address: &Relocatable) -> Option<MaybeRelocatable> {
        let cell = self.machine.memory.get(pointer(*address));
        cell.to_felt().map(MaybeRelocatable::Int).or_else(|| Some(relocatable(cell.to_pointer()?).into()))
    }

    fn write(&mut self, address: Relocatable, value: MaybeRelocatable) -> Result<(), HintError> {
        self.machine.memory.write(pointer(address), cell(&value)).map_err(failed)
    }

    fn make_segment(&mut self, is_temporary: bool) -> Relocatable {
        let memory = &mut self.machine.memory;
        relocatable(if is_temporary { memory.add_temporary() } else { memory.add() })
    }

    fn move_segment(&mut self, source: Relocatable, target: MaybeRelocatable) -> Result<(), HintError> {
        let target = target.get_relocatable().ok_or_else(|| custom("a temporary segment is moved to a number"))?;
        self.machine.memory.add_move(pointer(source), pointer(target)).map_err(failed)
    }

    fn write_part(&mut self, cells: &[pie::Cell], bases: &Bases) -> Result<(), HintError> {
        let [first, ..] = cells else { return Ok(()) };
        let start = pointer(bases.place(Address { offset: 0, ..first.address })?);
        let place = |address: Address| Pointer { offset: start.offset.saturating_add(address.offset), ..start };
        let placed = cells.iter().map(|pie::Cell { address, value }| {
            let value = match value {
                Value::Felt(felt) => Cell::felt(felt),
                Value::Pointer(target) => cell(&bases.moved(*target).ok()?),
            };
            Some((place(*address), value))
        });
        let last = cells.last().map_or(start, |last| place(last.address));
        self.machine.memory.write_part(last, placed).map_err(failed)
    }

    fn make_simulated(&mut self, builtin: BuiltinName) -> Result<Relocatable, HintError> {
        let start = self.machine.simulate(builtin);
        start.map(relocatable).ok_or_else(|| custom(format!("{builtin} is simulated already, or never")))
    }

    fn add_signature(&mut self, key: Relocatable, signature: [Felt252; 2]) -> Result<(), HintError> {
        let is_added = self.machine.add_signature(pointer(key), signature);
        if is_added { Ok(()) } else { Err(custom("no signatures are simulated, or one comes after its message")) }
    }

    fn signature(&self, key: Relocatable) -> Option<[Felt252; 2]> {
        self.machine.signature(pointer(key))
    }

    fn budget(&mut self) -> &mut Budget {
        self.budget
    }
}
