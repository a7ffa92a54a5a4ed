//! The clock of a device, and the device's work by it.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use crate::{Operation, Result};

/// Ends a measurement of [`DeviceClock::start`]: the time of the device from there to the end of all that is enqueued
/// by now. Waits for it.
pub type ElapsedTimer<'a> = Box<dyn FnOnce() -> Result<Duration> + 'a>;

/// The clock of a device, for measurements.
pub trait DeviceClock: Send + Sync {
    /// The clock's name, in words.
    fn name(&self) -> &'static str;

    /// Waits until the device is idle, and begins to time it; `None` if the backend is several devices without a common
    /// clock.
    ///
    /// # Errors
    /// The device's errors.
    fn start(&self) -> Result<Option<ElapsedTimer<'_>>>;

    /// The device's work since the last [`Self::reset_profile`]; waits if times are taken. For several devices it is
    /// the first one's, which does all that the others do and more.
    ///
    /// # Errors
    /// The device's errors.
    fn profile(&self) -> Result<Profile>;

    /// Counts anew. With `timed` the device notes when each kernel, copy and fill begins and ends, which costs it a
    /// microsecond or two each; [`Self::profile`] has these times.
    fn reset_profile(&self, timed: bool);
}

/// The device's work for one operation. No operation has a path on the host: one that was called and has neither
/// launches, copies nor transfers had nothing to do.
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
    /// Bytes that they wrote.
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
    /// The operation that it was part of.
    pub operation: Operation,
    /// When it began, from the begin of the first one.
    pub start: Duration,
    /// When it ended.
    pub end: Duration,
}

/// The device's work since the counters were reset.
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

    /// The same without the intervals of these operations, for shares of the time after an upload. The times stay as
    /// they are.
    #[must_use]
    pub fn without(&self, operations: &[Operation]) -> Self {
        Self {
            operations: self.operations.iter().filter(|o| !operations.contains(&o.operation)).copied().collect(),
            intervals: self.intervals.iter().filter(|i| !operations.contains(&i.operation)).copied().collect(),
        }
    }
}
