//! The fast backend's parts, and the differences between the protocols.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use gpu_hal::{
    Accumulated, Basis, BindRequest, Capabilities, Columns, Constraints, DeepTerm, Digest, HashFn, MapArgs,
    NonceSearch, Protocol, Result, RowRun, RowsOutput, RunningRequest, SumRequest, TreeMapArgs, Uploaded,
};

use crate::lanes::{ExtLanes, FieldLanes};
use crate::memory::{CpuBuffer, Memory};
use crate::simd::{Isa, SimdLevel};

pub(crate) type Table<'a, P> = Columns<&'a CpuBuffer<<P as Protocol>::Base>>;
pub(crate) type NewTable<P> = Columns<CpuBuffer<<P as Protocol>::Base>>;

/// The backend on the processor's cores and vector units, with all operations of [`gpu_hal::GoldilocksStark`] and
/// [`gpu_hal::CircleStark`]. Results do not depend on the options.
pub struct Cpu<P: CpuProtocol> {
    pub(crate) memory: Memory,
    pub(crate) level: SimdLevel,
    /// The fewest rows, of all evaluations of a program, for which it is compiled; `None` where none is.
    pub(crate) compiles: Option<u64>,
    pub(crate) tables: P::Tables,
    pub(crate) capabilities: Capabilities,
    pub(super) pool: Option<Arc<rayon::ThreadPool>>,
}

/// A protocol that [`Cpu`] has operations for: its field on SIMD lanes, and the operations that each protocol does in
/// its own way, whose arguments are checked. It is implemented here, for no other protocol; its functions are not for
/// callers.
pub trait CpuProtocol: Protocol {
    /// The tables that a backend keeps between operations.
    type Tables: fmt::Debug + Default + Send + Sync + 'static;
    /// The machine code that a prepared program keeps.
    type Compiled: Default + Send + Sync + 'static;
    /// Whether there is machine code for its programs.
    const COMPILES: bool;
    /// The hash functions of trees.
    const HASHES: &'static [HashFn];
    /// Log2 of the largest height.
    const MAX_LOG_HEIGHT: u32;

    /// An element of the base field in memory.
    type Word: Pod + Default + Send + Sync;
    /// Elements of the base field.
    type Lanes<I: Isa>: FieldLanes<Self::Base, Word = Self::Word>;
    /// Elements of the extension.
    type ExtLanes<I: Isa>: ExtLanes<Self::Lanes<I>, Scalar = Self::Ext, Word = Self::Word>;
    /// The knowledge of the domain that [`Self::fetch`] needs.
    type Steps: Send + Sync;

    /// Bytes of registers and outputs of a run that should stay in the nearest caches.
    const NEAR_BYTES: usize;

    /// An element as a word.
    fn word(element: Self::Base) -> Self::Word;

    /// Replaces every element by its inverse, zeros staying zero. The length is a multiple of the lanes; `before` is
    /// scratch as long.
    fn batch_inverse<I: Isa>(values: &mut [Self::Word], before: &mut [Self::Word]);

