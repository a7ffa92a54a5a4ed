//! [`KernelDevice`] on CUDA.

use std::ffi::c_void;
use std::path::PathBuf;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::{self, CUdevice_attribute, CUevent, CUevent_flags, CUstream};
use gpu_hal::{Budget, ErrorKind, HalError, Result};
use gpu_runtime::{DeviceInfo, HostBytes, KernelDevice, KernelSource, Launch, Then, Upload};

use crate::driver::{DeviceSummary, Driver, attribute};
use crate::error::unavailable;
use crate::kernels::Kernels;
use crate::memory::CudaMemory;
use crate::module::{CudaKernel, CudaModule};
use crate::queue::{Queue, Stream};
use crate::transfer::{Copy, Staging};

/// The oldest compute capability that the kernels run on.
const OLDEST: (u32, u32) = (7, 5);

/// Bytes that the driver may take beyond the requested ones: its pool rounds, and kernels that are loaded take memory
/// too. A device with this much more than a plan has room for it, as a test shows.
const ROUNDING: u64 = 128 << 20;

/// How many operations of a program go into a generated kernel, if nobody says otherwise.
pub const GENERATED_OPERATIONS: u32 = 1024;

/// Most buffers of a kernel, and most bytes of its parameters: the driver's limits.
const MAX_BUFFERS: usize = 64;
const MAX_PARAMS: usize = 4096;

/// Words of values of the longest row program that gets a kernel of its own.
pub const GENERATED_ROW_WORDS: u32 = 20_000;

/// The device, and the way to open it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Number of the device, as [`crate::devices`] counts them.
    pub ordinal: u32,
    /// Folder of compiled kernels; default as the crate's documentation says.
    pub cache: Option<PathBuf>,
    /// Folder of shipped kernels, likewise.
    pub kernels: Option<PathBuf>,
    /// How many field operations of a constraint program go into a generated kernel; none for the runtime's choice.
    pub generated_operations: Option<u32>,
    /// Up to how many words of values a row program gets a kernel of its own; none for this backend's own number.
    pub generated_row_words: Option<u32>,
}

/// A GPU.
#[derive(Debug)]
pub struct CudaDevice {
    info: DeviceInfo,
    summary: DeviceSummary,
    options: Options,
    kernels: Kernels,
    // Dropped before the queue that it holds.
    staging: Staging,
    queue: Arc<Queue>,
}

/// A moment in the queue.
#[derive(Debug)]
pub struct CudaEvent {
    event: CUevent,
    queue: Arc<Queue>,
}

// SAFETY: the driver may be called by several threads; an event is recorded once, when it is made.
unsafe impl Send for CudaEvent {}
// SAFETY: as above.
unsafe impl Sync for CudaEvent {}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        if self.queue.enter().is_ok() {
            // SAFETY: made once, released once.
            let _ = unsafe { sys::cuEventDestroy_v2(self.event) };
        }
    }
}

impl CudaDevice {
    /// A device with a context of its own.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] without a driver, a device of that number, or both shipped kernels and NVRTC, and for
    /// ones that are too old; the detail names the package to install. [`ErrorKind::OutOfMemory`] if other programs
    /// have taken the device's memory.
    pub fn new(options: Options) -> Result<Self> {
        let driver = Driver::load()?;
        let (device, summary) = driver.device(options.ordinal)?;
        let (major, minor) = summary.capability;
        if summary.capability < OLDEST {
            return Err(unavailable(format!(
                "{} has compute capability {major}.{minor}; {}.{} is needed: use another device",
                summary.name, OLDEST.0, OLDEST.1
            )));
        }
        let known = driver.version();
        let (shipped, cache) = (options.kernels.clone(), options.cache.clone());
        let kernels = Kernels::open(summary.capability, known, shipped, cache)?;
        let info = DeviceInfo {
            name: format!(
                "{} (compute capability {major}.{minor}, driver for CUDA {}.{}, {})",
                summary.name,
                known.0,
                known.1,
                kernels.describe()
            ),
            max_threads: attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            shared_bytes: attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
            multiprocessors: summary.multiprocessors,
            memory_bytes: Some(summary.memory_bytes),
            granularity: 256,
            generated_operations: options.generated_operations.unwrap_or(GENERATED_OPERATIONS),
            generated_row_words: options.generated_row_words.unwrap_or(GENERATED_ROW_WORDS),
        };
        let queue = Arc::new(Queue::new(device)?);
        Ok(Self { info, summary, options, kernels, staging: Staging::default(), queue })
    }

    /// This moment in a stream of the queue; the context is current.
    fn record_in(&self, stream: CUstream) -> Result<CudaEvent> {
        let mut event = ptr::null_mut();
        let flags = CUevent_flags::CU_EVENT_DEFAULT as u32;
        // SAFETY: the context is current; the driver writes one handle.
        self.queue.check(unsafe { sys::cuEventCreate(&mut event, flags) }, "cuEventCreate")?;
        let event = CudaEvent { event, queue: Arc::clone(&self.queue) };
        // SAFETY: event and stream are of the current context.
        self.queue.check(unsafe { sys::cuEventRecord(event.event, stream) }, "cuEventRecord")?;
        Ok(event)
    }

