//! How to measure, and where the report goes.

use std::path::{Path, PathBuf};

use bench::{Following, MeasureArguments, Measuring};
use clap::Args;
use serde::Serialize;

use crate::outputs::Outputs;
use crate::report::exit::Failure;
use crate::report::pretty::pretty;

/// How to measure, and where the report goes.
#[derive(Args)]
pub(super) struct ReportArguments {
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
    pub(super) fn measuring<'a>(&'a self, follow: &'a Following<'a>) -> Measuring<'a> {
        let commit = option_env!("POLYSTARK_COMMIT");
        Measuring { arguments: &self.measure, commit, host_memory: sdk::support::host_memory, follow }
    }

    /// The files that are written, each with its argument.
    pub(super) fn files(&self) -> Vec<(&'static str, &Path)> {
        let named = [("--json-file", &self.json_file), ("--html", &self.html)];
        named.into_iter().filter_map(|(name, file)| Some((name, file.as_deref()?))).collect()
    }

    /// Makes them ready, before the work.
    pub(super) fn open_files(&self) -> Result<Outputs, Failure> {
        Outputs::open(self.files().into_iter().map(|(_, path)| path))
    }

    /// Writes the files that were asked for.
    pub(super) fn save(
        &self,
        files: Outputs,
        view: &impl Serialize,
        page: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
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
