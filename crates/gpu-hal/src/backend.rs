//! The trait that hardware implements, and the arguments of its operations.

use std::ops::Range;

use crate::{
    Budget, Columns, ConstraintProgram, DeviceBuffer, DeviceTree, Digest, Footprint, HalError, HashFn, Operation,
    Protocol, Recurrence, Result, Uploaded,
};

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
    /// Log2 of the number of rows; `None` for the height of the highest table. Where a protocol lifts
    /// ([`Protocol::LIFTS`]) tables may be lower than this, and more than one row a leaf takes tables of one height.
    pub log_height: Option<u32>,
}

impl LeafLayout {
    /// Leaves of so many rows, as many rows as the highest table has.
    pub const fn new(rows_per_leaf: usize) -> Self {
        Self { rows_per_leaf, log_height: None }
    }

    /// One row a leaf, `2^log_height` rows.
    pub const fn lifted(log_height: u32) -> Self {
        Self { rows_per_leaf: 1, log_height: Some(log_height) }
    }
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
    /// One table per group of the program, in storage order on `domain`. On a coset a lower table is periodic: it stands for
    /// its lift to the domain, whose value at storage index `i` is at `i >> (log_size - log_height)`. On a circle all tables
    /// have the domain's height.
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

/// A column of fractions summed up (logup, circle.md section 16): with the ratios `q_b = numerator_b/denominator_b` of a row,
/// extension column `b` but the last is `q_0 + ... + q_b`; the last is the inclusive running sum over the rows of
/// `s - total/2^log_height`, where `s = q_0 + ... + q_last` and `total` is the sum of `s` over all rows, so that it ends at
/// zero. A ratio with denominator zero counts as zero.
pub struct Logup<'a, B: StarkBackend> {
    /// The prepared program.
    pub program: &'a B::Program,
    /// One table per group of the program, all of one height, in row order. Row offsets wrap around.
    pub columns: &'a [Columns<&'a B::Buffer>],
    /// Log2 of the number of rows.
    pub log_height: u32,
    /// Values of the program's parameters.
    pub params: &'a [<B::P as Protocol>::Ext],
    /// (numerator, denominator) of every fraction: indices into the program's outputs. At least one.
    pub fractions: &'a [(usize, usize)],
}

/// Arguments of [`StarkBackend::map`].
pub struct Map<'a, B: StarkBackend> {
    /// The prepared program. The outputs that are wanted are base values and depend on no parameter.
    pub program: &'a B::Program,
    /// One table per group of the program, in row order. A lower table is periodic: row `i` reads its row `i mod height`.
    /// Row offsets wrap around.
    pub columns: &'a [Columns<&'a B::Buffer>],
    /// Log2 of the number of rows.
    pub log_height: u32,
    /// The outputs wanted, one base column each.
    pub outputs: &'a [usize],
}

/// Arguments of [`StarkBackend::tree_map`]: a table of a binary tree. Row 1 is the root, the children of row `i` are rows `2i` and
/// `2i + 1`, and the upper half of the rows are the leaves. Row 0 is no node; it is made as a leaf.
pub struct TreeMap<'a, B: StarkBackend> {
    /// Makes a leaf. All its outputs are base values and depend on no parameter: first [`Self::width`] columns, then one or more values
    /// that go up to the parent.
    pub leaf: &'a B::Program,
    /// Makes an inner row, with as many outputs of the same meaning. It has the groups of [`Self::leaf`] and one more, of base columns
    /// that are read without a row offset: what row `2i` handed up, then what row `2i + 1` did.
    pub node: &'a B::Program,
    /// One table per group of [`Self::leaf`], in row order. A lower table is periodic: row `i` reads its row `i mod height`.
    /// Row offsets wrap around.
    pub columns: &'a [Columns<&'a B::Buffer>],
    /// Log2 of the number of rows, at least 1.
    pub log_height: u32,
    /// Columns to build, at least 1.
    pub width: usize,
}

