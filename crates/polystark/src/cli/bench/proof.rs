//! `polystark bench proof`: whole proofs, by phase and by operation.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clap::Args;
use polystark::field::Fp3;
use polystark::hal::{Hooked, Meter, Metered, Operation, StarkBackend};
use polystark::proof::Seed;
use polystark::prover::{Observer, Phase, ProveError, Prover};
use polystark::{Error, Goldilocks3, Policy, Request, available_memory, prove_air, verify_file};
use serde::Serialize;

use super::clock::{Stopwatch, Timed, Times, lock};
use super::floor::Machine;
use super::measure::{ClockedTask, MeasureArguments, with_clock};
use super::sweep::Sweep;
use super::time::{TimeView, figure};
use super::{Failure, Output, proof_report, statement};
use crate::cli::arguments::{self, DeviceArguments, OptionArguments, ParameterArguments};
use crate::cli::values::integer;
use crate::cli::views::{OptionsView, ProofView, SecurityView, bytes};

#[derive(Args)]
pub(super) struct ProofArguments {
    /// The AIR, see `polystark airs`
    #[arg(long, value_name = "NAME", default_value = "fibonacci-rap")]
    air: String,
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
    device: DeviceArguments,
    #[command(flatten)]
    measure: MeasureArguments,
}

#[derive(Serialize)]
pub(super) struct PhaseView {
    pub(super) name: &'static str,
    #[serde(flatten)]
    pub(super) time: TimeView,
}

#[derive(Serialize)]
pub(super) struct OperationView {
    pub(super) name: &'static str,
    pub(super) calls: u64,
    #[serde(flatten)]
    pub(super) time: TimeView,
    pub(super) uploaded_bytes: u64,
    pub(super) downloaded_bytes: u64,
    /// Sum over the calls; `None` if no speed for them is known, or latency is all.
    pub(super) floor_seconds: Option<f64>,
    pub(super) share_of_floor: Option<f64>,
}

/// Proofs of another size, or why there are none.
#[derive(Serialize)]
pub(super) struct SizeView {
    pub(super) log_rows: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skipped: Option<String>,
    #[serde(flatten)]
    pub(super) measured: Option<MeasuredSize>,
}

#[derive(Serialize)]
pub(super) struct MeasuredSize {
    #[serde(flatten)]
    pub(super) time: TimeView,
    pub(super) mega_rows_per_second: f64,
}

#[derive(Serialize)]
pub(super) struct View {
    status: &'static str,
    pub(super) backend: String,
    pub(super) device: String,
    pub(super) air: String,
    pub(super) rows: u64,
    parameters: BTreeMap<String, u64>,
    options: OptionsView,
    security: SecurityView,
    proof: ProofView,
    pub(super) runs: u32,
    pub(super) warm_up: u32,
    /// A proof, its trace given; by the host's clock.
    pub(super) prove: TimeView,
    /// A verification, from the bytes of the file.
    pub(super) verify: TimeView,
    /// Time of a proof in which the device ran kernels, copies or fills, if it tells; transfers and gaps are not in it.
    pub(super) busy_seconds: Option<f64>,
    /// The floors of all operations, upload at the link's speed included, one after the other.
    pub(super) floor_seconds: f64,
    /// That over the median of `prove`.
    pub(super) share_of_floor: f64,
    pub(super) phases: Vec<PhaseView>,
    /// Measured in runs of their own that wait for the device after each operation.
    pub(super) operations: Vec<OperationView>,
    /// What the times of the operations were read from.
    pub(super) operations_clock: &'static str,
    pub(super) speeds: Machine,
    pub(super) uploaded_bytes: u64,
    pub(super) downloaded_bytes: u64,
    pub(super) planned_peak_bytes: u64,
    pub(super) measured_peak_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) sizes: Vec<SizeView>,
}

/// Measured runs unless said.
const RUNS: u32 = 5;

/// Measures and reports.
pub(super) fn run(arguments: &ProofArguments, output: &Output) -> Result<(), Failure> {
    arguments.measure.check_files()?;
    let request = |rows| arguments::request(&arguments.air, rows, &arguments.parameters, &arguments.options);
    let sweep = arguments.sweep.into_iter().flat_map(Sweep::logs);
    let sizes = sweep.map(|log| request(1 << log)).collect::<Result<Vec<_>, _>>()?;
    let request = request(arguments.rows)?;
    let device = arguments.device.open()?;
    let view = with_clock(device, Bench { request: &request, sizes: &sizes, measure: &arguments.measure })?;
    arguments.measure.save(&view, || proof_report::page(&view))?;
    output.result(&view, &proof_report::text(&view))
}

