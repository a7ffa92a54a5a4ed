//! NVIDIA's GPUs.

use backend_cuda::Options;
use backend_placement::Placer;
use gpu_hal::erased::DeviceFrom;
use gpu_hal::{ErrorKind, HalError};

use super::together;
use crate::devices::backend::OpenBackend;
use crate::devices::driver::{DeviceOptions, Driver, opens, protocols};
use crate::error::Error;

/// The driver.
pub(super) struct Cuda;

fn open<P: DeviceFrom<Options>>(options: &DeviceOptions, placer: Placer<P>) -> Result<OpenBackend<P>, Error> {
    are_there(options)?;
    let device = |ordinal| P::device(&Options { ordinal, ..Options::default() });
    Ok(together(options, placer, device)?)
}

/// Refuses missing devices: `auto` must not take the processor instead.
fn are_there(options: &DeviceOptions) -> Result<(), HalError> {
    if options.devices.is_empty() {
        return Ok(());
    }
    // Where there are none, or none can be used, opening one says why.
    let count = backend_cuda::devices().unwrap_or_default().len();
    match options.devices.iter().find(|number| count > 0 && **number as usize >= count) {
        Some(number) => {
            let detail = format!("there is no device {number}: there are {count}, counted from 0");
            Err(HalError::new(ErrorKind::InvalidArgument, "open", detail))
        }
        None => Ok(()),
    }
}

impl Driver for Cuda {
    protocols!(opens!(open, placed));

    fn takes_several(&self) -> bool {
        true
    }

    fn spills(&self) -> bool {
        true
    }

    fn devices(&self) -> Vec<String> {
        // Why there are none is told where one is opened.
        let devices = backend_cuda::devices().unwrap_or_default();
        devices.into_iter().map(|device| device.name).collect()
    }
}
