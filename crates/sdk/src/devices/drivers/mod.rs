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

use backend_cpu::host_memory;
use backend_placement::Placer;
use gpu_hal::{ErrorKind, HalError, Protocol};

use crate::devices::backend::{AnyBackend, OpenBackend};
use crate::devices::driver::DeviceOptions;

#[cfg(feature = "libraries")]
pub use library::LibraryError;
pub(crate) use shipped::{of_library, shipped};

/// The devices of the options as one device, even if it is one alone.
fn together<P: Protocol>(
    options: &DeviceOptions,
    placer: Placer<P>,
    open: impl Fn(u32) -> Result<AnyBackend<P>, HalError>,
) -> Result<OpenBackend<P>, HalError> {
    let Some((first, others)) = options.devices.split_first() else {
        return as_one(options, placer, vec![open(options.device.unwrap_or(0))?]);
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
    as_one(options, placer, devices)
}

/// Devices as one, which move tables to the host's memory if that is asked for. One device that moves none is itself.
fn as_one<P: Protocol>(
    options: &DeviceOptions,
    placer: Placer<P>,
    devices: Vec<AnyBackend<P>>,
) -> Result<OpenBackend<P>, HalError> {
    if let Some(limit) = options.spill {
        let (whole, in_parts) = placer.spilling(devices, limit, host_memory)?;
        return Ok(OpenBackend::in_parts(whole, in_parts));
    }
    let whole = match <[AnyBackend<P>; 1]>::try_from(devices) {
        Ok([only]) => only,
        Err(devices) => placer.together(devices)?,
    };
    Ok(OpenBackend::in_parts(whole, Vec::new()))
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
