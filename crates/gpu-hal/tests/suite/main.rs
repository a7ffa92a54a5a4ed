//! The contract: checks, decorators, backends as values, domains, programs, memory.

mod budget;
mod check;
mod decorators;
mod domain;
mod erased;
mod poseidon2;
mod program;
mod row_programs;
