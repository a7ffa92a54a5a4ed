//! `polystark cairo prove`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cairo::file::encode;
use cairo::input::{Loaded, check_variant, smallest_variant};
use cairo::preprocessed::Variant;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::arguments::Preprocessed;
use super::program::ProgramArguments;
use super::views::{OptionsView, StatedView};
use crate::circle_proof::{self, CircleOptions};
use crate::cli::arguments::DeviceArguments;
use crate::cli::exit::Failure;
use crate::cli::output::{Output, table};
use crate::cli::outputs::Outputs;
use crate::cli::progress::Progress;
use crate::cli::values::{LiftingArgument, lifting};
use crate::cli::views::{bytes, proof_row, security_rows};
use crate::hal::{Capabilities, CircleStark};
use crate::programs::{CAIRO_OPTIONS, CairoProven, CairoRequest};
use crate::views::{ProofView, SecurityView};
use crate::{Device, Error, Registry, Stage};

/// How a proof is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Packed: the shortest
    Binary,
    /// JSON
    Json,
    /// Felts for the verifier that is written in Cairo
    CairoSerde,
    /// What `binary` packs
    Bincode,
}

impl From<Format> for cairo::file::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Binary => Self::Binary,
            Format::Json => Self::Json,
            Format::CairoSerde => Self::CairoSerde,
            Format::Bincode => Self::Bincode,
        }
    }
}

/// The variant of the preprocessed columns, or the smallest that holds the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VariantArgument(Option<Preprocessed>);

fn variant(text: &str) -> Result<VariantArgument, String> {
    match text {
        "auto" => Ok(VariantArgument(None)),
        _ => Preprocessed::from_str(text, false).map(|variant| VariantArgument(Some(variant))).map_err(|_| {
            format!("there is no variant `{text}`: auto, canonical, canonical-without-pedersen, canonical-small")
        }),
    }
}

/// The preprocessed columns.
#[derive(Args)]
pub(super) struct VariantArguments {
    /// The preprocessed columns: canonical, canonical-without-pedersen, canonical-small, or auto: the fewest that hold the run
    #[arg(long, value_name = "VARIANT", default_value = "auto", value_parser = variant)]
    preprocessed: VariantArgument,
}

impl VariantArguments {
    /// The variant for a run.
    pub(super) fn variant(&self, loaded: &Loaded) -> Result<Variant, Failure> {
        let input = &loaded.prover_input;
        let chosen = match self.preprocessed {
            VariantArgument(Some(variant)) => check_variant(input, variant.into()).map(|()| variant.into()),
            VariantArgument(None) => smallest_variant(input),
        };
        Ok(chosen.map_err(Error::from)?)
    }
}

/// How a proof is made.
#[derive(Args)]
pub(super) struct OptionArguments {
    /// Bits of proof of work, 0 to 32
    #[arg(long, value_name = "G", default_value_t = CAIRO_OPTIONS.pow_bits)]
    pow_bits: u32,
    /// Number of queries
    #[arg(long, value_name = "N", default_value_t = CAIRO_OPTIONS.queries)]
    queries: u32,
    /// Log2 of the points of the extended domain per row, 1 to 16. Verifiers know the roots of the preprocessed columns for 1
    #[arg(long, value_name = "B", default_value_t = CAIRO_OPTIONS.log_blowup)]
    log_blowup: u32,
    /// Log2 of the number by which an FRI layer shrinks
    #[arg(long, value_name = "K", default_value_t = CAIRO_OPTIONS.fold_step)]
    fold_step: u32,
    /// Log2 of the coefficients of the last FRI layer, 0 to 10
    #[arg(long, value_name = "N", default_value_t = CAIRO_OPTIONS.log_last)]
    log_last: u32,
    /// Log2 of the common domain, the blowup included, or `none` for the natural one. Verifiers know the roots of the preprocessed columns
    /// for `none`
    #[arg(long, value_name = "L|none", default_value = "none", value_parser = lifting)]
    lifting: LiftingArgument,
}

impl OptionArguments {
    pub(super) fn options(&self) -> CircleOptions {
        let Self { pow_bits, queries, log_blowup, fold_step, log_last, lifting: LiftingArgument(lifting) } = *self;
        CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting }
    }
}

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    #[command(flatten)]
    variant: VariantArguments,
    #[command(flatten)]
    options: OptionArguments,
    #[command(flatten)]
    device: DeviceArguments,
    /// How the proof is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Binary)]
    format: Format,
    /// Where the proof goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where the proof goes in bincode, too
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
    format: &'static str,
    raw: Option<String>,
    backend: String,
    device: String,
    steps: usize,
    statement: StatedView,
    options: OptionsView,
    security: SecurityView,
    proof: ProofView,
    device_peak_bytes: u64,
    stages: Vec<StageView>,
    seconds: f64,
}

