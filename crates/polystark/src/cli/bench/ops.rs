//! `polystark bench ops`: every operation by itself.

use bench::ops::OpsArguments;
use clap::Args;

use super::{Failure, Output, ReportArguments};
use crate::cli::arguments::{DeviceArguments, Protocol};
use crate::cli::progress::Measurement;
use crate::hal::CircleStark;
use crate::{Goldilocks3, Registry};

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

/// Measures and reports.
pub(super) fn run(arguments: &Arguments, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let Arguments { protocol, ops, device, report: to } = arguments;
    let (files, progress) = (to.open_files()?, Measurement::new(output.told()));
    let follow = |what: &str, done| progress.tell(what, done);
    let measuring = to.measuring(&follow);
    let report = match protocol {
        Protocol::Goldilocks => device.open::<Goldilocks3>(registry)?.measure_operations(ops, measuring),
        Protocol::Circle => device.open::<CircleStark>(registry)?.measure_operations(ops, measuring),
    }?;
    drop(progress);
    to.save(files, &report, || report.page())?;
    output.result(&report, &report.text())
}
