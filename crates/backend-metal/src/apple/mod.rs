//! The layer on Metal. This module runs on Apple's machines alone: each method is a call or two, with the contract of
//! Metal's documentation that it relies on.

mod commands;
mod objects;
mod pipeline;

use std::ffi::c_void;
use std::ptr::NonNull;

use gpu_hal::{GoldilocksStark, Result};
use gpu_runtime::{GpuBackend, GpuProtocol};
use objc2::rc::autoreleasepool;
use objc2_foundation::NSPageSize;
use objc2_metal::{
    MTLBuffer, MTLCommandQueue, MTLComputePipelineState, MTLCopyAllDevices, MTLDevice, MTLGPUFamily, MTLResourceOptions,
};

use crate::NAME;
use crate::device::{MetalDevice, Options, unavailable};
use crate::layer::{Facts, Layer, Limits, Queue, Storage};
use commands::AppleCommands;
pub use objects::AppleLayer;
use objects::{AppleBuffer, AppleLibrary, ApplePipeline};

/// The backend of a protocol on an Apple GPU.
pub type Metal<P = GoldilocksStark> = GpuBackend<MetalDevice<AppleLayer>, P>;

/// Names of the devices, by number.
pub fn devices() -> Vec<String> {
    // `MTLCopyAllDevices`: every GPU of the system; on iOS the one that it has.
    MTLCopyAllDevices().iter().map(|device| device.name().to_string()).collect()
}

/// The backend of a protocol on the first device.
///
/// # Errors
/// As [`open_device`].
pub fn open<P: GpuProtocol>() -> Result<Metal<P>> {
    open_device(0)
}

/// The backend of a protocol on a device, by its number in [`devices`].
///
/// # Errors
/// [`gpu_hal::ErrorKind::Unavailable`] if there is no such device, or one that the kernels do not run on.
pub fn open_device<P: GpuProtocol>(number: u32) -> Result<Metal<P>> {
    Metal::new(NAME, MetalDevice::new(AppleLayer::new(number)?, Options::default())?)
}

impl AppleLayer {
    /// The device of that number.
    ///
    /// # Errors
    /// [`gpu_hal::ErrorKind::Unavailable`] if there is none, or one without simdgroups of 32 threads or queues.
    pub fn new(number: u32) -> Result<Self> {
        let device = MTLCopyAllDevices().iter().nth(number as usize);
        let device = device.ok_or_else(|| unavailable(format!("Metal has no device {number} here")))?;
        // Apple7 is the M1's family. Older GPUs, and GPUs of other makers in older Macs, lack functions of simdgroups
        // that the kernels use.
        if !device.supportsFamily(MTLGPUFamily::Apple7) {
            return Err(unavailable(format!("{}: an Apple GPU from the M1 on is needed", device.name())));
        }
        let none = || unavailable(format!("{} gives no queue", device.name()));
        // `newCommandQueue`, `newEvent`: nil if the system has no resources for it.
        let queue = || device.newCommandQueue().ok_or_else(none);
        let event = || device.newEvent().ok_or_else(none);
        let (queues, events) = ([queue()?, queue()?], [event()?, event()?]);
        let facts = Facts {
            name: device.name().to_string(),
            registry: device.registryID(),
            max_threads: device.maxThreadsPerThreadgroup().width as u32,
            shared_bytes: device.maxThreadgroupMemoryLength() as u32,
            working_set: device.recommendedMaxWorkingSetSize(),
            max_buffer: device.maxBufferLength() as u64,
            is_unified: device.hasUnifiedMemory(),
        };
        Ok(Self { device, queues, events, facts })
    }
}

impl Layer for AppleLayer {
    type Buffer = AppleBuffer;
    type Library = AppleLibrary;
    type Pipeline = ApplePipeline;
    type Commands = AppleCommands;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    /// `currentAllocatedSize`: of all resources of this process on the device.
    fn allocated(&self) -> u64 {
        self.device.currentAllocatedSize() as u64
    }

    /// `newBufferWithLength:options:`: nil without memory. Hazards are tracked by default: Metal orders commands that
    /// touch a buffer.
    fn buffer(&self, bytes: u64, storage: Storage) -> Option<AppleBuffer> {
        let options = match storage {
            Storage::Private => MTLResourceOptions::StorageModePrivate,
            Storage::Shared => MTLResourceOptions::StorageModeShared,
        };
        self.device.newBufferWithLength_options(usize::try_from(bytes).ok()?, options).map(AppleBuffer)
    }

    /// `newBufferWithBytesNoCopy:length:options:deallocator:`: whole pages of one mapping, else nil; without a
    /// deallocator the memory stays its owner's.
    unsafe fn lend(&self, start: *mut u8, bytes: usize) -> Option<AppleBuffer> {
        let start = NonNull::new(start.cast::<c_void>())?;
        let options = MTLResourceOptions::StorageModeShared;
        // SAFETY: the caller's promise.
        let buffer =
            unsafe { self.device.newBufferWithBytesNoCopy_length_options_deallocator(start, bytes, options, None) };
        buffer.map(AppleBuffer)
    }

    fn page(&self) -> usize {
        NSPageSize()
    }

    /// `contents`: the address of a shared buffer, for as long as it lives.
    fn contents(&self, buffer: &AppleBuffer) -> *mut u8 {
        buffer.0.contents().as_ptr().cast()
    }

    fn library(&self, text: &str) -> std::result::Result<AppleLibrary, String> {
        autoreleasepool(|_| pipeline::library(&self.device, text)).map(AppleLibrary)
    }

    fn pipeline(
        &self,
        library: &AppleLibrary,
        entry: &str,
        archive: Option<&std::path::Path>,
    ) -> std::result::Result<ApplePipeline, String> {
        autoreleasepool(|_| pipeline::pipeline(&self.device, &library.0, entry, archive)).map(ApplePipeline)
    }

    /// The limits of the compiled pipeline: registers bound the threads.
    fn limits(&self, pipeline: &ApplePipeline) -> Limits {
        Limits {
            max_threads: pipeline.0.maxTotalThreadsPerThreadgroup() as u32,
            width: pipeline.0.threadExecutionWidth() as u32,
            shared_bytes: pipeline.0.staticThreadgroupMemoryLength() as u32,
        }
    }

    /// `commandBuffer`: keeps every resource that its commands name until it is done; waits while 64 of the queue are
    /// not.
    fn commands(&self, queue: Queue) -> Option<AppleCommands> {
        let commands = autoreleasepool(|_| self.queues[queue as usize].commandBuffer())?;
        Some(AppleCommands::new(commands, self.events.clone()))
    }
}
