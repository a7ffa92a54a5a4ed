//! `polystark prove`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::arguments::values::integer;
use crate::arguments::{DeviceArguments, Protocol, StatementArguments, moved, refuse, with_system};
use crate::command::{Command, has_stream, named};
use crate::inputs::air_file::AirFile;
use crate::inputs::policy::{CellsArguments, LengthArguments, SecurityArguments};
use crate::outputs::{Named, Outputs};
use crate::progress::plan::Plan;
use crate::progress::{Progress, StageView, seconds};
use crate::protocol::{CommandLine, ProofCost, ProofRequest, check_statement, request_to_prove};
use crate::report::exit::Failure;
use crate::report::facts::{ProofView, SecurityView};
use crate::report::output::{Output, table};
use crate::report::statement_view::StatementView;
use crate::report::views::{proof_row, security_rows, stated_rows};
use sdk::hal::rehearsal::Spill;
use sdk::hal::{Bytes, Capabilities};
use sdk::{AirStatement, Airs, Device, MemoryPlan, Profile, Proven, Ready as _, Registry, TraceSource};

/// Where the trace is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Trace {
    /// On the host
    Upload,
    /// On the device: nothing is uploaded
    Device,
}

impl From<Trace> for TraceSource {
    fn from(trace: Trace) -> Self {
        match trace {
            Trace::Upload => Self::Upload,
            Trace::Device => Self::Device,
        }
    }
}

#[derive(Args)]
pub(crate) struct ProveCommand {
    /// The protocol [default: the one that has the AIR]
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,
    /// The AIR, see `polystark airs`
    #[arg(long, value_name = "NAME", required_unless_present = "air_file", requires = "rows")]
    air: Option<String>,
    /// Rows of the trace, a power of two such as 1048576 or 2^20
    #[arg(long, value_name = "N", value_parser = integer, requires = "air", conflicts_with = "air_file")]
    rows: Option<u64>,
    /// The AIR, as `polystark record` wrote it, rows and public values included
    #[arg(long, value_name = "FILE", conflicts_with = "air", requires = "trace_file")]
    air_file: Option<PathBuf>,
    /// The trace of the AIR in --air-file: a table of integers, rows by columns, in NumPy's .npy or as an Arrow IPC
    /// file without compression; it is mapped and must not change until the proof is there. An AIR of --air makes its
    /// own: `record` writes it to a file, which takes another
    #[arg(long, value_name = "FILE", requires = "air_file", conflicts_with_all = ["air", "trace_from"])]
    trace_file: Option<PathBuf>,
    #[command(flatten)]
    statement: StatementArguments,
    #[command(flatten)]
    security: SecurityArguments,
    #[command(flatten)]
    cells: CellsArguments,
    #[command(flatten)]
    length: LengthArguments,
    #[command(flatten)]
    device: DeviceArguments,
    /// Where the trace is computed [default: on the device where the AIR says how and the backend can, else on the
    /// host]
    #[arg(long, value_enum, value_name = "WHERE")]
    trace_from: Option<Trace>,
    /// First check every row of the trace, on the host: if it is wrong, say where, and prove nothing
    #[arg(long)]
    check: bool,
    /// Most violated constraints that --check names, and most tuples that do not cancel
    #[arg(long, value_name = "N", default_value_t = 10, requires = "check")]
    check_limit: usize,
    /// Where the statement and its proof go; - is standard output, and all else then goes to standard error
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where the bare bytes of the proof go too
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
}

