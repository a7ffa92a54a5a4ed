//! Apple's GPUs.

use gpu_runtime::GpuProtocol;

use crate::devices::backend::OpenBackend;
use crate::devices::driver::{DeviceOptions, Driver, opens, protocols};
use crate::error::Error;

/// The driver.
pub(super) struct Metal;

fn open<P: GpuProtocol>(options: &DeviceOptions) -> Result<OpenBackend<P>, Error> {
    Ok(OpenBackend::new(backend_metal::open_device(options.device.unwrap_or(0))?))
}

impl Driver for Metal {
    protocols!(opens!(open));

    fn devices(&self) -> Vec<String> {
        backend_metal::devices()
    }
}