impl Arguments {
    /// The files that are written, each with its argument.
    fn outputs(&self) -> Vec<(&'static str, &Path)> {
        let raw = self.raw.as_deref().map(|raw| ("--raw", raw));
        std::iter::once(("-o", self.output.as_path())).chain(raw).collect()
    }

    /// All files, each with its argument.
    pub(super) fn files(&self) -> Vec<(&'static str, &Path)> {
        [self.program.files(), self.outputs()].concat()
    }
}

/// Runs, proves, verifies, writes, and says what was proven.
pub(super) fn run(arguments: &Arguments, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let files = Outputs::open(arguments.outputs().into_iter().map(|(_, path)| path))?;
    let device: Device<CircleStark> = arguments.device.open(registry)?;
    let options = arguments.options.options();
    options.validate_alone().map_err(|error| Failure::usage(error.to_string()))?;
    let progress = Progress::new(!output.json());
    progress.begin(Stage::Trace);
    let loaded = arguments.program.load()?;
    let request = CairoRequest { input: &loaded.prover_input, variant: arguments.variant.variant(&loaded)?, options };
    let proven = device.prove_cairo_with(&request, &|stage| {
        progress.begin(stage);
        ControlFlow::Continue(())
    });
    let stages = progress.finish();
    let proven = proven?;
    let file = encode(&proven.proof, arguments.format.into()).map_err(Error::from)?;
    let raw = cairo::file::bincode(&proven.proof).map_err(Error::from)?;
    files.save(&[&file, &raw])?;
    say(
        arguments,
        output,
        &proven,
        &Made { loaded: &loaded, file: &file, raw: &raw, stages: &stages },
        device.capabilities(),
    )?;
    note(output, &proven, file.len().max(raw.len()));
    Ok(())
}

/// What came out beside the proof.
struct Made<'a> {
    loaded: &'a Loaded,
    file: &'a [u8],
    raw: &'a [u8],
    stages: &'a [(Stage, Duration)],
}

/// Says what was proven.
fn say(
    arguments: &Arguments,
    output: &Output,
    proven: &CairoProven,
    made: &Made<'_>,
    capabilities: &Capabilities,
) -> Result<(), Failure> {
    let verified = &proven.verified;
    let (statement, options) = (StatedView::new(&verified.stated), OptionsView::new(&proven.proof, &verified.options));
    let proof = ProofView::new(made.raw);
    let seconds = made.stages.iter().map(|(_, time)| *time).sum::<Duration>().as_secs_f64();
    let format = cairo::file::Format::from(arguments.format).name();
    let mut rows = statement.rows();
    rows.push(("steps", made.loaded.steps.to_string()));
    rows.extend(options.rows());
    rows.extend(security_rows(&verified.security));
    rows.push(proof_row(&proof));
    rows.push(("backend", format!("{} ({})", capabilities.backend, capabilities.device)));
    rows.push(("time", format!("{seconds:.3} s, run and verification included")));
    rows.push(("device memory", format!("{} planned", bytes(proven.peak_bytes))));
    rows.push(("file", format!("{}, {} bytes, {format}", arguments.output.display(), made.file.len())));
    if let Some(raw) = &arguments.raw {
        rows.push(("bincode", raw.display().to_string()));
    }
    let stage = |(stage, time): &(Stage, Duration)| StageView { name: stage.name(), seconds: time.as_secs_f64() };
    let view = View {
        status: "proven",
        file: arguments.output.display().to_string(),
        file_bytes: made.file.len(),
        format,
        raw: arguments.raw.as_ref().map(|raw| raw.display().to_string()),
        backend: capabilities.backend.clone(),
        device: capabilities.device.clone(),
        steps: made.loaded.steps,
        statement,
        options,
        security: SecurityView::new(&verified.security),
        proof,
        device_peak_bytes: proven.peak_bytes,
        stages: made.stages.iter().map(stage).collect(),
        seconds,
    };
    output.result(&view, &format!("proven and verified\n{}", table(&rows)))
}

/// Says if verifiers will refuse the proof by default.
fn note(output: &Output, proven: &CairoProven, length: usize) {
    let (verified, policy) = (&proven.verified, circle_proof::Policy::default());
    let checks = [
        policy.check_options(&verified.options),
        policy.check_security(&verified.security),
        policy.check_length(length),
    ];
    for refusal in checks.into_iter().filter_map(Result::err) {
        output.note(&format!("verifiers will refuse this proof by default: {refusal}"));
    }
    let CircleOptions { log_blowup, lifting, .. } = verified.options;
    if cairo::preprocessed::root(verified.variant, log_blowup, lifting).is_none()
        && let Some(root) = proven.proof.stark_proof.commitments.first()
    {
        output.note(&format!(
            "verifiers do not know the root of the preprocessed columns with these options: --preprocessed-root {root}"
        ));
    }
}
