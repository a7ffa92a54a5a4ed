//! The fast backend: every operation computes in the pool.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use gpu_hal::{
    Accumulated, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, Digest, Domain,
    ErrorKind, EvalAt, Fields, Footprint, Grind, HalError, HashFn, Leaves, MakeElements, MemoryInfo, OpenRequest,
    Opened, Operation, Operations, Placement, PlacementOperations, Rehearsed, Result, Running, Schedule, Stash, Stop,
    TraceOperations, Types, Uploaded, Values,
};

use crate::memory::{CpuBuffer, CpuTree, Memory};
use crate::merkle::dropped_levels;
use crate::protocol::CpuProtocol;
use crate::simd::SimdLevel;
use crate::{copy, fractions, nodes, tree};

pub(crate) type Table<'a, P> = Columns<&'a CpuBuffer<<P as Fields>::Base>>;
pub(crate) type NewTable<P> = Columns<CpuBuffer<<P as Fields>::Base>>;

/// How a [`Cpu`] is set up. The default: all processors of the current rayon pool, no limit on memory, the widest vector
/// instructions of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuOptions {
    /// Threads of a pool of its own; `None` for the pool that the caller runs in.
    pub threads: Option<usize>,
    /// Most bytes that its buffers and trees may hold; `None` for as many as the host has.
    pub memory_limit: Option<u64>,
    /// Vector instructions; one that the machine lacks counts as [`SimdLevel::Portable`].
    pub simd: Option<SimdLevel>,
}

/// The backend on the processor's cores and vector units, with all operations of [`gpu_hal::GoldilocksStark`] and
/// [`gpu_hal::CircleStark`]. Results do not depend on the options.
pub struct Cpu<P: CpuProtocol> {
    pub(crate) memory: Memory,
    pub(crate) level: SimdLevel,
    pub(crate) tables: P::Tables,
    capabilities: Capabilities,
    pool: Option<Arc<rayon::ThreadPool>>,
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
                let stop = Stop::here();
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
    type Program = Schedule<P>;
}

