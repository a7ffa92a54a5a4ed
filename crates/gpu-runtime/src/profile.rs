//! What the device did, by operation: counts always, times when they are asked for.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gpu_hal::{Operation, Result};

use crate::device::KernelDevice;

/// What the device did of one operation. No operation has a path on the host: one that was called and has neither launches, copies
/// nor transfers had nothing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationProfile {
    /// The operation.
    pub operation: Operation,
    /// Calls that passed their checks.
    pub calls: u64,
    /// Kernels launched.
    pub launches: u64,
    /// Copies and fills on the device.
    pub copies: u64,
    /// Bytes that those wrote.
    pub copied: u64,
    /// Transfers in either direction.
    pub transfers: u64,
    /// Bytes to the device: data, tables, indices.
    pub uploaded: u64,
    /// Bytes to the host.
    pub downloaded: u64,
    /// Time of the kernels, copies and fills on the device, transfers not included; zero if times were not asked for.
    pub device_time: Duration,
}

/// A kernel, copy or fill on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// What it was part of.
    pub operation: Operation,
    /// When it began, from the begin of the first one.
    pub start: Duration,
    /// When it ended.
    pub end: Duration,
}

/// What the device did since the counters were reset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The operations that were called, in the order of [`Operation::ALL`].
    pub operations: Vec<OperationProfile>,
    /// Kernels, copies and fills in the order of the queue; empty if times were not asked for.
    pub intervals: Vec<Interval>,
}

impl Profile {
    /// Time in which the device ran kernels, copies or fills: the sum over the intervals, which do not overlap.
    pub fn busy(&self) -> Duration {
        self.intervals.iter().map(|interval| interval.end - interval.start).sum()
    }

    /// From the begin of the first interval to the end of the last.
    pub fn span(&self) -> Duration {
        let end = self.intervals.last().map_or(Duration::ZERO, |last| last.end);
        end.saturating_sub(self.intervals.first().map_or(Duration::ZERO, |first| first.start))
    }

    /// The same without the intervals of these operations, for shares of what comes after an upload. The times stay as they are.
    #[must_use]
    pub fn without(&self, operations: &[Operation]) -> Self {
        Self {
            operations: self.operations.iter().filter(|o| !operations.contains(&o.operation)).copied().collect(),
            intervals: self.intervals.iter().filter(|i| !operations.contains(&i.operation)).copied().collect(),
        }
    }
}

/// What a call of the device was.
#[derive(Clone, Copy)]
pub(crate) enum Event {
    Call,
    Launch,
    Copy(u64),
    Upload(u64),
    Download(u64),
}

#[derive(Default)]
struct Counters {
    calls: AtomicU64,
    launches: AtomicU64,
    copies: AtomicU64,
    copied: AtomicU64,
    transfers: AtomicU64,
    uploaded: AtomicU64,
    downloaded: AtomicU64,
}

impl Counters {
    fn all(&self) -> [&AtomicU64; 7] {
        let Self { calls, launches, copies, copied, transfers, uploaded, downloaded } = self;
        [calls, launches, copies, copied, transfers, uploaded, downloaded]
    }
}

struct Sample<E> {
    operation: Operation,
    start: E,
    end: E,
}

/// The counters of a backend.
pub(crate) struct Profiler<E> {
    counters: [Counters; Operation::ALL.len()],
    timed: AtomicBool,
    samples: Mutex<Vec<Sample<E>>>,
}

impl<E> Profiler<E> {
    pub(crate) fn new() -> Self {
        Self {
            counters: std::array::from_fn(|_| Counters::default()),
            timed: AtomicBool::new(false),
            samples: Mutex::new(Vec::new()),
        }
    }

    fn samples(&self) -> MutexGuard<'_, Vec<Sample<E>>> {
        // A list stays whole when a thread panics: every change is one call.
        self.samples.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, operation: Operation) -> &Counters {
        let at = Operation::ALL.iter().position(|other| *other == operation).expect("ALL has every operation");
        &self.counters[at]
    }

    pub(crate) fn count(&self, operation: Operation, event: Event) {
        let of = self.of(operation);
        let (number, bytes) = match event {
            Event::Call => (&of.calls, None),
            Event::Launch => (&of.launches, None),
            Event::Copy(bytes) => (&of.copies, Some((&of.copied, bytes))),
            Event::Upload(bytes) => (&of.transfers, Some((&of.uploaded, bytes))),
            Event::Download(bytes) => (&of.transfers, Some((&of.downloaded, bytes))),
        };
        number.fetch_add(1, Ordering::Relaxed);
        if let Some((counter, bytes)) = bytes {
            counter.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Kernels, copies and fills of an operation.
    pub(crate) fn launches(&self, operation: Operation) -> u64 {
        let of = self.of(operation);
        of.launches.load(Ordering::Relaxed) + of.copies.load(Ordering::Relaxed)
    }

    /// Sets all counters to zero, and says whether times are taken from here on.
    pub(crate) fn reset(&self, timed: bool) {
        self.counters.iter().flat_map(Counters::all).for_each(|counter| counter.store(0, Ordering::Relaxed));
        self.timed.store(timed, Ordering::Relaxed);
        self.samples().clear();
    }

    /// Enqueues something, between two moments if times are taken.
    pub(crate) fn time<D: KernelDevice<Event = E>>(
        &self,
        device: &D,
        operation: Operation,
        enqueue: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if !self.timed.load(Ordering::Relaxed) {
            return enqueue();
        }
        let start = device.record()?;
        enqueue()?;
        let end = device.record()?;
        self.samples().push(Sample { operation, start, end });
        Ok(())
    }

    /// All counts and times so far; waits for the last moment that was taken.
    pub(crate) fn profile<D: KernelDevice<Event = E>>(&self, device: &D) -> Result<Profile> {
        let samples = self.samples();
        let mut intervals = Vec::with_capacity(samples.len());
        for sample in samples.iter() {
            let start = device.elapsed(&samples[0].start, &sample.start)?;
            // Not the difference of two times from the first moment: the resolution of those falls with the distance.
            let end = start + device.elapsed(&sample.start, &sample.end)?;
            intervals.push(Interval { operation: sample.operation, start, end });
        }
        let operations = Operation::ALL.iter().zip(&self.counters).map(|(&operation, counters)| {
            let [calls, launches, copies, copied, transfers, uploaded, downloaded] =
                counters.all().map(|counter| counter.load(Ordering::Relaxed));
            let own = intervals.iter().filter(|interval| interval.operation == operation);
            let device_time = own.map(|interval| interval.end - interval.start).sum();
            OperationProfile {
                operation,
                calls,
                launches,
                copies,
                copied,
                transfers,
                uploaded,
                downloaded,
                device_time,
            }
        });
        let operations = operations.filter(|profile| profile.calls > 0).collect();
        Ok(Profile { operations, intervals })
    }
}
