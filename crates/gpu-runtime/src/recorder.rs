//! A device that runs nothing and remembers the kernels that it is asked to compile: the kernels of a statement are not
//! listed but observed.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use gpu_hal::Result;

use crate::device::{DeviceInfo, KernelDevice, KernelSource, Launch};

/// Most bytes of an upload that are remembered.
const REMEMBERED: usize = 64;

/// Takes everything, runs nothing, and remembers sources. Memory reads as zeros, but a few bytes that were uploaded to
/// its start are read back as they were: so the buffer for a row program's faults says that there is none. Clones
/// remember together.
#[derive(Clone, Debug)]
pub struct Recorder {
    info: DeviceInfo,
    sources: Arc<Mutex<Sources>>,
}

#[derive(Debug, Default)]
struct Sources {
    in_order: Vec<Arc<KernelSource>>,
    known: HashSet<Arc<KernelSource>>,
}

impl Recorder {
    /// A device with these properties.
    pub fn new(info: DeviceInfo) -> Self {
        Self { info, sources: Arc::default() }
    }

    /// The sources asked for up to now, each once, in the order of the first request.
    pub fn sources(&self) -> Vec<Arc<KernelSource>> {
        lock(&self.sources).in_order.clone()
    }
}

/// A panic elsewhere leaves at worst a source that is only in one of two lists.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl KernelDevice for Recorder {
    type Memory = Mutex<Vec<u8>>;
    type Module = ();
    type Kernel = ();
    type Event = Instant;

    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        Ok(None)
    }

    fn alloc(&self, _: u64) -> Result<Self::Memory> {
        Ok(Mutex::default())
    }

    fn upload(&self, to: &Self::Memory, offset: u64, from: &[u8]) -> Result<()> {
        *lock(to) = if offset == 0 && from.len() <= REMEMBERED { from.to_vec() } else { Vec::new() };
        Ok(())
    }

    fn download(&self, from: &Self::Memory, offset: u64, to: &mut [u8]) -> Result<()> {
        to.fill(0);
        let uploaded = lock(from);
        if offset == 0 && to.len() == uploaded.len() {
            to.copy_from_slice(&uploaded);
        }
        Ok(())
    }

    fn copy(&self, _: &Self::Memory, _: u64, _: &Self::Memory, _: u64, _: u64) -> Result<()> {
        Ok(())
    }

    fn fill(&self, memory: &Self::Memory, _: u64, _: u64, _: u8) -> Result<()> {
        lock(memory).clear();
        Ok(())
    }

    fn build(&self, source: &KernelSource) -> Result<()> {
        let mut sources = lock(&self.sources);
        if !sources.known.contains(source) {
            let source = Arc::new(source.clone());
            sources.in_order.push(source.clone());
            sources.known.insert(source);
        }
        Ok(())
    }

    fn kernel(&self, (): &(), _: &str) -> Result<()> {
        Ok(())
    }

    fn launch(&self, _: &Launch<'_, Self>) -> Result<()> {
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn record(&self) -> Result<Instant> {
        Ok(Instant::now())
    }

    fn elapsed(&self, from: &Instant, to: &Instant) -> Result<Duration> {
        Ok(to.duration_since(*from))
    }
}
