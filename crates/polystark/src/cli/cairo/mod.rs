//! `polystark cairo`: programs of the Cairo virtual machine.

mod arguments;
mod hash;
mod inspect;
mod program;
mod prove;
mod run;
mod verify;
mod views;

use std::path::Path;

use clap::Subcommand;

use super::exit::Failure;
use super::output::Output;
use crate::Registry;

/// What is done with a Cairo program, or with a proof of one.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a program, prove the run, verify the proof and write it to a file
    Prove(prove::Arguments),
    /// Run a program and say what a proof would take
    Run(run::Arguments),
    /// Verify the proof of a run and say which program ran and what it put out
    Verify(verify::Arguments),
    /// Show what a proof says, without verifying it
    Inspect(inspect::Arguments),
    /// Say by which hash a verifier knows a program, and which builtins it takes
    ProgramHash(hash::Arguments),
}

impl Command {
    /// The files that are read or written, each with the argument that names it.
    pub(crate) fn files(&self) -> Vec<(&'static str, &Path)> {
        match self {
            Self::Prove(arguments) => arguments.files(),
            Self::Run(arguments) => arguments.files(),
            Self::Verify(arguments) => arguments.files(),
            Self::Inspect(arguments) => vec![("FILE", &arguments.file)],
            Self::ProgramHash(arguments) => vec![("PROGRAM", &arguments.program)],
        }
    }
}

/// Does what the subcommand asks for.
pub(crate) fn run(command: &Command, registry: &Registry, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Prove(arguments) => prove::run(arguments, registry, output),
        Command::Run(arguments) => self::run::run(arguments, registry, output),
        Command::Verify(arguments) => verify::run(arguments, output),
        Command::Inspect(arguments) => inspect::run(arguments, output),
        Command::ProgramHash(arguments) => hash::run(arguments, output),
    }
}
