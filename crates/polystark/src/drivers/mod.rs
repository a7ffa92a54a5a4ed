//! The backends that come with Polystark, as drivers.

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(target_vendor = "apple")]
mod metal;
mod processor;
#[cfg(feature = "cli")]
mod reference;

use backend_sharded::Sharded;
use gpu_hal::{ErrorKind, HalError, Operations};

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

/// The devices of a place as one, even if it is one alone: provers are compiled for this type of backend and no other.
fn together<O: Operations>(place: &Place, open: impl Fn(u32) -> Result<O, HalError>) -> Result<Sharded<O>, HalError> {
    let Some((first, others)) = place.devices.split_first() else {
        return Sharded::new(vec![open(place.device.unwrap_or(0))?]);
    };
    let mut devices = vec![open(*first)?];
    for number in others {
        // The backend can be used, so this is nothing that `auto` passes over: fewer devices than were asked for would be another place.
        let missing = |error: HalError| match error.kind {
            ErrorKind::Unavailable => HalError { kind: ErrorKind::InvalidArgument, ..error },
            _ => error,
        };
        devices.push(open(*number).map_err(missing)?);
    }
    Sharded::new(devices)
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
