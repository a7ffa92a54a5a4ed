//! Proving again and again.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gpu_runtime::Profile;
use polystark::hal::{Hooked, Meter, Metered, Operation, Protocol, StarkBackend};
use polystark::prover::Phase;
use polystark::{Error, hal};

use super::view::{MeasuredSize, OperationView, PhaseView, SizeView, View};
use crate::cli::bench::clock::{Stopwatch, Timed, Times, lock};
use crate::cli::bench::floor::Machine;
use crate::cli::bench::measure::{ClockedTask, MeasureArguments};
use crate::cli::bench::subject::{Ready, Subject, origin, too_large};
use crate::cli::bench::time::{TimeView, figure};
use crate::cli::bench::work::Work;
use crate::cli::views::ProofView;

/// Measurable runs unless said.
const RUNS: u32 = 5;
/// A verification that takes longer is not repeated: that of large public columns may take longer than many proofs.
const LONG: Duration = Duration::from_secs(1);

/// Measures proofs of a statement, and of others of its kind.
pub(super) struct Bench<'a, J> {
    pub(super) subject: &'a J,
    pub(super) sizes: &'a [J],
    pub(super) measure: &'a MeasureArguments,
}

/// One proof.
struct Run {
    total: Duration,
    phases: Vec<(Phase, Duration)>,
}

impl<J: Subject> ClockedTask<J::P> for Bench<'_, J> {
    type Output = Result<View<J::Facts>, Error>;

    fn run<B: StarkBackend<P = J::P>, S: Stopwatch<B>>(self, backend: Arc<B>, stopwatch: S) -> Self::Output {
        let subject = self.subject;
        // The first proof goes through all the checks, and shows that what is measured is right.
        let first = subject.first(&backend)?;
        // Nothing but that proof was on the device.
        let measured_peak_bytes = backend.memory()?.peak;
        let verify = match first.verify > LONG {
            true => vec![first.verify],
            false => self.repeat(|| {
                let start = Instant::now();
                subject.verify(&first.file)?;
                Ok(start.elapsed())
            })?,
        };
        let speeds = self.measure.machine(&*backend, &stopwatch)?;
        let (preparation, plain, profiles) = subject.with_ready(&backend, |ready| {
            Ok((
                ready.preparation,
                self.proofs(&*backend, ready, &mut || ())?,
                self.profiles(&*backend, &stopwatch, ready)?,
            ))
        })?;
        let sizes = self.sizes.iter().map(|size| self.size(&backend, size)).collect::<Result<_, _>>()?;

        let capabilities = backend.capabilities().clone();
        let operations_clock = stopwatch.name();
        let (hook, times) = Timed::new(stopwatch);
        let backend = Arc::into_inner(backend).expect("the provers that shared it are gone");
        let metered = Arc::new(Metered::new(Hooked::with_hook(backend, hook)));
        let mut meters = Vec::new();
        subject.with_ready(&metered, |ready| {
            // Preparation is not a proof's.
            lock(&times).clear();
            metered.reset();
            self.proofs(&*metered, ready, &mut || {
                meters.push((metered.snapshot(), std::mem::take(&mut *lock(&times))));
                metered.reset();
            })
        })?;
        let meters = &meters[meters.len().saturating_sub(plain.len())..];
        let floors = floors((first.calls)(speeds.levels_per_pass), &speeds);
        let floor_seconds = figure(floors.values().map(|floor| floor.seconds).sum());
        let prove = TimeView::of(plain.iter().map(|run| run.total).collect());
        Ok(View {
            status: "measured",
            protocol: <J::P as Protocol>::NAME,
            backend: capabilities.backend,
            device: capabilities.device,
            air: subject.air().to_owned(),
            rows: subject.rows(),
            parameters: subject.parameters(),
            proof: ProofView::new(&first.proof),
            facts: first.facts,
            verified: true,
            trace: origin(subject.trace()),
            runs: self.measure.runs(RUNS),
            warm_up: self.measure.warm_up,
            preparation_seconds: figure(preparation.as_secs_f64()),
            prove,
            verify: TimeView::of(verify),
            busy_seconds: median(profiles.iter().map(Profile::busy)),
            floor_seconds,
            share_of_floor: figure(floor_seconds / prove.median_seconds),
            phases: phases(&plain),
            operations: operations(meters, &profiles, &floors),
            operations_clock,
            speeds,
            uploaded_bytes: meters.first().map_or(0, |(meter, _)| meter.total().uploaded),
            downloaded_bytes: meters.first().map_or(0, |(meter, _)| meter.total().downloaded),
            planned_peak_bytes: first.planned_peak_bytes,
            measured_peak_bytes,
            sizes,
        })
    }
}

