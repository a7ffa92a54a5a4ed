//! Where the segments of a CairoPIE lie in the run that loads it.

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;

use super::hints::error::custom;
use crate::pie::Address;

/// Where the segments of a task begin, by their numbers. A builtin that the run does not have has 0 for its pointer.
pub(super) struct Bases(Vec<MaybeRelocatable>);

impl Bases {
    pub(super) fn new(starts: Vec<MaybeRelocatable>) -> Self {
        Self(starts)
    }

    /// An address of the task, as the run has it.
    pub(super) fn moved(&self, at: Address) -> Result<MaybeRelocatable, HintError> {
        let base = usize::try_from(at.segment).ok().and_then(|segment| self.0.get(segment));
        match base.ok_or_else(|| custom(format!("there is no segment {}", at.segment)))? {
            MaybeRelocatable::RelocatableValue(base) => Ok((*base + at.offset as usize)?.into()),
            absent => Ok(absent.clone()),
        }
    }

    /// The place of a cell of the task.
    pub(super) fn place(&self, at: Address) -> Result<Relocatable, HintError> {
        let place = self.moved(at)?.get_relocatable();
        place.ok_or_else(|| custom(format!("the run has no builtin for the task's cell {at}")))
    }
}
