//! Inputs: what they become, and what is refused, where and why.

mod assembler;
mod executables;
mod files;
mod hints;
mod library;
mod malformed;
mod operands;
mod programs;
mod prover_inputs;
mod random;
mod refusals;