struct Bench<'a> {
    request: &'a Request,
    sizes: &'a [Request],
    measure: &'a MeasureArguments,
}

impl ClockedTask for Bench<'_> {
    type Output = Result<View, Error>;

    fn run<B: StarkBackend<P = Goldilocks3>, S: Stopwatch<B>>(self, backend: B, stopwatch: S) -> Self::Output {
        let request = self.request;
        for size in self.sizes {
            // Impossible ones are refused before hours of work.
            let parts = size.build()?.layout().composition_parts;
            size.options.validate(size.rows.ilog2(), parts).map_err(ProveError::from)?;
        }
        // The first proof goes through all the checks, and shows that what is measured is right.
        let proven = prove_air(&backend, request)?;
        let speeds = self.measure.machine(&backend, &stopwatch)?;
        let plain = self.proofs(&backend, request, &mut || ())?;
        let verify = self.repeat(|| {
            let start = Instant::now();
            verify_file(&proven.file, &Policy::ANY, &polystark::Expect::default())?;
            Ok(start.elapsed())
        })?;
        let busy = self.busy(&backend, &stopwatch)?;
        let sizes = self.sizes.iter().map(|request| self.size(&backend, request)).collect::<Result<_, _>>()?;

        let nonce = proof::decode::<Goldilocks3>(proven.proof()).map_err(Error::Proof)?.nonce;
        let recorded = polystark::air::record(&*request.build()?)?;
        let calls = statement::calls(&recorded, &proven.plan, &request.options, nonce, speeds.levels_per_pass);
        let mut floors: BTreeMap<Operation, f64> = BTreeMap::new();
        for (operation, work) in calls {
            if let Some(floor) = speeds.floor(&work) {
                *floors.entry(operation).or_default() += floor.seconds;
            }
        }
        let prove = TimeView::of(plain.iter().map(|run| run.total).collect());
        let floor_seconds = figure(floors.values().sum());

        let capabilities = backend.capabilities().clone();
        let operations_clock = stopwatch.name();
        let (hook, times) = Timed::new(stopwatch);
        let metered = Metered::new(Hooked::with_hook(backend, hook));
        let mut meters = Vec::new();
        self.proofs(&metered, request, &mut || {
            meters.push((metered.snapshot(), std::mem::take(&mut *lock(&times))));
            metered.reset();
        })?;
        // Those of the measured runs; the first one has the preparation of programs in it.
        let meters = &meters[meters.len().saturating_sub(plain.len())..];
        Ok(View {
            status: "measured",
            backend: capabilities.backend,
            device: capabilities.device,
            air: request.air.clone(),
            rows: request.rows,
            parameters: request.resolved_parameters(),
            options: OptionsView::new(&request.options),
            security: SecurityView::new(&proven.report.security),
            proof: ProofView::new(proven.proof()),
            runs: self.measure.runs(RUNS),
            warm_up: self.measure.warm_up,
            prove,
            verify: TimeView::of(verify),
            busy_seconds: busy,
            floor_seconds,
            share_of_floor: figure(floor_seconds / prove.median_seconds),
            phases: phases(&plain),
            operations: operations(meters, &floors),
            operations_clock,
            speeds,
            uploaded_bytes: meters.first().map_or(0, |(meter, _)| meter.total().uploaded),
            downloaded_bytes: meters.first().map_or(0, |(meter, _)| meter.total().downloaded),
            planned_peak_bytes: proven.plan.peak_bytes,
            measured_peak_bytes: meters.iter().filter_map(|(meter, _)| meter.peak_memory).max(),
            sizes,
        })
    }
}

/// One proof.
struct Run {
    total: Duration,
    phases: Vec<(Phase, Duration)>,
}

