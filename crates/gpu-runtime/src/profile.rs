//! The device's work by operation: counts always, times on request.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gpu_hal::clock::{Interval, OperationProfile, Profile};
use gpu_hal::{Operation, Result};

use crate::device::KernelDevice;

/// The kind of a call of the device.
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
        // ALL has them in the order of their declaration.
        &self.counters[operation as usize]
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
            // Not the difference of two times from the first moment: their resolution falls with the distance.
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
