//! `polystark bench`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clap::Args;
use polystark::field::Fp3;
use polystark::hal::{Meter, Metered, Operation, StarkBackend};
use polystark::proof::Seed;
use polystark::prover::{Observer, Phase, ProveError, Prover};
use polystark::{Error, Goldilocks3, OwningTask, Policy, Request, prove_air, verify_file};
use serde::Serialize;

use super::arguments::{self, DeviceArguments, OptionArguments, ParameterArguments};
use super::exit::Failure;
use super::output::{Output, table};
use super::values::integer;
use super::views::{OptionsView, ProofView, SecurityView, bytes};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The AIR, see `polystark airs`
    #[arg(long, value_name = "NAME", default_value = "fibonacci-rap")]
    air: String,
    /// Rows of the trace, a power of two
    #[arg(long, value_name = "N", default_value = "65536", value_parser = integer)]
    rows: u64,
    #[command(flatten)]
    parameters: ParameterArguments,
    #[command(flatten)]
    options: OptionArguments,
    #[command(flatten)]
    device: DeviceArguments,
    /// Measured runs; their medians are reported
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Runs before those, not measured
    #[arg(long, value_name = "W", default_value_t = 1)]
    warm_up: u32,
}

#[derive(Serialize)]
struct TimeView {
    median_seconds: f64,
    least_seconds: f64,
    most_seconds: f64,
}

#[derive(Serialize)]
struct PhaseView {
    name: &'static str,
    #[serde(flatten)]
    time: TimeView,
}

#[derive(Serialize)]
struct OperationView {
    name: &'static str,
    calls: u64,
    #[serde(flatten)]
    time: TimeView,
    uploaded_bytes: u64,
    downloaded_bytes: u64,
}

#[derive(Serialize)]
struct View {
    status: &'static str,
    backend: String,
    device: String,
    air: String,
    rows: u64,
    parameters: BTreeMap<String, u64>,
    options: OptionsView,
    security: SecurityView,
    proof: ProofView,
    runs: u32,
    warm_up: u32,
    /// A proof, its trace given.
    prove: TimeView,
    /// A verification, from the bytes of the file.
    verify: TimeView,
    phases: Vec<PhaseView>,
    /// Measured in runs of their own that wait for the device after each operation.
    operations: Vec<OperationView>,
    uploaded_bytes: u64,
    downloaded_bytes: u64,
    planned_peak_bytes: u64,
    measured_peak_bytes: Option<u64>,
}

/// Measures and reports.
pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let request = arguments::request(&arguments.air, arguments.rows, &arguments.parameters, &arguments.options)?;
    let device = arguments.device.open()?;
    let task = Bench { request: &request, runs: arguments.runs, warm_up: arguments.warm_up };
    let view = device.run_owning(task)?;
    output.result(&view, &text(&view))
}

struct Bench<'a> {
    request: &'a Request,
    runs: u32,
    warm_up: u32,
}

