//! [`KernelDevice`] on Metal.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gpu_hal::{Budget, ErrorKind, HalError, Result};
use gpu_runtime::{DeviceInfo, KernelDevice, KernelSource, Launch, Piece, Then, Upload};

use crate::archive::Archives;
use crate::error::{build, no_memory, refused};
use crate::layer::{Commands, Layer, Storage};
use crate::queue::{MetalEvent, Queues};
use crate::transfer::Staging;

/// Buffers of a kernel besides its parameter block, which has the index after them.
const PARAMS: usize = 30;

/// Most bytes of a parameter block: Metal's limit for copying them into a command buffer.
const MAX_PARAMS: usize = 4096;

/// Threads of a simdgroup, which the kernels' shuffles count on.
const SIMD_WIDTH: u32 = 32;

/// Blits want offsets and sizes that are multiples of this.
const BLIT: u64 = 4;

/// How to use a device.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder of compiled kernels; default as the crate's documentation says.
    pub cache: Option<PathBuf>,
    /// How many field operations of a constraint program go into a generated kernel; none for the runtime's choice.
    pub generated_operations: Option<u32>,
    /// How long the host waits for a command buffer before it gives the device up.
    pub patience: Duration,
    /// How products of 64 bits are made, 32 (of products of halves) or 64 (by Metal's compiler): `METAL_PRODUCT_BITS`
    /// of `dialect.h`.
    pub product_bits: u32,
}

impl Default for Options {
    /// The environment variable `POLYSTARK_METAL_PRODUCT_BITS` may say 64.
    fn default() -> Self {
        let bits = std::env::var("POLYSTARK_METAL_PRODUCT_BITS").ok().and_then(|bits| bits.parse().ok());
        let patience = Duration::from_secs(120);
        Self { cache: None, generated_operations: None, patience, product_bits: bits.unwrap_or(32) }
    }
}

/// A GPU behind a layer of Metal.
pub struct MetalDevice<L: Layer> {
    info: DeviceInfo,
    options: Options,
    archives: Archives,
    staging: Staging<L>,
    queues: Queues<L>,
    layer: Arc<L>,
}

/// A buffer for the GPU alone.
pub struct MetalMemory<L: Layer> {
    buffer: L::Buffer,
    bytes: u64,
}

/// A compiled source.
pub struct MetalModule<L: Layer> {
    library: L::Library,
    name: &'static str,
    /// Names it in the cache.
    key: String,
}

/// An entry point, ready to run.
pub struct MetalKernel<L: Layer> {
    name: String,
    pipeline: L::Pipeline,
    max_threads: u32,
}

impl<L: Layer> MetalMemory<L> {
    /// The buffer, after a check of the range.
    fn range(&self, op: &'static str, offset: u64, bytes: u64) -> Result<&L::Buffer> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes && offset.is_multiple_of(BLIT) && bytes.is_multiple_of(BLIT) => {
                Ok(&self.buffer)
            }
            _ => Err(refused(op, format!("{bytes} bytes at {offset} of a buffer of {}", self.bytes))),
        }
    }
}

impl<L: Layer> MetalDevice<L> {
    /// A device with queues of its own.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for products that are made of neither 32 nor 64 bits.
    pub fn new(layer: L, options: Options) -> Result<Self> {
        if ![32, 64].contains(&options.product_bits) {
            let detail = format!("products of {} bits: POLYSTARK_METAL_PRODUCT_BITS is 32 or 64", options.product_bits);
            return Err(HalError::invalid("open device", detail));
        }
        let facts = layer.facts();
        let info = DeviceInfo {
            name: format!("{} (Metal, {} GB)", facts.name, facts.working_set >> 30),
            max_threads: facts.max_threads,
            shared_bytes: facts.shared_bytes,
            // Metal does not say; the largest of its GPUs has 80 cores, and more blocks than needed cost little.
            multiprocessors: 40,
            memory_bytes: Some(facts.working_set),
            granularity: 256,
            generated_operations: options.generated_operations.unwrap_or(300),
            generated_row_words: 0,
        };
        let archives = Archives::open(options.cache.clone());
        let (staging, queues) = (Staging::default(), Queues::new(options.patience));
        Ok(Self { info, options, archives, staging, queues, layer: Arc::new(layer) })
    }

