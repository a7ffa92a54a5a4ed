//! [`KernelDevice`] on the CPU.

use std::ffi::c_void;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use gpu_hal::{ErrorKind, HalError, Result};
use gpu_runtime::{Argument, DeviceInfo, KernelDevice, KernelSource, Launch};

use crate::cache::Cache;
use crate::compiler::{Compiler, Dialect};
use crate::memory::EmulatedMemory;
use crate::module::{EmulatedKernel, EmulatedModule, MAX_THREADS, Stacks};

/// How to emulate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of the order in which threads run. Results must not depend on it.
    pub seed: u64,
    /// How many field operations of a constraint program go into a generated kernel. Default 0, none is generated:
    /// compiling takes longer here than interpreting.
    pub generated_operations: u32,
    /// Up to how many words of values row programs get kernels of their own. Default 0 for the same reason.
    pub generated_row_words: u32,
    /// Shared memory that a block may take, in bytes. Default 32 KB, on which the kernels may count.
    pub shared_bytes: u32,
    /// Folder of compiled kernels; default as the crate's documentation says.
    pub cache: Option<PathBuf>,
    /// The language that kernels are compiled as.
    pub dialect: Dialect,
}

impl Default for Options {
    fn default() -> Self {
        let dialect = Dialect::Emulated;
        Self { seed: 0, generated_operations: 0, generated_row_words: 0, shared_bytes: 32 << 10, cache: None, dialect }
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
}

impl EmulatedDevice {
    /// A device.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] if there is no C++ compiler or no folder for compiled kernels.
    pub fn new(options: Options) -> Result<Self> {
        let compiler = Compiler::find(options.dialect)?;
        let cache = Cache::open(options.cache)?;
        let info = DeviceInfo {
            name: format!(
                "kernels {}on the CPU, compiled by {}",
                if options.dialect.is_metal() { "in Metal's dialect " } else { "" },
                compiler.name()
            ),
            max_threads: MAX_THREADS,
            shared_bytes: options.shared_bytes,
            multiprocessors: 1,
            memory_bytes: None,
            granularity: 8,
            generated_operations: options.generated_operations,
            generated_row_words: options.generated_row_words,
        };
        Ok(Self { info, compiler, cache, stacks: Stacks::default(), seed: options.seed })
    }
}

impl EmulatedDevice {
    /// Compiles a source as far as a compiler finds mistakes: with clang and Metal's dialect, wrong address spaces,
    /// too.
    ///
    /// # Errors
    /// [`ErrorKind::KernelBuild`] with the compiler's words.
    pub fn check(&self, source: &KernelSource) -> Result<()> {
        self.cache.check(&self.compiler, source)
    }

    /// Whether the compiler knows address spaces.
    pub fn checks_address_spaces(&self) -> bool {
        self.compiler.dialect().is_metal() && self.compiler.is_clang()
    }

    /// Runs a kernel with buffers at given indices, which have none where there is `None`; as [`KernelDevice::launch`].
    ///
    /// # Errors
    /// [`ErrorKind::Backend`] for a launch that no device takes, and for faults of the kernel.
    pub fn launch_at(
        &self,
        kernel: &EmulatedKernel,
        grid: [u32; 3],
        block: u32,
        buffers: &[Option<Argument<'_, EmulatedMemory>>],
        params: &[u8],
    ) -> Result<()> {
        if block == 0 || block > MAX_THREADS || grid.contains(&0) {
            let detail = format!("a launch of {grid:?} blocks of {block} threads");
            return Err(HalError::new(ErrorKind::Backend, "launch", detail));
        }
        let address = |buffer: &Option<Argument<'_, EmulatedMemory>>| match buffer {
            Some(argument) => argument.memory.at(argument.offset, 0).map(|at| at.cast()),
            None => Ok(std::ptr::null_mut()),
        };
        let pointers: Vec<*mut c_void> = buffers.iter().map(address).collect::<Result<_>>()?;
        kernel.check(block, &pointers, params.len())?;
        // Words, so that the parameter struct is aligned.
        let mut words = vec![0u64; params.len().div_ceil(8)];
        for (word, bytes) in words.iter_mut().zip(params.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(padded);
        }
        // SAFETY: the runtime gives each kernel the buffers and parameters that its declaration names.
        unsafe { kernel.run(grid, block, &pointers, &words, &self.stacks, self.seed) }?;
        match buffers.iter().flatten().find(|argument| !argument.memory.is_whole()) {
            None => Ok(()),
            Some(argument) => {
                let (name, bytes) = (kernel.name(), argument.memory.bytes());
                let detail = format!("kernel '{name}' wrote past the end of an allocation of {bytes} bytes");
                Err(HalError::new(ErrorKind::Backend, "launch", detail))
            }
        }
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

    fn free_memory(&self) -> Result<Option<u64>> {
        Ok(None)
    }

    fn alloc(&self, bytes: u64) -> Result<EmulatedMemory> {
        EmulatedMemory::new(bytes, !self.compiler.sanitizes_addresses())
    }

    fn upload(&self, to: &EmulatedMemory, offset: u64, from: &[u8]) -> Result<()> {
        let target = to.at(offset, from.len() as u64)?;
        // SAFETY: the target has room for as many bytes, and a slice of the host is no device memory.
        unsafe { target.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
        Ok(())
    }

    /// Small, so that tests see tables in parts. Everything here is in order, so the rest of uploads beside the work is
    /// the default.
    fn upload_batch(&self) -> u64 {
        1 << 10
    }

    /// A few, so that there are uploads of both kinds.
    fn upload_in_order(&self) -> u64 {
        64
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
        let object = self.cache.object(&self.compiler, source)?;
        EmulatedModule::load(&object, self.compiler.dialect(), self.info.shared_bytes)
    }

    fn kernel(&self, module: &EmulatedModule, entry: &str) -> Result<EmulatedKernel> {
        module.kernel(entry)
    }

    fn launch(&self, launch: &Launch<'_, Self>) -> Result<()> {
        let buffers: Vec<_> = launch.buffers.iter().copied().map(Some).collect();
        self.launch_at(launch.kernel, launch.grid, launch.block, &buffers, launch.params)
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
