//! `polystark bench`: whole proofs, or single operations.

mod benched;
mod gkr;
mod measure;
mod ops;
mod progress;
mod proof;
mod report;

use std::sync::Arc;

use clap::{Args, Subcommand};

use super::command::{Command, has_stream, named};
use super::outputs::Named;
use crate::report::exit::Failure;
use crate::report::output::Output;
use sdk::Registry;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct BenchCommand {
    #[command(subcommand)]
    kind: Option<Kind>,
    #[command(flatten)]
    proof: Box<proof::ProofArguments>,
}

#[derive(Subcommand)]
enum Kind {
    /// Whole proofs, by phase and by operation; the default of `bench`
    Proof(Box<proof::ProofArguments>),
    /// Every operation of a backend by itself, on named sizes
    Ops(Box<ops::OpsCommand>),
    /// Proofs of products and of sums by GKR, against the floor of their layers
    Gkr(Box<gkr::GkrCommand>),
}

impl Command for BenchCommand {
    fn files(&self) -> Vec<Named<'_>> {
        named(match &self.kind {
            None => self.proof.report.files(),
            Some(Kind::Proof(arguments)) => arguments.report.files(),
            Some(Kind::Ops(arguments)) => arguments.report.files(),
            Some(Kind::Gkr(arguments)) => arguments.report.files(),
        })
    }

    fn interrupted(&self) -> Option<&'static str> {
        Some("file")
    }

    fn takes_stdout(&self) -> bool {
        has_stream(&self.files())
    }

    /// Measures and reports.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        match &self.kind {
            None => proof::run(&self.proof, registry, output),
            Some(Kind::Proof(arguments)) => proof::run(arguments, registry, output),
            Some(Kind::Ops(arguments)) => ops::run(arguments, registry, output),
            Some(Kind::Gkr(arguments)) => gkr::run(arguments, registry, output),
        }
    }
}
