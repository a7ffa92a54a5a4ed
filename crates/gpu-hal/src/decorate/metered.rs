//! Counts a prover's calls of a backend.

use alloc::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::hook::{Call, Hook, Hooked};
use crate::op::Outcome;
use crate::{Operation, Result, StarkBackend};

/// A backend whose calls, bytes and times are counted.
pub type Metered<B> = Hooked<B, MeteredHook>;

/// Counts of one operation since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Calls, failed ones included.
    pub calls: u64,
    /// Calls that failed.
    pub failures: u64,
    /// Bytes to the device; see [`Call::uploaded`].
    pub uploaded: u64,
    /// Bytes to the host.
    pub downloaded: u64,
    /// Time in the calls. A backend that enqueues returns before the work is done, so that its time shows at the next
    /// operation that waits, unless the meter was made by [`Metered::synchronous`].
    pub time: Duration,
}

/// Counts by operation, and memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeterReport {
    /// The operations that were called.
    pub operations: BTreeMap<Operation, Count>,
    /// Highest memory in use, in bytes: the backend's own peak if it rose since the reset, and otherwise the highest
    /// value seen after an operation. `None` if the backend cannot tell.
    pub peak_memory: Option<u64>,
}

impl MeterReport {
    /// The count of one operation; zeros if it was not called.
    pub fn of(&self, operation: Operation) -> Count {
        self.operations.get(&operation).copied().unwrap_or_default()
    }

    /// Sum over all operations.
    pub fn total(&self) -> Count {
        self.operations.values().fold(Count::default(), |sum, count| Count {
            calls: sum.calls + count.calls,
            failures: sum.failures + count.failures,
            uploaded: sum.uploaded + count.uploaded,
            downloaded: sum.downloaded + count.downloaded,
            time: sum.time + count.time,
        })
    }
}

#[derive(Debug, Default)]
struct State {
    meter: MeterReport,
    peak_at_reset: u64,
}

/// The counters of a [`Metered`] backend.
#[derive(Debug, Default)]
pub struct MeteredHook {
    state: Mutex<State>,
    synchronous: bool,
}

impl MeteredHook {
    fn state(&self) -> MutexGuard<'_, State> {
        // Counters stay consistent even if a thread panicked between two updates.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<B: StarkBackend> Hook<B> for MeteredHook {
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        let start = Instant::now();
        let mut result = run();
        if self.synchronous && result.is_ok() && call.operation != Operation::Sync {
            result = inner.sync().and(result);
        }
        let time = start.elapsed();
        let downloaded = result.as_mut().map_or(0, |value| outcome(value).downloaded());
        let in_use = inner.memory().ok().map(|memory| memory.in_use);

        let mut state = self.state();
        let count = state.meter.operations.entry(call.operation).or_default();
        count.calls += 1;
        count.failures += u64::from(result.is_err());
        count.uploaded += call.uploaded;
        count.downloaded += downloaded;
        count.time += time;
        state.meter.peak_memory = state.meter.peak_memory.max(in_use);
        result
    }
}

impl<B: StarkBackend> Metered<B> {
    /// Counts the operations of `inner`.
    pub fn new(inner: B) -> Self {
        let metered = Self::with_hook(inner, MeteredHook::default());
        metered.reset();
        metered
    }

    /// Counts the operations of `inner` and waits after each, so that the times are the operations' own. Slower.
    pub fn synchronous(inner: B) -> Self {
        let metered = Self::with_hook(inner, MeteredHook { synchronous: true, ..MeteredHook::default() });
        metered.reset();
        metered
    }

    /// The counts so far.
    pub fn snapshot(&self) -> MeterReport {
        let memory = self.inner.memory().ok();
        let state = self.hook.state();
        let mut meter = state.meter.clone();
        if let Some(memory) = memory {
            let peak = if memory.peak > state.peak_at_reset { memory.peak } else { memory.in_use };
            meter.peak_memory = meter.peak_memory.max(Some(peak));
        }
        meter
    }

    /// Starts counting anew.
    pub fn reset(&self) {
        let peak_at_reset = self.inner.memory().map_or(0, |memory| memory.peak);
        *self.hook.state() = State { meter: MeterReport::default(), peak_at_reset };
    }
}
