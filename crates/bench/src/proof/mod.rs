//! Whole proofs, by phase and by operation.

mod report;
mod view;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gpu_hal::clock::Profile;
use gpu_hal::decorate::{Count, Hooked, MeterReport, Metered};
use gpu_hal::erased::Device;
use gpu_hal::rehearsal::Step;
use gpu_hal::work::Work;
use gpu_hal::{HalError, Operation, Protocol, StarkBackend};
use prover_core::Phase;

use crate::clock::{self, Timed, Times, lock};
use crate::floor::{Machine, share_of};
use crate::measurable::Measurable;
use crate::measure::Measuring;
use crate::provenance::Provenance;
use crate::subject::{Ready, Subject};
use crate::text::bytes;
use crate::time::{TimeView, figure};
pub use view::ProofReport;
use view::{MeasuredSize, OperationView, PhaseView, SizeView};

/// Measured runs unless said.
const RUNS: u32 = 5;
/// A verification that takes longer is not repeated: that of large public columns may take longer than many proofs.
const LONG: Duration = Duration::from_secs(1);

/// One proof.
struct Run {
    total: Duration,
    phases: Vec<(Phase, Duration)>,
}

impl Run {
    /// The time without the proof of work, which takes longer or shorter by luck.
    fn without_grinding(&self) -> Duration {
        let grinding = self.phases.iter().filter(|(phase, _)| *phase == Phase::Grinding).map(|(_, time)| *time);
        self.total.saturating_sub(grinding.sum())
    }
}

/// Measures proofs of a statement, and of `sizes`, others of its kind.
///
/// # Errors
/// If the statement is not proven. Another size that does not fit in memory is skipped instead.
pub fn measure<J: Subject>(
    subject: &J,
    sizes: &[J],
    backend: &Arc<Device<J::P>>,
    measuring: Measuring<'_>,
) -> Result<ProofReport<J::Facts>, J::Error> {
    let rows = subject.rows() as f64;
    // The first proof, the plain ones, the proofs on the device's clock and the proofs timed by operation; then the
    // other sizes.
    let each = f64::from(measuring.arguments.warm_up + measuring.arguments.runs(RUNS));
    let work = rows * (1.0 + 3.0 * each) + sizes.iter().map(|size| size.rows() as f64 * each).sum::<f64>();
    let bench = Bench { measuring, work, done: Cell::new(0.0) };
    bench.begin("a first proof, verified", rows);
    // The first proof goes through all the checks, and shows that the measured proofs are right.
    let first = subject.first(backend)?;
    // Nothing but that proof was on the device.
    let measured_peak_bytes = backend.memory()?.peak;
    let verify = match first.verify > LONG {
        true => vec![first.verify],
        false => bench.repeat("verification", 0.0, || {
            let start = Instant::now();
            subject.verify(&first.file).map(|()| start.elapsed())
        })?,
    };
    let speeds = measuring.machine(&**backend)?;
    let (preparation, plain, profiles) = subject.with_ready(backend, |ready| {
        Ok((
            ready.preparation,
            bench.proofs("proofs", rows, &**backend, ready, &mut || ())?,
            bench.profiles(rows, &**backend, ready)?,
        ))
    })?;
    let sizes = sizes.iter().map(|size| bench.size(backend, size)).collect::<Result<_, _>>()?;

    let capabilities = backend.capabilities().clone();
    let hook = Timed::default();
    let times = hook.times();
    let metered = Arc::new(Metered::new(Hooked::with_hook(Device::clone(backend), hook)));
    let mut meters = Vec::new();
    subject.with_ready(&Arc::new(Device::new(metered.clone())), |ready| {
        // Preparation is not a proof's.
        lock(&times).clear();
        metered.reset();
        bench.proofs("operations of proofs", rows, &*metered, ready, &mut || {
            meters.push((metered.snapshot(), std::mem::take(&mut *lock(&times))));
            metered.reset();
        })
    })?;
    let meters = &meters[meters.len().saturating_sub(plain.len())..];
    let floors = floors::<J::P>(&first.steps, first.nonce, &speeds);
    let floor_seconds = figure(floors.values().map(|floor| floor.seconds).sum());
    let prove = TimeView::of(plain.iter().map(|run| run.total).collect());
    let operations = operations(meters, &profiles, &floors);
    // A sum of which a part is no floor is none.
    let is_floor = operations.iter().all(|one| one.floor_seconds.is_none() || one.share_of_floor.is_some());
    Ok(ProofReport {
        status: "measured",
        made: Provenance::now(measuring.commit),
        protocol: <J::P as Protocol>::NAME,
        backend: capabilities.backend,
        device: capabilities.device,
        air: subject.air().to_owned(),
        rows: subject.rows(),
        parameters: subject.parameters(),
        facts: first.facts,
        verified: true,
        trace: if subject.is_generated() { "device" } else { "upload" },
        runs: measuring.arguments.runs(RUNS),
        warm_up: measuring.arguments.warm_up,
        preparation_seconds: figure(preparation.as_secs_f64()),
        prove,
        verify: TimeView::of(verify),
        busy_seconds: median(profiles.iter().map(Profile::busy)),
        floor_seconds,
        share_of_floor: share_of(floor_seconds, prove.median_seconds).filter(|_| is_floor),
        phases: phases(&plain),
        operations,
        operations_clock: clock::name(&**backend),
        speeds,
        uploaded_bytes: meters.first().map_or(0, |(meter, _)| meter.total().uploaded),
        downloaded_bytes: meters.first().map_or(0, |(meter, _)| meter.total().downloaded),
        planned_peak_bytes: first.planned_peak_bytes,
        measured_peak_bytes,
        sizes,
    })
}

