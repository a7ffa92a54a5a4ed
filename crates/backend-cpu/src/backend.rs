//! The fast backend: what both protocols share.

use std::fmt;
use std::sync::Arc;

use field::{ExtensionField, Goldilocks, TwoAdicField};
use gpu_hal::{
    Capabilities, CircleStark, ErrorKind, GoldilocksStark, HalError, HashFn, MemoryInfo, Operation, Protocol, Result,
};

use crate::circle::CircleTables;
use crate::memory::Memory;
use crate::simd::SimdLevel;

/// How a [`Cpu`] is set up. The default: all processors of the current rayon pool, no limit on memory, the widest vector
/// instructions of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuOptions {
    /// Threads of a pool of its own; `None` for the pool that the caller runs in.
    pub threads: Option<usize>,
    /// Most bytes that its buffers and trees may hold.
    pub memory_limit: Option<u64>,
    /// Vector instructions; one that the machine lacks counts as [`SimdLevel::Portable`].
    pub simd: Option<SimdLevel>,
}

/// The backend on the processor's cores and vector units, with all operations of [`GoldilocksStark`] and [`CircleStark`]. Results
/// do not depend on the options.
pub struct Cpu<P: CpuProtocol> {
    pub(crate) memory: Memory,
    pub(crate) level: SimdLevel,
    pub(crate) tables: P::Tables,
    pub(crate) capabilities: Capabilities,
    pool: Option<Arc<rayon::ThreadPool>>,
}

/// A protocol that [`Cpu`] has operations for.
pub trait CpuProtocol: Protocol {
    /// What a backend keeps between operations.
    type Tables: fmt::Debug + Default + Send + Sync + 'static;
    /// The operations.
    const OPERATIONS: &'static [Operation];
    /// The hash functions of trees.
    const HASHES: &'static [HashFn];
    /// Log2 of the largest height.
    const MAX_LOG_HEIGHT: u32;
}

impl<E: ExtensionField<Goldilocks>> CpuProtocol for GoldilocksStark<E> {
    type Tables = ();
    const OPERATIONS: &'static [Operation] = &Operation::ALL;
    const HASHES: &'static [HashFn] = &[HashFn::Keccak256, HashFn::Poseidon2];
    const MAX_LOG_HEIGHT: u32 = Goldilocks::TWO_ADICITY;
}

/// The factors of circle transforms.
#[derive(Debug, Default)]
pub struct Tables(pub(crate) CircleTables);

impl CpuProtocol for CircleStark {
    type Tables = Tables;
    const OPERATIONS: &'static [Operation] = &Operation::ALL;
    const HASHES: &'static [HashFn] = &[HashFn::Blake2s];
    const MAX_LOG_HEIGHT: u32 = field::circle::MAX_LOG_DOMAIN;
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

    /// A backend whose buffers and trees hold at most `bytes` bytes; what would exceed them fails with
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
        Self {
            memory: Memory::new(options.memory_limit),
            level,
            tables: P::Tables::default(),
            capabilities: Capabilities {
                backend: "cpu".into(),
                device: format!("{}, {level:?}, {threads} threads", processor()),
                operations: P::OPERATIONS.to_vec(),
                hashes: P::HASHES.to_vec(),
                max_log_height: P::MAX_LOG_HEIGHT,
            },
            pool,
        }
    }

    /// Memory of the buffers and trees.
    pub(crate) fn memory_info(&self) -> MemoryInfo {
        self.memory.info()
    }

    /// Runs an operation in the pool.
    pub(crate) fn run<R: Send>(&self, operation: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(operation),
            None => operation(),
        }
    }
}

/// The processor's name, as far as the system tells.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|rest| rest.split_once(':')).map(|(_, name)| name.trim());
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), str::to_owned)
}