impl Bench<'_> {
    /// Proves again and again; `after` is called after each proof.
    fn proofs<B: StarkBackend<P = Goldilocks3>>(
        &self,
        backend: &B,
        request: &Request,
        after: &mut dyn FnMut(),
    ) -> Result<Vec<Run>, Error> {
        let air = request.build()?;
        let prover = Prover::new(backend, &*air)?;
        let trace = air.trace();
        self.repeat(|| {
            let clock = Clock(RefCell::default());
            let start = Instant::now();
            prover.prove(&trace, &request.options, seed(request), &clock)?;
            backend.sync().map_err(ProveError::from)?;
            let end = Instant::now();
            after();
            let starts = clock.0.into_inner();
            let ends = starts.iter().skip(1).map(|(_, start)| *start).chain([end]);
            let phases = starts.iter().zip(ends).map(|((phase, start), end)| (*phase, end - *start)).collect();
            Ok(Run { total: end - start, phases })
        })
    }

    /// Median time of the device in a proof.
    fn busy<B: StarkBackend<P = Goldilocks3>, S: Stopwatch<B>>(
        &self,
        backend: &B,
        stopwatch: &S,
    ) -> Result<Option<f64>, Error> {
        let air = self.request.build()?;
        let prover = Prover::new(backend, &*air)?;
        let trace = air.trace();
        let prove = || prover.prove(&trace, &self.request.options, seed(self.request), &Clock(RefCell::default()));
        let mut times = Vec::new();
        for _ in 0..self.measure.runs(RUNS) {
            match stopwatch.busy(backend, prove)? {
                Some(time) => times.push(time),
                None => return Ok(None),
            }
        }
        Ok(Some(TimeView::of(times).median_seconds))
    }

    /// Proofs of another size, if they fit.
    fn size<B: StarkBackend<P = Goldilocks3>>(&self, backend: &B, request: &Request) -> Result<SizeView, Error> {
        let log_rows = request.rows.ilog2();
        let skipped = |why: String| SizeView { log_rows, skipped: Some(why), measured: None };
        // Before the trace is built: its own memory would be the first to be missing.
        let plan = Prover::new(backend, &*request.build()?)?.plan(&request.options)?;
        let needed = plan.peak_bytes.saturating_add(plan.upload_bytes);
        if let Some(available) = available_memory(backend)?.filter(|available| needed > *available) {
            let (needed, available) = (bytes(needed), bytes(available));
            return Ok(skipped(format!("it takes {needed} of memory, {available} are available")));
        }
        match self.proofs(backend, request, &mut || ()) {
            Err(Error::Prove(error @ ProveError::Memory { .. })) => Ok(skipped(error.to_string())),
            Err(error) => Err(error),
            Ok(runs) => {
                let time = TimeView::of(runs.iter().map(|run| run.total).collect());
                let mega_rows_per_second = figure(request.rows as f64 / time.median_seconds / 1e6);
                Ok(SizeView { log_rows, skipped: None, measured: Some(MeasuredSize { time, mega_rows_per_second }) })
            }
        }
    }

    /// The results of the measured runs.
    fn repeat<T>(&self, mut run: impl FnMut() -> Result<T, Error>) -> Result<Vec<T>, Error> {
        for _ in 0..self.measure.warm_up {
            run()?;
        }
        (0..self.measure.runs(RUNS)).map(|_| run()).collect()
    }
}

fn seed(request: &Request) -> Seed<'_> {
    request.seed.as_deref().map_or(Seed::Default, Seed::Given)
}

/// When each phase began.
struct Clock(RefCell<Vec<(Phase, Instant)>>);

impl Observer<Fp3> for Clock {
    fn phase(&self, phase: Phase) {
        self.0.borrow_mut().push((phase, Instant::now()));
    }
}

fn phases(runs: &[Run]) -> Vec<PhaseView> {
    // Every run has the same phases.
    let Some(first) = runs.first() else { return Vec::new() };
    let times = |index: usize| runs.iter().filter_map(|run| run.phases.get(index)).map(|(_, time)| *time).collect();
    first
        .phases
        .iter()
        .enumerate()
        .map(|(index, (phase, _))| PhaseView { name: phase.name(), time: TimeView::of(times(index)) })
        .collect()
}

fn operations(runs: &[(Meter, Times)], floors: &BTreeMap<Operation, f64>) -> Vec<OperationView> {
    let called = |operation: &Operation| runs.iter().any(|(meter, _)| meter.of(*operation).calls > 0);
    Operation::ALL
        .into_iter()
        // Waiting is what the stopwatch does.
        .filter(|operation| *operation != Operation::Sync && called(operation))
        .map(|operation| {
            // Calls and bytes are the same in every run.
            let count = runs.first().map(|(meter, _)| meter.of(operation)).unwrap_or_default();
            let times = runs.iter().map(|(_, times)| times.get(&operation).copied().unwrap_or_default()).collect();
            let time = TimeView::of(times);
            let floor_seconds = floors.get(&operation).copied().map(figure);
            OperationView {
                name: operation.name(),
                calls: count.calls,
                time,
                uploaded_bytes: count.uploaded,
                downloaded_bytes: count.downloaded,
                floor_seconds,
                share_of_floor: floor_seconds.map(|floor| figure(floor / time.median_seconds)),
            }
        })
        .collect()
}
