//! Places in the memory of our machine, as cairo-vm writes them.

use cairo_vm::types::relocatable::Relocatable;

use crate::machine::Pointer;

pub(super) fn relocatable(Pointer { segment, offset }: Pointer) -> Relocatable {
    Relocatable { segment_index: segment as isize, offset: offset as usize }
}

pub(super) fn pointer(Relocatable { segment_index, offset }: Relocatable) -> Pointer {
    Pointer { segment: segment_index as i64, offset: offset as u64 }
}
