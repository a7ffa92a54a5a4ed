//! The state of the machine.

use super::memory::Memory;
use super::value::Address;

/// Segments: the program, the execution, and one of each builtin, whether the program takes it or not.
pub(super) const PROGRAM: usize = 0;
pub(super) const EXECUTION: usize = 1;
pub(super) const FIRST_BUILTIN: usize = 2;

/// The result of a part of a step; the error says the fault.
pub(super) type Result<T> = std::result::Result<T, &'static str>;

/// The state of a run.
pub(super) struct Machine {
    pub(super) memory: Memory,
    pub(super) pc: Address,
    pub(super) ap: u32,
    pub(super) fp: u32,
}
