//! The backend.

use std::fmt;
use std::sync::Arc;

use gpu_hal::{Budget, Capabilities, MemoryInfo, Operations, Prepared, Result, Types};

use super::room::Room;
use crate::{Sharded, SpilledBuffer, SpilledTree};

/// Says how much memory of the host is available, if anyone can tell.
pub type HostMemory = fn() -> Option<u64>;

/// A backend whose tables and trees may be in the host's memory for a while. See the crate.
///
/// ```
/// # use backend_cpu::{Cpu, host_memory};
/// # use backend_placement::Sharded;
/// # use gpu_hal::{CircleStark, StarkBackend};
/// # fn main() -> gpu_hal::Result<()> {
/// let cpu = Cpu::<CircleStark>::new();
/// let backend = Sharded::spilling(&[(cpu.into(), 1 << 20)], 1, host_memory, &Default::default())?;
/// let zeros = vec![Default::default(); 1 << 18];
/// let tables = [backend.upload(&zeros, 1, 18)?, backend.upload(&zeros, 1, 18)?];
/// assert_eq!(backend.memory()?.moved, Some(1 << 20), "the first made room for the second");
/// # drop(tables);
/// # Ok(())
/// # }
/// ```
pub struct Spilled<O: Operations> {
    pub(crate) inner: Arc<O>,
    pub(crate) room: Option<Arc<Room<O>>>,
    host: HostMemory,
    /// How many devices share the host's memory.
    sharers: u64,
    capabilities: Capabilities,
}

impl<O: Operations> fmt::Debug for Spilled<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Spilled").field(&self.capabilities.backend).finish()
    }
}

impl<O: Operations> Spilled<O> {
    /// The backend as it is: nothing is moved, and an operation that does not fit is refused.
    pub fn through(inner: O) -> Self {
        let capabilities = inner.capabilities().clone();
        Self { inner: Arc::new(inner), room: None, host: || None, sharers: 1, capabilities }
    }

    /// The same parts of another backend: of the shapes of this one.
    pub(crate) fn like<S: Operations>(&self, inner: Arc<S>, room: Option<Arc<Room<S>>>) -> Spilled<S> {
        let sharers = self.sharers;
        Spilled { inner, room, host: self.host, sharers, capabilities: self.capabilities.clone() }
    }

    /// The backend inside.
    pub fn inner(&self) -> &O {
        &self.inner
    }

    pub(crate) fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    pub(crate) fn budget(&self) -> &Budget {
        match &self.room {
            None => self.inner.budget(),
            Some(room) => {
                // It gives back the memory that it keeps for tables to come.
                self.inner.budget();
                &room.budget
            }
        }
    }

    /// Device and host together. A part has its share of the taken bytes, so that all of them have all of it.
    pub(crate) fn memory(&self) -> Result<MemoryInfo> {
        let inner = self.inner.memory()?;
        let Some(room) = &self.room else { return Ok(inner) };
        let tally = room.lock().tally;
        // On a device that is the host there is one memory.
        let beside = if inner.is_host { 0 } else { room.limit.saturating_sub(tally.device) };
        Ok(MemoryInfo {
            available: (self.host)().map(|available| (available / self.sharers).saturating_add(beside)),
            in_use: (tally.device + tally.host).div_ceil(room.parts),
            peak: tally.peak.div_ceil(room.parts),
            moved: Some(tally.spill.moved_bytes),
            ..inner
        })
    }
}

impl<O: Operations> Sharded<Spilled<O>> {
    /// Devices as one, each in `parts` parts, with the most bytes that are taken of each device. The rest is moved to
    /// the host's memory, of which `host` says what is available: every device has an equal share. One part is the
    /// whole device. `budget` promises what devices and host have together, to all who share it.
    ///
    /// # Errors
    /// [`gpu_hal::ErrorKind::InvalidArgument`] if the number of devices or of parts is no power of two, and as
    /// [`Sharded::new`].
    pub fn spilling(devices: &[(Arc<O>, u64)], parts: usize, host: HostMemory, budget: &Budget) -> Result<Self> {
        let cut = |(inner, limit): &(Arc<O>, u64)| {
            let mut capabilities = inner.capabilities().clone();
            capabilities.device.push_str(", with tables in the host's memory");
            let room = Room::new(inner.clone(), *limit, parts as u64, budget.clone());
            let part = |_| {
                let (inner, room, capabilities) = (inner.clone(), Some(room.clone()), capabilities.clone());
                Spilled { inner, room, host, sharers: devices.len() as u64, capabilities }
            };
            (0..parts).map(part).collect()
        };
        Self::in_parts(devices.iter().map(cut).collect())
    }
}

impl<O: Operations> Types for Spilled<O> {
    type P = <O::T as Types>::P;
    type Buffer = SpilledBuffer<O>;
    type Tree = SpilledTree<O>;
    type Program = Arc<Prepared<O::T>>;
}