/// The runs.
struct Bench<'a> {
    measuring: Measuring<'a>,
    /// Rows of all proofs, and of the proofs that have begun.
    work: f64,
    done: Cell<f64>,
}

impl Bench<'_> {
    /// Proves again and again; `after` is called after each proof.
    fn proofs<B: StarkBackend, E: From<HalError>>(
        &self,
        what: &str,
        rows: f64,
        backend: &B,
        ready: &Ready<'_, E>,
        after: &mut dyn FnMut(),
    ) -> Result<Vec<Run>, E> {
        self.repeat(what, rows, || {
            let starts = RefCell::new(Vec::new());
            let start = Instant::now();
            (ready.prove)(&|phase| starts.borrow_mut().push((phase, Instant::now())))?;
            backend.sync()?;
            let end = Instant::now();
            after();
            let starts: Vec<(Phase, Instant)> = starts.into_inner();
            let ends = starts.iter().skip(1).map(|(_, start)| *start).chain([end]);
            let phases = starts.iter().zip(ends).map(|((phase, start), end)| (*phase, end - *start)).collect();
            Ok(Run { total: end - start, phases })
        })
    }

    /// The device's work in proofs of their own, as the moments that are taken around each kernel take time too;
    /// nothing if it does not tell.
    fn profiles<B: StarkBackend, E: From<HalError>>(
        &self,
        rows: f64,
        backend: &B,
        ready: &Ready<'_, E>,
    ) -> Result<Vec<Profile>, E> {
        let mut profiles = Vec::new();
        for _ in 0..self.measuring.arguments.runs(RUNS) {
            self.begin("proofs by the device's clock", rows);
            match clock::profile(backend, || (ready.prove)(&|_| ()))? {
                Some(profile) => profiles.push(profile),
                None => break,
            }
        }
        Ok(profiles)
    }

    /// Proofs of another size, if they fit.
    fn size<J: Subject>(&self, backend: &Arc<Device<J::P>>, subject: &J) -> Result<SizeView, J::Error> {
        let (rows, log_rows) = (subject.rows() as f64, subject.rows().ilog2());
        let what = format!("proofs of 2^{log_rows} rows");
        match subject.with_ready(backend, |ready| self.proofs(&what, rows, &**backend, ready, &mut || ())) {
            Err(error) => match J::missing_memory(&error) {
                Some((needed, available)) => {
                    let why = format!("it takes {} of memory, {} are available", bytes(needed), bytes(available));
                    Ok(SizeView { log_rows, skipped: Some(why), measured: None })
                }
                None => Err(error),
            },
            Ok(runs) => {
                let time = TimeView::of(runs.iter().map(Run::without_grinding).collect());
                let mega_rows_per_second = figure(rows / time.median_seconds / 1e6);
                Ok(SizeView { log_rows, skipped: None, measured: Some(MeasuredSize { time, mega_rows_per_second }) })
            }
        }
    }

    /// The results of the measured runs.
    fn repeat<T, E>(&self, what: &str, rows: f64, mut run: impl FnMut() -> Result<T, E>) -> Result<Vec<T>, E> {
        let mut run = || {
            self.begin(what, rows);
            run()
        };
        for _ in 0..self.measuring.arguments.warm_up {
            run()?;
        }
        (0..self.measuring.arguments.runs(RUNS)).map(|_| run()).collect()
    }

    /// Tells that a proof of `rows` rows begins, or something that takes no time beside it.
    fn begin(&self, what: &str, rows: f64) {
        let done = self.done.get();
        (self.measuring.follow)(what, (done / self.work).min(1.0));
        self.done.set(done + rows);
    }
}

