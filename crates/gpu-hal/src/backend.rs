//! The trait that hardware implements, and the arguments of its operations.

use std::fmt;
use std::ops::Range;

use crate::{Columns, ConstraintProgram, DeviceBuffer, DeviceTree, Digest, Footprint, HashFn, Protocol, Result};

/// The operations of [`StarkBackend`], for capabilities, meters and injected faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// [`StarkBackend::upload`]
    Upload,
    /// [`StarkBackend::download`]
    Download,
    /// [`StarkBackend::sync`]
    Sync,
    /// [`StarkBackend::ntt`]
    Ntt,
    /// [`StarkBackend::lde`]
    Lde,
    /// [`StarkBackend::split`]
    Split,
    /// [`StarkBackend::select`]
    Select,
    /// [`StarkBackend::merkle`]
    Merkle,
    /// [`StarkBackend::root`]
    Root,
    /// [`StarkBackend::open`]
    Open,
    /// [`StarkBackend::prepare`]
    Prepare,
    /// [`StarkBackend::running`]
    Running,
    /// [`StarkBackend::constraint_eval`]
    ConstraintEval,
    /// [`StarkBackend::eval_at`]
    EvalAt,
    /// [`StarkBackend::deep_quotient`]
    DeepQuotient,
    /// [`StarkBackend::fri_fold`]
    FriFold,
    /// [`StarkBackend::grind`]
    Grind,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Upload,
        Self::Download,
        Self::Sync,
        Self::Ntt,
        Self::Lde,
        Self::Split,
        Self::Select,
        Self::Merkle,
        Self::Root,
        Self::Open,
        Self::Prepare,
        Self::Running,
        Self::ConstraintEval,
        Self::EvalAt,
        Self::DeepQuotient,
        Self::FriFold,
        Self::Grind,
    ];

    /// The name of the trait's method.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Download => "download",
            Self::Sync => "sync",
            Self::Ntt => "ntt",
            Self::Lde => "lde",
            Self::Split => "split",
            Self::Select => "select",
            Self::Merkle => "merkle",
            Self::Root => "root",
            Self::Open => "open",
            Self::Prepare => "prepare",
            Self::Running => "running",
            Self::ConstraintEval => "constraint_eval",
            Self::EvalAt => "eval_at",
            Self::DeepQuotient => "deep_quotient",
            Self::FriFold => "fri_fold",
            Self::Grind => "grind",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a backend is and can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Name of the backend, e.g. `cpu` or `cuda`; tests assert it.
    pub backend: String,
    /// The device, in words.
    pub device: String,
    /// The operations it has for its protocol.
    pub operations: Vec<Operation>,
    /// The hash functions that [`StarkBackend::merkle`] takes.
    pub hashes: Vec<HashFn>,
    /// Largest log2 height of a column.
    pub max_log_height: u32,
}

/// Memory of the device, in bytes. Buffers and trees count; tables that a backend caches (twiddles) count where it can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// What a new statement may use, [`Footprint::Kept`] included, which it need not make again; `None` if the backend cannot tell.
    pub available: Option<u64>,
    /// Held by live buffers and trees of this backend.
    pub in_use: u64,
    /// Highest `in_use` since the backend was created.
    pub peak: u64,
}

/// Order of evaluations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalOrder {
    /// Row order. Coset: point `i` at index `i`. Circle: row `r` is the point `g_{n+1} + r g_n` (coset order).
    Row,
    /// Storage order, bit-reversed.
    Storage,
}

/// What the elements of a column mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis<D> {
    /// Coefficients, natural order. Coset: of `x^i`. Circle: of the product of `y, x, pi(x), pi(pi(x)), ...` over the set bits
    /// of `i`.
    Coefficients,
    /// Values on a domain.
    Evaluations {
        /// The domain; its size is the column's height.
        domain: D,
        /// Their order.
        order: EvalOrder,
    },
}

/// How rows become leaves: leaf `i` is rows `i * rows_per_leaf ..` one after the other, each with all its columns in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafLayout {
    /// 1, 2 or 4.
    pub rows_per_leaf: usize,
}

/// A factor of a divisor: on a coset `x^(2^log_power) - constant`; on a circle `X(2^log_power * P) - constant`, with `X` the
/// x-coordinate of the point after `log_power` doublings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor<F> {
    /// Log2 of the power.
    pub log_power: u32,
    /// What is subtracted.
    pub constant: F,
    /// Whether it stands in the denominator.
    pub inverse: bool,
}

/// A function that a group of constraints is multiplied by: the product of its factors and, if named, of a base column of
/// the inputs (group, column).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multiplier<F> {
    /// Factors; the empty product is 1.
    pub factors: Vec<Factor<F>>,
    /// A column of the inputs that is a factor too.
    pub column: Option<(usize, usize)>,
}

