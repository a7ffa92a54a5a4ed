//! Devices as one, as values: compiled in this crate, for each protocol.

use std::sync::Arc;

use gpu_hal::erased::Device;
use gpu_hal::{Budget, CircleStark, GoldilocksStark, Operations, Protocol, Result};

use crate::{HostMemory, Sharded, Spilled};

/// The parts that a device is cut into when one operation takes more than it has.
const PARTS: [usize; 4] = [2, 4, 8, 16];

/// Most parts of all devices. More parts than the blowup do not help.
const MOST_PARTS: usize = 16;

/// The ways to place tables of a protocol on devices. This crate compiles them, once for each protocol: a crate that
/// calls them compiles none of their operations again.
#[derive(Debug)]
pub struct Placement<P: Protocol> {
    /// Devices as one.
    ///
    /// # Errors
    /// As [`Sharded::new`].
    pub together: fn(Vec<Device<P>>) -> Result<Device<P>>,
    /// Devices as one, of each of which a proof takes so many bytes at most; then the same in more and more parts. The
    /// rest is in the host's memory, of which [`HostMemory`] says how much there is.
    ///
    /// # Errors
    /// As [`Sharded::in_parts`], and the devices' errors.
    pub spilling: Spilling<P>,
}

/// [`Placement::spilling`].
pub type Spilling<P> = fn(Vec<Device<P>>, u64, HostMemory) -> Result<(Device<P>, Vec<Device<P>>)>;

/// The one of Circle. It is a static, since a constant would be compiled where it is used.
pub static CIRCLE: Placement<CircleStark> = Placement { together, spilling };

/// The one of Goldilocks.
pub static GOLDILOCKS: Placement<GoldilocksStark> = Placement { together, spilling };

fn together<P: Protocol>(devices: Vec<Device<P>>) -> Result<Device<P>> {
    Ok(Device::new(Arc::new(Sharded::new(devices)?)))
}

fn spilling<P: Protocol>(devices: Vec<Device<P>>, limit: u64, host: HostMemory) -> Result<(Device<P>, Vec<Device<P>>)> {
    let limited = |device: Device<P>| {
        // A little is left for memory that no plan knows, such as verdicts and fragments.
        let available = Operations::memory(&device)?.available.map_or(u64::MAX, |bytes| bytes - bytes / 64);
        Ok((Arc::new(device), limit.min(available)))
    };
    let devices: Vec<(Arc<Device<P>>, u64)> = devices.into_iter().map(limited).collect::<Result<_>>()?;
    let (count, budget) = (devices.len(), Budget::default());
    let cut = |parts: usize| {
        let cut = |(device, limit): &(Arc<_>, u64)| {
            let parts = Spilled::parts(Arc::clone(device), *limit, parts, host, count, &budget);
            parts.into_iter().map(|part| Device::new(Arc::new(part))).collect()
        };
        // The devices are values, so that this is compiled once for a protocol.
        Sharded::in_parts(devices.iter().map(cut).collect()).map(|all| Device::new(Arc::new(all)))
    };
    let in_parts = PARTS.into_iter().filter(|parts| parts * count <= MOST_PARTS);
    Ok((cut(1)?, in_parts.map(cut).collect::<Result<_>>()?))
}
