//! The host's processor, all of it.

use std::num::NonZero;
use std::thread;

use backend_cpu::CpuOptions;
use backend_placement::Placer;
use gpu_hal::erased::DeviceFrom;
use gpu_hal::{ErrorKind, HalError};

use super::{as_one, first_only, together};
use crate::devices::backend::OpenBackend;
use crate::devices::driver::{DeviceOptions, Driver, opens, protocols};
use crate::error::Error;

/// The driver.
pub(super) struct Processor;

fn open<P: DeviceFrom<CpuOptions>>(options: &DeviceOptions, placer: Placer<P>) -> Result<OpenBackend<P>, Error> {
    let with_threads = |threads| P::device(&CpuOptions { threads, ..CpuOptions::default() });
    if options.devices.is_empty() {
        first_only(options)?;
        return Ok(as_one(options, placer, vec![with_threads(options.threads)?])?);
    }
    // Each is some of the threads.
    let threads = options.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
    let each = threads / options.devices.len();
    let devices = together(options, placer, |number| {
        if each == 0 || number as usize >= threads {
            let detail = format!(
                "there is no device {number} of {} in {threads} threads: each has one or more",
                options.devices.len()
            );
            return Err(HalError::new(ErrorKind::Unavailable, "open", detail));
        }
        with_threads(Some(each))
    })?;
    Ok(devices)
}

impl Driver for Processor {
    protocols!(opens!(open, placed));

    fn takes_several(&self) -> bool {
        true
    }

    fn spills(&self) -> bool {
        true
    }
}
