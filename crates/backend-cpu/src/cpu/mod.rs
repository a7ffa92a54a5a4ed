//! The fast backend: how it is set up.

mod compile;
mod protocol;

use std::fmt;
use std::sync::Arc;

pub use compile::Compile;
use gpu_hal::{CancelToken, Capabilities, ErrorKind, HalError, Operation, Result, Types};
pub use protocol::{Cpu, CpuProtocol};
pub(crate) use protocol::{NewTable, Table, TreeLeaves};

use crate::memory::{CpuBuffer, CpuTree, Memory};
use crate::program::CpuProgram;
use crate::simd::SimdLevel;

/// How a [`Cpu`] is set up. The default: all processors of the current rayon pool, no limit on memory, the widest
/// vector instructions of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuOptions {
    /// Threads of a pool of its own; `None` for the pool that the caller runs in.
    pub threads: Option<usize>,
    /// Most bytes that its buffers and trees may hold; `None` for as many as the host has.
    pub memory_limit: Option<u64>,
    /// Vector instructions; one that the machine lacks counts as [`SimdLevel::Portable`].
    pub simd: Option<SimdLevel>,
    /// Whether constraint programs become machine code.
    pub compile: Compile,
}

impl<P: CpuProtocol> fmt::Debug for Cpu<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cpu").field("capabilities", &self.capabilities).finish_non_exhaustive()
    }
}

impl<P: CpuProtocol> Default for Cpu<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: CpuProtocol> Cpu<P> {
    /// The default options.
    pub fn new() -> Self {
        Self::build(&CpuOptions::default(), None)
    }

    /// A backend with its own pool of `threads` threads.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for no thread, [`ErrorKind::Unavailable`] if the threads cannot be started.
    pub fn with_threads(threads: usize) -> Result<Self> {
        Self::with_options(&CpuOptions { threads: Some(threads), ..CpuOptions::default() })
    }

    /// A backend whose buffers and trees hold at most `bytes` bytes; an allocation beyond them fails with
    /// [`ErrorKind::OutOfMemory`].
    pub fn with_memory_limit(bytes: u64) -> Self {
        Self::build(&CpuOptions { memory_limit: Some(bytes), ..CpuOptions::default() }, None)
    }

    /// A backend set up as `options` say.
    ///
    /// # Errors
    /// As [`Self::with_threads`].
    pub fn with_options(options: &CpuOptions) -> Result<Self> {
        let pool = match options.threads {
            None => None,
            Some(0) => return Err(HalError::invalid("set-up", "a pool of no threads: give one or more")),
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .thread_name(|index| format!("polystark-{index}"))
                    .build()
                    .map_err(|error| {
                        let detail = format!("{threads} threads cannot be started; use fewer");
                        HalError::new(ErrorKind::Unavailable, "set-up", detail).with_source(error)
                    })?;
                Some(Arc::new(pool))
            }
        };
        Ok(Self::build(options, pool))
    }

    fn build(options: &CpuOptions, pool: Option<Arc<rayon::ThreadPool>>) -> Self {
        let level = options.simd.filter(|level| level.is_available());
        let level = level.unwrap_or(if options.simd.is_some() { SimdLevel::Portable } else { SimdLevel::detect() });
        let threads = options.threads.unwrap_or_else(rayon::current_num_threads);
        let (compiles, how) = options.compile.on::<P>(level);
        Self {
            memory: Memory::new(options.memory_limit),
            level,
            compiles,
            tables: P::Tables::default(),
            capabilities: Capabilities {
                backend: "cpu".into(),
                device: format!("{}, {level:?}, {threads} threads{how}", processor()),
                operations: Operation::ALL.to_vec(),
                hashes: P::HASHES.to_vec(),
                max_log_height: P::MAX_LOG_HEIGHT,
                blocks: true,
                at_once: 1,
                stops: true,
            },
            pool,
        }
    }

    /// Runs an operation in the pool, under the flag of the thread that asks for it.
    pub(crate) fn run<R: Send>(&self, operation: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => {
                let stop = CancelToken::here();
                pool.install(|| stop.over(operation))
            }
            None => operation(),
        }
    }
}

impl<P: CpuProtocol> Types for Cpu<P> {
    type P = P;
    type Buffer = CpuBuffer<P::Base>;
    type Tree = CpuTree;
    type Program = CpuProgram<P>;
}

/// The processor's name, as far as the system tells.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|rest| rest.split_once(':')).map(|(_, name)| name.trim());
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), str::to_owned)
}
