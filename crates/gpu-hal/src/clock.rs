//! The clock of a device, and what the device did by it.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use crate::{Operation, Result};

/// Ends what [`DeviceClock::start`] began: how long the device took from there to the end of all that is enqueued by now. Waits for it.
pub type Lap<'a> = Box<dyn FnOnce() -> Result<Duration> + 'a>;

/// The clock of a device, for those that measure it.
pub trait DeviceClock: Send + Sync {
    /// What is read, in words.
    fn name(&self) -> &'static str;

    /// Waits until the device is idle, and begins to time it; `None` if the backend is several devices without a common clock.
    ///
    /// # Errors
    /// What the device reports.
    fn start(&self) -> Result<Option<Lap<'_>>>;

    /// What the device did since the last [`Self::reset_profile`]; waits if times are taken. Of several devices that of the first, which
    /// does all that the others do and more.
    ///
    /// # Errors
    /// What the device reports.
    fn profile(&self) -> Result<Profile>;

    /// Counts anew. With `timed` the device notes when each kernel, copy and fill begins and ends, which costs it a microsecond or two
    /// each; [`Self::profile`] has these times.
    fn reset_profile(&self, timed: bool);
}

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
