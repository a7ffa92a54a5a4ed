//! `polystark cairo prove --batch`.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use cairo_run::Loaded;
use serde::Serialize;

use super::batch_progress::BatchProgress;
use super::list::{Job, at};
use super::options::{COLUMNS, ProofParameters, ProvingArguments};
use super::proof::{ProgramProof, View};
use crate::arguments::moved;
use crate::lock::lock;
use crate::progress::Stages;
use crate::report::exit::{Code, Failure};
use crate::report::output::{Output, table};
use sdk::circle_proof::Policy;
use sdk::hal::Bytes;
use sdk::hal::{Capabilities, CircleStark};
use sdk::{CairoAhead, CairoProven, CairoRequest, Device, Loading, Registry, Stage};

/// The outcome of a job.
#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Proven {
        line: usize,
        #[serde(flatten)]
        view: Box<View>,
    },
    Failed {
        line: usize,
        status: &'static str,
        exit_code: u8,
        error: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        printed: Option<String>,
    },
}

#[derive(Serialize)]
struct Summary {
    status: &'static str,
    exit_code: u8,
    jobs: Vec<Outcome>,
    proven: usize,
    failed: usize,
    backend: String,
    device: String,
    proofs_at_once: usize,
    runs_ahead: usize,
    /// For the whole batch.
    seconds: f64,
    /// For the whole batch, divided by its proofs.
    seconds_per_proof: Option<f64>,
}

/// The data that all jobs of a batch share.
struct Batch<'a> {
    proving: &'a ProvingArguments,
    asked: ProofParameters,
    /// The security that each proof must have.
    policy: Policy,
    capabilities: &'a Capabilities,
    output: &'a Output,
    progress: BatchProgress,
    /// A note on several proofs is printed once.
    notes: Mutex<BTreeSet<String>>,
}

/// A job at work.
struct Work<'a> {
    job: &'a Job,
    batch: &'a Batch<'a>,
    known: CairoAhead,
    stages: Mutex<Stages>,
    outcome: Mutex<Option<Outcome>>,
}

/// Proves the programs of a list. Nothing is done if one of them cannot be read, or a proof not be written.
/// `at_once` is how many proofs are made at the same time, if that is given.
pub(super) fn run(
    proving: &ProvingArguments,
    jobs: &[Job],
    at_once: Option<u16>,
    registry: &Registry,
    output: &Output,
) -> Result<Code, Failure> {
    jobs.iter().try_for_each(Job::check)?;
    let (asked, policy) = proving.checked_options()?;
    jobs.iter().try_for_each(|job| job.check_format(proving).map_err(at(job.place())))?;
    let device: Device<CircleStark> = proving.device.open(registry)?;
    let mut flow = device.flow().map_err(sdk::Error::from)?;
    if let Some(proofs) = at_once.and_then(NonZero::new) {
        flow.proofs = proofs.into();
    }
    let (capabilities, progress) = (device.capabilities(), BatchProgress::new(output.progress_detail(), jobs.len()));
    let batch = Batch { proving, asked, policy, capabilities, output, progress, notes: Mutex::default() };
    let start = Instant::now();
    let works: Vec<Work<'_>> = jobs.iter().map(|job| Work::new(job, &batch)).collect();
    device.prove_batch(&works, flow);
    batch.progress.finish();
    let seconds = start.elapsed().as_secs_f64();
    let outcomes: Vec<Outcome> = works.into_iter().filter_map(Work::outcome).collect();
    let proven = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Proven { .. })).count();
    let (failed, code) = (jobs.len() - proven, if proven == jobs.len() { Code::Success } else { Code::Partial });
    let summary = Summary {
        status: if failed == 0 { "proven" } else { code.name() },
        exit_code: code as u8,
        jobs: outcomes,
        proven,
        failed,
        backend: capabilities.backend.clone(),
        device: capabilities.device.clone(),
        proofs_at_once: flow.proofs.get(),
        runs_ahead: flow.ahead.get(),
        seconds,
        seconds_per_proof: (proven > 0).then(|| seconds / proven as f64),
    };
    output.result(&summary, &said(&summary))?;
    lock(&batch.notes).iter().chain(&moved(&device)).for_each(|note| output.note(note));
    Ok(code)
}

