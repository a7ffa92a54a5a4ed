//! `polystark bench ops`: every operation by itself.

use bench::ops::OpsArguments;
use clap::Args;

use super::measure::operations;
use super::progress::Measurement;
use super::report::ReportArguments;
use crate::arguments::{DeviceArguments, Protocol, with_system};
use crate::report::exit::Failure;
use crate::report::output::Output;
use sdk::Registry;

#[derive(Args)]
pub(super) struct OpsCommand {
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
pub(super) fn run(arguments: &OpsCommand, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let OpsCommand { protocol, ops, device, report: to } = arguments;
    let (files, progress) = (to.open_files()?, Measurement::new(output.progress_detail()));
    let follow = |what: &str, done| progress.tell(what, done);
    let measuring = to.measuring(&follow);
    let report = with_system!(*protocol, S => operations(&device.open::<S>(registry)?, ops, measuring))?;
    drop(progress);
    to.save(files, &report, || report.page())?;
    output.result(&report, &report.text())
}
