//! Clocks: that of the host, and the events of a GPU.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use backend_sharded::Sharded;
use backend_spill::Spilled;
use gpu_hal::{Call, FaultyHook, HalError, Hook, Hooked, Metered, Operation, Outcome, StarkBackend};
use gpu_runtime::{GpuBackend, GpuProtocol, KernelDevice, Profile};

/// Measures how long a backend takes for what is enqueued.
pub trait Stopwatch<B: StarkBackend>: Clone + Send + Sync + 'static {
    /// What is read, in words.
    fn name(&self) -> &'static str;

    /// Does something and waits until the device has done it.
    fn time<T, E: From<HalError>>(&self, backend: &B, run: impl FnOnce() -> Result<T, E>) -> Result<(T, Duration), E>;

    /// Does something; what the device ran for it and for how long, if the device tells. Transfers and gaps between kernels are not in
    /// its times.
    fn profile<T, E: From<HalError>>(
        &self,
        backend: &B,
        run: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<Profile>, E>;
}

/// The host's clock, from an idle device to an idle device.
#[derive(Clone, Copy)]
pub struct Wall;

impl<B: StarkBackend> Stopwatch<B> for Wall {
    fn name(&self) -> &'static str {
        "host clock, waiting for the device before and after"
    }

    fn time<T, E: From<HalError>>(&self, backend: &B, run: impl FnOnce() -> Result<T, E>) -> Result<(T, Duration), E> {
        backend.sync()?;
        let start = Instant::now();
        let value = run()?;
        backend.sync()?;
        Ok((value, start.elapsed()))
    }

    fn profile<T, E: From<HalError>>(&self, _: &B, _: impl FnOnce() -> Result<T, E>) -> Result<Option<Profile>, E> {
        Ok(None)
    }
}

/// Events in the device's queue.
#[derive(Clone, Copy)]
pub struct Events;

impl<D: KernelDevice, P: GpuProtocol> Stopwatch<GpuBackend<D, P>> for Events {
    fn name(&self) -> &'static str {
        "device events before and after"
    }

    fn time<T, E: From<HalError>>(
        &self,
        backend: &GpuBackend<D, P>,
        run: impl FnOnce() -> Result<T, E>,
    ) -> Result<(T, Duration), E> {
        let device = backend.device();
        device.synchronize()?;
        let start = device.record()?;
        let value = run()?;
        let end = device.record()?;
        Ok((value, device.elapsed(&start, &end)?))
    }

    fn profile<T, E: From<HalError>>(
        &self,
        backend: &GpuBackend<D, P>,
        run: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<Profile>, E> {
        backend.reset_profile(true);
        let done = run();
        let profile = backend.profile();
        backend.reset_profile(false);
        done?;
        Ok(Some(profile?))
    }
}

/// One device by its events; several, or parts of one, by the host's clock, from all of them idle to all of them idle. A profile is the first device's,
/// which does all that the others do and more.
impl<D: KernelDevice, P: GpuProtocol> Stopwatch<Sharded<Spilled<GpuBackend<D, P>>>> for Events {
    fn name(&self) -> &'static str {
        "device events before and after; of several devices, the host's clock"
    }

    fn time<T, E: From<HalError>>(
        &self,
        backend: &Sharded<Spilled<GpuBackend<D, P>>>,
        run: impl FnOnce() -> Result<T, E>,
    ) -> Result<(T, Duration), E> {
        match backend.devices() {
            [only] => self.time(only.inner(), run),
            _ => Wall.time(backend, run),
        }
    }

    fn profile<T, E: From<HalError>>(
        &self,
        backend: &Sharded<Spilled<GpuBackend<D, P>>>,
        run: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<Profile>, E> {
        match backend.devices() {
            [first, ..] => self.profile(first.inner(), run),
            [] => run().map(|_| None),
        }
    }
}

/// Times by operation.
pub(crate) type Times = BTreeMap<Operation, Duration>;

/// Times every operation of a backend by a stopwatch, waiting after each.
pub(crate) struct Timed<S> {
    stopwatch: S,
    times: Arc<Mutex<Times>>,
}

impl<S> Timed<S> {
    /// The hook, and where its times are found.
    pub(crate) fn new(stopwatch: S) -> (Self, Arc<Mutex<Times>>) {
        let times = Arc::default();
        (Self { stopwatch, times: Arc::clone(&times) }, times)
    }
}

/// A map stays whole when a thread panics: every change is one call.
pub(crate) fn lock(times: &Mutex<Times>) -> MutexGuard<'_, Times> {
    times.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B: StarkBackend, S: Stopwatch<B>> Hook<B> for Timed<S> {
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R, HalError>,
        _: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R, HalError> {
        let (value, time) = self.stopwatch.time(inner, run)?;
        *lock(&self.times).entry(call.operation).or_default() += time;
        Ok(value)
    }
}

/// What stands around each operation: a stopwatch, or faults. Provers that are measured and provers that are to fail are of one type, so that
/// they are compiled once.
pub struct Probe<S>(Around<S>);

enum Around<S> {
    Times(Timed<S>),
    Faults(Arc<FaultyHook>),
}

/// A backend with a [`Probe`] around it, and a meter around that.
pub type Probed<B, S> = Metered<Hooked<B, Probe<S>>>;

/// A backend whose operations are timed.
pub(crate) fn timed<B: StarkBackend, S: Stopwatch<B>>(backend: B, hook: Timed<S>) -> Probed<B, S> {
    Metered::new(Hooked::with_hook(backend, Probe(Around::Times(hook))))
}

/// A backend that fails where these faults say.
pub fn faulty<B: StarkBackend, S: Stopwatch<B>>(backend: B, faults: Arc<FaultyHook>) -> Probed<B, S> {
    Metered::new(Hooked::with_hook(backend, Probe(Around::Faults(faults))))
}

impl<B: StarkBackend, S: Stopwatch<B>> Hook<B> for Probe<S> {
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R, HalError>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R, HalError> {
        match &self.0 {
            Around::Times(hook) => hook.around(inner, call, run, outcome),
            Around::Faults(hook) => hook.around(inner, call, run, outcome),
        }
    }
}
