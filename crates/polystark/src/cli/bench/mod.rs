//! `polystark bench`: whole proofs, or single operations.

mod circle;
mod clock;
mod copy;
mod cost;
mod floor;
mod goldilocks;
mod inputs;
mod measurable;
mod measure;
mod ops;
mod programs;
mod proof;
mod report;
mod shapes;
mod subject;
mod svg;
mod sweep;
mod time;
mod work;

use std::path::Path;

use clap::{Args, Subcommand};

use super::exit::Failure;
use super::output::Output;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    proof: Box<proof::ProofArguments>,
}

#[derive(Subcommand)]
enum What {
    /// Whole proofs, by phase and by operation; what plain `bench` does
    Proof(Box<proof::ProofArguments>),
    /// Every operation of a backend by itself, on named sizes
    Ops(Box<ops::OpsArguments>),
}

impl Arguments {
    /// The files that are written, each with its argument.
    pub(crate) fn files(&self) -> Vec<(&'static str, &Path)> {
        match &self.what {
            None => self.proof.measure.files(),
            Some(What::Proof(arguments)) => arguments.measure.files(),
            Some(What::Ops(arguments)) => arguments.measure.files(),
        }
    }
}

/// Measures and reports.
pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    match &arguments.what {
        None => proof::run(&arguments.proof, output),
        Some(What::Proof(arguments)) => proof::run(arguments, output),
        Some(What::Ops(arguments)) => ops::run(arguments, output),
    }
}