impl Command for ProveCommand {
    fn files(&self) -> Vec<Named<'_>> {
        let read = [("--air-file", &self.air_file), ("--trace-file", &self.trace_file)];
        let read = read.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?)));
        named(read.chain(self.written()))
    }

    fn interrupted(&self) -> Option<&'static str> {
        Some("proof")
    }

    fn takes_stdout(&self) -> bool {
        has_stream(&self.files())
    }

    /// Whether there is such a statement with such options, if it is no file's.
    fn check(&self, registry: &Registry) -> Result<(), Failure> {
        let asked = self.air.as_deref().zip(self.rows);
        asked.map_or(Ok(()), |(air, rows)| {
            check_statement((self.protocol, air, rows), &self.statement, &self.security, registry)
        })
    }

    /// Proves, verifies, writes, and reports the proof.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let air_file = self.air_file.as_deref().map(AirFile::read).transpose()?;
        let protocol = match (&air_file, &self.air) {
            (Some(file), _) => file.protocol_of(self.protocol)?,
            (None, air) => Protocol::of_air(self.protocol, air.as_deref().unwrap_or_default(), registry)?,
        };
        if protocol == Protocol::Goldilocks {
            refuse(self.cells.given(), "goldilocks")?;
        }
        let files = Outputs::open(self.written().map(|(_, path)| path))?;
        with_system!(protocol, S => prove::<S>(self, air_file, files, registry, output))
    }
}

impl ProveCommand {
    /// The files that are written, each with its argument.
    fn written(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let raw = self.raw.as_deref().map(|raw| ("--raw", raw));
        std::iter::once(("-o", self.output.as_path())).chain(raw)
    }

    fn trace_source(&self) -> TraceSource {
        self.trace_from.map_or(TraceSource::Auto, TraceSource::from)
    }
}

#[derive(Serialize)]
struct View<S> {
    status: &'static str,
    file: String,
    file_bytes: usize,
    raw: Option<String>,
    backend: String,
    device: String,
    /// Where it was computed: `upload` or `device`.
    trace: &'static str,
    statement: S,
    security: SecurityView,
    /// Whether verifiers take the file that are told nothing else than which file.
    accepted_by_default: bool,
    /// Why they do not, and which flags admit it.
    refusals: Vec<String>,
    proof: ProofView,
    device_peak_bytes: u64,
    /// The largest number of bytes in the host's memory, and the bytes moved there and back, as planned; none where
    /// nothing may be moved.
    host_peak_bytes: Option<u64>,
    moved_bytes: Option<u64>,
    stages: Vec<StageView>,
    seconds: f64,
}

/// The AIRs, that of the file among them, and which of them is asked for, with how many rows.
fn asked<F: CommandLine>(
    arguments: &ProveCommand,
    air_file: Option<AirFile<'_>>,
    known: Airs<F>,
) -> Result<(Airs<F>, String, u64), Failure> {
    let missing = |name| Failure::usage(format!("{name} is missing"));
    let Some(file) = air_file else {
        let air = arguments.air.clone().ok_or_else(|| missing("--air"))?;
        return Ok((known, air, arguments.rows.ok_or_else(|| missing("--rows"))?));
    };
    let trace = arguments.trace_file.clone().ok_or_else(|| missing("--trace-file"))?;
    let family = file.family::<F>()?.with_trace_file(trace);
    let rows = 1 << *family.log_rows().start();
    Ok((known.with(family), file.name(), rows))
}

