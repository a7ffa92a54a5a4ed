//! The variables of a hint, which it calls `ids.NAME`.

use cairo_vm::hint_processor::builtin_hint_processor::builtin_hint_processor_definition::HintProcessorData;
use cairo_vm::hint_processor::hint_processor_utils::{
    compute_addr_from_reference, get_maybe_relocatable_from_reference,
};
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::vm_core::VirtualMachine;
use num_traits::ToPrimitive;

/// The variables of a hint that is about to run.
pub(super) struct Ids<'a> {
    pub(super) vm: &'a VirtualMachine,
    pub(super) data: &'a HintProcessorData,
}

impl Ids<'_> {
    /// The text of the hint.
    pub(super) fn code(&self) -> &str {
        &self.data.code
    }

    /// Where values for the program stand that have no name.
    pub(super) fn ap(&self) -> Relocatable {
        self.vm.get_ap()
    }

    /// Where a variable stands, if it is in memory.
    pub(super) fn address(&self, name: &str) -> Option<Relocatable> {
        let reference = self.data.ids_data.get(name)?;
        compute_addr_from_reference(reference, self.vm, &self.data.ap_tracking)
    }

    /// The value of a variable.
    pub(super) fn value(&self, name: &str) -> Option<MaybeRelocatable> {
        let reference = self.data.ids_data.get(name)?;
        get_maybe_relocatable_from_reference(self.vm, reference, &self.data.ap_tracking)
    }

    /// The value of a variable that is a pointer.
    pub(super) fn pointer(&self, name: &str) -> Option<Relocatable> {
        self.value(name).and_then(|value| value.get_relocatable())
    }

    /// The value of a variable that counts something. A value that is no number counts nothing, since the hint will say
    /// so; one of more than a machine word counts as the maximum.
    pub(super) fn count(&self, name: &str) -> usize {
        match self.value(name) {
            Some(MaybeRelocatable::Int(felt)) => felt.to_usize().unwrap_or(usize::MAX),
            _ => 0,
        }
    }

    /// The constant of the program whose name ends so, as [`Self::count`] reads it.
    pub(super) fn constant(&self, name: &str) -> Option<usize> {
        let mut constants = self.data.constants.iter();
        let (_, value) = constants.find(|(path, _)| path.rsplit('.').next() == Some(name))?;
        Some(value.to_usize().unwrap_or(usize::MAX))
    }

    /// The pointer in a cell.
    pub(super) fn pointer_at(&self, cell: Relocatable) -> Option<Relocatable> {
        self.vm.get_relocatable(cell).ok()
    }

    /// The number in a cell, as [`Self::count`] reads it.
    pub(super) fn count_at(&self, cell: Relocatable) -> usize {
        self.vm.get_integer(cell).map_or(0, |felt| felt.to_usize().unwrap_or(usize::MAX))
    }
}
