//! `polystark bench gkr`: proofs of products and of sums by GKR.

use bench::gkr::{GkrArguments, measure};
use clap::Args;

use super::measure::failed;
use super::progress::Measurement;
use super::report::ReportArguments;
use crate::arguments::DeviceArguments;
use crate::report::exit::Failure;
use crate::report::output::Output;
use sdk::Registry;
use sdk::hal::CircleStark;

#[derive(Args)]
pub(super) struct GkrCommand {
    #[command(flatten)]
    trees: GkrArguments,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    pub(super) report: ReportArguments,
}

/// Measures and reports.
pub(super) fn run(arguments: &GkrCommand, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let GkrCommand { trees, device, report: to } = arguments;
    let (files, progress) = (to.open_files()?, Measurement::new(output.progress_detail()));
    let follow = |what: &str, done| progress.tell(what, done);
    let device = device.open::<CircleStark>(registry)?;
    let report = measure(&**device.backend(), trees, to.measuring(&follow)).map_err(failed)?;
    drop(progress);
    to.save(files, &report, || report.page())?;
    output.result(&report, &report.text())
}