/// A term of the DEEP quotient. Coset: `(sum of weight * column(x) - constant) / (x - point)`, with slope zero. Circle:
/// `(sum of weight * column(q) - constant - slope * q.y) / ((P.x.0 - q.x) * P.y.1 - (P.y.0 - q.y) * P.x.1)` with `P` the point and
/// `P.x = P.x.0 + P.x.1 u` over CM31.
#[derive(Clone, Debug, PartialEq)]
pub struct DeepTerm<P: Protocol> {
    /// The point.
    pub point: P::Point,
    /// (table, base column, weight).
    pub weights: Vec<(usize, usize, P::Ext)>,
    /// What is subtracted: on a coset the weighted sum of the values at the point.
    pub constant: P::Ext,
    /// Factor of the `y` that is subtracted on a circle; zero on a coset.
    pub slope: P::Ext,
}

/// Rows and paths wanted of one tree.
pub struct OpenRequest<'a, B: StarkBackend> {
    /// Tables whose rows are opened, those that the tree was built over.
    pub columns: &'a [Columns<&'a B::Buffer>],
    /// The tree.
    pub tree: &'a B::Tree,
    /// Storage indices of the rows, any order, repeats allowed: of the highest table, or of the tree's leaves if those are more;
    /// lower tables are lifted.
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

/// The columns of a logup argument, and the total that the last one is centred by.
pub type LogupColumns<B> = (Columns<<B as StarkBackend>::Buffer>, <<B as StarkBackend>::P as Protocol>::Ext);

/// What the default of an operation returns.
fn absent<B: StarkBackend>(backend: &B, op: Operation) -> HalError {
    HalError::unsupported(op.name(), format!("not an operation of {}", backend.capabilities().backend))
}

