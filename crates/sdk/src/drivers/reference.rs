//! The host's processor, plain and on one thread.

use backend_reference::{CpuReference, ReferenceProtocol};

use super::{first_only, opens};
use crate::backend::OpenBackend;
use crate::driver::{DeviceOptions, Driver};
use crate::error::Error;

/// The driver.
pub(super) struct Reference;

fn open<P: ReferenceProtocol>(place: &DeviceOptions) -> Result<OpenBackend<P>, Error> {
    first_only(place)?;
    Ok(OpenBackend::new(CpuReference::<P>::new()))
}

impl Driver for Reference {
    opens!(open);

    /// Nobody who does not ask for it wants to wait for it.
    fn is_automatic(&self) -> bool {
        false
    }
}
