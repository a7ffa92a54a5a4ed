//! Differences between a proof and the caller's expectations.

use cairo_run::{BuiltinName, Felt252};

/// A proof is about something else than the caller expects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// Another program.
    #[error("the program's hash is {found:#x}, expected: {expected:#x}")]
    Program {
        /// In the proof.
        found: Felt252,
        /// Expected.
        expected: Felt252,
    },
    /// Another length of the output.
    #[error("the output has {found} felts, expected: {expected}")]
    OutputLength {
        /// In the proof.
        found: usize,
        /// Expected.
        expected: usize,
    },
    /// Another felt in the output.
    #[error("felt {at} of the output is {found:#x}, expected: {expected:#x}")]
    Output {
        /// Its number, from 0.
        at: usize,
        /// In the proof.
        found: Felt252,
        /// Expected.
        expected: Felt252,
    },
    /// Other builtins.
    #[error("the builtins are {}, expected: {}", names(found), names(expected))]
    Builtins {
        /// In the proof.
        found: Vec<BuiltinName>,
        /// Expected.
        expected: Vec<BuiltinName>,
    },
    /// A program is expected, but not which builtins it takes.
    #[error(
        "the program's hash is as expected, but it does not say which builtins the program takes: the proof passes {}; expect these, if \
         they are the program's",
        names(found)
    )]
    BuiltinsNotExpected {
        /// In the proof.
        found: Vec<BuiltinName>,
    },
}

fn names(builtins: &[BuiltinName]) -> String {
    let names: Vec<&str> = builtins.iter().map(|builtin| builtin.to_str()).collect();
    names.join(",")
}
