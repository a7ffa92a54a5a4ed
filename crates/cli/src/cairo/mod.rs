//! `polystark cairo`: programs of the Cairo virtual machine, and proofs of their runs.

pub(crate) mod arguments;
#[cfg(feature = "client")]
mod client;
mod hash;
mod inspect;
#[cfg(feature = "cairo-vm")]
pub(crate) mod machine;
pub(crate) mod parameters;
mod pie;
mod policy;
pub(crate) mod samples;
mod verify;
mod views;
#[cfg(any(test, not(feature = "client")))]
mod without_client;
#[cfg(any(test, not(feature = "cairo-vm")))]
mod without_machine;

use std::sync::Arc;

use clap::Subcommand;

use super::command;
use super::exit::{Code, Failure};
use super::interrupt;
use super::output::Output;
use super::outputs::Named;
use sdk::Registry;
#[cfg(not(feature = "client"))]
use without_client as client;
#[cfg(not(feature = "cairo-vm"))]
use without_machine as machine;

/// A subcommand for a Cairo program, or for a proof of one.
#[derive(Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Machine(machine::Command),
    #[command(flatten)]
    Client(client::Command),
    /// Verify the proof of a run and say which program ran and what it put out
    Verify(verify::Arguments),
    /// Show what a proof says, or a CairoPIE, or a client proof, without verifying it
    Inspect(inspect::Arguments),
    /// Say by which hash and which builtins a verifier knows a program: the flags that `cairo verify` takes
    ProgramHash(hash::Arguments),
}

impl command::Command for Command {
    fn read_lists(&mut self) -> Result<(), Failure> {
        match self {
            Self::Machine(command) => command.read_lists(),
            _ => Ok(()),
        }
    }

    /// Whether the policy makes sense.
    fn check(&self, registry: &Registry) -> Result<(), Failure> {
        match self {
            Self::Client(command) => command.check(registry),
            Self::Verify(arguments) => arguments.policy().map(drop),
            _ => Ok(()),
        }
    }

    fn interrupted(&self) -> Option<&'static str> {
        match self {
            Self::Machine(command) => command.interrupted(),
            Self::Client(command) => command.interrupted(),
            _ => Some(interrupt::NOTHING),
        }
    }

    fn takes_stdout(&self) -> bool {
        match self {
            Self::Machine(command) => command.takes_stdout(),
            Self::Client(command) => command.takes_stdout(),
            Self::Inspect(arguments) => arguments.takes_stdout(),
            _ => false,
        }
    }

    fn files(&self) -> Vec<Named<'_>> {
        command::named(match self {
            Self::Machine(command) => return command.files(),
            Self::Client(command) => return command.files(),
            Self::Verify(arguments) => arguments.files(),
            Self::Inspect(arguments) => arguments.files(),
            Self::ProgramHash(arguments) => vec![("PROGRAM", arguments.program.as_path())],
        })
    }

    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        match self {
            Self::Machine(command) => command.run(registry, output),
            Self::Client(command) => command.run(registry, output),
            Self::Verify(arguments) => verify::run(arguments, output),
            Self::Inspect(arguments) => inspect::run(arguments, output),
            Self::ProgramHash(arguments) => hash::run(arguments, output),
        }
    }

    fn run_to_code(&self, registry: &Arc<Registry>, output: &Output) -> Result<Code, Failure> {
        match self {
            Self::Machine(command) => command.run_to_code(registry, output),
            others => others.run(registry, output).map(|()| Code::Success),
        }
    }
}
