//! `polystark bench ops`: every operation by itself.

use std::sync::Arc;

use bench::ops::{OpsArguments, OpsReport, measure};
use bench::{Measurable, Measuring, Stopwatch};
use clap::Args;
use polystark::hal::{CircleStark, StarkBackend};
use polystark::{Error, Goldilocks3};

use super::device::{Clocked, ClockedTask};
use super::{Failure, Output, ReportArguments};
use crate::cli::arguments::{DeviceArguments, Protocol};

#[derive(Args)]
pub(super) struct Arguments {
    /// The protocol
    #[arg(long, value_enum, default_value_t = Protocol::Goldilocks)]
    protocol: Protocol,
    #[command(flatten)]
    ops: OpsArguments,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    pub(super) report: ReportArguments,
}

struct Bench<'a> {
    ops: &'a OpsArguments,
    measuring: Measuring<'a>,
}

impl<P: Measurable> ClockedTask<P> for Bench<'_> {
    type Output = Result<OpsReport, Error>;

    fn run<B: StarkBackend<P = P>, S: Stopwatch<B>>(self, backend: Arc<B>, stopwatch: S) -> Self::Output {
        Ok(measure(&*backend, &stopwatch, self.ops, self.measuring)?)
    }
}

/// Measures and reports.
pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let files = arguments.report.open_files()?;
    let bench = Bench { ops: &arguments.ops, measuring: arguments.report.measuring() };
    let report = match arguments.protocol {
        Protocol::Goldilocks => Goldilocks3::with_clock(&arguments.device, bench),
        Protocol::Circle => CircleStark::with_clock(&arguments.device, bench),
    }??;
    arguments.report.save(files, &report, || report.page())?;
    output.result(&report, &report.text())
}
