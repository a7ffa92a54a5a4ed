//! The demands on a GPU: the whole difference between CUDA, Metal and the emulator.

use std::time::Duration;

use gpu_hal::{Budget, Result};
use ir::text::Dialect;

use crate::HostBytes;

/// Threads of a block where a kernel does not say.
pub(crate) const BLOCK_THREADS: u32 = 256;

/// CUDA and Metal take parameter blocks of 4 KiB, and CUDA's have the addresses of the buffers beside them.
pub(crate) const DIALECT: Dialect = Dialect { block_threads: BLOCK_THREADS, param_bytes: 3584 };

/// Properties of a device and limits of its launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The device, in words.
    pub name: String,
    /// Largest number of threads of a block.
    pub max_threads: u32,
    /// Bytes of shared memory that a block may declare.
    pub shared_bytes: u32,
    /// Multiprocessors, or other units that run a block; a launch that should fill the device has a few times as many
    /// blocks.
    pub multiprocessors: u32,
    /// Bytes of device memory, if known.
    pub memory_bytes: Option<u64>,
    /// Sizes of allocations are rounded up to a multiple of this, so that released ones are found again. 256 is right
    /// for a device; the emulator takes 8, so that a memory checker sees every access past the end.
    pub granularity: u64,
    /// How many field operations of a constraint program go into a kernel that is generated for it, about; a longer
    /// program gets several. With 0 all programs are interpreted, and else only programs longer than 64 kernels. A
    /// compiler for GPUs takes about a second for 300.
    pub generated_operations: u32,
    /// Up to how many words of values, twenty for an operation on felts, a row program gets a kernel of its own; longer
    /// ones, and with 0 all, are interpreted.
    pub generated_row_words: u32,
}

impl DeviceInfo {
    /// Log2 of how many threads the device runs in the time that it takes for one, about.
    pub(crate) fn log_threads(&self) -> u32 {
        (u64::from(self.multiprocessors.max(1)) * 128).ilog2()
    }
}

/// A translation unit: the kernels of one purpose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelSource {
    /// Name, for messages and cache files.
    pub name: &'static str,
    /// The whole text, `dialect.h` first. It includes nothing.
    pub text: String,
    /// Macros to define before the text, besides that of the dialect.
    pub defines: Vec<(&'static str, u64)>,
}

/// A buffer argument: `memory` from `offset` bytes on.
pub struct Argument<'a, M> {
    /// The memory.
    pub memory: &'a M,
    /// Where the kernel's pointer points, in bytes from the start.
    pub offset: u64,
}

impl<M> Clone for Argument<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Argument<'_, M> {}

/// One execution of a kernel.
pub struct Launch<'a, D: KernelDevice> {
    /// The kernel.
    pub kernel: &'a D::Kernel,
    /// Blocks in x, y and z: at least 1; x below 2^31, y and z at most 65535.
    pub grid: [u32; 3],
    /// Threads of a block (one-dimensional), at least 1.
    pub block: u32,
    /// Buffers, in the order of the kernel's slots.
    pub buffers: &'a [Argument<'a, D::Memory>],
    /// The parameter block, byte for byte the kernel's struct.
    pub params: &'a [u8],
}

/// An upload beside the work of the queue.
pub struct Upload<'a, D: KernelDevice> {
    /// The memory.
    pub to: &'a D::Memory,
    /// Where the first byte goes.
    pub offset: u64,
    /// The bytes to copy.
    pub from: HostBytes<'a>,
    /// Bytes of a part, of which the last may have fewer; not zero.
    pub part: usize,
    /// A moment of the queue at which nothing enqueued uses the range any more.
    pub after: &'a D::Event,
    /// Looks at bytes, whole words, and says whether they may be used. Called on any thread.
    pub accept: &'a (dyn Fn(&[u8]) -> bool + Sync),
}

/// The continuation of a part of an upload: takes its number and the moment at which it is there, for
/// [`KernelDevice::wait`].
pub type Then<'a, D> = dyn FnMut(usize, &<D as KernelDevice>::Event) -> Result<()> + 'a;

