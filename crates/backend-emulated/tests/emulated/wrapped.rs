//! The emulator with something changed: sources on their way to the compiler, calls that fail.

use std::time::{Duration, Instant};

use backend_emulated::{EmulatedDevice, EmulatedKernel, EmulatedMemory, EmulatedModule};
use gpu_hal::Result;
use gpu_runtime::{Argument, DeviceInfo, KernelDevice, KernelSource, Launch, Then, Upload};

/// The change.
pub(crate) trait Change: Send + Sync + 'static {
    /// Called before every call that can fail, except compiling; an error is returned instead.
    fn before(&self, call: &'static str) -> Result<()> {
        let _ = call;
        Ok(())
    }

    /// Called with every memory before something enqueued uses it.
    fn uses(&self, memory: &EmulatedMemory) -> Result<()> {
        let _ = memory;
        Ok(())
    }

    /// Called after an upload beside the queue, with the moment that it comes after and the one at which it is done.
    fn uploaded_beside(&self, memory: &EmulatedMemory, offset: u64, after: Instant, done: Instant) {
        let _ = (memory, offset, after, done);
    }

    /// Called when the queue waits for a moment.
    fn waits(&self, moment: Instant) {
        let _ = moment;
    }

    /// The source to compile.
    fn source(&self, source: &KernelSource) -> KernelSource {
        source.clone()
    }
}

/// The emulator with a change.
pub(crate) struct Wrapped<C> {
    pub(crate) inner: EmulatedDevice,
    pub(crate) change: C,
}

impl<C: Change> KernelDevice for Wrapped<C> {
    type Memory = EmulatedMemory;
    type Module = EmulatedModule;
    type Kernel = EmulatedKernel;
    type Event = Instant;

    fn info(&self) -> &DeviceInfo {
        self.inner.info()
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        self.inner.free_memory()
    }

    fn alloc(&self, bytes: u64) -> Result<EmulatedMemory> {
        self.change.before("alloc")?;
        self.inner.alloc(bytes)
    }

    fn upload(&self, to: &EmulatedMemory, offset: u64, from: &[u8]) -> Result<()> {
        self.change.before("upload")?;
        self.change.uses(to)?;
        self.inner.upload(to, offset, from)
    }

    fn upload_beside(&self, upload: &Upload<'_, Self>, then: &mut Then<'_, Self>) -> Result<bool> {
        self.change.before("upload")?;
        let Upload { to, offset, from, part, after, accept } = *upload;
        self.inner.upload_beside(&Upload { to, offset, from, part, after, accept }, &mut |number, done| {
            self.change.uploaded_beside(to, offset + (number * part) as u64, *after, *done);
            then(number, done)
        })
    }

    fn wait(&self, moment: &Instant) -> Result<()> {
        self.change.before("wait")?;
        self.change.waits(*moment);
        self.inner.wait(moment)
    }

    fn upload_batch(&self) -> u64 {
        self.inner.upload_batch()
    }

    fn download(&self, from: &EmulatedMemory, offset: u64, to: &mut [u8]) -> Result<()> {
        self.change.before("download")?;
        self.change.uses(from)?;
        self.inner.download(from, offset, to)
    }

    fn copy(&self, from: &EmulatedMemory, at: u64, to: &EmulatedMemory, to_offset: u64, bytes: u64) -> Result<()> {
        self.change.before("copy")?;
        self.change.uses(from)?;
        self.change.uses(to)?;
        self.inner.copy(from, at, to, to_offset, bytes)
    }

    fn fill(&self, memory: &EmulatedMemory, offset: u64, bytes: u64, value: u8) -> Result<()> {
        self.change.before("fill")?;
        self.change.uses(memory)?;
        self.inner.fill(memory, offset, bytes, value)
    }

    fn build(&self, source: &KernelSource) -> Result<EmulatedModule> {
        self.inner.build(&self.change.source(source))
    }

    fn kernel(&self, module: &EmulatedModule, entry: &str) -> Result<EmulatedKernel> {
        self.inner.kernel(module, entry)
    }

    fn launch(&self, launch: &Launch<'_, Self>) -> Result<()> {
        self.change.before("launch")?;
        launch.buffers.iter().try_for_each(|argument| self.change.uses(argument.memory))?;
        let Launch { kernel, grid, block, params, .. } = *launch;
        let buffers: Vec<_> = launch
            .buffers
            .iter()
            .map(|argument| Argument { memory: argument.memory, offset: argument.offset })
            .collect();
        self.inner.launch(&Launch { kernel, grid, block, buffers: &buffers, params })
    }

    fn synchronize(&self) -> Result<()> {
        self.change.before("synchronize")?;
        self.inner.synchronize()
    }

    fn record(&self) -> Result<Instant> {
        self.inner.record()
    }

    fn elapsed(&self, from: &Instant, to: &Instant) -> Result<Duration> {
        self.inner.elapsed(from, to)
    }
}
