//! `polystark prove`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::arguments::{DeviceArguments, Protocol, StatementArguments};
use super::exit::Failure;
use super::output::{Output, table};
use super::outputs::Outputs;
use super::policy::SecurityArguments;
use super::progress::{Progress, StageView, seconds};
use super::protocol::{CommandLine, chosen};
use super::values::integer;
use super::views::{bytes, proof_row, security_rows, stated_rows};
use crate::hal::{Capabilities, CircleStark};
use crate::views::{ProofView, SecurityView};
use crate::{Goldilocks3, Profile, Proven, Registry, TraceSource};

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
    /// The protocol
    #[arg(long, value_enum, default_value_t = Protocol::Goldilocks)]
    protocol: Protocol,
    /// The AIR, see `polystark airs`
    #[arg(long, value_name = "NAME")]
    air: String,
    /// Rows of the trace, a power of two
    #[arg(long, value_name = "N", value_parser = integer)]
    rows: u64,
    #[command(flatten)]
    statement: StatementArguments,
    #[command(flatten)]
    security: SecurityArguments,
    #[command(flatten)]
    device: DeviceArguments,
    /// Where the trace is computed [default: on the device where the AIR says how and the backend can, else on the host]
    #[arg(long, value_enum, value_name = "WHERE")]
    trace_from: Option<Trace>,
    /// Where the statement and its proof go
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
    /// Whether verifiers take the file that are told nothing else than which file.
    accepted_by_default: bool,
    /// Why they do not, and which flags admit it.
    refusals: Vec<String>,
    proof: ProofView,
    device_peak_bytes: u64,
    stages: Vec<StageView>,
    seconds: f64,
}

/// Proves, verifies, writes, and says what was proven.
pub(crate) fn run(arguments: &Arguments, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let files = Outputs::open(arguments.files().into_iter().map(|(_, path)| path))?;
    match arguments.protocol {
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
    let Arguments { air, rows, statement, security, .. } = arguments;
    let (mut request, _) = chosen::<F>(registry.airs(), air, *rows, statement, security)?;
    request.trace = arguments.trace_source();
    let device = arguments.device.open(registry)?;
    let progress = Progress::new(!output.json());
    let proven = device.prove_with(&request, &|stage| {
        progress.begin(stage);
        ControlFlow::Continue(())
    });
    let stages = progress.finish();
    let proven = proven?;
    // As many as there are: the bare proof may not be asked for.
    files.save(&[&proven.file, proven.proof()])?;
    let refusals = F::refusals(&proven.report, proven.file.len());
    let refusals = refusals.iter().map(|refusal| format!("verifiers will refuse this proof by default: {refusal}"));
    let refusals: Vec<String> = refusals.chain(F::note(&proven.report)).collect();
    say(arguments, output, &proven, device.capabilities(), stages, &refusals)?;
    refusals.iter().for_each(|refusal| output.note(refusal));
    Ok(())
}

/// Says what was proven.
fn say<F: CommandLine>(
    arguments: &Arguments,
    output: &Output,
    proven: &Proven<F>,
    capabilities: &Capabilities,
    stages: Vec<StageView>,
    refusals: &[String],
) -> Result<(), Failure> {
    let (report, peak_bytes) = (&proven.report, F::footprint(&proven.plan).peak_bytes);
    let seconds = seconds(&stages);
    let mut rows = stated_rows::<F>(&report.file);
    rows.extend(F::own_rows(&report.file, Some(&report.options)));
    rows.extend(security_rows(&report.security));
    let verdict = if refusals.is_empty() { "accepted" } else { "refused, see below" };
    rows.push(("by default", format!("{verdict}: verifiers ask for {}", Profile::DEFAULT)));
    let proof = ProofView::new(proven.proof());
    rows.push(proof_row(&proof));
    rows.push(("backend", format!("{} ({})", capabilities.backend, capabilities.device)));
    rows.push(("trace", if proven.generated { "made on the device, not uploaded" } else { "uploaded" }.to_owned()));
    rows.push(("time", format!("{seconds:.3} s, verification included")));
    rows.push(("device memory", format!("{} planned", bytes(peak_bytes))));
    rows.push(("file", format!("{}, {} bytes", arguments.output.display(), proven.file.len())));
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
        accepted_by_default: refusals.is_empty(),
        refusals: refusals.to_vec(),
        proof,
        device_peak_bytes: peak_bytes,
        stages,
        seconds,
    };
    output.result(&view, &format!("proven and verified\n{}", table(&rows)))
}