/// One in-order queue on one device. See the crate's rules. Operations with a default body are those that not every proof needs;
/// a backend without one leaves it out of [`Capabilities::operations`].
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

    /// What is promised of the device's memory. Backends on one device share it.
    fn budget(&self) -> &Budget;

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

    /// [`Self::upload`] of columns, each of `2^log_height` elements, then [`Self::lde`] of the new table; gives the new table, if `keep`,
    /// and its extension. A backend may extend columns while others are on their way.
    ///
    /// This default is for backends that do one after the other; those that have [`Self::lde`] list it.
    fn upload_lde(
        &self,
        columns: &[&[<Self::P as Protocol>::Base]],
        log_height: u32,
        from: Basis<<Self::P as Protocol>::Domain>,
        to: <Self::P as Protocol>::Domain,
        keep: bool,
    ) -> Result<Uploaded<Self::Buffer>> {
        crate::check::upload_lde::<Self::P>(columns, log_height, &from, &to)?;
        let named = |error| HalError { op: Operation::UploadLde.name(), ..error };
        let rows = self.upload(&columns.concat(), columns.len(), log_height).map_err(named)?;
        let extended = self.lde(rows.as_ref(), from, to).map_err(named)?;
        Ok((keep.then_some(rows), extended))
    }

    /// Cuts each extension column of coefficients into `parts` extension columns of `2^log_part` coefficients. Coset: part `k`
    /// takes `k, k + parts, ...`, so that `H(X) = sum X^k H_k(X^parts)`. Circle: consecutive runs. Part-major: the extension
    /// columns of the result are part 0, part 1, .... `parts << log_part` is at most the height; the rest is dropped.
    fn split(&self, coefficients: Columns<&Self::Buffer>, parts: usize, log_part: u32)
    -> Result<Columns<Self::Buffer>>;

    /// A new table of the picked base columns (table, column), in the order given, repeats allowed. All tables have one height.
    fn select(&self, tables: &[Columns<&Self::Buffer>], picks: &[(usize, usize)]) -> Result<Columns<Self::Buffer>>;

    /// Commits to the rows of tables, in storage order. Tables have one height, but where the protocol lifts
    /// ([`Protocol::LIFTS`]): there the row at storage index `i` of `2^M` rows takes the element
    /// [`Protocol::lift_index`]`(i, M, n)` of a table of `2^n` rows.
    fn merkle(&self, columns: &[Columns<&Self::Buffer>], layout: LeafLayout, hash: HashFn) -> Result<Self::Tree>;

    /// The root of a tree.
    fn root(&self, tree: &Self::Tree) -> Result<Digest>;

    /// Opens rows and paths of several trees at once.
    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<<Self::P as Protocol>::Base>>>;

    /// Makes a program ready: encodes or compiles it. Reusable for any number of proofs.
    fn prepare(&self, program: &ConstraintProgram<Self::P>) -> Result<Self::Program>;

    /// Builds extension columns that are running products or sums, in row order: `running.len()` extension columns.
    fn running(&self, args: &Running<'_, Self>) -> Result<Columns<Self::Buffer>>;

    /// Builds the columns of a logup argument, in row order: `fractions.len()` extension columns, and the total that the last
    /// one is centred by.
    fn logup(&self, _args: &Logup<'_, Self>) -> Result<LogupColumns<Self>> {
        Err(absent(self, Operation::Logup))
    }

    /// A linear recurrence as one base column, in row order.
    fn recurrence(&self, _recurrence: &Recurrence<<Self::P as Protocol>::Base>) -> Result<Columns<Self::Buffer>> {
        Err(absent(self, Operation::Recurrence))
    }

    /// Outputs of a program at every row as base columns, in row order.
    fn map(&self, _args: &Map<'_, Self>) -> Result<Columns<Self::Buffer>> {
        Err(absent(self, Operation::Map))
    }

    /// Outputs of programs at the nodes of a binary tree as base columns, in row order: `width` of them. A node takes what its children
    /// hand up, so levels are made one after the other, the leaves first.
    fn tree_map(&self, _args: &TreeMap<'_, Self>) -> Result<Columns<Self::Buffer>> {
        Err(absent(self, Operation::TreeMap))
    }

    /// Evaluates a combination of a program's outputs on (a prefix of) a domain: one extension column of `2^log_eval` rows.
    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<Columns<Self::Buffer>>;

    /// Adds tables to one of the same width, in storage order, lower ones lifted ([`Protocol::lift_index`]).
    fn accumulate(&self, _into: Columns<&mut Self::Buffer>, _from: Columns<&Self::Buffer>) -> Result<()> {
        Err(absent(self, Operation::Accumulate))
    }

    /// Values of every base column's polynomial at each point: `result[point][column]`. The points are outside the domain.
    /// With evaluations in storage order the domain may be smaller than the table (coset): then the first rows count, which
    /// are the evaluations on [`crate::CosetDomain::prefix`]. The polynomial is that of degree below the domain's size.
    fn eval_at(
        &self,
        columns: Columns<&Self::Buffer>,
        from: Basis<<Self::P as Protocol>::Domain>,
        points: &[<Self::P as Protocol>::Point],
    ) -> Result<Vec<Vec<<Self::P as Protocol>::Ext>>>;

    /// The sum of the terms at every point of the domain, storage order: one extension column. On a coset all tables have the
    /// domain's height. A circle domain is a prefix of a canonic one of `2^L` points; a table of `2^e` rows, `e <= L`, is on
    /// the canonic domain of its size and lifted to `L`.
    fn deep_quotient(
        &self,
        columns: &[Columns<&Self::Buffer>],
        domain: <Self::P as Protocol>::Domain,
        terms: &[DeepTerm<Self::P>],
    ) -> Result<Columns<Self::Buffer>>;

    /// Folds one extension column on `domain` to half its size: `q(x^2) = p(x) + p(-x) + alpha (p(x) - p(-x))/x` on a coset, with
    /// no factor 1/2; from a circle to a line the same with `p(P)`, `p(conj P)` and `P.y` in place of `x`, on a line with its `x`.
    /// The result is on [`Protocol::folded`]. Circle domains are canonic.
    fn fri_fold(
        &self,
        layer: Columns<&Self::Buffer>,
        domain: <Self::P as Protocol>::Domain,
        alpha: <Self::P as Protocol>::Ext,
    ) -> Result<Columns<Self::Buffer>>;

    /// The first nonce of the protocol's search order; `None` if no 64-bit nonce will do.
    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>>;
}
