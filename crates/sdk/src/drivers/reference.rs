//! The host's processor, plain and on one thread.

use backend_reference::{CpuReference, ReferenceProtocol};

use super::{first_only, opens};
use crate::device::Device;
use crate::error::Error;
use crate::registry::{Driver, Place};
use crate::system::ProofSystem;

/// The driver.
pub(super) struct Reference;

fn open<P: ProofSystem + ReferenceProtocol>(place: &Place) -> Result<Device<P>, Error> {
    first_only(place)?;
    Ok(Device::new(CpuReference::<P>::new()))
}

impl Driver for Reference {
    opens!(open);

    /// Nobody who does not ask for it wants to wait for it.
    fn is_automatic(&self) -> bool {
        false
    }
}
