//! The host's processor, plain and on one thread.

use backend_reference::{CpuReference, ReferenceProtocol};

use super::first_only;
use crate::devices::backend::OpenBackend;
use crate::devices::driver::{DeviceOptions, Driver, opens, protocols};
use crate::error::Error;

/// The driver.
pub(super) struct Reference;

fn open<P: ReferenceProtocol>(options: &DeviceOptions) -> Result<OpenBackend<P>, Error> {
    first_only(options)?;
    Ok(OpenBackend::new(CpuReference::<P>::new()))
}

impl Driver for Reference {
    protocols!(opens!(open));

    /// It is slow, so only its name selects it.
    fn is_automatic(&self) -> bool {
        false
    }
}
