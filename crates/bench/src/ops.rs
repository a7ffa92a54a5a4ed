//! `polystark bench ops`: every operation by itself.

mod report;

use std::time::{Duration, Instant};

use clap::Args;
use gpu_hal::{ErrorKind, HalError, Operation, Protocol, StarkBackend};

pub use self::report::OpsReport;
use self::report::{Measured, OperationView};
use crate::Error;
use crate::clock;
use crate::floor::Machine;
use crate::inputs;
use crate::measurable::Measurable;
use crate::measure::Measuring;
use crate::prepared::Prepared;
use crate::provenance::Provenance;
use crate::shapes::{Shape, Size};
use crate::sweep::Sweep;
use crate::text::bytes;
use crate::time::TimeView;

/// The operations and their sizes.
#[derive(Args)]
pub struct OpsArguments {
    /// How large the operations are
    #[arg(long, value_enum, default_value_t = Size::Auto)]
    size: Size,
    /// Measure at every size 2^LOG_FROM to 2^LOG_TO instead; operations that have no size are left out
    #[arg(long, value_name = "LOG_FROM..LOG_TO")]
    sweep: Option<Sweep>,
    /// Only this operation, a method of the trait such as `lde`; may be repeated
    #[arg(long = "operation", value_name = "NAME", value_parser = operation)]
    operations: Vec<Operation>,
}

fn operation(name: &str) -> Result<Operation, String> {
    Operation::ALL.iter().copied().find(|operation| operation.name() == name).ok_or_else(|| {
        let known: Vec<&str> = Operation::ALL.iter().map(|operation| operation.name()).collect();
        format!("no operation `{name}`; there are: {}", known.join(", "))
    })
}

/// Measured runs unless said.
const RUNS: u32 = 15;
/// How long a processor may take for all operations, about, where sizes are chosen for it.
const PATIENCE: Duration = Duration::from_secs(40);
/// Log2 by which the smallest sizes that are chosen for a device are below the full ones.
const LOG_LEAST: u32 = 10;

/// Measures operations of a backend.
///
/// # Errors
/// The backend's errors. An operation that it does not have, or that does not fit in its memory, is skipped instead.
pub fn measure<B: StarkBackend<P: Measurable>>(
    backend: &B,
    arguments: &OpsArguments,
    measuring: Measuring<'_>,
) -> Result<OpsReport, Error> {
    let OpsArguments { size, sweep, operations } = arguments;
    let machine = measuring.machine(backend)?;
    let mut shapes = match sweep {
        None => Shape::sized(&B::P::shapes(), *size),
        Some(sweep) => Shape::swept(&B::P::shapes(), sweep.logs().collect::<Vec<_>>().into_iter()),
    };
    // All of them share a processor's patience, whether or not all are wanted.
    let patience = PATIENCE / u32::try_from(shapes.len().max(1)).unwrap_or(u32::MAX);
    shapes.retain(|shape| operations.is_empty() || operations.contains(&shape.operation()));
    let bench = Bench { backend, machine: &machine, measuring };
    let is_auto = sweep.is_none() && *size == Size::Auto;
    let measured = shapes.iter().enumerate().map(|(index, shape)| {
        (measuring.follow)(shape.operation().name(), index as f64 / shapes.len() as f64);
        if is_auto { bench.measure(&bench.fitting(shape, patience)?) } else { bench.measure(shape) }
    });
    let operations = measured.collect::<Result<_, _>>()?;
    Ok(report(backend, measuring, machine, operations))
}

fn report<B: StarkBackend<P: Measurable>>(
    backend: &B,
    measuring: Measuring<'_>,
    speeds: Machine,
    operations: Vec<OperationView>,
) -> OpsReport {
    OpsReport {
        status: "measured",
        made: Provenance::now(measuring.commit),
        protocol: B::P::NAME,
        backend: backend.capabilities().backend.clone(),
        device: backend.capabilities().device.clone(),
        clock: clock::name(backend),
        runs: measuring.arguments.runs(RUNS),
        warm_up: measuring.arguments.warm_up,
        operations,
        speeds,
    }
}

/// Measures other work than single operations, each at a size of `2^log`, in the same way. What does not fit in the
/// backend's memory is skipped.
pub(crate) fn measure_all<'a, K, B: StarkBackend<P: Measurable>>(
    backend: &'a B,
    operation: &'static str,
    all: impl Iterator<Item = (K, u32)>,
    measuring: Measuring<'_>,
    name: impl Fn(&(K, u32)) -> String,
    prepare: impl Fn((K, u32)) -> Result<Prepared<'a, B>, Error>,
) -> Result<OpsReport, Error> {
    let machine = measuring.machine(backend)?;
    let (bench, all) = (Bench { backend, machine: &machine, measuring }, all.collect::<Vec<_>>());
    let (mut operations, count) = (Vec::with_capacity(all.len()), all.len());
    for (index, one) in all.into_iter().enumerate() {
        let (series, log) = (name(&one), one.1);
        (measuring.follow)(&series, index as f64 / count as f64);
        let (measured, skipped) = bench.result(prepare(one))?;
        let name = format!("{series} 2^{log}");
        operations.push(OperationView { name, operation, series, log_size: Some(log), skipped, measured });
    }
    Ok(report(backend, measuring, machine, operations))
}

struct Bench<'a, B> {
    backend: &'a B,
    machine: &'a Machine,
    measuring: Measuring<'a>,
}

