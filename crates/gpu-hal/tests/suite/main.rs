//! The contract: checks, domains, hash functions, memory. Tests of its decorators are with the reference, which they
//! need.

mod budget;
mod check;
mod domain;
mod hash;
mod poseidon2;
mod poseidon252;