fn prove<F: CommandLine>(
    arguments: &ProveCommand,
    air_file: Option<AirFile<'_>>,
    files: Outputs,
    registry: &Registry,
    output: &Output,
) -> Result<(), Failure> {
    let (airs, air, rows) = asked(arguments, air_file, registry.airs())?;
    let ProofRequest { mut request, statement } =
        request_to_prove::<F>(&airs, &air, rows, &arguments.statement, &arguments.security)?;
    let ProofCost { preprocessed_cells, proof_bytes, work_bits, .. } = F::cost(&request, &statement.air);
    arguments.cells.check(preprocessed_cells)?;
    proof_bytes.map_or(Ok(()), |bytes| arguments.length.check(bytes))?;
    request.trace = arguments.trace_source();
    if arguments.check {
        statement.check(arguments.check_limit)?;
    }
    let rows = request.rows;
    let device: Device<F> = arguments.device.open(registry)?;
    output.detail(|| {
        let Capabilities { backend, device, .. } = device.capabilities();
        format!("{} of {rows} rows on {backend} ({device})", request.air)
    });
    let progress = Progress::new(output.progress_detail(), rows, work_bits);
    let is_host = device.memory().is_ok_and(|memory| memory.is_host);
    let statement = AirStatement::built(airs, request, statement);
    let proven = device.ready(&statement).and_then(|ready| {
        let known = || Plan::of_ready(&ready, (is_host, work_bits));
        progress.is_told().then(known).flatten().into_iter().for_each(|plan| progress.plan(plan));
        ready.prove(&|stage| {
            progress.begin(stage);
            ControlFlow::Continue(())
        })
    });
    let stages = progress.finish();
    let proven = proven.map_err(|error| {
        arguments.device.advice(&device, &error).iter().for_each(|advice| output.note(advice));
        let hint = if error.is_unsatisfied() { ": `--check` names the rows and the cells that are wrong" } else { "" };
        let failure = Failure::from(error);
        Failure { message: failure.message + hint, ..failure }
    })?;
    // Before the work it is known for Goldilocks alone, and without the part before the proof.
    arguments.length.check(proven.file.len() as u64)?;
    // As many as there are: the bare proof may not be asked for.
    files.save(&[&proven.file, proven.proof()])?;
    let refusals = F::refusals(&proven.report, proven.file.len());
    say(arguments, output, &proven, device.capabilities(), stages, &refusals)?;
    refusals.iter().for_each(|refusal| output.note(refusal));
    moved(&device).iter().for_each(|note| output.note(note));
    Ok(())
}

/// Reports the proof.
fn say<F: CommandLine>(
    arguments: &ProveCommand,
    output: &Output,
    proven: &Proven<F>,
    capabilities: &Capabilities,
    stages: Vec<StageView>,
    refusals: &[String],
) -> Result<(), Failure> {
    let (report, footprint): (_, MemoryPlan) = (&proven.report, proven.plan.clone().into());
    let spill = footprint.spill;
    let peak_bytes = spill.map_or(footprint.peak_bytes, |spill| spill.device_bytes);
    let seconds = seconds(&stages);
    let mut rows = stated_rows::<F>(&report.file);
    let (own, own_rows) = F::own(&report.file, Some(&report.options));
    rows.extend(own_rows);
    rows.extend(security_rows(&report.security));
    let verdict = if refusals.is_empty() { "accepted" } else { "refused, see below" };
    rows.push(("by default", format!("{verdict}: verifiers ask for {}", Profile::DEFAULT)));
    let proof = ProofView::new(proven.proof());
    rows.push(proof_row(&proof));
    rows.push(("backend", format!("{} ({})", capabilities.backend, capabilities.device)));
    rows.push(("trace", if proven.generated { "made on the device, not uploaded" } else { "uploaded" }.to_owned()));
    rows.push(("time", format!("{seconds:.3} s, verification included")));
    rows.push(("device memory", format!("{} planned", Bytes(peak_bytes))));
    if let Some(Spill { host_bytes, moved_bytes, .. }) = spill {
        rows.push((
            "host memory",
            format!("{} planned, {} moved there and back", Bytes(host_bytes), Bytes(moved_bytes)),
        ));
    }
    rows.push(("file", format!("{}, {}", arguments.output.display(), Bytes(proven.file.len() as u64))));
    if let Some(raw) = &arguments.raw {
        rows.push(("bare proof", raw.display().to_string()));
    }
    let view = View {
        status: "proven",
        file: arguments.output.display().to_string(),
        file_bytes: proven.file.len(),
        raw: arguments.raw.as_ref().map(|raw| raw.display().to_string()),
        backend: capabilities.backend.clone(),
        device: capabilities.device.clone(),
        trace: if proven.generated { "device" } else { "upload" },
        statement: StatementView::new::<F>(&report.file, own),
        security: SecurityView::new(&report.security),
        accepted_by_default: refusals.is_empty(),
        refusals: refusals.to_vec(),
        proof,
        device_peak_bytes: peak_bytes,
        host_peak_bytes: spill.map(|spill| spill.host_bytes),
        moved_bytes: spill.map(|spill| spill.moved_bytes),
        stages,
        seconds,
    };
    output.result(&view, &format!("proven and verified\n{}", table(&rows)))
}

#[cfg(test)]
mod tests;
