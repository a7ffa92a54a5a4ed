//! `polystark prove`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::arguments::{DeviceArguments, Protocol, StatementArguments};
use super::estimate::Size;
use super::exit::Failure;
use super::output::{Output, table};
use super::outputs::Outputs;
use super::progress::{Progress, StageView, seconds};
use super::protocol::CommandLine;
use super::values::integer;
use super::views::{proof_row, security_rows, stated_rows};
use crate::hal::{Bytes, Capabilities, CircleStark};
use crate::views::{ProofView, SecurityView};
use crate::{Goldilocks3, Proven, Registry, TraceSource};

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
pub(crate) struct Arguments {
    /// The protocol [default: the one that has the AIR]
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,
    /// The AIR, see `polystark airs`
    #[arg(long, value_name = "NAME")]
    air: String,
    /// Rows of the trace, a power of two such as 1048576 or 2^20
    #[arg(long, value_name = "N", value_parser = integer)]
    rows: u64,
    #[command(flatten)]
    statement: StatementArguments,
    #[command(flatten)]
    device: DeviceArguments,
    /// Where the trace is computed [default: on the device where the AIR says how and the backend can, else on the host]
    #[arg(long, value_enum, value_name = "WHERE")]
    trace_from: Option<Trace>,
    /// Where the statement and its proof go; - is standard output, and all else then goes to standard error
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where the bare bytes of the proof go too
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
}

impl Arguments {
    /// The files that are written, each with its argument.
    pub(crate) fn files(&self) -> Vec<(&'static str, &Path)> {
        let raw = self.raw.as_deref().map(|raw| ("--raw", raw));
        std::iter::once(("-o", self.output.as_path())).chain(raw).collect()
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
    proof: ProofView,
    device_peak_bytes: u64,
    stages: Vec<StageView>,
    seconds: f64,
}

/// Proves, verifies, writes, and says what was proven.
pub(crate) fn run(arguments: &Arguments, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let protocol = Protocol::of_air(arguments.protocol, &arguments.air, registry)?;
    let files = Outputs::open(arguments.files().into_iter().map(|(_, path)| path))?;
    match protocol {
        Protocol::Goldilocks => prove::<Goldilocks3>(arguments, files, registry, output),
        Protocol::Circle => prove::<CircleStark>(arguments, files, registry, output),
    }
}

fn prove<F: CommandLine>(
    arguments: &Arguments,
    files: Outputs,
    registry: &Registry,
    output: &Output,
) -> Result<(), Failure> {
    let mut request = F::request(registry.airs(), &arguments.air, arguments.rows, &arguments.statement)?;
    request.trace = arguments.trace_source();
    let device = arguments.device.open(registry)?;
    let size = Size { rows: request.rows, work_bits: F::work_bits(&request.options) };
    let progress = Progress::new(!output.json(), size);
    let proven = device.prove_with(&request, &|stage| {
        progress.begin(stage);
        ControlFlow::Continue(())
    });
    let stages = progress.finish();
    let proven = proven?;
    // As many as there are: the bare proof may not be asked for.
    files.save(&[&proven.file, proven.proof()])?;
    say(arguments, output, &proven, device.capabilities(), stages)?;
    for refusal in F::refusals(&proven.report, proven.file.len()) {
        output.note(&format!("verifiers will refuse this proof by default: {refusal}"));
    }
    F::note(&proven.report).into_iter().for_each(|note| output.note(&note));
    Ok(())
}

/// Says what was proven.
fn say<F: CommandLine>(
    arguments: &Arguments,
    output: &Output,
    proven: &Proven<F>,
    capabilities: &Capabilities,
    stages: Vec<StageView>,
) -> Result<(), Failure> {
    let (report, peak_bytes) = (&proven.report, F::footprint(&proven.plan).peak_bytes);
    let seconds = seconds(&stages);
    let mut rows = stated_rows::<F>(&report.file);
    rows.extend(F::own_rows(&report.file, Some(&report.options)));
    rows.extend(security_rows(&report.security));
    let proof = ProofView::new(proven.proof());
    rows.push(proof_row(&proof));
    rows.push(("backend", format!("{} ({})", capabilities.backend, capabilities.device)));
    rows.push(("trace", if proven.generated { "made on the device, not uploaded" } else { "uploaded" }.to_owned()));
    rows.push(("time", format!("{seconds:.3} s, verification included")));
    rows.push(("device memory", format!("{} planned", Bytes(peak_bytes))));
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
        statement: F::statement_view(&report.file, Some(&report.options)),
        security: SecurityView::new(&report.security),
        proof,
        device_peak_bytes: peak_bytes,
        stages,
        seconds,
    };
    output.result(&view, &format!("proven and verified\n{}", table(&rows)))
}
