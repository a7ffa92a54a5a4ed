//! `polystark prove`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use polystark::hal::StarkBackend;
use polystark::{Error, Goldilocks3, Policy, Proven, Request, Stage, Task, prove_air_with};
use serde::Serialize;

use super::arguments::{self, DeviceArguments, OptionArguments, ParameterArguments};
use super::exit::Failure;
use super::output::{Output, table};
use super::progress::Progress;
use super::save;
use super::values::integer;
use super::views::{ProofView, SecurityView, StatementView, bytes, proof_row, security_rows, statement_rows};

#[derive(Args)]
pub(crate) struct Arguments {
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
    device: DeviceArguments,
    /// Where the statement and its proof go
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where the bare bytes of the proof go too
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
}

#[derive(Serialize)]
struct StageView {
    name: &'static str,
    seconds: f64,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    file: String,
    file_bytes: usize,
    raw: Option<String>,
    backend: String,
    device: String,
    statement: StatementView,
    security: SecurityView,
    proof: ProofView,
    device_peak_bytes: u64,
    stages: Vec<StageView>,
    seconds: f64,
}

struct Prove<'a> {
    request: &'a Request,
    follow: &'a dyn Fn(Stage),
}

impl Task for Prove<'_> {
    type Output = Result<Proven, Error>;

    fn run<B: StarkBackend<P = Goldilocks3>>(self, backend: &B) -> Self::Output {
        prove_air_with(backend, self.request, self.follow)
    }
}

/// Proves, verifies, writes, and says what was proven.
pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    if arguments.raw.as_ref() == Some(&arguments.output) {
        return Err(Failure::file(&arguments.output, "-o and --raw name the same file"));
    }
    save::check(&arguments.output)?;
    arguments.raw.as_deref().map_or(Ok(()), save::check)?;
    let request = arguments::request(&arguments.air, arguments.rows, &arguments.parameters, &arguments.options)?;
    let device = arguments.device.open()?;

    let progress = Progress::new(!output.json());
    let proven = device.run(Prove { request: &request, follow: &|stage| progress.begin(stage) });
    let stages = progress.finish();
    let proven = proven?;

    let mut files = vec![(arguments.output.as_path(), proven.file.as_slice())];
    files.extend(arguments.raw.as_deref().map(|raw| (raw, proven.proof())));
    save::save(&files)?;

    let seconds = stages.iter().map(|(_, time)| *time).sum::<Duration>().as_secs_f64();
    let capabilities = device.capabilities();
    let (statement, security) = (&proven.report.statement, &proven.report.security);
    let view = View {
        status: "proven",
        file: arguments.output.display().to_string(),
        file_bytes: proven.file.len(),
        raw: arguments.raw.as_ref().map(|raw| raw.display().to_string()),
        backend: capabilities.backend.clone(),
        device: capabilities.device.clone(),
        statement: StatementView::new(statement),
        security: SecurityView::new(security),
        proof: ProofView::new(proven.proof()),
        device_peak_bytes: proven.plan.peak_bytes,
        stages: stages
            .iter()
            .map(|(stage, time)| StageView { name: stage.name(), seconds: time.as_secs_f64() })
            .collect(),
        seconds,
    };
    let mut rows = statement_rows(statement);
    rows.extend(security_rows(security));
    rows.push(proof_row(proven.proof()));
    rows.push(("backend", format!("{} ({})", capabilities.backend, capabilities.device)));
    rows.push(("time", format!("{seconds:.3} s, verification included")));
    rows.push(("device memory", format!("{} planned", bytes(proven.plan.peak_bytes))));
    rows.push(("file", format!("{}, {} bytes", arguments.output.display(), proven.file.len())));
    if let Some(raw) = &arguments.raw {
        rows.push(("bare proof", raw.display().to_string()));
    }
    output.result(&view, &format!("proven and verified\n{}", table(&rows)))?;
    let (bits, least) = (security.conjectured.bits, Policy::default().min_security_bits);
    if bits < least {
        output.note(&format!(
            "this proof is worth {bits} bits; verifiers refuse less than {least} unless told --min-security-bits {bits}"
        ));
    }
    Ok(())
}