impl<P: CpuProtocol> Operations for Cpu<P> {
    type T = Self;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory.info())
    }

    fn budget(&self) -> &Budget {
        // A proof is about to ask the system, too, what memory it has.
        self.memory.release();
        self.memory.budget()
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        let plain = |of: Footprint<'_, Self>| of.plain();
        match *of {
            Footprint::Tree { log_leaves } => {
                plain(Footprint::Tree { log_leaves: log_leaves - dropped_levels(log_leaves) })
            }
            Footprint::Lde { table, from } => P::tables_beside_lde(&from, false) * plain(Footprint::Table(table)),
            Footprint::UploadLde { table, from, keep } => {
                P::tables_beside_lde(&from, !keep) * plain(Footprint::Table(table))
            }
            Footprint::TreeMap { leaf, log_height, width, .. } => {
                let values = leaf.program().outputs().len().saturating_sub(width);
                nodes::scratch(values, log_height).map(|table| plain(Footprint::Table(table))).sum()
            }
            _ => of.plain(),
        }
    }

    fn traces(&self) -> Option<&dyn TraceOperations<Self>> {
        Some(self)
    }

    fn upload(&self, data: &[P::Base], width: usize, log_height: u32) -> Result<NewTable<P>> {
        self.run(|| copy::upload(&self.memory, data, width, log_height))
    }

    fn upload_made(&self, make: &MakeElements<'_, P::Base>, width: usize, log_height: u32) -> Result<NewTable<P>> {
        self.run(|| copy::upload_made(&self.memory, make, width, log_height))
    }

    fn download(&self, table: Table<'_, P>, rows: Range<usize>) -> Result<Vec<P::Base>> {
        Ok(copy::download(table, rows))
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn ntt(&self, table: Columns<&mut CpuBuffer<P::Base>>, from: Basis<P::Domain>, to: Basis<P::Domain>) -> Result<()> {
        self.run(|| P::ntt(self, table, &from, &to))
    }

    fn lde(&self, table: Table<'_, P>, from: Basis<P::Domain>, to: P::Domain) -> Result<NewTable<P>> {
        self.run(|| P::lde(self, &table, &from, &to))
    }

    fn upload_lde(
        &self,
        columns: &[&[P::Base]],
        log_height: u32,
        from: Basis<P::Domain>,
        to: P::Domain,
        keep: bool,
    ) -> Result<Uploaded<CpuBuffer<P::Base>>> {
        self.run(|| P::upload_lde(self, columns, log_height, &from, &to, keep))
    }

    fn split(&self, coefficients: Table<'_, P>, parts: usize, log_part: u32) -> Result<NewTable<P>> {
        let source = |part, index| P::Domain::split_index(index, part, parts, log_part);
        self.run(|| copy::split::<P>(&self.memory, coefficients, parts, log_part, source))
    }

    fn select(&self, tables: &[Table<'_, P>], picks: &[(usize, usize)]) -> Result<NewTable<P>> {
        self.run(|| copy::select(&self.memory, tables, picks))
    }

    fn merkle(&self, tables: &[Table<'_, P>], leaves: Leaves, hash: HashFn) -> Result<CpuTree> {
        self.run(|| tree::build::<P>(&self.memory, self.level, tables, leaves, hash))
    }

    fn root(&self, tree: &CpuTree) -> Result<Digest> {
        Ok(tree.nodes()[0])
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<P::Base>>> {
        self.run(|| tree::open(self.level, requests))
    }

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<Schedule<P>> {
        Ok(Schedule::new(program))
    }

    fn running(&self, requests: &[Running<'_, Self>]) -> Result<Vec<Accumulated<Self>>> {
        let run = |args| fractions::running(&self.memory, self.level, args);
        self.run(|| requests.iter().map(run).collect())
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, Self>]) -> Result<Vec<NewTable<P>>> {
        self.run(|| requests.iter().map(|args| P::constraint_eval(self, args)).collect())
    }

    fn accumulate(&self, into: Columns<&mut CpuBuffer<P::Base>>, from: Table<'_, P>) -> Result<()> {
        self.run(|| copy::accumulate::<P>(into, from));
        Ok(())
    }

    fn eval_at(&self, requests: &[EvalAt<'_, Self>]) -> Result<Vec<Values<Self>>> {
        let run = |request: &EvalAt<'_, Self>| P::eval_at(self, &request.columns, &request.from, request.points);
        self.run(|| requests.iter().map(run).collect())
    }

    fn deep_quotient(
        &self,
        tables: &[Table<'_, P>],
        log_cut: u32,
        domain: P::Domain,
        terms: &[DeepTerm<P>],
    ) -> Result<NewTable<P>> {
        self.run(|| P::deep_quotient(self, tables, log_cut, &domain, terms))
    }

    fn fri_fold(
        &self,
        layer: Table<'_, P>,
        domain: P::Domain,
        _folded: P::Domain,
        alpha: P::Ext,
    ) -> Result<NewTable<P>> {
        self.run(|| P::fri_fold(self, &layer, &domain, alpha))
    }

    fn grind(&self, grind: &Grind, windows: Range<u64>) -> Result<Option<u64>> {
        Ok(self.run(|| P::grind(self, grind, windows)))
    }
}

/// The processor's name, as far as the system tells.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|rest| rest.split_once(':')).map(|(_, name)| name.trim());
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), str::to_owned)
}

impl<P: CpuProtocol> PlacementOperations<Self> for Cpu<P> {
    fn placement(&self) -> Placement {
        Placement { stashes_trees: true, ..Placement::default() }
    }

    fn stash_tree(&self, tree: &CpuTree) -> Result<Stash> {
        Ok(tree.stash())
    }

    fn restore_tree(&self, stash: &Stash) -> Result<CpuTree> {
        self.memory.restore_tree(stash)
    }
}
