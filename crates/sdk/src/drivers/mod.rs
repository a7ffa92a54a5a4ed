//! The backends that come with Polystark, as drivers.

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "libraries")]
mod library;
#[cfg(target_vendor = "apple")]
mod metal;
mod processor;
#[cfg(feature = "reference")]
mod reference;

use std::sync::Arc;

use backend_cpu::host_memory;
use backend_placement::{Sharded, Spilled};
use gpu_hal::erased;
use gpu_hal::{Budget, ErrorKind, HalError, Operations, Protocol};

use crate::registry::{Place, Registry};

#[cfg(feature = "libraries")]
pub(crate) use library::{Loaded, is_library};

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
    #[cfg(feature = "reference")]
    let registry = registry.with("cpu-reference", reference::Reference);
    let registry = registry.with("cpu", processor::Processor);
    #[cfg(feature = "cuda")]
    let registry = registry.with("cuda", cuda::Cuda);
    #[cfg(target_vendor = "apple")]
    let registry = registry.with(backend_metal::NAME, metal::Metal);
    registry
}

/// A backend as a value, and the same in more and more parts.
type InParts<P> = (erased::Device<P>, Vec<erased::Device<P>>);

/// The parts that a device is cut into when one operation takes more than it has.
const PARTS: [usize; 4] = [2, 4, 8, 16];

/// Most parts of all devices. More parts than the blowup do not help.
const MOST_PARTS: usize = 16;

/// The devices of a place as one, even if it is one alone.
fn together<P: Protocol>(
    place: &Place,
    open: impl Fn(u32) -> Result<erased::Device<P>, HalError>,
) -> Result<InParts<P>, HalError> {
    let Some((first, others)) = place.devices.split_first() else {
        return shipped(place, vec![open(place.device.unwrap_or(0))?]);
    };
    let mut devices = vec![open(*first)?];
    for number in others {
        // The backend can be used, so this is nothing that `auto` passes over: fewer devices than were asked for would
        // be another place.
        let missing = |error: HalError| match error.kind {
            ErrorKind::Unavailable => HalError { kind: ErrorKind::InvalidArgument, ..error },
            _ => error,
        };
        devices.push(open(*number).map_err(missing)?);
    }
    shipped(place, devices)
}

/// Devices as one, which move tables to the host's memory if that is asked for. One device that moves none is itself.
fn shipped<P: Protocol>(place: &Place, devices: Vec<erased::Device<P>>) -> Result<InParts<P>, HalError> {
    // Of devices as values, so that it is compiled once for a protocol.
    let as_one = |sharded: Sharded<erased::Device<P>>| erased::Device::new(Arc::new(sharded));
    let Some(limit) = place.spill else {
        let all = match <[erased::Device<P>; 1]>::try_from(devices) {
            Ok([only]) => only,
            Err(devices) => as_one(Sharded::new(devices)?),
        };
        return Ok((all, Vec::new()));
    };
    let limited = |device: erased::Device<P>| {
        // A little is left for what no plan knows, such as verdicts and memory in pieces.
        let available = Operations::memory(&device)?.available.map_or(u64::MAX, |bytes| bytes - bytes / 64);
        Ok((Arc::new(device), limit.min(available)))
    };
    let devices: Vec<(Arc<erased::Device<P>>, u64)> =
        devices.into_iter().map(limited).collect::<Result<_, HalError>>()?;
    let (count, budget) = (devices.len(), Budget::default());
    let cut = |parts: usize| {
        let cut = |(device, limit): &(Arc<_>, u64)| {
            let parts = Spilled::parts(Arc::clone(device), *limit, parts, host_memory, count, &budget);
            parts.into_iter().map(|part| erased::Device::new(Arc::new(part))).collect()
        };
        Sharded::in_parts(devices.iter().map(cut).collect()).map(as_one)
    };
    let in_parts = PARTS.into_iter().filter(|parts| parts * count <= MOST_PARTS);
    Ok((cut(1)?, in_parts.map(cut).collect::<Result<_, _>>()?))
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