impl<B: StarkBackend<P: Measurable>> Bench<'_, B> {
    /// The shape as large as the device's memory holds it; on a processor also no larger than one that takes `patience`
    /// for all runs, by the time that it takes at its smallest size.
    fn fitting(&self, shape: &Shape, patience: Duration) -> Result<Shape, Error> {
        let (backend, memory) = (self.backend, self.measuring.available(self.backend)?);
        if shape.log().is_none() && !matches!(shape, Shape::Grind { .. }) || !backend.has(shape.operation()) {
            return Ok(*shape);
        }
        let smaller = |by: u32| shape.resized(|log| log.saturating_sub(by));
        let fits = |by: &u32| memory.is_none_or(|memory| smaller(*by).memory::<B::P>() <= memory);
        let mut least = (0..=LOG_LEAST).find(fits).unwrap_or(LOG_LEAST);
        if self.machine.is_host {
            let start = Instant::now();
            let probe = smaller(LOG_LEAST);
            let ran = inputs::prepare(backend, &probe).and_then(|mut prepared| {
                let prepared_in = start.elapsed();
                let start = Instant::now();
                drop((prepared.run)()?);
                Ok(prepared_in
                    + start.elapsed() * (self.measuring.arguments.warm_up + self.measuring.arguments.runs(RUNS)))
            });
            // An operation that fails at its smallest size is reported where it is measured.
            let Ok(takes) = ran else { return Ok(probe) };
            let room = (patience.as_secs_f64() / takes.as_secs_f64().max(1e-9)).log2().floor();
            least = least.max(LOG_LEAST.saturating_sub(room.clamp(0.0, f64::from(LOG_LEAST)) as u32));
        }
        Ok(smaller(least))
    }

    fn measure(&self, shape: &Shape) -> Result<OperationView, Error> {
        let backend = self.backend;
        let available = self.measuring.available(backend)?;
        let (measured, skipped) = if !backend.has(shape.operation()) {
            (None, Some("the backend has no such operation".to_owned()))
        } else if let Some(available) = available.filter(|available| shape.memory::<B::P>() > *available) {
            let (needed, available) = (bytes(shape.memory::<B::P>()), bytes(available));
            (None, Some(format!("it takes {needed} of memory, {available} are available")))
        } else {
            self.result(inputs::prepare(backend, shape))?
        };
        Ok(OperationView {
            name: shape.name(),
            operation: shape.operation().name(),
            series: shape.series(),
            log_size: shape.log(),
            skipped,
            measured,
        })
    }

    /// The times of something, or why it is skipped.
    fn result(&self, prepared: Result<Prepared<'_, B>, Error>) -> Result<(Option<Measured>, Option<String>), Error> {
        match prepared.and_then(|prepared| Ok(self.times(prepared)?)) {
            Ok(measured) => Ok((Some(measured), None)),
            Err(Error::Backend(error)) if matches!(error.kind, ErrorKind::OutOfMemory | ErrorKind::Unsupported) => {
                Ok((None, Some(error.to_string())))
            }
            Err(error) => Err(error),
        }
    }

    fn times(&self, mut prepared: Prepared<'_, B>) -> Result<Measured, HalError> {
        let (backend, measure) = (self.backend, self.measuring.arguments);
        for _ in 0..measure.warm_up {
            (prepared.run)()?;
        }
        let (mut times, mut busy): (Vec<Duration>, Vec<Duration>) = Default::default();
        for _ in 0..measure.runs(RUNS) {
            // The result of the operation is released after its time was taken.
            let (kept, time) = clock::time(backend, &mut prepared.run)?;
            drop(kept);
            times.push(time);
        }
        // In runs of their own: events around every kernel take time too.
        for _ in 0..measure.runs(RUNS).min(5) {
            busy.extend(clock::profile(backend, &mut prepared.run)?.map(|profile| profile.busy()));
        }
        Ok(Measured::new(TimeView::of(times), busy, &prepared, self.machine))
    }
}

#[cfg(test)]
mod tests {
    use backend_emulated::Emulated;
    use clap::Parser;
    use gpu_hal::CircleStark;
    use gpu_runtime::GpuProtocol;

    use super::*;
    use crate::Goldilocks3;
    use crate::measure::MeasureArguments;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: OpsArguments,
        #[command(flatten)]
        measure: MeasureArguments,
    }

    fn check<P: Measurable + GpuProtocol>(backend: &Emulated<P>) {
        let line = ["bench", "--sweep", "4..5", "--runs", "2", "--bandwidth", "100", "--products", "1"];
        let Line { arguments, measure: how } = Line::parse_from(line);
        let view = measure(
            backend,
            &arguments,
            Measuring { arguments: &how, commit: None, host_memory: || None, follow: &|_, _| () },
        )
        .unwrap();
        assert_eq!(view.protocol, P::NAME);
        assert!(view.clock.contains("device events"));
        assert!(view.operations.len() > 30);
        for operation in &view.operations {
            let Some(measured) = &operation.measured else {
                assert!(operation.skipped.as_ref().is_some_and(|why| why.contains("no such operation")));
                continue;
            };
            assert!(measured.time.median_seconds > 0.0, "{}", operation.name);
            // Transfers are no kernels.
            let moved = matches!(operation.operation, "upload" | "download" | "root");
            assert_eq!(measured.busy_seconds.is_some_and(|busy| busy > 0.0), !moved, "{}", operation.name);
        }
    }

    #[test]
    fn a_gpu_is_measured_by_its_own_clock() {
        let device = || backend_emulated::device().expect("there is a C++ compiler");
        check(&Emulated::<Goldilocks3>::new(backend_emulated::NAME, device()).expect("the emulator runs all kernels"));
        check(&Emulated::<CircleStark>::new(backend_emulated::NAME, device()).expect("the emulator runs all kernels"));
    }
}