/// Constraints that share a multiplier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CombinationGroup<P: Protocol> {
    /// The common multiplier.
    pub multiplier: Multiplier<P::Base>,
    /// (index into the program's outputs, weight).
    pub terms: Vec<(usize, P::Ext)>,
}

/// `sum over groups of multiplier * (sum over terms of weight * output)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination<P: Protocol> {
    /// The groups.
    pub groups: Vec<CombinationGroup<P>>,
}

/// Arguments of [`StarkBackend::constraint_eval`].
pub struct Constraints<'a, B: StarkBackend> {
    /// The prepared program.
    pub program: &'a B::Program,
    /// One table per group of the program, in storage order on `domain`. A lower table is periodic: it stands for its lift to
    /// the domain, whose value at storage index `i` is at `i >> (log_size - log_height)` (coset).
    pub columns: &'a [Columns<&'a B::Buffer>],
    /// The domain of the columns.
    pub domain: <B::P as Protocol>::Domain,
    /// Log2 of the trace length: a row offset of 1 is a step of `2^(log_size - log_trace)` in natural order.
    pub log_trace: u32,
    /// Evaluate on the first `2^log_eval` points in storage order; `log_trace <= log_eval <= log_size`.
    pub log_eval: u32,
    /// Values of the program's parameters.
    pub params: &'a [<B::P as Protocol>::Ext],
    /// What to add up.
    pub combination: &'a Combination<B::P>,
}

/// How a running column accumulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunningKind {
    /// Product of the ratios.
    Product,
    /// Sum of the ratios.
    Sum,
}

/// A column whose row `i` is the product or sum of `numerator/denominator` over the rows `j <= i` (inclusive) or `j < i`
/// (exclusive: row 0 is 1 or 0). A ratio with denominator zero counts as zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunningColumn {
    /// Product or sum.
    pub kind: RunningKind,
    /// Whether row `i` includes its own ratio.
    pub inclusive: bool,
    /// Index into the program's outputs.
    pub numerator: usize,
    /// Index into the program's outputs.
    pub denominator: usize,
}

/// Arguments of [`StarkBackend::running`].
pub struct Running<'a, B: StarkBackend> {
    /// The prepared program.
    pub program: &'a B::Program,
    /// One table per group of the program, in row order. A lower table is periodic: row `i` reads its row `i mod height`.
    /// Row offsets wrap around.
    pub columns: &'a [Columns<&'a B::Buffer>],
    /// Log2 of the number of rows.
    pub log_height: u32,
    /// Values of the program's parameters.
    pub params: &'a [<B::P as Protocol>::Ext],
    /// The columns to build.
    pub running: &'a [RunningColumn],
}

/// A term of the DEEP quotient: `(sum of weight * column(x) - constant) / (x - point)`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeepTerm<P: Protocol> {
    /// The point.
    pub point: P::Point,
    /// (table, base column, weight).
    pub weights: Vec<(usize, usize, P::Ext)>,
    /// What is subtracted: the weighted sum of the values at the point.
    pub constant: P::Ext,
}

/// Rows and paths wanted of one tree.
pub struct OpenRequest<'a, B: StarkBackend> {
    /// Tables whose rows are opened, those that the tree was built over.
    pub columns: &'a [Columns<&'a B::Buffer>],
    /// The tree.
    pub tree: &'a B::Tree,
    /// Storage indices of the rows, any order, repeats allowed.
    pub rows: &'a [usize],
    /// Leaves whose paths are wanted, any order, repeats allowed.
    pub leaves: &'a [usize],
}

/// What was opened of one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened<F> {
    /// For each row all columns of all tables in order.
    pub rows: Vec<Vec<F>>,
    /// For each leaf its siblings from the leaf level upward, root excluded.
    pub paths: Vec<Vec<Digest>>,
}

/// A proof-of-work search. Goldilocks: the smallest nonce with `BE64(first 8 bytes of Keccak256(digest || BE8(nonce))) <
/// 2^(64 - bits)`. Circle: circle.md section 12, smallest high word first, then smallest low word below 2^20.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrindChallenge {
    /// The prefix that is hashed with the nonce.
    pub digest: [u8; 32],
    /// Difficulty in bits, at most 64.
    pub bits: u32,
}