impl OwningTask for Bench<'_> {
    type Output = Result<View, Error>;

    fn run<B: StarkBackend<P = Goldilocks3>>(self, backend: B) -> Self::Output {
        // The first proof goes through all the checks, and shows that what is measured is right.
        let proven = prove_air(&backend, self.request)?;
        let plain = self.measure(&backend, &mut || ())?;
        let verify = self.repeat(|| {
            let start = Instant::now();
            verify_file(&proven.file, &Policy::ANY, &polystark::Expect::default())?;
            Ok(start.elapsed())
        })?;

        let capabilities = backend.capabilities().clone();
        let metered = Metered::synchronous(backend);
        let meters = RefCell::new(Vec::new());
        self.measure(&metered, &mut || {
            meters.borrow_mut().push(metered.snapshot());
            metered.reset();
        })?;
        let meters = meters.into_inner();
        let meters = &meters[meters.len().saturating_sub(self.runs as usize)..];
        Ok(View {
            status: "measured",
            backend: capabilities.backend,
            device: capabilities.device,
            air: self.request.air.clone(),
            rows: self.request.rows,
            parameters: self.request.resolved_parameters(),
            options: OptionsView::new(&self.request.options),
            security: SecurityView::new(&proven.report.security),
            proof: ProofView::new(proven.proof()),
            runs: self.runs,
            warm_up: self.warm_up,
            prove: time(plain.iter().map(|run| run.total).collect()),
            verify: time(verify),
            phases: phases(&plain),
            operations: operations(meters),
            uploaded_bytes: meters.first().map_or(0, |meter| meter.total().uploaded),
            downloaded_bytes: meters.first().map_or(0, |meter| meter.total().downloaded),
            planned_peak_bytes: proven.plan.peak_bytes,
            measured_peak_bytes: meters.iter().filter_map(|meter| meter.peak_memory).max(),
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
    fn measure<B: StarkBackend<P = Goldilocks3>>(
        &self,
        backend: &B,
        after: &mut dyn FnMut(),
    ) -> Result<Vec<Run>, Error> {
        let air = self.request.build()?;
        let prover = Prover::new(backend, &*air)?;
        let trace = air.trace();
        let seed = self.request.seed.as_deref().map_or(Seed::Default, Seed::Given);
        self.repeat(|| {
            let clock = Clock(RefCell::default());
            let start = Instant::now();
            prover.prove(&trace, &self.request.options, seed, &clock)?;
            backend.sync().map_err(ProveError::from)?;
            let end = Instant::now();
            after();
            let starts = clock.0.into_inner();
            let ends = starts.iter().skip(1).map(|(_, start)| *start).chain([end]);
            let phases = starts.iter().zip(ends).map(|((phase, start), end)| (*phase, end - *start)).collect();
            Ok(Run { total: end - start, phases })
        })
    }

    /// The results of the measured runs.
    fn repeat<T>(&self, mut run: impl FnMut() -> Result<T, Error>) -> Result<Vec<T>, Error> {
        for _ in 0..self.warm_up {
            run()?;
        }
        (0..self.runs).map(|_| run()).collect()
    }
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
        .map(|(index, (phase, _))| PhaseView { name: phase.name(), time: time(times(index)) })
        .collect()
}

fn operations(meters: &[Meter]) -> Vec<OperationView> {
    let called = |operation: &Operation| meters.iter().any(|meter| meter.of(*operation).calls > 0);
    Operation::ALL
        .into_iter()
        .filter(called)
        .map(|operation| {
            // Calls and bytes are the same in every run.
            let count = meters.first().map(|meter| meter.of(operation)).unwrap_or_default();
            OperationView {
                name: operation.name(),
                calls: count.calls,
                time: time(meters.iter().map(|meter| meter.of(operation).time).collect()),
                uploaded_bytes: count.uploaded,
                downloaded_bytes: count.downloaded,
            }
        })
        .collect()
}

fn time(mut times: Vec<Duration>) -> TimeView {
    times.sort_unstable();
    let seconds = |time: Option<&Duration>| time.copied().unwrap_or_default().as_secs_f64();
    let middle = times.len() / 2;
    let upper = seconds(times.get(middle));
    let lower = if times.len().is_multiple_of(2) { seconds(times.get(middle.wrapping_sub(1))) } else { upper };
    TimeView {
        median_seconds: (lower + upper) / 2.0,
        least_seconds: seconds(times.first()),
        most_seconds: seconds(times.last()),
    }
}

fn text(view: &View) -> String {
    let milliseconds = |time: &TimeView| {
        let ms = |seconds: f64| seconds * 1e3;
        format!("{:10.3} ms  ({:.3} to {:.3})", ms(time.median_seconds), ms(time.least_seconds), ms(time.most_seconds))
    };
    let peak = view.measured_peak_bytes.map_or("unknown".to_owned(), bytes);
    let mut text = format!("{} on {} ({}), {} rows\n", view.air, view.backend, view.device, view.rows);
    text += &table(&[
        ("prove", milliseconds(&view.prove)),
        ("verify", milliseconds(&view.verify)),
        ("to the device", bytes(view.uploaded_bytes)),
        ("to the host", bytes(view.downloaded_bytes)),
        ("peak memory", format!("{peak}, planned {}", bytes(view.planned_peak_bytes))),
    ]);
    text += &format!("phases, medians of {} runs\n", view.runs);
    text += &table(&view.phases.iter().map(|phase| (phase.name, milliseconds(&phase.time))).collect::<Vec<_>>());
    text += "operations, waiting after each\n";
    let operation = |view: &OperationView| {
        let traffic = format!("{} up, {} down", bytes(view.uploaded_bytes), bytes(view.downloaded_bytes));
        (view.name, format!("{}  {} calls, {traffic}", milliseconds(&view.time), view.calls))
    };
    text += &table(&view.operations.iter().map(operation).collect::<Vec<_>>());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        let of = |times: &[u64]| time(times.iter().map(|seconds| Duration::from_secs(*seconds)).collect());
        assert_eq!(of(&[5, 1, 3]).median_seconds, 3.0);
        assert_eq!(of(&[4, 1, 2, 10]).median_seconds, 3.0);
        assert_eq!((of(&[4, 1]).least_seconds, of(&[4, 1]).most_seconds), (1.0, 4.0));
    }
}
