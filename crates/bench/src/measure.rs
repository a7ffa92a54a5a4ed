//! The common part of both kinds of measurement: how often, on which clock, against which speeds.

use clap::Args;
use gpu_hal::{HalError, StarkBackend};

use crate::copy;
use crate::floor::{Machine, SpeedArguments};
use crate::measurable::Measurable;

/// Repetitions and speeds.
#[derive(Args)]
pub struct MeasureArguments {
    /// Measured runs; medians and quartiles are reported [default: 5 of a proof, 15 of an operation]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Runs before them, not measured
    #[arg(long, value_name = "W", default_value_t = 1)]
    pub(crate) warm_up: u32,
    #[command(flatten)]
    pub(crate) speeds: SpeedArguments,
}

impl MeasureArguments {
    /// How many runs, `default` unless said.
    pub(crate) fn runs(&self, default: u32) -> u32 {
        self.runs.unwrap_or(default)
    }
}

/// A callback: it gets the name of the next measurement, and the finished share of the whole work, from 0 to 1, as far
/// as the sizes tell.
pub type Following<'a> = dyn Fn(&str, f64) + 'a;

/// How and where to measure, and the follower of the work.
#[derive(Clone, Copy)]
pub struct Measuring<'a> {
    /// How often, and against which speeds.
    pub arguments: &'a MeasureArguments,
    /// The commit that the program is built from, if it is known.
    pub commit: Option<&'static str>,
    /// Memory that the host can spare, in bytes, if it tells: a backend that can't tell its own works there.
    pub host_memory: fn() -> Option<u64>,
    /// The follower of the work.
    pub follow: &'a Following<'a>,
}

impl Measuring<'_> {
    /// Memory that an operation may use, in bytes.
    pub(crate) fn available<B: StarkBackend>(&self, backend: &B) -> Result<Option<u64>, HalError> {
        Ok(backend.memory()?.available.or_else(self.host_memory))
    }

    /// The speeds of a backend's device; the bandwidth is measured unless it is given.
    pub(crate) fn machine<B: StarkBackend<P: Measurable>>(&self, backend: &B) -> Result<Machine, HalError> {
        let is_host = backend.memory()?.is_host;
        let available = self.available(backend)?;
        let copy = || if is_host { Ok(copy::host()) } else { copy::device(backend, available) };
        self.arguments.speeds.machine::<B::P, _>(&backend.capabilities().device, is_host, copy)
    }
}
