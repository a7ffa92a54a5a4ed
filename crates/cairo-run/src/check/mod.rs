//! The checks of a run before anything is proven.

mod builtins;
mod ec;
mod machine;
mod memory;
mod modulo;
mod public;
mod steps;

use crate::{Refusal, Run};

#[cfg(feature = "vm")]
pub(crate) use ec::Sum as EcSum;
pub use public::{Cell, Pointer, PublicMemory};

/// Checks a run that a machine has made here: its memory and its steps are the machine's own, and of our machine most
/// of what builtins hold (`is_own`).
#[cfg(feature = "vm")]
pub(crate) fn trusted(run: &Run, is_own: bool) -> Result<PublicMemory, Refusal> {
    let public = run.public_memory()?;
    builtins::check(run, is_own)?;
    Ok(public)
}

/// Checks a run that nobody vouches for: no later code needs to expect an id, an address, a register or a value
/// out of range, or a step that its instruction does not make.
pub(crate) fn untrusted(run: &Run) -> Result<PublicMemory, Refusal> {
    memory::check(&run.memory)?;
    let public = run.public_memory()?;
    builtins::check(run, false)?;
    steps::check(run)?;
    Ok(public)
}
