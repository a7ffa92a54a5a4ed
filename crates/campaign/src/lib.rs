//! The functions of a campaign: from the bytes of a case to its outcome, each for one thing that bytes of others reach.
//!
//! | module | what is changed |
//! |---|---|
//! | [`goldilocks`], [`circle`] | proofs, and files that hold them |
//! | [`air_file`] | AIRs as files |
//! | [`cairo`] | proofs of Cairo programs; programs, arguments and runs that are to be proven |
//! | [`kernels`] | kernels that were compiled before |
//! | [`words`] | the arguments of the command line |
//!
//! The program beside this library has more targets: each operation, each round and each whole proof of a backend next
//! to the reference.
#![forbid(unsafe_code)]

pub mod air_file;
pub mod cairo;
pub mod circle;
pub mod goldilocks;
pub mod json;
pub mod kernels;
pub mod map;
pub mod mutate;
pub mod script;
pub mod words;

use std::alloc::System;

use cap::Cap;

/// The allocator of the program: it knows the peak.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// The most bytes of the heap that were taken at a time since the process began.
pub fn peak() -> usize {
    MEMORY.max_allocated()
}

/// The outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was refused, or the backends agreed.
    Passed,
    /// It was taken, as the change may be where no proof is about it: a program is another program.
    Taken,
    /// Nothing was changed, or nothing that says anything else.
    Original,
    /// Accepted, with another nonce that does the same work and leads to the same queries, or under the same nonce with
    /// another number of bits that nothing binds. This is no forgery: nonces are not unique.
    Nonce,
    /// A changed proof was accepted: a defect.
    Accepted,
}

/// A target: its name, and the function that runs a case.
pub type Target = (&'static str, fn(&[u8]) -> Outcome);

/// The targets that need no backend.
pub const TARGETS: [Target; 13] = [
    ("goldilocks-proof", goldilocks::proof),
    ("goldilocks-file", goldilocks::file),
    ("circle-proof", circle::proof),
    ("circle-file", circle::file),
    ("air-file", air_file::file),
    ("cairo-proof", cairo::proofs::proof),
    ("cairo-program", cairo::inputs::program),
    ("cairo-executable", cairo::inputs::executable),
    ("cairo-prover-input", cairo::inputs::prover_input),
    ("cairo-arguments", cairo::inputs::arguments),
    ("kernel-cache", kernels::cache),
    ("kernel-file", kernels::file),
    ("arguments", words::arguments),
];
