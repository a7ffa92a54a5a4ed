//! The contract: checks, decorators, backends as values, domains, memory.

mod budget;
mod check;
mod decorators;
mod domain;
mod erased;
mod poseidon2;