/// The text for people.
fn said(summary: &Summary) -> String {
    let Summary { proven, failed, seconds, proofs_at_once, runs_ahead, backend, device, .. } = summary;
    let each = summary.seconds_per_proof.map_or(String::new(), |each| format!(", {each:.3} s a proof"));
    let rows = [
        ("time", format!("{seconds:.3} s{each}, runs and verification included")),
        ("at once", format!("{proofs_at_once} in proof, {runs_ahead} run ahead")),
        ("backend", format!("{backend} ({device})")),
    ];
    format!("{proven} proven and verified, {failed} failed\n{}", table(&rows))
}

impl<'a> Work<'a> {
    fn new(job: &'a Job, batch: &'a Batch<'a>) -> Self {
        let known = batch.asked.ahead();
        Self { job, batch, known, stages: Mutex::default(), outcome: Mutex::default() }
    }

    fn begin(&self, stage: Stage) {
        lock(&self.stages).begin_of_many(stage);
        self.batch.progress.begin(self.job.line, stage);
    }

    /// Writes the proof. Its files are opened now: a batch may have more of them than a process can have open.
    fn save(&self, (loaded, proven): (&Loaded, CairoProven)) -> Result<View, Failure> {
        let Self { job, batch: Batch { proving, policy, capabilities, notes, .. }, .. } = self;
        let stages = lock(&self.stages).finish();
        policy.check_security(&proven.verified.security).map_err(sdk::Error::from)?;
        let made = ProgramProof { job, loaded, proven: &proven, format: proving.format, capabilities };
        let view = made.save(job.open()?, stages)?;
        lock(notes).extend(made.notes(&view));
        Ok(view)
    }

    fn outcome(self) -> Option<Outcome> {
        self.outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl sdk::Job<CircleStark> for Work<'_> {
    type Loaded = Loaded;
    type Proven = CairoProven;
    type Statement<'a> = CairoRequest<'a>;
    type Error = Failure;

    fn load(&self) -> Result<Loaded, Failure> {
        self.begin(Stage::Trace);
        let loaded = self.job.load(&self.batch.proving.limits, &self.known.signs);
        // Until it is its turn.
        lock(&self.stages).pause();
        loaded
    }

    fn ahead(&self, device: &Device<CircleStark>, loading: &Loading) -> Result<(), Failure> {
        let took = self.known.make(device, loading)?;
        lock(&self.stages).beside(COLUMNS, took);
        Ok(())
    }

    fn statement<'a>(&self, loaded: &'a Loaded) -> Result<CairoRequest<'a>, Failure> {
        self.begin(Stage::Trace);
        let Batch { proving, asked, .. } = self.batch;
        proving.check_format(loaded)?;
        Ok(asked.request(loaded)?)
    }

    fn follow(&self, stage: Stage) -> ControlFlow<()> {
        self.begin(stage);
        ControlFlow::Continue(())
    }

    fn finish(&self, proven: Result<(&Loaded, CairoProven), Failure>) {
        let Self { job, batch: Batch { output, progress, .. }, .. } = self;
        let (line, place) = (job.line, job.place());
        // The texts of several programs do not mix.
        let said = |printed: &str, say: &dyn Fn()| {
            progress.end(line, || {
                if !printed.is_empty() {
                    output.printed(&format!("{place}: it printed\n{printed}"));
                }
                say();
            });
        };
        let outcome = match proven.and_then(|proven| self.save(proven)) {
            Ok(view) => {
                let View { file, file_bytes, seconds, .. } = &view;
                let text =
                    format!("{place}: proven and verified in {seconds:.3} s: {file}, {}", Bytes(*file_bytes as u64));
                said(&view.printed, &|| output.part(&text));
                Outcome::Proven { line, view: Box::new(view) }
            }
            Err(Failure { code, message, printed, .. }) => {
                let text = format!("{place}: {message}");
                said(printed.as_deref().unwrap_or_default(), &|| output.problem(&text));
                Outcome::Failed { line, status: code.name(), exit_code: code as u8, error: message, printed }
            }
        };
        *lock(&self.outcome) = Some(outcome);
    }
}
