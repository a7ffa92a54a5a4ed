//! Measurements: one device is timed by its own clock; several, or parts of one, have no common clock.

use gpu_hal::clock::{ElapsedTimer, Profile};
use gpu_hal::{DeviceClock, Operations, Result};

use crate::Sharded;

impl<O: Operations> Sharded<O> {
    fn first_clock(&self) -> Option<&dyn DeviceClock> {
        self.devices().first().and_then(|first| first.clock())
    }
}

impl<O: Operations> DeviceClock for Sharded<O> {
    fn name(&self) -> &'static str {
        "device events before and after; of several devices, the host's clock"
    }

    fn start(&self) -> Result<Option<ElapsedTimer<'_>>> {
        match (self.first_clock(), self.devices()) {
            (Some(clock), [_]) => clock.start(),
            _ => Ok(None),
        }
    }

    fn profile(&self) -> Result<Profile> {
        self.first_clock().map_or_else(|| Ok(Profile::default()), DeviceClock::profile)
    }

    fn reset_profile(&self, timed: bool) {
        if let Some(clock) = self.first_clock() {
            clock.reset_profile(timed);
        }
    }
}