/// A device with one in-order queue, and possibly a second one for uploads. Everything but [`Self::download`],
/// [`Self::synchronize`] and [`Self::elapsed`] may return before it is done; calls are done in order, from all threads.
/// Only [`Self::upload_beside`] is in no order with the rest but the one that it is given.
///
/// All sizes and offsets are in bytes and multiples of 8. The caller keeps ranges within allocations and drops memory
/// only after the calls that use it were made. Errors are of these kinds: [`gpu_hal::ErrorKind::OutOfMemory`],
/// [`gpu_hal::ErrorKind::KernelBuild`], [`gpu_hal::ErrorKind::DeviceLost`], [`gpu_hal::ErrorKind::Backend`].
pub trait KernelDevice: Send + Sync + Sized + 'static {
    /// Device memory, released on drop (after the work enqueued before).
    type Memory: Send + Sync + 'static;
    /// A compiled translation unit.
    type Module: Send + Sync + 'static;
    /// An entry point of a module.
    type Kernel: Send + Sync + 'static;
    /// A moment in the queue.
    type Event: Send + Sync + 'static;

    /// Its properties.
    fn info(&self) -> &DeviceInfo;

    /// The promises on its memory: one budget for all users of the device at the same time.
    fn budget(&self) -> Budget {
        Budget::default()
    }

    /// Bytes that can still be allocated, if known.
    fn free_memory(&self) -> Result<Option<u64>>;

    /// Uninitialised memory; `bytes` is not zero.
    fn alloc(&self, bytes: u64) -> Result<Self::Memory>;

    /// Copies from the host. `from` may be changed or dropped once this returns.
    fn upload(&self, to: &Self::Memory, offset: u64, from: &[u8]) -> Result<()>;

    /// Copies from the host beside the work of the queue: not before `upload.after`, and in no other order with the
    /// enqueued work. Every byte is shown to `upload.accept` once, and every part given to `then`, in order, on this
    /// thread, while later ones are on their way. Returns whether all bytes were accepted. If not, and after an error,
    /// some parts were not given to `then`, the range has unspecified content, and nothing writes to it any more.
    ///
    /// This default is for devices with one queue.
    fn upload_beside(&self, upload: &Upload<'_, Self>, then: &mut Then<'_, Self>) -> Result<bool> {
        let bytes = upload.from.len();
        for (number, start) in (0..bytes).step_by(upload.part).enumerate() {
            let mut offset = upload.offset + start as u64;
            for piece in upload.from.range(start..bytes.min(start + upload.part)) {
                if !(upload.accept)(&piece) {
                    return Ok(false);
                }
                // In order with all else, so after that moment too.
                self.upload(upload.to, offset, &piece)?;
                offset += piece.len() as u64;
            }
            then(number, &self.record()?)?;
        }
        Ok(true)
    }

    /// Work enqueued from here on runs after `moment`, of either queue.
    fn wait(&self, moment: &Self::Event) -> Result<()> {
        // A moment of the only queue.
        let _ = moment;
        Ok(())
    }

    /// Bytes of a part of [`Self::upload_beside`] that are worth the launches of the work that follows them.
    fn upload_batch(&self) -> u64 {
        32 << 20
    }

    /// Up to how many bytes of elements are copied by [`Self::upload`]: the moments of [`Self::upload_beside`] would
    /// take longer.
    fn upload_in_order(&self) -> u64 {
        0
    }

    /// Copies to the host, after all that was enqueued before; waits.
    fn download(&self, from: &Self::Memory, offset: u64, to: &mut [u8]) -> Result<()>;

    /// Copies on the device, between different allocations or ranges that do not overlap.
    fn copy(&self, from: &Self::Memory, from_offset: u64, to: &Self::Memory, to_offset: u64, bytes: u64) -> Result<()>;

    /// Copies to another device of the kind: after all that was enqueued here and there before, and before work that is
    /// enqueued there from here on. After an error nothing writes to the target any more.
    ///
    /// This default goes through the host.
    fn copy_peer(
        &self,
        from: &Self::Memory,
        from_offset: u64,
        peer: &Self,
        to: (&Self::Memory, u64),
        bytes: u64,
    ) -> Result<()> {
        let mut host = vec![0; bytes as usize];
        self.download(from, from_offset, &mut host)?;
        peer.upload(to.0, to.1, &host)
    }

    /// [`Self::copy_peer`] beside the work of both queues: not before the two moments, of this device and of the peer,
    /// and in no other order with the enqueued work. Gives the moment at which it is done, for either device to
    /// [`Self::wait`] for. Until this device has waited for it the memory there may be read, and until the peer has the
    /// memory here may be written. [`Self::synchronize`] waits for it too.
    ///
    /// This default is for devices with one queue.
    fn copy_peer_beside(
        &self,
        from: (&Self::Memory, u64),
        peer: &Self,
        to: (&Self::Memory, u64),
        bytes: u64,
        after: [&Self::Event; 2],
    ) -> Result<Self::Event> {
        let _ = after;
        self.copy_peer(from.0, from.1, peer, to, bytes)?;
        self.record()
    }

    /// Sets bytes on the device.
    fn fill(&self, memory: &Self::Memory, offset: u64, bytes: u64, value: u8) -> Result<()>;

    /// Compiles a source, or takes it from a cache on disk. Costly; the caller keeps the result.
    fn build(&self, source: &KernelSource) -> Result<Self::Module>;

    /// An entry point of a module.
    fn kernel(&self, module: &Self::Module, entry: &str) -> Result<Self::Kernel>;

    /// Enqueues a kernel.
    fn launch(&self, launch: &Launch<'_, Self>) -> Result<()>;

    /// Waits for everything enqueued; reports a failure in between.
    fn synchronize(&self) -> Result<()>;

    /// Marks this moment in the queue.
    fn record(&self) -> Result<Self::Event>;

    /// Device time between two moments; waits for the later one.
    fn elapsed(&self, from: &Self::Event, to: &Self::Event) -> Result<Duration>;
}