/// One in-order queue on one device. See the crate's rules.
///
/// Shapes are checked by each operation ([`crate::check`]). All returned tables are new allocations, released on drop.
pub trait StarkBackend: Sized + Send + Sync + 'static {
    /// The proof system.
    type P: Protocol;
    /// Device memory.
    type Buffer: DeviceBuffer;
    /// A Merkle tree on the device.
    type Tree: DeviceTree;
    /// A program made ready by [`Self::prepare`].
    type Program: Send + Sync + 'static;

    /// What this backend is and can do.
    fn capabilities(&self) -> &Capabilities;

    /// Memory of the device.
    fn memory(&self) -> Result<MemoryInfo>;

    /// Bytes that something takes of what [`Self::memory`] counts: what a plan adds up. It may say a little more than what is
    /// taken, and never less. Here: elements of tables, all digests of trees, and nothing else.
    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        of.plain()
    }

    /// Copies `width * 2^log_height` elements, column-major, to the device. They must be canonical.
    fn upload(
        &self,
        data: &[<Self::P as Protocol>::Base],
        width: usize,
        log_height: u32,
    ) -> Result<Columns<Self::Buffer>>;

    /// Copies the given rows of all columns to the host, column-major.
    fn download(&self, columns: Columns<&Self::Buffer>, rows: Range<usize>)
    -> Result<Vec<<Self::P as Protocol>::Base>>;

    /// Waits for everything enqueued.
    fn sync(&self) -> Result<()>;

    /// Transforms every column in place from one basis to the other. `from` and `to` are coefficients and evaluations on a
    /// domain of the columns' size, in either direction.
    fn ntt(
        &self,
        columns: Columns<&mut Self::Buffer>,
        from: Basis<<Self::P as Protocol>::Domain>,
        to: Basis<<Self::P as Protocol>::Domain>,
    ) -> Result<()>;

    /// Evaluates every column on `to`, a domain at least as large, in storage order.
    fn lde(
        &self,
        columns: Columns<&Self::Buffer>,
        from: Basis<<Self::P as Protocol>::Domain>,
        to: <Self::P as Protocol>::Domain,
    ) -> Result<Columns<Self::Buffer>>;

    /// Cuts each extension column of coefficients into `parts` extension columns of `2^log_part` coefficients. Coset: part `k`
    /// takes `k, k + parts, ...`, so that `H(X) = sum X^k H_k(X^parts)`. Circle: consecutive runs. Part-major: the extension
    /// columns of the result are part 0, part 1, .... `parts << log_part` is at most the height; the rest is dropped.
    fn split(&self, coefficients: Columns<&Self::Buffer>, parts: usize, log_part: u32)
    -> Result<Columns<Self::Buffer>>;

    /// A new table of the picked base columns (table, column), in the order given, repeats allowed. All tables have one height.
    fn select(&self, tables: &[Columns<&Self::Buffer>], picks: &[(usize, usize)]) -> Result<Columns<Self::Buffer>>;

    /// Commits to the rows of tables of one height (coset), in storage order.
    fn merkle(&self, columns: &[Columns<&Self::Buffer>], layout: LeafLayout, hash: HashFn) -> Result<Self::Tree>;

    /// The root of a tree.
    fn root(&self, tree: &Self::Tree) -> Result<Digest>;

    /// Opens rows and paths of several trees at once.
    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<<Self::P as Protocol>::Base>>>;

    /// Makes a program ready: encodes or compiles it. Reusable for any number of proofs.
    fn prepare(&self, program: &ConstraintProgram<Self::P>) -> Result<Self::Program>;

    /// Builds extension columns that are running products or sums, in row order: `running.len()` extension columns.
    fn running(&self, args: &Running<'_, Self>) -> Result<Columns<Self::Buffer>>;

    /// Evaluates a combination of a program's outputs on (a prefix of) a domain: one extension column of `2^log_eval` rows.
    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<Columns<Self::Buffer>>;

    /// Values of every base column's polynomial at each point: `result[point][column]`. The points are outside the domain.
    /// With evaluations in storage order the domain may be smaller than the table (coset): then the first rows count, which
    /// are the evaluations on [`crate::CosetDomain::prefix`]. The polynomial is that of degree below the domain's size.
    fn eval_at(
        &self,
        columns: Columns<&Self::Buffer>,
        from: Basis<<Self::P as Protocol>::Domain>,
        points: &[<Self::P as Protocol>::Point],
    ) -> Result<Vec<Vec<<Self::P as Protocol>::Ext>>>;

    /// The sum of the terms at every point of the domain, storage order: one extension column. All tables have the domain's
    /// height.
    fn deep_quotient(
        &self,
        columns: &[Columns<&Self::Buffer>],
        domain: <Self::P as Protocol>::Domain,
        terms: &[DeepTerm<Self::P>],
    ) -> Result<Columns<Self::Buffer>>;

    /// Folds one extension column on `domain` to half its size: `q(x^2) = p(x) + p(-x) + alpha (p(x) - p(-x))/x` on a coset, with
    /// no factor 1/2. The result is on [`Protocol::folded`].
    fn fri_fold(
        &self,
        layer: Columns<&Self::Buffer>,
        domain: <Self::P as Protocol>::Domain,
        alpha: <Self::P as Protocol>::Ext,
    ) -> Result<Columns<Self::Buffer>>;

    /// The first nonce of the protocol's search order; `None` if no 64-bit nonce will do.
    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>>;
}
