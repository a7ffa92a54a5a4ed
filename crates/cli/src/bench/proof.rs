//! `polystark bench proof`: whole proofs, by phase and by operation.

use bench::{Measurable, Sweep};
use clap::Args;

use super::benched::{Benched, CIRCLE, GOLDILOCKS};
use super::measure::proofs;
use super::progress::Measurement;
use super::report::ReportArguments;
use crate::arguments::values::integer;
use crate::arguments::{DeviceArguments, Protocol, StatementArguments};
use crate::commands::prove::Trace;
use crate::protocol::{CommandLine, RequestDraft};
use crate::report::exit::Failure;
use crate::report::output::{Output, table};
use sdk::hal::Bytes;
use sdk::{Family, Registry, Request, TraceSource};

#[derive(Args)]
pub(super) struct ProofArguments {
    /// The protocol [default: the one that has the AIR]
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,
    /// The AIR, see `polystark airs` [default: fibonacci-rap; circle: fibonacci]
    #[arg(long, value_name = "NAME")]
    air: Option<String>,
    /// Rows of the trace, a power of two such as 1048576 or 2^20
    #[arg(long, value_name = "N", default_value = "65536", value_parser = integer)]
    rows: u64,
    /// Measure proofs of 2^LOG_FROM to 2^LOG_TO rows too
    #[arg(long, value_name = "LOG_FROM..LOG_TO")]
    sweep: Option<Sweep>,
    #[command(flatten)]
    statement: StatementArguments,
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
    let protocol = match &arguments.air {
        Some(air) => Protocol::of_air(arguments.protocol, air, registry)?,
        None => arguments.protocol.unwrap_or(Protocol::Goldilocks),
    };
    match protocol {
        Protocol::Goldilocks => measure(&GOLDILOCKS, arguments, registry, output),
        Protocol::Circle => measure(&CIRCLE, arguments, registry, output),
    }
}

fn measure<F: CommandLine + Measurable>(
    benched: &Benched<F>,
    arguments: &ProofArguments,
    registry: &Registry,
    output: &Output,
) -> Result<(), Failure> {
    let files = arguments.report.open_files()?;
    let airs = &registry.airs::<F>();
    let of_program = || airs.get(benched.air).or(airs.all().next()).map(Family::name);
    let none = || Failure::usage("this program has no AIR of that protocol");
    let air = arguments.air.as_deref().or_else(of_program).ok_or_else(none)?;
    let trace = TraceSource::from(arguments.trace_from);
    // Impossible ones are refused before hours of work.
    let request = |rows: u64| -> Result<Request<F>, Failure> {
        let draft = F::request(airs, air, rows, &arguments.statement, Some(&benched.options))?;
        let RequestDraft { request, air, .. } = draft;
        F::rounds_of(&request, &air)?;
        Ok(Request { trace, ..request })
    };
    let sweep = arguments.sweep.into_iter().flat_map(Sweep::logs);
    let sizes = sweep.map(|log| request(1 << log)).collect::<Result<Vec<_>, _>>()?;
    let request = request(arguments.rows)?;
    let device = arguments.device.open::<F>(registry)?;
    let spill = match arguments.device.may_spill() {
        true => device.plan(&request)?.spill,
        false => None,
    };
    let moved = spill.filter(|spill| spill.moved_bytes > 0).map(|spill| {
        format!("the device is too small: each proof moves {} to the host's memory and back", Bytes(spill.moved_bytes))
    });
    let progress = Measurement::new(output.progress_detail());
    let report = {
        let follow = |what: &str, done| progress.tell(what, done);
        proofs(&device, benched.nonce, &request, &sizes, arguments.report.measuring(&follow))?
    };
    drop(progress);
    arguments.report.save(files, &report, || report.page())?;
    output.result(&report, &report.text(table))?;
    moved.iter().for_each(|note| output.note(note));
    Ok(())
}
