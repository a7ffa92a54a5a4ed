//! Subcommands that run programs, which takes the machine.

mod batch;
mod batch_progress;
mod list;
pub(crate) mod options;
pub(crate) mod program;
mod proof;
mod prove;
mod run;
mod task;
mod tasks;
mod views;

use std::sync::Arc;

use clap::Subcommand;
use sdk::Registry;

use crate::command;
use crate::exit::{Code, Failure};
use crate::interrupt;
use crate::output::Output;
use crate::outputs::Named;

/// A subcommand that runs programs.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a program, prove the run, verify the proof and write it to a file; or do so with many programs
    Prove(Box<prove::Arguments>),
    /// Run a program and say what a proof would take, or write its CairoPIE
    Run(Box<run::Arguments>),
}

impl command::Command for Command {
    /// The list of programs names files.
    fn read_lists(&mut self) -> Result<(), Failure> {
        match self {
            Self::Prove(arguments) => arguments.read_list(),
            Self::Run(arguments) => {
                arguments.read_list();
                Ok(())
            }
        }
    }

    fn interrupted(&self) -> Option<&'static str> {
        Some(if matches!(self, Self::Prove(_)) { "proof" } else { interrupt::NOTHING })
    }

    fn takes_stdout(&self) -> bool {
        match self {
            Self::Prove(arguments) => arguments.takes_stdout(),
            Self::Run(arguments) => arguments.takes_stdout(),
        }
    }

    fn files(&self) -> Vec<Named<'_>> {
        match self {
            Self::Prove(arguments) => arguments.files(),
            Self::Run(arguments) => arguments.files(),
        }
    }

    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        self.run_to_code(registry, output).map(drop)
    }

    fn run_to_code(&self, registry: &Arc<Registry>, output: &Output) -> Result<Code, Failure> {
        match self {
            Self::Prove(arguments) => prove::run(arguments, registry, output),
            Self::Run(arguments) => run::run(arguments, registry, output).map(|()| Code::Success),
        }
    }
}