    /// The layer below.
    pub fn layer(&self) -> &L {
        &self.layer
    }
}

impl<L: Layer> KernelDevice for MetalDevice<L> {
    type Memory = MetalMemory<L>;
    type Module = MetalModule<L>;
    type Kernel = MetalKernel<L>;
    type Event = MetalEvent<L>;

    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn budget(&self) -> Budget {
        Budget::of_device(&format!("metal:{}", self.layer.facts().registry))
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        Ok(Some(self.layer.facts().working_set.saturating_sub(self.layer.allocated())))
    }

    fn alloc(&self, bytes: u64) -> Result<MetalMemory<L>> {
        let facts = self.layer.facts();
        // Metal gives more than the working set and then swaps.
        let fits = bytes <= facts.max_buffer && self.layer.allocated().saturating_add(bytes) <= facts.working_set;
        let buffer = fits.then(|| self.layer.buffer(bytes, Storage::Private)).flatten();
        Ok(MetalMemory { buffer: buffer.ok_or_else(|| no_memory(bytes))?, bytes })
    }

    fn upload(&self, to: &MetalMemory<L>, offset: u64, from: &[u8]) -> Result<()> {
        let target = to.range("upload", offset, from.len() as u64)?;
        self.staging.upload(&self.layer, from, |staged, at, first, bytes| {
            let mut encoding = self.queues.blit(&self.layer)?;
            encoding.commands().copy((staged, at), (target, offset + first), bytes);
            Ok(())
        })
    }

    fn upload_beside(&self, upload: &Upload<'_, Self>, then: &mut Then<'_, Self>) -> Result<bool> {
        let bytes = upload.from.len();
        let target = upload.to.range("upload", upload.offset, bytes as u64)?;
        let (mut last, mut lent) = (None, Vec::new());
        let mut parts = || -> Result<bool> {
            for (number, start) in (0..bytes).step_by(upload.part).enumerate() {
                let pieces: Vec<Piece<'_>> = upload.from.range(start..bytes.min(start + upload.part)).collect();
                if !pieces.iter().all(|piece| (upload.accept)(piece)) {
                    return Ok(false);
                }
                let first = lent.len();
                lent.extend(pieces);
                let moment = self.queues.upload(&self.layer, upload.after, |commands| {
                    let mut offset = upload.offset + start as u64;
                    for piece in &lent[first..] {
                        self.staging.lend(&self.layer, piece, |staged, at, first, bytes| {
                            commands.copy((staged, at), (target, offset + first), bytes);
                            Ok(())
                        })?;
                        offset += piece.len() as u64;
                    }
                    Ok(())
                })?;
                last = Some(moment.clone());
                then(number, &moment)?;
            }
            Ok(true)
        };
        let result = parts();
        // The host's memory is the caller's again: no copy may read it any more. The queue is in order, so the last is
        // enough.
        let finished = last.map_or(Ok(()), |moment| self.queues.finish(&moment));
        result.and_then(|accepted| finished.map(|()| accepted))
    }

    fn wait(&self, moment: &MetalEvent<L>) -> Result<()> {
        self.queues.wait(&self.layer, moment)
    }

    fn download(&self, from: &MetalMemory<L>, offset: u64, to: &mut [u8]) -> Result<()> {
        let source = from.range("download", offset, to.len() as u64)?;
        self.staging.download(&self.layer, to, |staged, at, first, bytes| {
            let mut encoding = self.queues.blit(&self.layer)?;
            encoding.commands().copy((source, offset + first), (staged, at), bytes);
            drop(encoding);
            self.queues.finish(&self.queues.record(&self.layer)?)
        })
    }

