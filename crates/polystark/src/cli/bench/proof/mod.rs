//! `polystark bench proof`: whole proofs, by phase and by operation.

mod bench;
mod report;
mod view;

use clap::Args;
use polystark::TraceSource;

use super::measurable::Measurable;
use super::measure::MeasureArguments;
use super::subject::Subject;
use super::sweep::Sweep;
use super::{Failure, Output};
use crate::cli::arguments::{self, DeviceArguments, OptionArguments, ParameterArguments, Protocol, refuse};
use crate::cli::circle::{self, CircleOptionArguments};
use crate::cli::outputs::Outputs;
use crate::cli::prove::Trace;
use crate::cli::values::integer;
use bench::Bench;

#[derive(Args)]
pub(super) struct ProofArguments {
    /// The protocol
    #[arg(long, value_enum, default_value_t = Protocol::Goldilocks)]
    protocol: Protocol,
    /// The AIR, see `polystark airs` [default: fibonacci-rap; circle: fibonacci]
    #[arg(long, value_name = "NAME")]
    air: Option<String>,
    /// Rows of the trace, a power of two
    #[arg(long, value_name = "N", default_value = "65536", value_parser = integer)]
    rows: u64,
    /// Measure proofs of 2^LOG_FROM to 2^LOG_TO rows too
    #[arg(long, value_name = "LOG_FROM..LOG_TO")]
    sweep: Option<Sweep>,
    #[command(flatten)]
    parameters: ParameterArguments,
    #[command(flatten)]
    options: OptionArguments,
    #[command(flatten)]
    circle_options: CircleOptionArguments,
    #[command(flatten)]
    device: DeviceArguments,
    /// Where the trace is computed
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = Trace::Upload)]
    trace_from: Trace,
    #[command(flatten)]
    pub(super) measure: MeasureArguments,
}

/// Measures and reports.
pub(super) fn run(arguments: &ProofArguments, output: &Output) -> Result<(), Failure> {
    let files = arguments.measure.open_files()?;
    let trace = TraceSource::from(arguments.trace_from);
    let air = |default| arguments.air.as_deref().unwrap_or(default);
    match arguments.protocol {
        Protocol::Goldilocks => {
            refuse(arguments.circle_options.given(), "goldilocks")?;
            let air = air("fibonacci-rap");
            measure(arguments, files, output, |rows| {
                let request = arguments::request(air, rows, &arguments.parameters, &arguments.options)?;
                Ok(polystark::Request { trace, ..request })
            })
        }
        Protocol::Circle => {
            refuse(arguments.options.given(), "circle")?;
            let (air, parameters) = (air("fibonacci"), arguments.parameters.by_name()?);
            let (queries, options) = (arguments.options.queries(), &arguments.circle_options);
            measure(arguments, files, output, |rows| {
                let request = circle::request(air, rows, parameters.clone(), queries, options);
                Ok(polystark::circle::Request { trace, ..request })
            })
        }
    }
}

fn measure<J: Subject>(
    arguments: &ProofArguments,
    files: Outputs,
    output: &Output,
    subject: impl Fn(u64) -> Result<J, Failure>,
) -> Result<(), Failure> {
    let sweep = arguments.sweep.into_iter().flat_map(Sweep::logs);
    let sizes = sweep.map(|log| subject(1 << log)).collect::<Result<Vec<_>, _>>()?;
    let subject = subject(arguments.rows)?;
    // Impossible ones are refused before hours of work.
    std::iter::once(&subject).chain(&sizes).try_for_each(Subject::check)?;
    let bench = Bench { subject: &subject, sizes: &sizes, measure: &arguments.measure };
    let view = J::P::with_clock(&arguments.device, bench)??;
    arguments.measure.save(files, &view, || report::page(&view))?;
    output.result(&view, &report::text(&view))
}