    /// The part of a column that the points of run `run`, `2^log_run` in storage order, read at a row offset, or `None`
    /// if the values were copied to `slot`, which is as long as a run.
    fn fetch<'a>(
        steps: &Self::Steps,
        log_run: u32,
        column: &'a [Self::Base],
        offset: i32,
        run: usize,
        slot: &mut [Self::Word],
    ) -> Option<&'a [Self::Base]>;

    /// Tables of the size of its input that an extension takes beside its result, where it `uploads` a table that is
    /// not kept or extends one.
    fn tables_beside_lde(from: &Basis<Self::Domain>, uploads: bool) -> u64;

    /// [`gpu_hal::StarkBackend::ntt`].
    fn ntt(
        cpu: &Cpu<Self>,
        columns: Columns<&mut CpuBuffer<Self::Base>>,
        from: &Basis<Self::Domain>,
        to: &Basis<Self::Domain>,
    ) -> Result<()>;

    /// [`gpu_hal::StarkBackend::lde`].
    fn lde(
        cpu: &Cpu<Self>,
        table: &Table<'_, Self>,
        from: &Basis<Self::Domain>,
        to: &Self::Domain,
    ) -> Result<NewTable<Self>>;

    /// [`gpu_hal::StarkBackend::upload_lde`].
    fn upload_lde(
        cpu: &Cpu<Self>,
        columns: &[&[Self::Base]],
        log_height: u32,
        from: &Basis<Self::Domain>,
        to: &Self::Domain,
        keep: bool,
    ) -> Result<Uploaded<CpuBuffer<Self::Base>>>;

    /// Fills the nodes of a tree above its lowest `dropped` levels.
    fn build_tree(leaves: &TreeLeaves<'_, '_, Self>, dropped: u32, nodes: &mut [Digest]) -> Result<()>;

    /// For each leaf the siblings of it and of its ancestors in the lowest `dropped` levels.
    fn siblings(leaves: &TreeLeaves<'_, '_, Self>, of: &[usize], dropped: u32) -> Result<Vec<Vec<Digest>>>;

    /// [`gpu_hal::StarkBackend::constraint_eval`].
    fn constraint_eval(cpu: &Cpu<Self>, args: &Constraints<'_, Cpu<Self>>) -> Result<NewTable<Self>>;

    /// [`gpu_hal::StarkBackend::eval_at`].
    fn eval_at(
        cpu: &Cpu<Self>,
        columns: &Table<'_, Self>,
        from: &Basis<Self::Domain>,
        points: &[Self::Point],
    ) -> Result<Vec<Vec<Self::Ext>>>;

    /// [`gpu_hal::StarkBackend::deep_quotient`].
    fn deep_quotient(
        cpu: &Cpu<Self>,
        columns: &[Table<'_, Self>],
        log_cut: u32,
        domain: &Self::Domain,
        terms: &[DeepTerm<Self>],
    ) -> Result<NewTable<Self>>;

    /// [`gpu_hal::StarkBackend::fri_fold`].
    fn fri_fold(
        cpu: &Cpu<Self>,
        layer: &Table<'_, Self>,
        domain: &Self::Domain,
        alpha: Self::Ext,
    ) -> Result<NewTable<Self>>;

    /// [`gpu_hal::StarkBackend::grind`].
    fn grind(cpu: &Cpu<Self>, grind: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>>;

    // Both protocols compute the rest in one way. A function without parameters of types is compiled with this crate,
    // once and for speed, and not with each crate that names a `Cpu`, as that one is.

    /// One request of [`gpu_hal::StarkBackend::running`].
    fn running(cpu: &Cpu<Self>, args: &RunningRequest<'_, Cpu<Self>>) -> Result<Accumulated<Cpu<Self>>>;

    /// One request of [`gpu_hal::StarkBackend::bind`].
    fn bind(cpu: &Cpu<Self>, request: &BindRequest<'_, Cpu<Self>>) -> Result<NewTable<Self>>;

    /// One request of [`gpu_hal::StarkBackend::sum`].
    fn sum(cpu: &Cpu<Self>, request: &SumRequest<'_, Cpu<Self>>) -> Vec<Self::Ext>;

    /// [`gpu_hal::StarkBackend::map`].
    fn map(cpu: &Cpu<Self>, args: &MapArgs<'_, Cpu<Self>>) -> Result<NewTable<Self>>;

    /// [`gpu_hal::StarkBackend::tree_map`].
    fn tree_map(cpu: &Cpu<Self>, args: &TreeMapArgs<'_, Cpu<Self>>) -> Result<NewTable<Self>>;

    /// [`gpu_hal::StarkBackend::rows`].
    fn rows(
        cpu: &Cpu<Self>,
        args: &RowRun<'_, Cpu<Self>>,
        counters: &mut [Columns<&mut CpuBuffer<Self::Base>>],
    ) -> Result<RowsOutput<Cpu<Self>>>;
}

/// The leaves of a tree: rows of tables of at most `2^log_height` rows, and how they are hashed.
pub struct TreeLeaves<'t, 'a, P: CpuProtocol> {
    pub(crate) level: SimdLevel,
    pub(crate) hash: HashFn,
    pub(crate) tables: &'t [Table<'a, P>],
    pub(crate) leaves: gpu_hal::Leaves,
    /// [`gpu_hal::Leaves::has_wide_leaves`].
    pub(crate) has_wide_leaves: bool,
}
