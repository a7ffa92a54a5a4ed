//! `polystark prove`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use polystark::goldilocks::Policy;
use polystark::hal::Capabilities;
use polystark::proof::policy::{check_length, check_security};
use polystark::{PolicyError, Registry, Stage, TraceSource, circle_proof};
use serde::Serialize;

use super::arguments::{self, DeviceArguments, OptionArguments, ParameterArguments, Protocol, refuse};
use super::circle as circle_cli;
use super::exit::Failure;
use super::output::{Output, table};
use super::outputs::Outputs;
use super::progress::Progress;
use super::values::integer;
use super::views::{ProofView, SecurityView, StatementView, bytes, proof_row, security_rows, statement_rows};

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
    parameters: ParameterArguments,
    #[command(flatten)]
    options: OptionArguments,
    #[command(flatten)]
    circle_options: circle_cli::CircleOptionArguments,
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
struct StageView {
    name: &'static str,
    seconds: f64,
}

#[derive(Serialize)]
struct View<S, C> {
    status: &'static str,
    file: String,
    file_bytes: usize,
    raw: Option<String>,
    backend: String,
    device: String,
    /// Where it was computed: `upload` or `device`.
    trace: &'static str,
    statement: S,
    security: C,
    proof: ProofView,
    device_peak_bytes: u64,
    stages: Vec<StageView>,
    seconds: f64,
}

/// What came of proving, whatever the protocol.
struct Done<'a, S, C> {
    file: &'a [u8],
    proof: &'a [u8],
    statement: S,
    security: C,
    /// Both, as text.
    rows: Vec<(&'static str, String)>,
    capabilities: &'a Capabilities,
    /// Whether the device made the trace.
    generated: bool,
    peak_bytes: u64,
    stages: Vec<(Stage, Duration)>,
}

/// Proves, verifies, writes, and says what was proven.
pub(crate) fn run(arguments: &Arguments, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let files = Outputs::open(arguments.files().into_iter().map(|(_, path)| path))?;
    match arguments.protocol {
        Protocol::Goldilocks => goldilocks(arguments, files, registry, output),
        Protocol::Circle => circle(arguments, files, registry, output),
    }
}

fn goldilocks(arguments: &Arguments, files: Outputs, registry: &Registry, output: &Output) -> Result<(), Failure> {
    refuse(arguments.circle_options.given(), "goldilocks")?;
    let mut request = arguments::request(&arguments.air, arguments.rows, &arguments.parameters, &arguments.options)?;
    request.trace = arguments.trace_source();
    let device = arguments.device.open(registry)?;
    let progress = Progress::new(!output.json());
    let proven = device.prove_with(&request, &|stage| progress.begin(stage));
    let stages = progress.finish();
    let proven = proven?;
    let (statement, security) = (&proven.report.statement, &proven.report.security);
    let mut rows = statement_rows(statement);
    rows.extend(security_rows(security));
    let done = Done {
        file: &proven.file,
        proof: proven.proof(),
        statement: StatementView::new(statement),
        security: SecurityView::new(security),
        rows,
        capabilities: device.capabilities(),
        generated: proven.generated,
        peak_bytes: proven.plan.peak_bytes,
        stages,
    };
    finish(arguments, files, output, done)?;
    let policy = Policy::default();
    note_needs(
        output,
        &[
            check_length(proven.file.len(), policy.max_bytes),
            check_security(security, policy.kind, policy.min_security_bits),
        ],
    );
    if let Some(seed) = &statement.seed {
        output.note(&format!("verifiers refuse a given seed unless told --expect-seed '{}'", hex::encode(seed)));
    }
    Ok(())
}

fn circle(arguments: &Arguments, files: Outputs, registry: &Registry, output: &Output) -> Result<(), Failure> {
    refuse(arguments.options.given(), "circle")?;
    let parameters = arguments.parameters.by_name()?;
    let queries = arguments.options.queries();
    let options = &arguments.circle_options;
    let mut request = circle_cli::request(&arguments.air, arguments.rows, parameters, queries, options);
    request.trace = arguments.trace_source();
    let device = arguments.device.open(registry)?;
    let progress = Progress::new(!output.json());
    let proven = device.prove_with(&request, &|stage| progress.begin(stage));
    let stages = progress.finish();
    let proven = proven?;
    let (file, verified) = (&proven.report.file, &proven.report.verified);
    let mut rows = circle_cli::statement_rows(file, Some(&verified.options));
    rows.extend(security_rows(&verified.security));
    let done = Done {
        file: &proven.file,
        proof: proven.proof(),
        statement: circle_cli::StatementView::new(file, Some(&verified.options)),
        security: SecurityView::new(&verified.security),
        rows,
        capabilities: device.capabilities(),
        generated: proven.generated,
        peak_bytes: proven.plan.peak_bytes,
        stages,
    };
    finish(arguments, files, output, done)?;
    let policy = circle_proof::Policy::default();
    note_needs(
        output,
        &[
            policy.check_length(proven.file.len()),
            policy.check_preprocessed(verified.preprocessed_cells),
            policy.check_security(&verified.security),
        ],
    );
    Ok(())
}

/// Writes the files and says what was proven.
fn finish<S: Serialize, C: Serialize>(
    arguments: &Arguments,
    files: Outputs,
    output: &Output,
    done: Done<'_, S, C>,
) -> Result<(), Failure> {
    // As many as there are: the bare proof may not be asked for.
    files.save(&[done.file, done.proof])?;

    let seconds = done.stages.iter().map(|(_, time)| *time).sum::<Duration>().as_secs_f64();
    let stage = |(stage, time): &(Stage, Duration)| StageView { name: stage.name(), seconds: time.as_secs_f64() };
    let capabilities = done.capabilities;
    let mut rows = done.rows;
    rows.push(proof_row(done.proof));
    rows.push(("backend", format!("{} ({})", capabilities.backend, capabilities.device)));
    rows.push(("trace", if done.generated { "made on the device, not uploaded" } else { "uploaded" }.to_owned()));
    rows.push(("time", format!("{seconds:.3} s, verification included")));
    rows.push(("device memory", format!("{} planned", bytes(done.peak_bytes))));
    rows.push(("file", format!("{}, {} bytes", arguments.output.display(), done.file.len())));
    if let Some(raw) = &arguments.raw {
        rows.push(("bare proof", raw.display().to_string()));
    }
    let view = View {
        status: "proven",
        file: arguments.output.display().to_string(),
        file_bytes: done.file.len(),
        raw: arguments.raw.as_ref().map(|raw| raw.display().to_string()),
        backend: capabilities.backend.clone(),
        device: capabilities.device.clone(),
        trace: if done.generated { "device" } else { "upload" },
        statement: done.statement,
        security: done.security,
        proof: ProofView::new(done.proof),
        device_peak_bytes: done.peak_bytes,
        stages: done.stages.iter().map(stage).collect(),
        seconds,
    };
    output.result(&view, &format!("proven and verified\n{}", table(&rows)))
}

/// Says what verifiers with the default policy will refuse, and the flag that makes them take it.
fn note_needs(output: &Output, checks: &[Result<(), PolicyError>]) {
    for refusal in checks.iter().filter_map(|check| check.as_ref().err()) {
        output.note(&format!("verifiers will refuse this proof by default: {refusal}"));
    }
}
