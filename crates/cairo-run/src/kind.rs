//! The kinds of input.

use std::fmt;

/// The kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// JSON of the Cairo 0 compiler (`cairo-compile --proof_mode`): words, identifiers, builtins, hints.
    Compiled,
    /// `executable.json` of the Cairo 1 compiler: a bytecode with hints and entry points.
    Executable,
    /// A ProverInput of stwo-cairo-adapter, in JSON or in bincode 1.
    ProverInput,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Compiled => "a compiled program",
            Kind::Executable => "an executable of Cairo 1",
            Kind::ProverInput => "a ProverInput",
        })
    }
}
