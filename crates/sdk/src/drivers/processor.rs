//! The host's processor, all of it.

use std::num::NonZero;
use std::thread;

use backend_cpu::{Cpu, CpuProtocol};
use gpu_hal::{ErrorKind, HalError};

use super::{first_only, opens, shipped, together};
use crate::device::Device;
use crate::error::Error;
use crate::registry::{Driver, Place};
use crate::system::ProofSystem;

/// The driver.
pub(super) struct Processor;

fn open<P: ProofSystem + CpuProtocol>(place: &Place) -> Result<Device<P>, Error> {
    if place.devices.is_empty() {
        first_only(place)?;
        let whole = place.threads.map_or_else(|| Ok(Cpu::<P>::new()), Cpu::with_threads)?;
        return Ok(Device::in_parts(shipped(place, vec![whole])?));
    }
    // Each is some of the threads.
    let threads = place.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
    let each = threads / place.devices.len();
    let devices = together(place, |number| {
        if each == 0 || number as usize >= threads {
            let detail = format!(
                "there is no device {number} of {} in {threads} threads: each has one or more",
                place.devices.len()
            );
            return Err(HalError::new(ErrorKind::Unavailable, "open", detail));
        }
        Cpu::<P>::with_threads(each)
    })?;
    Ok(Device::in_parts(devices))
}

impl Driver for Processor {
    opens!(open);

    fn takes_several(&self) -> bool {
        true
    }

    fn spills(&self) -> bool {
        true
    }
}