    /// Work that is enqueued in a stream from here on runs after a moment, of this device or another; the stream's
    /// context is current.
    fn let_wait(&self, stream: CUstream, moment: &CudaEvent) -> Result<()> {
        // SAFETY: the stream is of the current context; the event is alive, was recorded when it was made, and may be
        // of any context.
        self.queue.check(unsafe { sys::cuStreamWaitEvent(stream, moment.event, 0) }, "cuStreamWaitEvent")
    }

    /// Whether copies to a peer go from device to device, over NVLink or PCIe; if not, the driver takes them through
    /// the host's memory.
    ///
    /// # Errors
    /// [`ErrorKind::DeviceLost`].
    pub fn reaches(&self, peer: &Self) -> Result<bool> {
        self.queue.reaches(&peer.queue)
    }

    /// The device, in words and numbers.
    pub fn summary(&self) -> &DeviceSummary {
        &self.summary
    }
}

impl KernelDevice for CudaDevice {
    type Memory = CudaMemory;
    type Module = CudaModule;
    type Kernel = CudaKernel;
    type Event = CudaEvent;

    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn budget(&self) -> Budget {
        Budget::of_device(&format!("cuda:{}", self.options.ordinal))
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        Ok(Some(self.queue.free_memory()?.saturating_sub(ROUNDING)))
    }

    fn alloc(&self, bytes: u64) -> Result<CudaMemory> {
        CudaMemory::new(&self.queue, bytes)
    }

    fn upload(&self, to: &CudaMemory, offset: u64, from: &[u8]) -> Result<()> {
        let target = to.at(offset, from.len() as u64)?;
        let (slices, part) = ([from], from.len().max(1));
        let copy = Copy { to: target, from: HostBytes::new(&slices), part, stream: Stream::Work };
        self.staging.upload(&self.queue, &copy, &|_| true, &mut |_| Ok(())).map(|_| ())
    }

    fn upload_beside(&self, upload: &Upload<'_, Self>, then: &mut Then<'_, Self>) -> Result<bool> {
        let target = upload.to.at(upload.offset, upload.from.len() as u64)?;
        let stream = self.queue.enter_stream(Stream::Uploads)?;
        self.let_wait(stream, upload.after)?;
        let copy = Copy { to: target, from: upload.from, part: upload.part, stream: Stream::Uploads };
        let result = self.staging.upload(&self.queue, &copy, upload.accept, &mut |number| {
            then(number, &self.record_in(self.queue.enter_stream(Stream::Uploads)?)?)
        });
        if !matches!(result, Ok(true)) {
            // The caller needs this error; a stream that cannot be waited for does nothing any more.
            let _ = self.queue.drain(stream);
        }
        result
    }

    fn upload_in_order(&self) -> u64 {
        64 << 10
    }

    fn wait(&self, moment: &CudaEvent) -> Result<()> {
        self.let_wait(self.queue.enter()?, moment)
    }

    fn download(&self, from: &CudaMemory, offset: u64, to: &mut [u8]) -> Result<()> {
        self.staging.download(&self.queue, from.at(offset, to.len() as u64)?, to)
    }

    fn copy(&self, from: &CudaMemory, from_offset: u64, to: &CudaMemory, to_offset: u64, bytes: u64) -> Result<()> {
        let (source, target) = (from.at(from_offset, bytes)?, to.at(to_offset, bytes)?);
        let stream = self.queue.enter()?;
        // SAFETY: both ranges are allocated and do not overlap; they are released later in the stream.
        self.queue.check(unsafe { sys::cuMemcpyDtoDAsync_v2(target, source, bytes as usize, stream) }, "cuMemcpyDtoD")
    }

    /// From device to device, over NVLink where there is one; the driver goes through the host where devices cannot
    /// reach each other ([`Self::reaches`]).
    fn copy_peer(
        &self,
        from: &CudaMemory,
        from_offset: u64,
        peer: &Self,
        to: (&CudaMemory, u64),
        bytes: u64,
    ) -> Result<()> {
        let (source, target) = (from.at(from_offset, bytes)?, to.0.at(to.1, bytes)?);
        self.reaches(peer)?;
        // Earlier uses of the target's memory are in the peer's queue, and so is its allocation.
        let free = peer.record()?;
        let stream = self.queue.enter()?;
        self.let_wait(stream, &free)?;
        let (here, there) = (self.queue.context(), peer.queue.context());
        // SAFETY: both ranges were checked, each in memory of its context; the source is released or reused later in
        // this stream, and every use, reuse or release of the target waits for the copy: the peer's queue by the event,
        // or else this call.
        let code = unsafe { sys::cuMemcpyPeerAsync(target, there, source, here, bytes as usize, stream) };
        let copied = self.queue.check(code, "cuMemcpyPeer").and_then(|()| self.record_in(stream));
        copied.and_then(|copied| peer.wait(&copied)).inspect_err(|_| {
            // The caller needs this error; a stream that cannot be waited for does nothing any more.
            let _ = self.queue.enter().and_then(|stream| self.queue.drain(stream));
        })
    }

