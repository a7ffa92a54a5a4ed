//! The proof systems that come with the library.

use crate::airs::{Airs, Family};
use crate::backend::OpenBackend;
use crate::driver::{DeviceOptions, Driver};
use crate::error::Error;
use crate::system::ProofSystem;

/// A proof system that a [`crate::Registry`] knows: it has AIRs that come with Polystark, and drivers open its devices.
pub trait Registered: ProofSystem {
    /// The AIRs that come with Polystark.
    fn shipped_airs() -> Vec<Family<Self>>;

    /// Opens a device.
    ///
    /// # Errors
    /// The driver's errors.
    fn open(driver: &dyn Driver, options: &DeviceOptions) -> Result<OpenBackend<Self>, Error>;
}

impl<F: Registered> Default for Airs<F> {
    /// The AIRs that come with Polystark.
    fn default() -> Self {
        F::shipped_airs().into_iter().fold(Self::none(), Self::with)
    }
}
