//! The cells of a task in the memory of the bootloader's run.

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::vm_core::VirtualMachine;

use crate::BuiltinName;
use crate::pie::{AdditionalData, Address, CairoPie, Value};
use crate::vm::hints::custom;

/// The addresses that the cells of a task take: of each segment up to the last that has a value.
pub(super) fn span(pie: &CairoPie) -> u64 {
    let next = pie.memory.iter().skip(1).map(|cell| Some(cell.address.segment)).chain([None]);
    let last = pie.memory.iter().zip(next).filter(|(cell, next)| Some(cell.address.segment) != *next);
    last.map(|(cell, _)| cell.address.offset + 1).fold(0, u64::saturating_add)
}

/// Where a task is loaded.
pub(super) struct Places {
    pub(super) program: Relocatable,
    /// The stack, which has the pointers of the task's builtins already.
    pub(super) stack: Relocatable,
    pub(super) ret_fp: Relocatable,
    pub(super) ret_pc: Relocatable,
}

/// Loads a task.
pub(super) fn load(vm: &mut VirtualMachine, pie: &CairoPie, places: &Places) -> Result<(), HintError> {
    let mut bases: Vec<MaybeRelocatable> = vec![places.program.into(), places.stack.into()];
    for index in 0..pie.metadata.builtin_segments.len() {
        let (at, segment) = (Address { segment: 1, offset: index as u64 }, index as u64 + 2);
        let start = Value::Pointer(Address { segment, offset: 0 });
        if !pie.cells(1).iter().any(|cell| cell.address == at && cell.value == start) {
            return Err(custom(format!("the stack of the task has no pointer to segment {segment} in cell {at}")));
        }
        let pointer = (places.stack + index)?;
        let pointer = vm.get_maybe(&pointer).ok_or_else(|| custom(format!("{pointer} has no value")))?;
        bases.push(pointer);
    }
    bases.extend([places.ret_fp, places.ret_pc].map(MaybeRelocatable::from));
    bases.extend(pie.metadata.extra_segments.iter().map(|_| MaybeRelocatable::from(vm.add_memory_segment())));
    let moved = |at: &Address| -> Result<MaybeRelocatable, HintError> {
        let base = usize::try_from(at.segment).ok().and_then(|segment| bases.get(segment));
        match base.ok_or_else(|| custom(format!("there is no segment {}", at.segment)))? {
            MaybeRelocatable::RelocatableValue(base) => Ok((*base + at.offset as usize)?.into()),
            // A builtin that the run does not have has 0 for its pointer.
            absent => Ok(absent.clone()),
        }
    };
    let place = |at: &Address| -> Result<Relocatable, HintError> {
        moved(at)?.get_relocatable().ok_or_else(|| custom(format!("the run has no builtin for the task's cell {at}")))
    };
    // A signature must be known before its cells are.
    for (name, data) in &pie.additional_data {
        if let (BuiltinName::Ecdsa, AdditionalData::Signatures(signatures)) = (name, data) {
            for (at, [r, s]) in signatures {
                vm.get_signature_builtin()?.add_signature(place(at)?, &(*r, *s))?;
            }
        }
    }
    for cell in &pie.memory {
        let value = match &cell.value {
            Value::Felt(felt) => MaybeRelocatable::Int(*felt),
            Value::Pointer(target) => moved(target)?,
        };
        vm.insert_value(place(&cell.address)?, value)?;
    }
    Ok(())
}
