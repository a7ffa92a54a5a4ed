//! The cells of a task in the memory of the bootloader's run.

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;

use crate::BuiltinName;
use crate::pie::{AdditionalData, Address, CairoPie, Value};
use crate::vm::bases::Bases;
use crate::vm::hints::error::custom;
use crate::vm::hints::machine::Machine;

/// A signature is checked in the time of so many steps, about, and is kept in so many bytes at most.
const SIGNATURE_WORK: usize = 1 << 10;
const SIGNATURE_BYTES: u64 = 256;

/// Where a task is loaded.
pub(super) struct Places {
    pub(super) program: Relocatable,
    /// The stack, which has the pointers of the task's builtins already.
    pub(super) stack: Relocatable,
    pub(super) ret_fp: Relocatable,
    pub(super) ret_pc: Relocatable,
}

/// Loads a task.
pub(super) fn load(vm: &mut Machine<'_>, pie: &CairoPie, places: &Places) -> Result<(), HintError> {
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
    for _ in &pie.metadata.extra_segments {
        bases.push(vm.add_memory_segment()?.into());
    }
    let bases = Bases::new(bases);
    // A signature must be known before its cells are.
    for (name, data) in &pie.additional_data {
        if let (BuiltinName::Ecdsa, AdditionalData::Signatures(signatures)) = (name, data) {
            vm.work(signatures.len().saturating_mul(SIGNATURE_WORK))?;
            vm.keep(SIGNATURE_BYTES.saturating_mul(signatures.len() as u64))?;
            signatures.iter().try_for_each(|(at, signature)| vm.add_signature(bases.place(*at)?, *signature))?;
        }
    }
    vm.load_cells(&pie.memory, &bases)
}
