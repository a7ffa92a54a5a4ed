//! [`KernelDevice`] on the CPU.

use std::ffi::c_void;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use gpu_hal::{ErrorKind, HalError, Result};
use gpu_runtime::{DeviceInfo, KernelDevice, KernelSource, Launch};

use crate::cache::Cache;
use crate::compiler::Compiler;
use crate::memory::EmulatedMemory;
use crate::module::{EmulatedKernel, EmulatedModule, MAX_THREADS, Stacks};

/// How to emulate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of the order in which threads run. Results must not depend on it.
    pub seed: u64,
    /// Up to how many field operations constraint programs get kernels of their own. Default 0: compiling takes longer here than
    /// interpreting.
    pub generated_operations: u32,
    /// Shared memory that a block may take, in bytes. Default 32 KB, which is what the kernels may count on.
    pub shared_bytes: u32,
    /// Folder of compiled kernels; default as the crate's documentation says.
    pub cache: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 0, generated_operations: 0, shared_bytes: 32 << 10, cache: None }
    }
}

/// A device whose kernels run on the CPU. Every call is done when it returns.
#[derive(Debug)]
pub struct EmulatedDevice {
    info: DeviceInfo,
    compiler: Compiler,
    cache: Cache,
    stacks: Stacks,
    seed: u64,
    generated_operations: u32,
}

impl EmulatedDevice {
    /// A device.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] if there is no C++ compiler or no folder for compiled kernels.
    pub fn new(options: Options) -> Result<Self> {
        let compiler = Compiler::find()?;
        let cache = Cache::open(options.cache)?;
        let info = DeviceInfo {
            name: format!("kernels on the CPU, compiled by {}", compiler.name()),
            max_threads: MAX_THREADS,
            shared_bytes: options.shared_bytes,
            multiprocessors: 1,
            memory_bytes: None,
            granularity: 8,
        };
        Ok(Self {
            info,
            compiler,
            cache,
            stacks: Stacks::default(),
            seed: options.seed,
            generated_operations: options.generated_operations,
        })
    }
}

impl KernelDevice for EmulatedDevice {
    type Memory = EmulatedMemory;
    type Module = EmulatedModule;
    type Kernel = EmulatedKernel;
    type Event = Instant;

    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn generated_operations(&self) -> u32 {
        self.generated_operations
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        Ok(None)
    }

    fn alloc(&self, bytes: u64) -> Result<EmulatedMemory> {
        EmulatedMemory::new(bytes)
    }

    fn upload(&self, to: &EmulatedMemory, offset: u64, from: &[u8]) -> Result<()> {
        let target = to.at(offset, from.len() as u64)?;
        // SAFETY: the target has room for as many bytes, and a slice of the host is no device memory.
        unsafe { target.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
        Ok(())
    }

    /// Small, so that tests see tables in parts. Everything here is in order, so the rest of uploads beside the work is the default.
    fn upload_batch(&self) -> u64 {
        1 << 10
    }

    fn download(&self, from: &EmulatedMemory, offset: u64, to: &mut [u8]) -> Result<()> {
        let source = from.at(offset, to.len() as u64)?;
        // SAFETY: the source has as many bytes, and a slice of the host is no device memory.
        unsafe { source.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    fn copy(
        &self,
        from: &EmulatedMemory,
        from_offset: u64,
        to: &EmulatedMemory,
        to_offset: u64,
        bytes: u64,
    ) -> Result<()> {
        let (source, target) = (from.at(from_offset, bytes)?, to.at(to_offset, bytes)?);
        // SAFETY: both ranges are allocated; a copy that allows overlap.
        unsafe { source.copy_to(target, bytes as usize) };
        Ok(())
    }

    fn fill(&self, memory: &EmulatedMemory, offset: u64, bytes: u64, value: u8) -> Result<()> {
        let target = memory.at(offset, bytes)?;
        // SAFETY: the range is allocated.
        unsafe { target.write_bytes(value, bytes as usize) };
        Ok(())
    }

    fn build(&self, source: &KernelSource) -> Result<EmulatedModule> {
        EmulatedModule::load(&self.cache.object(&self.compiler, source)?, self.info.shared_bytes)
    }

    fn kernel(&self, module: &EmulatedModule, entry: &str) -> Result<EmulatedKernel> {
        module.kernel(entry)
    }

    fn launch(&self, launch: &Launch<'_, Self>) -> Result<()> {
        if launch.block == 0 || launch.block > MAX_THREADS || launch.grid.contains(&0) {
            let detail = format!("a launch of {:?} blocks of {} threads", launch.grid, launch.block);
            return Err(HalError::new(ErrorKind::Backend, "launch", detail));
        }
        let buffers: Vec<*mut c_void> = launch
            .buffers
            .iter()
            .map(|argument| argument.memory.at(argument.offset, 0).map(|at| at.cast()))
            .collect::<Result<_>>()?;
        // Words, so that the parameter struct is aligned.
        let mut params = vec![0u64; launch.params.len().div_ceil(8)];
        for (word, bytes) in params.iter_mut().zip(launch.params.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(padded);
        }
        // SAFETY: the runtime gives each kernel the buffers and parameters that its declaration names.
        unsafe { launch.kernel.run(launch.grid, launch.block, &buffers, &params, &self.stacks, self.seed) }
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