/// The floors of all calls of an operation.
#[derive(Clone, Copy, Default)]
struct Floors {
    bytes: f64,
    seconds: f64,
}

fn floors<P: Measurable>(steps: &[Step], nonce: u64, speeds: &Machine) -> BTreeMap<Operation, Floors> {
    let mut floors: BTreeMap<Operation, Floors> = BTreeMap::new();
    for step in steps {
        let work = Work::of(&P::PRICES, &step.cost, nonce, speeds.levels_per_pass);
        let of = floors.entry(step.operation).or_default();
        of.bytes += work.bytes + work.link_bytes;
        of.seconds += speeds.floor(&work).map_or(0.0, |floor| floor.seconds);
    }
    floors
}

/// Median of the times in seconds, if there are any.
fn median(times: impl Iterator<Item = Duration>) -> Option<f64> {
    let times: Vec<Duration> = times.collect();
    (!times.is_empty()).then(|| TimeView::of(times).median_seconds)
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

fn operations(
    runs: &[(MeterReport, Times)],
    profiles: &[Profile],
    floors: &BTreeMap<Operation, Floors>,
) -> Vec<OperationView> {
    let called = |operation: &Operation| runs.iter().any(|(meter, _)| meter.of(*operation).calls > 0);
    let view = |operation: Operation| {
        // Calls, launches and bytes are the same in every run.
        let count = runs.first().map_or_else(Count::default, |(meter, _)| meter.of(operation));
        let times = runs.iter().map(|(_, times)| times.get(&operation).copied().unwrap_or_default()).collect();
        let of_device = || profiles.iter().flat_map(|profile| &profile.operations).filter(|o| o.operation == operation);
        let time = TimeView::of(times);
        let floor = floors.get(&operation).copied().unwrap_or_default();
        let floor_seconds = (floor.seconds > 0.0).then(|| figure(floor.seconds));
        OperationView {
            name: operation.name(),
            calls: count.calls,
            time,
            launches: of_device().next().map(|of| of.launches),
            device_seconds: median(of_device().map(|of| of.device_time)),
            uploaded_bytes: count.uploaded,
            downloaded_bytes: count.downloaded,
            least_bytes: floor.bytes,
            floor_seconds,
            share_of_floor: floor_seconds.and_then(|floor| share_of(floor, time.median_seconds)),
        }
    };
    // The stopwatch waits.
    Operation::ALL
        .iter()
        .copied()
        .filter(|operation| *operation != Operation::Sync && called(operation))
        .map(view)
        .collect()
}
