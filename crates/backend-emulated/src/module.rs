//! Compiled kernels, loaded.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::{Arc, Mutex};

use gpu_hal::{ErrorKind, HalError, Result};
use libloading::Library;
use rayon::prelude::*;

use crate::compiler::Dialect;
use crate::metal::{BUFFERS, PARAMS};

/// Stack of a GPU thread.
const STACK_BYTES: usize = 128 << 10;
/// Most threads of a block, as in `emulator.h`.
pub(crate) const MAX_THREADS: u32 = 1024;
/// Launches of fewer threads run on the calling thread.
const SMALL_LAUNCH: u64 = 2048;

type Entry = unsafe extern "C" fn(*mut *mut c_void, *const c_void);
type Run = unsafe extern "C" fn(Entry, *mut *mut c_void, *const c_void, *const Config, *mut c_char, usize) -> c_int;

/// `emu::Config` of `emulator.h`.
#[repr(C)]
struct Config {
    grid: [u32; 3],
    threads: u32,
    first_block: u64,
    blocks: u64,
    seed: u64,
    stacks: *mut u8,
    stack_bytes: u64,
    shared_bytes: u64,
}

/// A loaded translation unit.
#[derive(Debug)]
pub struct EmulatedModule {
    library: Arc<Library>,
    is_metal: bool,
    run: Run,
    shared_bytes: u32,
}

/// A buffer that a kernel in Metal's dialect declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetalArgument {
    /// Its index.
    pub index: usize,
    /// Whether the kernel may write it.
    pub writes: bool,
}

/// The declarations of a kernel in Metal's dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetalSignature {
    /// The buffers, without the parameter block.
    pub arguments: Vec<MetalArgument>,
    /// Bytes of the parameter block.
    pub params: u64,
    /// Most threads of a threadgroup.
    pub max_threads: u32,
}

/// A kernel of a loaded translation unit.
#[derive(Debug)]
pub struct EmulatedKernel {
    name: String,
    entry: Entry,
    metal: Option<MetalSignature>,
    run: Run,
    shared_bytes: u32,
    /// Keeps the code where it is.
    _library: Arc<Library>,
}

fn missing(error: libloading::Error, what: &str) -> HalError {
    HalError::new(ErrorKind::KernelBuild, "build kernel", format!("no '{what}' in a compiled kernel"))
        .with_source(error)
}

impl EmulatedModule {
    /// Loads a shared object that the cache found sound. Its blocks may take `shared_bytes` bytes of shared memory.
    pub(crate) fn load(path: &Path, dialect: Dialect, shared_bytes: u32) -> Result<Self> {
        // SAFETY: the object was compiled from the kernel sources by `Compiler` and has its hash; it has no
        // initialisers.
        let library = unsafe { Library::new(path) }.map_err(|error| {
            let detail = format!("cannot load {}", path.display());
            HalError::new(ErrorKind::KernelBuild, "build kernel", detail).with_source(error)
        })?;
        // SAFETY: `emulator.h`, compiled into every object, declares it with this type.
        let run = unsafe { library.get::<Run>(b"polystark_emulated_run\0") };
        let run = *run.map_err(|error| missing(error, "polystark_emulated_run"))?;
        Ok(Self { library: Arc::new(library), is_metal: dialect.is_metal(), run, shared_bytes })
    }

    /// An entry point.
    pub(crate) fn kernel(&self, name: &str) -> Result<EmulatedKernel> {
        let symbol = if self.is_metal { format!("metal_{name}") } else { name.to_owned() };
        // SAFETY: the macro KERNEL of `dialect.h`, or the translator of Metal's dialect, declares every kernel with
        // this type.
        let entry = unsafe { self.library.get::<Entry>(symbol.as_bytes()) };
        let entry = *entry.map_err(|error| missing(error, name))?;
        let metal = if self.is_metal { Some(self.signature(name, &symbol)?) } else { None };
        let (name, library) = (name.to_owned(), Arc::clone(&self.library));
        Ok(EmulatedKernel { name, entry, metal, run: self.run, shared_bytes: self.shared_bytes, _library: library })
    }

    /// The signature of an entry point, as the translator wrote it down.
    fn signature(&self, name: &str, symbol: &str) -> Result<MetalSignature> {
        // SAFETY: the translator defines it as an array of `emu::MetalArgument`.
        let first = unsafe { self.library.get::<*const RawArgument>(format!("{symbol}_arguments").as_bytes()) };
        // SAFETY: the translator defines it as a `uint32_t`.
        let threads = unsafe { self.library.get::<*const u32>(format!("{symbol}_threads").as_bytes()) };
        let first = *first.map_err(|error| missing(error, name))?;
        let threads = *threads.map_err(|error| missing(error, name))?;
        // SAFETY: the number is there for as long as the library is loaded.
        let mut signature = MetalSignature { arguments: Vec::new(), params: 0, max_threads: unsafe { *threads } };
        for number in 0.. {
            // SAFETY: the array ends with an entry of index BUFFERS, which this loop does not go past.
            let argument = unsafe { *first.add(number) };
            match argument.index as usize {
                BUFFERS => break,
                PARAMS => signature.params = argument.bytes,
                index => signature.arguments.push(MetalArgument { index, writes: argument.writes != 0 }),
            }
        }
        Ok(signature)
    }
}

