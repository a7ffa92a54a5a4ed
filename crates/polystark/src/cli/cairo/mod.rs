//! `polystark cairo`: programs of the Cairo virtual machine.

mod arguments;
mod batch;
mod crowd;
mod hash;
mod inspect;
mod list;
mod program;
mod proof;
mod prove;
mod run;
mod verify;
mod views;

use clap::Subcommand;
#[cfg(feature = "cuda")]
pub(crate) use program::load;
#[cfg(feature = "farm")]
pub(crate) use program::{ProgramType, WithBytes};
#[cfg(feature = "farm")]
pub(crate) use prove::{Format, OptionArguments, RootArguments, VariantArguments, value_name};

use super::exit::{Code, Failure};
use super::interrupt;
use super::output::Output;
use super::outputs::Named;
use crate::Registry;

/// What is done with a Cairo program, or with a proof of one.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a program, prove the run, verify the proof and write it to a file; or do so with many programs
    Prove(Box<prove::Arguments>),
    /// Run a program and say what a proof would take
    Run(run::Arguments),
    /// Verify the proof of a run and say which program ran and what it put out
    Verify(verify::Arguments),
    /// Show what a proof says, without verifying it
    Inspect(inspect::Arguments),
    /// Say by which hash and which builtins a verifier knows a program: the flags that `cairo verify` takes
    ProgramHash(hash::Arguments),
}

impl Command {
    /// Reads the list of programs, if there is one: it names files.
    pub(crate) fn read_list(&mut self) -> Result<(), Failure> {
        match self {
            Self::Prove(arguments) => arguments.read_list(),
            _ => Ok(()),
        }
    }

    /// Whether what is asked of a proof makes sense.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Verify(arguments) => arguments.policy().map(drop),
            _ => Ok(()),
        }
    }

    /// What an interrupt says how many were written of.
    pub(crate) fn interrupted(&self) -> &'static str {
        if matches!(self, Self::Prove(_)) { "proof" } else { interrupt::NOTHING }
    }

    /// Whether a file that is written is standard output.
    pub(crate) fn takes_stdout(&self) -> bool {
        match self {
            Self::Prove(arguments) => arguments.takes_stdout(),
            _ => false,
        }
    }

    /// The files that are read or written, each with the argument that names it.
    pub(crate) fn files(&self) -> Vec<Named<'_>> {
        let files = match self {
            Self::Prove(arguments) => return arguments.files(),
            Self::Run(arguments) => arguments.files(),
            Self::Verify(arguments) => arguments.files(),
            Self::Inspect(arguments) => vec![("FILE", arguments.file.as_path())],
            Self::ProgramHash(arguments) => vec![("PROGRAM", arguments.program.as_path())],
        };
        files.into_iter().map(Named::from).collect()
    }
}

/// Does what the subcommand asks for.
pub(crate) fn run(command: &Command, registry: &Registry, output: &Output) -> Result<Code, Failure> {
    match command {
        Command::Prove(arguments) => return prove::run(arguments, registry, output),
        Command::Run(arguments) => self::run::run(arguments, registry, output),
        Command::Verify(arguments) => verify::run(arguments, output),
        Command::Inspect(arguments) => inspect::run(arguments, output),
        Command::ProgramHash(arguments) => hash::run(arguments, output),
    }?;
    Ok(Code::Success)
}
