//! `polystark bench proof`: whole proofs, by phase and by operation.

use bench::Sweep;
use clap::Args;
use polystark::{Flavour, Registry, Request, TraceSource};

use super::{Failure, Output, ReportArguments};
use crate::cli::arguments::{self, DeviceArguments, OptionArguments, ParameterArguments, Protocol, refuse};
use crate::cli::circle::{self, CircleOptionArguments};
use crate::cli::outputs::Outputs;
use crate::cli::prove::Trace;
use crate::cli::values::integer;

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
    pub(super) report: ReportArguments,
}

/// Measures and reports.
pub(super) fn run(arguments: &ProofArguments, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let files = arguments.report.open_files()?;
    let trace = TraceSource::from(arguments.trace_from);
    let air = |default| arguments.air.as_deref().unwrap_or(default);
    match arguments.protocol {
        Protocol::Goldilocks => {
            refuse(arguments.circle_options.given(), "goldilocks")?;
            let air = air("fibonacci-rap");
            measure(arguments, files, registry, output, |rows| {
                let request = arguments::request(air, rows, &arguments.parameters, &arguments.options)?;
                Ok(Request { trace, ..request })
            })
        }
        Protocol::Circle => {
            refuse(arguments.options.given(), "circle")?;
            let (air, parameters) = (air("fibonacci"), arguments.parameters.by_name()?);
            let (queries, options) = (arguments.options.queries(), &arguments.circle_options);
            measure(arguments, files, registry, output, |rows| {
                let request = circle::request(air, rows, parameters.clone(), queries, options);
                Ok(Request { trace, ..request })
            })
        }
    }
}

fn measure<F: Flavour>(
    arguments: &ProofArguments,
    files: Outputs,
    registry: &Registry,
    output: &Output,
    request: impl Fn(u64) -> Result<Request<F>, Failure>,
) -> Result<(), Failure> {
    let sweep = arguments.sweep.into_iter().flat_map(Sweep::logs);
    let sizes = sweep.map(|log| request(1 << log)).collect::<Result<Vec<_>, _>>()?;
    let request = request(arguments.rows)?;
    // Impossible ones are refused before hours of work.
    std::iter::once(&request).chain(&sizes).try_for_each(F::check)?;
    let device = arguments.device.open::<F>(registry)?;
    let report = device.measure_proofs(&request, &sizes, arguments.report.measuring())?;
    arguments.report.save(files, &report, || report.page())?;
    output.result(&report, &report.text())
}
