//! Devices as one, as values: compiled in this crate, for each protocol.

use std::sync::Arc;

use gpu_hal::erased::Device;
use gpu_hal::{Budget, CircleStark, GoldilocksStark, Operations, Protocol, Result};

use crate::{HostMemory, Sharded, Spilled};

/// The parts that a device is cut into when one operation takes more than it has.
const PARTS: [usize; 4] = [2, 4, 8, 16];

/// Most parts of all devices. More parts than the blowup do not help.
const MOST_PARTS: usize = 16;

/// How devices of a protocol become one. Its operations are compiled in this crate, and not again in crates that take
/// the values.
#[derive(Clone, Copy, Debug)]
pub struct Placer<P: Protocol> {
    together: fn(Vec<Device<P>>) -> Result<Device<P>>,
    spilling: Spilling<P>,
}

type Spilling<P> = fn(Vec<Device<P>>, u64, HostMemory) -> Result<(Device<P>, Vec<Device<P>>)>;

/// For devices of Circle.
pub const fn circle() -> Placer<CircleStark> {
    Placer { together, spilling }
}

/// For devices of Goldilocks.
pub const fn goldilocks() -> Placer<GoldilocksStark> {
    Placer { together, spilling }
}

impl<P: Protocol> Placer<P> {
    /// Devices as one.
    ///
    /// # Errors
    /// As [`Sharded::new`].
    pub fn together(&self, devices: Vec<Device<P>>) -> Result<Device<P>> {
        (self.together)(devices)
    }

    /// Devices as one, of each of which a proof takes so many bytes at most; then the same in more and more parts. The
    /// rest is in the host's memory, of which `host` says how much there is.
    ///
    /// # Errors
    /// As [`Sharded::in_parts`], and the devices' errors.
    pub fn spilling(
        &self,
        devices: Vec<Device<P>>,
        limit: u64,
        host: HostMemory,
    ) -> Result<(Device<P>, Vec<Device<P>>)> {
        (self.spilling)(devices, limit, host)
    }
}

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
