//! The host's processor, all of it.

use backend_cpu::{Cpu, CpuProtocol};
use gpu_hal::StarkBackend;

use super::{first_only, opens};
use crate::device::Device;
use crate::error::Error;
use crate::flavour::Flavour;
use crate::registry::{Driver, Place};

/// The driver.
pub(super) struct Processor;

fn open<P: Flavour + CpuProtocol>(place: &Place) -> Result<Device<P>, Error>
where
    Cpu<P>: StarkBackend<P = P>,
{
    first_only(place)?;
    Ok(Device::new(place.threads.map_or_else(|| Ok(Cpu::<P>::new()), Cpu::with_threads)?))
}

impl Driver for Processor {
    opens!(open);
}
