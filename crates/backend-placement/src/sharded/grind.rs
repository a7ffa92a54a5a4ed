//! Proof of work: each device searches windows of its own.

use std::ops::Range;

use gpu_hal::op::Grind;
use gpu_hal::{LOG_WINDOW, NonceSearch, Operations, Result};

use crate::Sharded;

impl<O: Operations> Sharded<O> {
    /// [`Operations::grind`] in rounds. In a round each device has the windows behind the windows of the device before
    /// it, so the first device that finds a nonce has the first nonce. Together they try `2^bits` nonces, as many as
    /// one that will do takes on average. Where a device would have less than a window the first searches alone; of
    /// parts of one device the first does.
    pub(crate) fn nonce(&self, challenge: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        let reals = self.reals();
        let log_share = challenge.bits.saturating_sub(reals.ilog2());
        if reals == 1 || log_share < LOG_WINDOW {
            return self.by_first::<Grind>((challenge, windows));
        }
        let share = 1 << (log_share - LOG_WINDOW);
        let mut next = windows.start;
        while next < windows.end {
            // There are 2^52 windows at most, and the shares of a round are as many: sums are below 2^64.
            let of_device = |device: usize| {
                let start = windows.end.min(next + device as u64 * share);
                start..windows.end.min(start + share)
            };
            let found = self.first(reals, |device| match of_device(device) {
                none if none.is_empty() => Ok(None),
                windows => self.on(device, |on| on.grind(challenge, windows)),
            })?;
            if let Some(nonce) = found.into_iter().flatten().next() {
                return Ok(Some(nonce));
            }
            next += reals as u64 * share;
        }
        Ok(None)
    }
}
