//! What both kinds of measurement share: how often, on which clock, and where the report goes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use gpu_runtime::{GpuBackend, GpuProtocol, KernelDevice};
use polystark::hal::StarkBackend;
use polystark::{Error, available_memory};
use serde::Serialize;

use super::clock::{Events, Stopwatch};
use super::floor::{Machine, SpeedArguments};
use super::measurable::Measurable;
use super::{Failure, copy};
use crate::cli::outputs::Outputs;

/// Repetitions, speeds and files.
#[derive(Args)]
pub(super) struct MeasureArguments {
    /// Measurable runs; medians and quartiles are reported [default: 5 of a proof, 15 of an operation]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Runs before those, not measured
    #[arg(long, value_name = "W", default_value_t = 1)]
    pub(super) warm_up: u32,
    #[command(flatten)]
    pub(super) speeds: SpeedArguments,
    /// Write the report to FILE as JSON; `--json` writes it to standard output
    #[arg(long, value_name = "FILE")]
    json_file: Option<PathBuf>,
    /// Write the report with plots to FILE, one HTML page that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl MeasureArguments {
    /// How many runs, `default` unless said.
    pub(super) fn runs(&self, default: u32) -> u32 {
        self.runs.unwrap_or(default)
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
            let mut json = serde_json::to_vec_pretty(view).map_err(|error| Failure::file(file, error))?;
            json.push(b'\n');
            contents.push(json);
        }
        if self.html.is_some() {
            contents.push(page().into_bytes());
        }
        files.save(&contents.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// The speeds of a backend's device; the bandwidth is measured unless it is given.
    pub(super) fn machine<B, S>(&self, backend: &B, stopwatch: &S) -> Result<Machine, Error>
    where
        B: StarkBackend<P: Measurable>,
        S: Stopwatch<B>,
    {
        // A backend that cannot tell its memory works in the host's.
        let is_host = backend.memory()?.available.is_none();
        let available = available_memory(backend)?;
        let copy = || if is_host { Ok(copy::host()) } else { copy::device(backend, stopwatch, available) };
        Ok(self.speeds.machine::<B::P, _>(&backend.capabilities().device, is_host, copy)?)
    }
}

/// Something to be done with a backend of a protocol and its best clock.
pub(super) trait ClockedTask<P> {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run<B: StarkBackend<P = P>, S: Stopwatch<B>>(self, backend: Arc<B>, stopwatch: S) -> Self::Output;
}

/// Does it on any GPU, by events.
pub(super) fn on_gpu<D, P, T>(backend: Arc<GpuBackend<D, P>>, task: T) -> T::Output
where
    D: KernelDevice,
    P: Measurable + GpuProtocol,
    T: ClockedTask<P>,
{
    task.run(backend, Events)
}