    fn copy(
        &self,
        from: &MetalMemory<L>,
        from_offset: u64,
        to: &MetalMemory<L>,
        to_offset: u64,
        bytes: u64,
    ) -> Result<()> {
        let (source, target) = (from.range("copy", from_offset, bytes)?, to.range("copy", to_offset, bytes)?);
        self.queues.blit(&self.layer)?.commands().copy((source, from_offset), (target, to_offset), bytes);
        Ok(())
    }

    fn fill(&self, memory: &MetalMemory<L>, offset: u64, bytes: u64, value: u8) -> Result<()> {
        let target = memory.range("fill", offset, bytes)?;
        self.queues.blit(&self.layer)?.commands().fill(target, offset, bytes, value);
        Ok(())
    }

    fn build(&self, source: &KernelSource) -> Result<MetalModule<L>> {
        let bits = self.options.product_bits;
        let defines: String = source.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
        let text = format!(
            "#define POLYSTARK_METAL 1\n#define METAL_PRODUCT_BITS {bits}\n{defines}#line 1 \"{}\"\n{}",
            source.name, source.text
        );
        let library = self.layer.library(&text).map_err(|words| build(source.name, &words))?;
        Ok(MetalModule { library, name: source.name, key: Archives::key(&[&self.info.name, &text]) })
    }

    fn kernel(&self, module: &MetalModule<L>, entry: &str) -> Result<MetalKernel<L>> {
        let fail = |words: &str| build(&format!("{}: {entry}", module.name), words);
        let archive = self.archives.path(module.name, &module.key, entry);
        let pipeline = self.layer.pipeline(&module.library, entry, archive.as_deref());
        let pipeline = pipeline.map_err(|words| fail(&words))?;
        let limits = self.layer.limits(&pipeline);
        if limits.width != SIMD_WIDTH {
            return Err(fail(&format!("simdgroups of {} threads, the kernels need {SIMD_WIDTH}", limits.width)));
        }
        if limits.shared_bytes > self.info.shared_bytes {
            let (takes, has) = (limits.shared_bytes, self.info.shared_bytes);
            return Err(fail(&format!("{takes} bytes of threadgroup memory, the device has {has}")));
        }
        Ok(MetalKernel { name: entry.to_owned(), pipeline, max_threads: limits.max_threads })
    }

    fn launch(&self, launch: &Launch<'_, Self>) -> Result<()> {
        let kernel = launch.kernel;
        let fail = |what: String| Err(refused("launch", format!("kernel '{}': {what}", kernel.name)));
        if launch.buffers.len() > PARAMS || launch.params.len() > MAX_PARAMS {
            return fail(format!("{} buffers and {} bytes", launch.buffers.len(), launch.params.len()));
        }
        if launch.block == 0 || launch.block > kernel.max_threads || launch.grid.contains(&0) {
            let most = kernel.max_threads;
            return fail(format!("{:?} blocks of {} threads, of which it takes {most}", launch.grid, launch.block));
        }
        let buffers = launch.buffers.iter().map(|argument| argument.memory.range("launch", argument.offset, 0));
        let buffers = buffers.collect::<Result<Vec<_>>>()?;
        let mut encoding = self.queues.compute(&self.layer)?;
        let commands = encoding.commands();
        commands.set_pipeline(&kernel.pipeline);
        for (index, (buffer, argument)) in buffers.iter().zip(launch.buffers).enumerate() {
            commands.set_buffer(index, buffer, argument.offset);
        }
        if !launch.params.is_empty() {
            commands.set_bytes(PARAMS, launch.params);
        }
        commands.dispatch(launch.grid, launch.block);
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        self.queues.synchronize()
    }

    fn record(&self) -> Result<MetalEvent<L>> {
        self.queues.record(&self.layer)
    }

    fn elapsed(&self, from: &MetalEvent<L>, to: &MetalEvent<L>) -> Result<Duration> {
        self.queues.elapsed(from, to)
    }
}

/// No device of that number.
#[cfg_attr(not(target_vendor = "apple"), expect(dead_code, reason = "only Apple's systems have devices"))]
pub(crate) fn unavailable(detail: impl Into<String>) -> HalError {
    HalError::new(ErrorKind::Unavailable, "open device", detail)
}
