//! The backends that come with Polystark, as drivers.

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(target_vendor = "apple")]
mod metal;
mod processor;
#[cfg(feature = "cli")]
mod reference;

use gpu_hal::{ErrorKind, HalError};

use crate::registry::{Place, Registry};

/// The methods of a [`crate::Driver`] that open devices, for each protocol that is compiled: `$open` is generic in it.
macro_rules! opens {
    ($open:path) => {
        #[cfg(feature = "goldilocks")]
        fn goldilocks(&self, place: &crate::Place) -> Result<crate::goldilocks::Device, crate::Error> {
            $open(place)
        }

        #[cfg(feature = "circle")]
        fn circle(&self, place: &crate::Place) -> Result<crate::circle::Device, crate::Error> {
            $open(place)
        }
    };
}
use opens;

/// The same with all of them; the last one is preferred.
pub(crate) fn add_all(registry: Registry) -> Registry {
    #[cfg(feature = "cli")]
    let registry = registry.with("cpu-reference", reference::Reference);
    let registry = registry.with("cpu", processor::Processor);
    #[cfg(feature = "cuda")]
    let registry = registry.with("cuda", cuda::Cuda);
    #[cfg(target_vendor = "apple")]
    let registry = registry.with(backend_metal::NAME, metal::Metal);
    registry
}

/// Refuses all but the first device: the host has one processor.
fn first_only(place: &Place) -> Result<(), HalError> {
    match place.device {
        None | Some(0) => Ok(()),
        Some(number) => {
            let detail = format!("there is no device {number}: the processor is device 0");
            Err(HalError::new(ErrorKind::Unavailable, "open", detail))
        }
    }
}
