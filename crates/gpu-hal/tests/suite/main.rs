//! The contract: checks, decorators, domains, programs, memory.

mod budget;
mod check;
mod decorators;
mod domain;
mod poseidon2;
mod program;
mod row_programs;
