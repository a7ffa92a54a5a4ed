//! The requests to Metal: objects and calls, one to one. The encoder above it runs on Apple's GPUs and, in tests, on a
//! layer that records the commands and replays them on the emulator.

use std::path::Path;

/// Properties of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its name.
    pub name: String,
    /// A number that tells it from others.
    pub registry: u64,
    /// Most threads of a threadgroup.
    pub max_threads: u32,
    /// Threadgroup memory in bytes.
    pub shared_bytes: u32,
    /// Memory that it works well with, in bytes.
    pub working_set: u64,
    /// Bytes of the largest buffer.
    pub max_buffer: u64,
    /// Whether the GPU reads the host's memory as fast as its own.
    pub is_unified: bool,
}

/// Where a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// For the GPU alone.
    Private,
    /// For GPU and host.
    Shared,
}

/// A queue of command buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// All work, in order.
    Work,
    /// Uploads beside it.
    Uploads,
}

/// Limits of a pipeline's launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most threads of a threadgroup.
    pub max_threads: u32,
    /// Threads of a simdgroup.
    pub width: u32,
    /// Threadgroup memory that it takes, in bytes.
    pub shared_bytes: u32,
}

/// The state of a command buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It waits or runs.
    Running,
    /// It is done.
    Done,
    /// It failed: `MTLCommandBufferError` and Metal's text.
    Failed {
        /// The number of the error.
        code: i64,
        /// Metal's words.
        detail: String,
    },
}

/// A device of Metal. Only methods of [`Commands`] wait for the GPU.
pub trait Layer: Send + Sync + Sized + 'static {
    /// Memory; released when the last command buffer that names it is done.
    type Buffer: Send + Sync + 'static;
    /// Compiled source.
    type Library: Send + Sync + 'static;
    /// An entry point, ready to run.
    type Pipeline: Send + Sync + 'static;
    /// A command buffer.
    type Commands: Commands<Layer = Self>;

    /// The device's properties.
    fn facts(&self) -> &Facts;

    /// Bytes that this process has allocated on it.
    fn allocated(&self) -> u64;

    /// A buffer with unspecified content; none if there is no memory. `bytes` is not zero.
    fn buffer(&self, bytes: u64, storage: Storage) -> Option<Self::Buffer>;

    /// A shared buffer that is whole pages of the host's memory; none if the system does not do that. `start` and
    /// `bytes` are multiples of [`Self::page`].
    ///
    /// # Safety
    /// The pages must be there, and not be used against the order of the commands, until all that name the buffer are
    /// done.
    unsafe fn lend(&self, start: *mut u8, bytes: usize) -> Option<Self::Buffer>;

    /// Bytes of a page of the host's memory.
    fn page(&self) -> usize;

    /// Where the host finds a shared buffer.
    fn contents(&self, buffer: &Self::Buffer) -> *mut u8;

    /// Compiles a source.
    ///
    /// # Errors
    /// The compiler's words.
    fn library(&self, text: &str) -> Result<Self::Library, String>;

    /// An entry point, from the archive in that file if it is there and fits; else it is made, and the file written if
    /// that works.
    ///
    /// # Errors
    /// Metal's words.
    fn pipeline(&self, library: &Self::Library, entry: &str, archive: Option<&Path>) -> Result<Self::Pipeline, String>;

    /// The limits of a pipeline's launches.
    fn limits(&self, pipeline: &Self::Pipeline) -> Limits;

    /// A new command buffer, after earlier ones of the queue. None if the system has no more.
    fn commands(&self, queue: Queue) -> Option<Self::Commands>;
}

/// A command buffer. Commands between `begin` and `end` are of one encoder; one is open at a time, none at a signal, a
/// wait and a commit. The commands of an encoder, the encoders and the command buffers of a queue run one after the
/// other.
pub trait Commands: Send + Sync + 'static {
    /// Where its objects come from.
    type Layer: Layer;

    /// Begins an encoder of kernels. Nothing is bound.
    fn begin_compute(&mut self);

    /// Begins an encoder of copies.
    fn begin_blit(&mut self);

    /// Ends the encoder.
    fn end(&mut self);

    /// The kernel of the next dispatches.
    fn set_pipeline(&mut self, pipeline: &<Self::Layer as Layer>::Pipeline);

    /// Binds a buffer from `offset` bytes on to an index.
    fn set_buffer(&mut self, index: usize, buffer: &<Self::Layer as Layer>::Buffer, offset: u64);

    /// Binds a copy of these bytes, at most 4 KiB, to an index.
    fn set_bytes(&mut self, index: usize, bytes: &[u8]);

    /// Runs the kernel: `grid` threadgroups of `threads` by 1 by 1 threads.
    fn dispatch(&mut self, grid: [u32; 3], threads: u32);

    /// Copies bytes from an offset to an offset.
    fn copy(
        &mut self,
        from: (&<Self::Layer as Layer>::Buffer, u64),
        to: (&<Self::Layer as Layer>::Buffer, u64),
        bytes: u64,
    );

    /// Sets bytes.
    fn fill(&mut self, buffer: &<Self::Layer as Layer>::Buffer, offset: u64, bytes: u64, value: u8);

    /// Sets the event of a queue to a value, which grows, once the commands so far are done.
    fn signal(&mut self, event: Queue, value: u64);

    /// Holds the commands that come, and the commands of the queue's next command buffers, until the event of a queue
    /// has the value.
    fn wait(&mut self, event: Queue, value: u64);

    /// Hands the command buffer to the GPU. No command comes after.
    fn commit(&mut self);

    /// Its state, after [`Self::commit`].
    fn status(&self) -> Status;

    /// When it ended, in seconds of the GPU's clock; after it is done.
    fn end_time(&self) -> f64;
}
