//! A layer of Metal without Metal: it records the commands and replays them on the emulator, as late and in as unlucky
//! an order as Metal may: nothing runs before someone waits for it, and the other queue runs no further than a wait for
//! its event makes it.

#![allow(dead_code, reason = "each test uses a part of it")]

mod replay;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use backend_emulated::{Dialect, EmulatedDevice, EmulatedKernel, EmulatedMemory, EmulatedModule, Options};
use backend_metal::layer::{Commands, Facts, Layer, Limits, Queue, Status, Storage};
use backend_metal::{MetalDevice, NAME};
use gpu_hal::Result;
use gpu_runtime::{GpuBackend, GpuProtocol, KernelDevice, KernelSource};

pub(crate) use replay::Summary;
use replay::{Command, Committed, Inner, get};

/// The index of a kernel's parameter block.
const PARAMS: usize = 30;
const PAGE: usize = 16 << 10;

/// Faults made on purpose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    /// Command buffers never end.
    pub(crate) hang: bool,
    /// The command buffer of that number, from 0, fails with that error of Metal's.
    pub(crate) fail: Option<(u64, i64)>,
    /// Bytes of all buffers; 1 GiB if it isn't said.
    pub(crate) memory: Option<u64>,
    /// Every buffer index is one too high.
    pub(crate) wrong_index: bool,
    /// Threadgroups have half their threads.
    pub(crate) half_groups: bool,
}

/// Memory of the mock.
#[derive(Clone)]
pub(crate) enum Buffer {
    Private(Arc<EmulatedMemory>, Arc<Taken>),
    Shared(Arc<Host>, Arc<Taken>),
    /// Pages of the host.
    Lent(Pages),
}

/// Bytes that count as allocated as long as this lives.
pub(crate) struct Taken(u64, Arc<AtomicU64>);

impl Drop for Taken {
    fn drop(&mut self) {
        self.1.fetch_sub(self.0, Ordering::SeqCst);
    }
}

/// Memory that the host and the commands see.
pub(crate) struct Host {
    start: *mut u8,
    words: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Pages {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: used under the contract of `Layer`: a waiter for the commands comes after them.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}
// SAFETY: as above.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Host {
    fn new(bytes: u64) -> Self {
        let words = (bytes as usize).div_ceil(8);
        let memory: Box<[u64]> = vec![0xdbdb_dbdb_dbdb_dbdb; words].into_boxed_slice();
        Self { start: Box::into_raw(memory).cast(), words }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: it was made from a box of as many words.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(self.start.cast::<u64>(), self.words)) });
    }
}

/// The layer.
pub(crate) struct Mock {
    facts: Facts,
    inner: Arc<Inner>,
}

pub(crate) struct Recording {
    queue: Queue,
    commands: Vec<Command>,
    is_encoding: Option<bool>,
    inner: Arc<Inner>,
    status: Arc<Mutex<Option<Status>>>,
}

impl Mock {
    pub(crate) fn new(faults: Faults) -> Result<Self> {
        let options = Options { seed: 23, dialect: Dialect::METAL, ..Options::default() };
        let emulated = EmulatedDevice::new(options)?;
        let facts = Facts {
            name: "commands recorded for Metal".into(),
            registry: 7,
            max_threads: 1024,
            shared_bytes: 32 << 10,
            working_set: faults.memory.unwrap_or(1 << 30),
            max_buffer: 1 << 29,
            is_unified: true,
        };
        let inner =
            Inner { emulated, world: Mutex::default(), faults, allocated: Arc::default(), lent: AtomicU64::new(0) };
        Ok(Self { facts, inner: Arc::new(inner) })
    }

    /// A summary of the commands replayed so far.
    pub(crate) fn summary(&self) -> Summary {
        let lent = self.inner.lent.load(Ordering::SeqCst);
        Summary { lent, ..self.inner.world().summary.clone() }
    }
}

/// The backend of a protocol on the mock.
pub(crate) fn backend<P: GpuProtocol>(
    options: backend_metal::Options,
    faults: Faults,
) -> Result<GpuBackend<MetalDevice<Mock>, P>> {
    GpuBackend::new(NAME, MetalDevice::new(Mock::new(faults)?, options)?)
}

/// Options for short programs by kernels of their own, or with 0 none. No folder of archives.
pub(crate) fn options(generated_operations: u32) -> backend_metal::Options {
    backend_metal::Options {
        generated_operations: Some(generated_operations),
        cache: Some("/dev/null/none".into()),
        ..backend_metal::Options::default()
    }
}

impl Layer for Mock {
    type Buffer = Buffer;
    type Library = EmulatedModule;
    type Pipeline = Arc<EmulatedKernel>;
    type Commands = Recording;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn allocated(&self) -> u64 {
        self.inner.allocated.load(Ordering::SeqCst)
    }

    fn buffer(&self, bytes: u64, storage: Storage) -> Option<Buffer> {
        self.inner.allocated.fetch_add(bytes, Ordering::SeqCst);
        let taken = Arc::new(Taken(bytes, Arc::clone(&self.inner.allocated)));
        Some(match storage {
            Storage::Private => Buffer::Private(Arc::new(self.inner.emulated.alloc(bytes).ok()?), taken),
            Storage::Shared => Buffer::Shared(Arc::new(Host::new(bytes)), taken),
        })
    }

