//! Starknet's client proofs: `polystark cairo client-prove` and `client-verify`, and such files in `inspect`.

pub(super) mod inspect;
mod prove;
mod statement;
mod verify;

use std::sync::Arc;

use clap::Subcommand;
use sdk::Registry;

use crate::command;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::outputs::Named;

/// A subcommand for client proofs.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Prove the CairoPIE of a transaction as Starknet's transaction prover does (SNIP-36), to the same bytes
    ClientProve(Box<prove::Arguments>),
    /// Verify such a proof, and that it states these facts
    ClientVerify(Box<verify::Arguments>),
}

impl command::Command for Command {
    fn check(&self, _: &Registry) -> Result<(), Failure> {
        match self {
            Self::ClientVerify(arguments) => arguments.policy().map(drop),
            Self::ClientProve(_) => Ok(()),
        }
    }

    fn interrupted(&self) -> Option<&'static str> {
        Some(if matches!(self, Self::ClientProve(_)) { "proof" } else { interrupt::NOTHING })
    }

    fn takes_stdout(&self) -> bool {
        match self {
            Self::ClientProve(arguments) => arguments.takes_stdout(),
            Self::ClientVerify(_) => false,
        }
    }

    fn files(&self) -> Vec<Named<'_>> {
        match self {
            Self::ClientProve(arguments) => arguments.files(),
            Self::ClientVerify(arguments) => command::named(arguments.files()),
        }
    }

    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        match self {
            Self::ClientProve(arguments) => prove::run(arguments, registry, output),
            Self::ClientVerify(arguments) => verify::run(arguments, output),
        }
    }
}
