//! Apple's GPUs.

use gpu_runtime::GpuProtocol;

use super::opens;
use crate::device::Device;
use crate::error::Error;
use crate::registry::{Driver, Place};
use crate::system::ProofSystem;

/// The driver.
pub(super) struct Metal;

fn open<P: ProofSystem + GpuProtocol>(place: &Place) -> Result<Device<P>, Error> {
    Ok(Device::new(backend_metal::open_device(place.device.unwrap_or(0))?))
}

impl Driver for Metal {
    opens!(open);

    fn devices(&self) -> Vec<String> {
        backend_metal::devices()
    }
}
