//! Inputs and the runs that they become; refusals with their places and reasons.

mod assembler;
mod executables;
mod files;
mod hints;
mod library;
mod machines;
mod malformed;
mod operands;
mod pie_tasks;
mod pies;
mod programs;
mod prover_inputs;
#[cfg(feature = "python-hints")]
mod python;
mod random;
mod refusals;
mod signatures;
