//! `polystark cairo`: programs of the Cairo virtual machine.

use std::sync::Arc;

pub(crate) mod arguments;
mod batch;
mod crowd;
mod hash;
mod inspect;
mod list;
pub(crate) mod options;
pub(crate) mod parameters;
mod policy;
pub(crate) mod program;
mod proof;
mod prove;
mod run;
mod verify;
mod views;

use clap::Subcommand;

use super::command;
use super::exit::{Code, Failure};
use super::interrupt;
use super::output::Output;
use super::outputs::Named;
use sdk::Registry;

/// A subcommand for a Cairo program, or for a proof of one.
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

impl command::Command for Command {
    /// The list of programs names files.
    fn read_lists(&mut self) -> Result<(), Failure> {
        match self {
            Self::Prove(arguments) => arguments.read_list(),
            _ => Ok(()),
        }
    }

    /// Whether the policy makes sense.
    fn check(&self, _: &Registry) -> Result<(), Failure> {
        match self {
            Self::Verify(arguments) => arguments.policy().map(drop),
            _ => Ok(()),
        }
    }

    fn interrupted(&self) -> Option<&'static str> {
        Some(if matches!(self, Self::Prove(_)) { "proof" } else { interrupt::NOTHING })
    }

    fn takes_stdout(&self) -> bool {
        match self {
            Self::Prove(arguments) => arguments.takes_stdout(),
            Self::Inspect(arguments) => arguments.takes_stdout(),
            _ => false,
        }
    }

    fn files(&self) -> Vec<Named<'_>> {
        let files = match self {
            Self::Prove(arguments) => return arguments.files(),
            Self::Run(arguments) => arguments.files(),
            Self::Verify(arguments) => arguments.files(),
            Self::Inspect(arguments) => arguments.files(),
            Self::ProgramHash(arguments) => vec![("PROGRAM", arguments.program.as_path())],
        };
        command::named(files)
    }

    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        match self {
            Self::Prove(arguments) => prove::run(arguments, registry, output).map(drop),
            Self::Run(arguments) => self::run::run(arguments, registry, output),
            Self::Verify(arguments) => verify::run(arguments, output),
            Self::Inspect(arguments) => inspect::run(arguments, output),
            Self::ProgramHash(arguments) => hash::run(arguments, output),
        }
    }

    fn run_to_code(&self, registry: &Arc<Registry>, output: &Output) -> Result<Code, Failure> {
        match self {
            Self::Prove(arguments) => prove::run(arguments, registry, output),
            others => others.run(registry, output).map(|()| Code::Success),
        }
    }
}
