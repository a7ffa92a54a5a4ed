//! NVIDIA's GPUs.

use gpu_runtime::GpuProtocol;

use super::{opens, together};
use crate::device::Device;
use crate::error::Error;
use crate::flavour::Flavour;
use crate::measure::Events;
use crate::registry::{Driver, Place};

/// The driver.
pub(super) struct Cuda;

fn open<P: Flavour + GpuProtocol>(place: &Place) -> Result<Device<P>, Error> {
    Ok(Device::timed(together(place, backend_cuda::open_device)?, Events))
}

impl Driver for Cuda {
    opens!(open);

    fn takes_several(&self) -> bool {
        true
    }

    fn devices(&self) -> Vec<String> {
        // Why there are none is told where one is opened.
        let devices = backend_cuda::devices().unwrap_or_default();
        devices.into_iter().map(|device| device.name).collect()
    }
}
