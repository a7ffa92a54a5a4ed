//! `polystark bench`: whole proofs, or single operations.

mod ops;
mod proof;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bench::{Following, MeasureArguments, Measuring};
use clap::{Args, Subcommand};
use serde::Serialize;

use super::command::{Command, has_stream, named};
use super::exit::Failure;
use super::output::Output;
use super::outputs::{Named, Outputs};
use super::pretty::pretty;
use sdk::Registry;

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
    /// Whole proofs, by phase and by operation; the default of `bench`
    Proof(Box<proof::ProofArguments>),
    /// Every operation of a backend by itself, on named sizes
    Ops(Box<ops::Arguments>),
}

impl Command for Arguments {
    fn files(&self) -> Vec<Named<'_>> {
        named(match &self.what {
            None => self.proof.report.files(),
            Some(What::Proof(arguments)) => arguments.report.files(),
            Some(What::Ops(arguments)) => arguments.report.files(),
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
        match &self.what {
            None => proof::run(&self.proof, registry, output),
            Some(What::Proof(arguments)) => proof::run(arguments, registry, output),
            Some(What::Ops(arguments)) => ops::run(arguments, registry, output),
        }
    }
}

/// How to measure, and where the report goes.
#[derive(Args)]
struct ReportArguments {
    #[command(flatten)]
    measure: MeasureArguments,
    /// Write the report to FILE as JSON; `--json` writes it to standard output
    #[arg(long, value_name = "FILE")]
    json_file: Option<PathBuf>,
    /// Write the report with plots to FILE, one HTML page that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl ReportArguments {
    fn measuring<'a>(&'a self, follow: &'a Following<'a>) -> Measuring<'a> {
        Measuring { arguments: &self.measure, host_memory: sdk::host_memory, follow }
    }

    /// The files that are written, each with its argument.
    fn files(&self) -> Vec<(&'static str, &Path)> {
        let named = [("--json-file", &self.json_file), ("--html", &self.html)];
        named.into_iter().filter_map(|(name, file)| Some((name, file.as_deref()?))).collect()
    }

    /// Makes them ready, before the work.
    fn open_files(&self) -> Result<Outputs, Failure> {
        Outputs::open(self.files().into_iter().map(|(_, path)| path))
    }

    /// Writes the files that were asked for.
    fn save(&self, files: Outputs, view: &impl Serialize, page: impl FnOnce() -> String) -> Result<(), Failure> {
        let mut contents: Vec<Vec<u8>> = Vec::new();
        if let Some(file) = &self.json_file {
            contents.push(pretty(view).map_err(|error| Failure::file(file, error))?.into_bytes());
        }
        if self.html.is_some() {
            contents.push(page().into_bytes());
        }
        files.save(&contents.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }
}