/// `emu::MetalArgument` of `metal_stdlib.h`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawArgument {
    index: u32,
    writes: u32,
    bytes: u64,
}

/// Stacks of the threads of a block, kept for the next launch.
#[derive(Debug, Default)]
pub(crate) struct Stacks(Mutex<Vec<Vec<u8>>>);

impl Stacks {
    fn take(&self) -> Vec<u8> {
        let kept = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop();
        // Reserved, not touched: the system gives a page when a thread first uses it.
        kept.unwrap_or_else(|| Vec::with_capacity(STACK_BYTES * MAX_THREADS as usize))
    }

    fn give_back(&self, stacks: Vec<u8>) {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(stacks);
    }
}

/// Pointers that the blocks of a launch share.
#[derive(Clone, Copy)]
struct Pointers<'a>(&'a [*mut c_void]);

// SAFETY: the blocks of a kernel may run at the same time by the rules that kernels are written to.
unsafe impl Send for Pointers<'_> {}
// SAFETY: as above.
unsafe impl Sync for Pointers<'_> {}

impl Pointers<'_> {
    fn to_vec(self) -> Vec<*mut c_void> {
        self.0.to_vec()
    }
}

impl EmulatedKernel {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its declarations, if it is in Metal's dialect.
    pub fn metal(&self) -> Option<&MetalSignature> {
        self.metal.as_ref()
    }

    /// Whether Metal would launch it: with buffers for all that it declares, a whole parameter block, and no more
    /// threads than it has registers for.
    pub(crate) fn check(&self, threads: u32, buffers: &[*mut c_void], params: usize) -> Result<()> {
        let Some(metal) = &self.metal else { return Ok(()) };
        let is_missing = |argument: &&MetalArgument| buffers.get(argument.index).is_none_or(|buffer| buffer.is_null());
        let fault = if threads > metal.max_threads {
            format!("{threads} threads a threadgroup, at most {}", metal.max_threads)
        } else if let Some(argument) = metal.arguments.iter().find(is_missing) {
            format!("no buffer at index {}", argument.index)
        } else if (params as u64) < metal.params {
            format!("{params} bytes at index {PARAMS}, it reads {}", metal.params)
        } else {
            return Ok(());
        };
        Err(HalError::new(ErrorKind::Backend, "launch", format!("kernel '{}': {fault}", self.name)))
    }

    /// Runs all blocks and waits.
    ///
    /// # Safety
    /// The buffers must agree with the kernel's declaration, `params` the bytes of its parameter struct.
    pub(crate) unsafe fn run(
        &self,
        grid: [u32; 3],
        threads: u32,
        buffers: &[*mut c_void],
        params: &[u64],
        stacks: &Stacks,
        seed: u64,
    ) -> Result<()> {
        let blocks: u64 = grid.iter().map(|n| u64::from(*n)).product();
        let parts = if blocks * u64::from(threads) <= SMALL_LAUNCH {
            1
        } else {
            blocks.min(4 * rayon::current_num_threads() as u64)
        };
        let pointers = Pointers(buffers);
        let part = |part: u64| -> Result<()> {
            let (first, end) = (blocks * part / parts, blocks * (part + 1) / parts);
            let mut arguments = pointers.to_vec();
            let mut memory = stacks.take();
            let config = Config {
                grid,
                threads,
                first_block: first,
                blocks: end - first,
                seed,
                stacks: memory.as_mut_ptr(),
                stack_bytes: STACK_BYTES as u64,
                shared_bytes: self.shared_bytes.into(),
            };
            let mut message = [0; 512];
            // SAFETY: the caller's promise for buffers and parameters; the stacks are reserved for MAX_THREADS threads.
            let failed = unsafe {
                (self.run)(
                    self.entry,
                    arguments.as_mut_ptr(),
                    params.as_ptr().cast(),
                    &config,
                    message.as_mut_ptr(),
                    message.len(),
                )
            };
            stacks.give_back(memory);
            if failed == 0 {
                return Ok(());
            }
            // SAFETY: the runtime ends its message with a zero within the length it was given.
            let message = unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy().into_owned();
            Err(HalError::new(ErrorKind::Backend, "launch", format!("kernel '{}', {message}", self.name)))
        };
        if parts == 1 { part(0) } else { (0..parts).into_par_iter().try_for_each(part) }
    }
}
