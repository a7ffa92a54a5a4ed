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
mod shipped;

use std::sync::Arc;

use backend_cpu::host_memory;
use backend_placement::{Sharded, Spilled};
use gpu_hal::{Budget, ErrorKind, HalError, Operations, Protocol};

use crate::backend::{AnyBackend, OpenBackend};
use crate::driver::DeviceOptions;

#[cfg(feature = "libraries")]
pub use library::LibraryError;
pub(crate) use shipped::{of_library, shipped};

/// The parts that a device is cut into when one operation takes more than it has.
const PARTS: [usize; 4] = [2, 4, 8, 16];

/// Most parts of all devices. More parts than the blowup do not help.
const MOST_PARTS: usize = 16;

/// The devices of the options as one device, even if it is one alone.
fn together<P: Protocol>(
    options: &DeviceOptions,
    open: impl Fn(u32) -> Result<AnyBackend<P>, HalError>,
) -> Result<OpenBackend<P>, HalError> {
    let Some((first, others)) = options.devices.split_first() else {
        return as_one(options, vec![open(options.device.unwrap_or(0))?]);
    };
    let mut devices = vec![open(*first)?];
    for number in others {
        // The backend can be used, so this is nothing that `auto` passes over: fewer devices than were asked for would
        // be another choice of devices.
        let missing = |error: HalError| match error.kind {
            ErrorKind::Unavailable => HalError { kind: ErrorKind::InvalidArgument, ..error },
            _ => error,
        };
        devices.push(open(*number).map_err(missing)?);
    }
    as_one(options, devices)
}

/// Devices as one, which move tables to the host's memory if that is asked for. One device that moves none is itself.
fn as_one<P: Protocol>(options: &DeviceOptions, devices: Vec<AnyBackend<P>>) -> Result<OpenBackend<P>, HalError> {
    let Some(limit) = options.spill else {
        return match <[AnyBackend<P>; 1]>::try_from(devices) {
            Ok([only]) => Ok(OpenBackend::in_parts(only, Vec::new())),
            Err(devices) => Ok(OpenBackend::new(Sharded::new(devices)?)),
        };
    };
    let limited = |device: AnyBackend<P>| {
        // A little is left for memory that no plan knows, such as verdicts and fragments.
        let available = Operations::memory(&device)?.available.map_or(u64::MAX, |bytes| bytes - bytes / 64);
        Ok((Arc::new(device), limit.min(available)))
    };
    let devices: Vec<(Arc<AnyBackend<P>>, u64)> = devices.into_iter().map(limited).collect::<Result<_, HalError>>()?;
    let (count, budget) = (devices.len(), Budget::default());
    let cut = |parts: usize| {
        let cut = |(device, limit): &(Arc<_>, u64)| {
            let parts = Spilled::parts(Arc::clone(device), *limit, parts, host_memory, count, &budget);
            parts.into_iter().map(|part| AnyBackend::new(Arc::new(part))).collect()
        };
        // Of devices as values, so that it is compiled once for a protocol.
        Sharded::in_parts(devices.iter().map(cut).collect()).map(|all| AnyBackend::new(Arc::new(all)))
    };
    let in_parts = PARTS.into_iter().filter(|parts| parts * count <= MOST_PARTS);
    Ok(OpenBackend::in_parts(cut(1)?, in_parts.map(cut).collect::<Result<_, _>>()?))
}

/// Refuses all but the first device: the host has one processor.
fn first_only(options: &DeviceOptions) -> Result<(), HalError> {
    match options.device {
        None | Some(0) => Ok(()),
        Some(number) => {
            let detail = format!("there is no device {number}: the processor is device 0");
            Err(HalError::new(ErrorKind::Unavailable, "open", detail))
        }
    }
}
