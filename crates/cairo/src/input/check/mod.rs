//! What is checked in a ProverInput before anything is proven.

mod builtins;
mod ec;
mod machine;
mod memory;
mod modulo;
mod steps;

use stwo_cairo_adapter::ProverInput;

use super::Refusal;
use super::public::{self, Public};

pub(super) use ec::BETA;

/// Checks a ProverInput that our own run has made. Its memory and its steps are what the virtual machine did.
pub(super) fn trusted(input: &ProverInput) -> Result<Public, Refusal> {
    let public = public::read(input)?;
    builtins::check(input)?;
    Ok(public)
}

/// Checks a ProverInput that nobody vouches for: no later code needs to expect an id, an address, a register or a value
/// out of range, or a step that its instruction does not make.
pub(super) fn untrusted(input: &ProverInput) -> Result<Public, Refusal> {
    memory::check(&input.memory)?;
    let public = public::read(input)?;
    builtins::check(input)?;
    steps::check(input)?;
    Ok(public)
}
