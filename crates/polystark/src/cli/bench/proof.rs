//! `polystark bench proof`: whole proofs, by phase and by operation.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench::proof::{ProofReport, measure};
use bench::{Measuring, Stopwatch, Subject, Sweep};
use clap::Args;
use polystark::hal::StarkBackend;
use polystark::{Error, Stage, TraceSource};

use super::device::{Clocked, ClockedTask};
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
pub(super) fn run(arguments: &ProofArguments, output: &Output) -> Result<(), Failure> {
    let files = arguments.report.open_files()?;
    let trace = TraceSource::from(arguments.trace_from);
    let air = |default| arguments.air.as_deref().unwrap_or(default);
    match arguments.protocol {
        Protocol::Goldilocks => {
            refuse(arguments.circle_options.given(), "goldilocks")?;
            let air = air("fibonacci-rap");
            run_on(arguments, files, output, |rows| {
                let request = arguments::request(air, rows, &arguments.parameters, &arguments.options)?;
                Ok(polystark::Request { trace, ..request })
            })
        }
        Protocol::Circle => {
            refuse(arguments.options.given(), "circle")?;
            let (air, parameters) = (air("fibonacci"), arguments.parameters.by_name()?);
            let (queries, options) = (arguments.options.queries(), &arguments.circle_options);
            run_on(arguments, files, output, |rows| {
                let request = circle::request(air, rows, parameters.clone(), queries, options);
                Ok(polystark::circle::Request { trace, ..request })
            })
        }
    }
}

struct Bench<'a, J> {
    subject: &'a J,
    sizes: &'a [J],
    measuring: Measuring<'a>,
}

impl<J: Subject<Error = Error>> ClockedTask<J::P> for Bench<'_, J> {
    type Output = Result<ProofReport<J::Facts>, Error>;

    fn run<B: StarkBackend<P = J::P>, S: Stopwatch<B>>(self, backend: Arc<B>, stopwatch: S) -> Self::Output {
        measure(self.subject, self.sizes, backend, stopwatch, self.measuring)
    }
}

/// A statement that can be refused without work.
pub(super) trait Check {
    fn check(&self) -> Result<(), Error>;
}

fn run_on<J: Check + Subject<P: Clocked, Error = Error>>(
    arguments: &ProofArguments,
    files: Outputs,
    output: &Output,
    subject: impl Fn(u64) -> Result<J, Failure>,
) -> Result<(), Failure> {
    let sweep = arguments.sweep.into_iter().flat_map(Sweep::logs);
    let sizes = sweep.map(|log| subject(1 << log)).collect::<Result<Vec<_>, _>>()?;
    let subject = subject(arguments.rows)?;
    // Impossible ones are refused before hours of work.
    std::iter::once(&subject).chain(&sizes).try_for_each(Check::check)?;
    let bench = Bench { subject: &subject, sizes: &sizes, measuring: arguments.report.measuring() };
    let report = J::P::with_clock(&arguments.device, bench)??;
    arguments.report.save(files, &report, || report.page())?;
    output.result(&report, &report.text())
}

/// Runs `prove`, which is told what to call where a stage begins; its result, and how long its last stage took, the verification.
pub(super) fn with_verify_time<T>(
    prove: impl FnOnce(&dyn Fn(Stage)) -> Result<T, Error>,
) -> Result<(T, Duration), Error> {
    let stage = Cell::new(Instant::now());
    let value = prove(&|_| stage.set(Instant::now()))?;
    Ok((value, stage.get().elapsed()))
}