    fn copy_peer_beside(
        &self,
        from: (&CudaMemory, u64),
        peer: &Self,
        to: (&CudaMemory, u64),
        bytes: u64,
        after: [&CudaEvent; 2],
    ) -> Result<CudaEvent> {
        let (source, target) = (from.0.at(from.1, bytes)?, to.0.at(to.1, bytes)?);
        self.reaches(peer)?;
        let stream = self.queue.enter_stream(Stream::Copies)?;
        after.into_iter().try_for_each(|moment| self.let_wait(stream, moment))?;
        let (here, there) = (self.queue.context(), peer.queue.context());
        // SAFETY: both ranges were checked, each in memory of its context; from the moments on the source is there and
        // the target free, and the caller lets both queues wait for the event before that memory is used for anything
        // else.
        let code = unsafe { sys::cuMemcpyPeerAsync(target, there, source, here, bytes as usize, stream) };
        let copied = self.queue.check(code, "cuMemcpyPeer").and_then(|()| self.record_in(stream));
        copied.inspect_err(|_| {
            // A stream that cannot be waited for does nothing any more.
            let _ = self.queue.enter_stream(Stream::Copies).and_then(|stream| self.queue.drain(stream));
        })
    }

    fn fill(&self, memory: &CudaMemory, offset: u64, bytes: u64, value: u8) -> Result<()> {
        let target = memory.at(offset, bytes)?;
        let stream = self.queue.enter()?;
        // SAFETY: the range is allocated.
        self.queue.check(unsafe { sys::cuMemsetD8Async(target, value, bytes as usize, stream) }, "cuMemsetD8")
    }

    fn build(&self, source: &KernelSource) -> Result<CudaModule> {
        let (compiled, fresh) = self.kernels.get(source)?;
        match CudaModule::load(&self.queue, &compiled) {
            // Machine code that this driver does not take.
            Err(error) if error.kind == ErrorKind::KernelBuild && !fresh => {
                CudaModule::load(&self.queue, &self.kernels.renew(source)?)
            }
            result => result,
        }
    }

    fn kernel(&self, module: &CudaModule, entry: &str) -> Result<CudaKernel> {
        module.kernel(entry)
    }

    fn launch(&self, launch: &Launch<'_, Self>) -> Result<()> {
        if launch.buffers.len() > MAX_BUFFERS || launch.params.len() > MAX_PARAMS {
            let detail = format!("a launch with {} buffers and {} bytes", launch.buffers.len(), launch.params.len());
            return Err(HalError::new(ErrorKind::Backend, "launch", detail));
        }
        // The driver reads as many arguments, and as many bytes of them, as the kernel declares: arguments that the
        // launch lacks are zero.
        let mut params = [0u64; MAX_PARAMS / 8];
        for (word, bytes) in params.iter_mut().zip(launch.params.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(padded);
        }
        let mut addresses = [0u64; MAX_BUFFERS];
        for (address, argument) in addresses.iter_mut().zip(launch.buffers) {
            *address = argument.memory.at(argument.offset, 0)?;
        }
        let parameters: *mut c_void = params.as_mut_ptr().cast();
        let mut arguments = [parameters; MAX_BUFFERS + 1];
        for (argument, address) in arguments.iter_mut().zip(&mut addresses[..launch.buffers.len()]) {
            *argument = ptr::from_mut(address).cast();
        }
        let [x, y, z] = launch.grid;
        let stream = self.queue.enter()?;
        // SAFETY: the runtime gives each kernel the buffers and parameters that its declaration names; the driver
        // copies the arguments before it returns.
        let code = unsafe {
            sys::cuLaunchKernel(
                launch.kernel.function,
                x,
                y,
                z,
                launch.block,
                1,
                1,
                0,
                stream,
                arguments.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        self.queue.check(code, "cuLaunchKernel")
    }

    fn synchronize(&self) -> Result<()> {
        self.queue.synchronize()
    }

    fn record(&self) -> Result<CudaEvent> {
        self.record_in(self.queue.enter()?)
    }

    fn elapsed(&self, from: &CudaEvent, to: &CudaEvent) -> Result<Duration> {
        self.queue.enter()?;
        // SAFETY: the event is alive.
        self.queue.check(unsafe { sys::cuEventSynchronize(to.event) }, "cuEventSynchronize")?;
        let mut milliseconds = 0f32;
        // SAFETY: both events are alive and were recorded; the driver writes one number.
        let code = unsafe { sys::cuEventElapsedTime_v2(&mut milliseconds, from.event, to.event) };
        self.queue.check(code, "cuEventElapsedTime")?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
    }
}
