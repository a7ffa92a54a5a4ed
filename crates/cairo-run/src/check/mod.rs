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
pub(crate) use ec::sum as ec_sum;
pub use public::{Cell, Pointer, PublicMemory};

/// Checks a run that our own machine has made: its memory and its steps are the machine's own.
#[cfg(feature = "vm")]
pub(crate) fn trusted(run: &Run) -> Result<PublicMemory, Refusal> {
    let public = run.public_memory()?;
    builtins::check(run)?;
    Ok(public)
}

/// Checks a run that nobody vouches for: no later code needs to expect an id, an address, a register or a value
/// out of range, or a step that its instruction does not make.
pub(crate) fn untrusted(run: &Run) -> Result<PublicMemory, Refusal> {
    memory::check(&run.memory)?;
    let public = run.public_memory()?;
    builtins::check(run)?;
    steps::check(run)?;
    Ok(public)
}
