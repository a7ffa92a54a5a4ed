//! The backend.

use std::fmt;
use std::sync::Arc;

use gpu_hal::{Budget, Capabilities, MemoryInfo, Operations, Result};

use super::memory::DeviceMemory;

/// Says how much memory of the host is available, if anyone can tell.
pub type HostMemory = fn() -> Option<u64>;

/// A backend whose tables and trees may be in the host's memory for a while. See the crate.
///
/// ```
/// # use backend_cpu::{Cpu, host_memory};
/// # use backend_placement::{Sharded, Spilled};
/// # use gpu_hal::{CircleStark, StarkBackend};
/// # fn main() -> gpu_hal::Result<()> {
/// let cpu = Cpu::<CircleStark>::new();
/// let parts = Spilled::parts(cpu.into(), 1 << 20, 1, host_memory, 1, &Default::default());
/// let backend = Sharded::in_parts(vec![parts])?;
/// let zeros = vec![Default::default(); 1 << 18];
/// let tables = [backend.upload(&zeros, 1, 18)?, backend.upload(&zeros, 1, 18)?];
/// assert_eq!(backend.memory()?.moved, Some(1 << 20), "the first made room for the second");
/// # drop(tables);
/// # Ok(())
/// # }
/// ```
pub struct Spilled<O: Operations> {
    pub(crate) memory: Arc<DeviceMemory<O>>,
    host: HostMemory,
    /// How many devices share the host's memory.
    sharers: usize,
    capabilities: Capabilities,
}

impl<O: Operations> fmt::Debug for Spilled<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Spilled").field(&self.capabilities.backend).finish()
    }
}

impl<O: Operations> Spilled<O> {
    /// A device in `parts` parts, of which `limit` bytes are taken at most. The rest is moved to the host's memory, of
    /// `host` tells the available part of it: each of `sharers` devices has an equal share. One part is the whole
    /// device. [`crate::Sharded::in_parts`] makes one backend of the parts of all devices. `budget` promises the memory
    /// that devices and host have together, to all who share it.
    pub fn parts(
        device: Arc<O>,
        limit: u64,
        parts: usize,
        host: HostMemory,
        sharers: usize,
        budget: &Budget,
    ) -> Vec<Self> {
        let mut capabilities = device.capabilities().clone();
        capabilities.device.push_str(", with tables in the host's memory");
        let memory = DeviceMemory::new(device, limit, parts as u64, budget.clone());
        let part = |_| Self { memory: memory.clone(), host, sharers, capabilities: capabilities.clone() };
        (0..parts).map(part).collect()
    }

    /// The same part of another backend: of the shapes of this one.
    pub(crate) fn like<S: Operations>(&self, memory: Arc<DeviceMemory<S>>) -> Spilled<S> {
        Spilled { memory, host: self.host, sharers: self.sharers, capabilities: self.capabilities.clone() }
    }

    /// The backend inside.
    pub fn inner(&self) -> &O {
        &self.memory.inner
    }

    pub(crate) fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    pub(crate) fn budget(&self) -> &Budget {
        // It gives back the memory that it keeps for tables to come.
        self.inner().budget();
        &self.memory.budget
    }

    /// Device and host together. A part has its share of the taken bytes, so that all of them have all of it.
    pub(crate) fn memory(&self) -> Result<MemoryInfo> {
        let (inner, memory) = (self.inner().memory()?, &self.memory);
        let bytes = memory.lock().bytes;
        // On a device that is the host there is one memory.
        let beside = if inner.is_host { 0 } else { memory.limit.saturating_sub(bytes.device) };
        Ok(MemoryInfo {
            available: (self.host)().map(|available| (available / self.sharers as u64).saturating_add(beside)),
            in_use: (bytes.device + bytes.host).div_ceil(memory.parts),
            peak: bytes.peak.div_ceil(memory.parts),
            moved: Some(bytes.spill.moved_bytes),
            ..inner
        })
    }
}
