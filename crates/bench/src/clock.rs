//! Clocks: that of a device, if it has one, and that of the host.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gpu_hal::clock::Profile;
use gpu_hal::decorate::{Call, Hook};
use gpu_hal::op::Outcome;
use gpu_hal::{HalError, Operation, StarkBackend};

/// The clock of [`time`], in words.
pub(crate) fn name<B: StarkBackend>(backend: &B) -> &'static str {
    backend.clock().map_or("host clock, waiting for the device before and after", |clock| clock.name())
}

/// Does something and waits until the device has done it: by the device's clock, or by the host's, from an idle device
/// to an idle device.
pub(crate) fn time<B: StarkBackend, T, E: From<HalError>>(
    backend: &B,
    run: impl FnOnce() -> Result<T, E>,
) -> Result<(T, Duration), E> {
    let lap = backend.clock().map(|clock| clock.start()).transpose()?.flatten();
    if let Some(lap) = lap {
        let value = run()?;
        return Ok((value, lap()?));
    }
    backend.sync()?;
    let start = Instant::now();
    let value = run()?;
    backend.sync()?;
    Ok((value, start.elapsed()))
}

/// Does something; returns the device's work for it and its times, if the device tells. Transfers and gaps between
/// kernels are not in its times.
pub(crate) fn profile<B: StarkBackend, T, E: From<HalError>>(
    backend: &B,
    run: impl FnOnce() -> Result<T, E>,
) -> Result<Option<Profile>, E> {
    let Some(clock) = backend.clock() else { return run().map(|_| None) };
    clock.reset_profile(true);
    let done = run();
    let profile = clock.profile();
    clock.reset_profile(false);
    done?;
    Ok(Some(profile?))
}

/// Times by operation.
pub(crate) type Times = BTreeMap<Operation, Duration>;

/// Times every operation of a backend, waiting after each.
#[derive(Default)]
pub(crate) struct Timed(Arc<Mutex<Times>>);

impl Timed {
    /// Where its times are found.
    pub(crate) fn times(&self) -> Arc<Mutex<Times>> {
        Arc::clone(&self.0)
    }
}

/// A map stays whole when a thread panics: every change is one call.
pub(crate) fn lock(times: &Mutex<Times>) -> MutexGuard<'_, Times> {
    times.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B: StarkBackend> Hook<B> for Timed {
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R, HalError>,
        _: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R, HalError> {
        let (value, time) = time(inner, run)?;
        *lock(&self.0).entry(call.operation).or_default() += time;
        Ok(value)
    }
}