    unsafe fn lend(&self, start: *mut u8, bytes: usize) -> Option<Buffer> {
        assert!(start.addr().is_multiple_of(PAGE) && bytes.is_multiple_of(PAGE), "whole pages");
        self.inner.lent.fetch_add(1, Ordering::SeqCst);
        Some(Buffer::Lent(Pages { start, bytes }))
    }

    fn page(&self) -> usize {
        PAGE
    }

    fn contents(&self, buffer: &Buffer) -> *mut u8 {
        match buffer {
            Buffer::Shared(host, _) => host.start,
            _ => panic!("only shared memory is the host's, too"),
        }
    }

    fn library(&self, text: &str) -> std::result::Result<EmulatedModule, String> {
        // The emulator names the dialect itself; the definitions removed here must be there, too.
        let rest =
            text.strip_prefix("#define POLYSTARK_METAL 1\n#define METAL_PRODUCT_BITS 32\n").ok_or("no dialect")?;
        let source = KernelSource { name: "metal", text: rest.to_owned(), defines: Vec::new() };
        self.inner.emulated.build(&source).map_err(|error| error.detail)
    }

    fn pipeline(
        &self,
        library: &EmulatedModule,
        entry: &str,
        _: Option<&Path>,
    ) -> std::result::Result<Arc<EmulatedKernel>, String> {
        self.inner.emulated.kernel(library, entry).map(Arc::new).map_err(|error| error.detail)
    }

    fn limits(&self, pipeline: &Arc<EmulatedKernel>) -> Limits {
        // The threadgroup memory that it takes is known only when it runs.
        let max_threads = pipeline.metal().expect("of Metal's dialect").max_threads;
        Limits { max_threads, width: 32, shared_bytes: 0 }
    }

    fn commands(&self, queue: Queue) -> Option<Recording> {
        let inner = Arc::clone(&self.inner);
        Some(Recording { queue, commands: Vec::new(), is_encoding: None, inner, status: Arc::default() })
    }
}

impl Recording {
    fn encode(&mut self, is_compute: bool, command: Command) {
        assert_eq!(self.is_encoding, Some(is_compute), "a command outside of its encoder");
        self.commands.push(command);
    }

    fn begin(&mut self, is_compute: bool, command: Command) {
        assert_eq!(self.is_encoding, None, "an encoder in an encoder");
        self.is_encoding = Some(is_compute);
        self.commands.push(command);
    }
}

impl Commands for Recording {
    type Layer = Mock;

    fn begin_compute(&mut self) {
        self.begin(true, Command::BeginCompute);
    }

    fn begin_blit(&mut self) {
        self.begin(false, Command::BeginBlit);
    }

    fn end(&mut self) {
        assert!(self.is_encoding.take().is_some(), "an end without an encoder");
        self.commands.push(Command::End);
    }

    fn set_pipeline(&mut self, pipeline: &Arc<EmulatedKernel>) {
        self.encode(true, Command::SetPipeline(Arc::clone(pipeline)));
    }

    fn set_buffer(&mut self, index: usize, buffer: &Buffer, offset: u64) {
        assert!(index < PARAMS && offset.is_multiple_of(4), "buffer {index} from byte {offset}");
        self.encode(true, Command::SetBuffer(index, buffer.clone(), offset));
    }

    fn set_bytes(&mut self, index: usize, bytes: &[u8]) {
        assert!(!bytes.is_empty() && bytes.len() <= 4096, "{} bytes in a command buffer", bytes.len());
        self.encode(true, Command::SetBytes(index, bytes.to_vec()));
    }

    fn dispatch(&mut self, grid: [u32; 3], threads: u32) {
        self.encode(true, Command::Dispatch(grid, threads));
    }

    fn copy(&mut self, from: (&Buffer, u64), to: (&Buffer, u64), bytes: u64) {
        self.encode(false, Command::Copy((from.0.clone(), from.1), (to.0.clone(), to.1), bytes));
    }

    fn fill(&mut self, buffer: &Buffer, offset: u64, bytes: u64, value: u8) {
        self.encode(false, Command::Fill(buffer.clone(), offset, bytes, value));
    }

    fn signal(&mut self, event: Queue, value: u64) {
        assert_eq!(self.is_encoding, None, "a signal in an encoder");
        self.commands.push(Command::Signal(event, value));
    }

    fn wait(&mut self, event: Queue, value: u64) {
        assert_eq!(self.is_encoding, None, "a wait in an encoder");
        self.commands.push(Command::Wait(event, value));
    }

    fn commit(&mut self) {
        assert_eq!(self.is_encoding, None, "a commit in an encoder");
        let commands = std::mem::take(&mut self.commands);
        let committed = Committed { commands, next: 0, status: Arc::clone(&self.status) };
        self.inner.world().queues[self.queue as usize].push_back(committed);
    }

    fn status(&self) -> Status {
        if self.inner.faults.hang {
            return Status::Running;
        }
        let mut world = self.inner.world();
        self.inner.run_until(&mut world, self.queue, &self.status);
        get(&self.status).unwrap_or(Status::Running)
    }

    fn end_time(&self) -> f64 {
        0.0
    }
}