impl<J: Subject> Bench<'_, J> {
    /// Proves again and again; `after` is called after each proof.
    fn proofs<B: StarkBackend>(
        &self,
        backend: &B,
        ready: &Ready<'_>,
        after: &mut dyn FnMut(),
    ) -> Result<Vec<Run>, Error> {
        self.repeat(|| {
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

    /// What the device did in proofs of their own, as the moments that are taken around each kernel take time too; nothing if it does not
    /// tell.
    fn profiles<B: StarkBackend, S: Stopwatch<B>>(
        &self,
        backend: &B,
        stopwatch: &S,
        ready: &Ready<'_>,
    ) -> Result<Vec<Profile>, Error> {
        let mut profiles = Vec::new();
        for _ in 0..self.measure.runs(RUNS) {
            match stopwatch.profile(backend, || (ready.prove)(&|_| ()))? {
                Some(profile) => profiles.push(profile),
                None => break,
            }
        }
        Ok(profiles)
    }

    /// Proofs of another size, if they fit.
    fn size<B: StarkBackend<P = J::P>>(&self, backend: &Arc<B>, subject: &J) -> Result<SizeView, Error> {
        let log_rows = subject.rows().ilog2();
        match subject.with_ready(backend, |ready| self.proofs(&**backend, ready, &mut || ())) {
            Err(error) => match too_large(&error) {
                Some(why) => Ok(SizeView { log_rows, skipped: Some(why), measured: None }),
                None => Err(error),
            },
            Ok(runs) => {
                let time = TimeView::of(runs.iter().map(|run| run.total).collect());
                let mega_rows_per_second = figure(subject.rows() as f64 / time.median_seconds / 1e6);
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

/// The floors of all calls of an operation.
#[derive(Clone, Copy, Default)]
struct Floors {
    bytes: f64,
    seconds: f64,
}

fn floors(calls: Vec<(Operation, Work)>, speeds: &Machine) -> BTreeMap<Operation, Floors> {
    let mut floors: BTreeMap<Operation, Floors> = BTreeMap::new();
    for (operation, work) in calls {
        let of = floors.entry(operation).or_default();
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
    runs: &[(Meter, Times)],
    profiles: &[Profile],
    floors: &BTreeMap<Operation, Floors>,
) -> Vec<OperationView> {
    let called = |operation: &Operation| runs.iter().any(|(meter, _)| meter.of(*operation).calls > 0);
    let view = |operation: Operation| {
        // Calls, launches and bytes are the same in every run.
        let count = runs.first().map_or_else(hal::Count::default, |(meter, _)| meter.of(operation));
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
            share_of_floor: floor_seconds.map(|floor| figure(floor / time.median_seconds)),
        }
    };
    // Waiting is what the stopwatch does.
    Operation::ALL
        .into_iter()
        .filter(|operation| *operation != Operation::Sync && called(operation))
        .map(view)
        .collect()
}

#[cfg(test)]
mod tests {
    use backend_emulated::Emulated;
    use clap::Parser;
    use polystark::hal::CircleStark;
    use polystark::{TraceSource, circle};

    use super::*;
    use crate::cli::bench::measure::on_gpu;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        measure: MeasureArguments,
    }

    #[test]
    fn a_gpu_tells_its_launches_and_their_time() {
        let device = backend_emulated::device().expect("there is a C++ compiler");
        let backend =
            Emulated::<CircleStark>::new(backend_emulated::NAME, device).expect("the emulator runs all kernels");
        let measure = Line::parse_from(["bench", "--runs", "2", "--bandwidth", "100"]).measure;
        let mut subject = circle::Request::new("fibonacci", 16);
        subject.trace = TraceSource::Device;
        subject.options.pow_bits = 2;
        let view = on_gpu(Arc::new(backend), Bench { subject: &subject, sizes: &[], measure: &measure }).unwrap();
        assert_eq!(view.trace, "device");
        assert!(view.busy_seconds.is_some_and(|busy| busy > 0.0));
        assert!(view.measured_peak_bytes > 0 && view.measured_peak_bytes <= view.planned_peak_bytes);
        let of = |name| view.operations.iter().find(|operation| operation.name == name).unwrap();
        for name in ["recurrence", "lde", "merkle", "constraint_eval", "eval_at", "deep_quotient", "fri_fold", "grind"]
        {
            let operation = of(name);
            assert!(operation.launches.is_some_and(|launches| launches >= operation.calls), "{name}");
            assert!(operation.device_seconds.is_some_and(|time| time > 0.0), "{name}");
            assert_eq!(operation.floor_seconds.is_some(), name != "grind", "{name}");
        }
        // The device's own operations add up to what it was busy with: medians of two runs are means.
        let sum: f64 = view.operations.iter().filter_map(|operation| operation.device_seconds).sum();
        assert!((sum - view.busy_seconds.unwrap()).abs() < sum * 1e-3, "{sum}");
        // No columns went up.
        assert_eq!(of("recurrence").calls, 1);
        assert!(view.uploaded_bytes < 4096, "{}", view.uploaded_bytes);
    }
}
