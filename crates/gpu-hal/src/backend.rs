//! The front that everyone calls.

use alloc::vec::Vec;
use core::ops::Range;

use crate::call::{Call, call};
use crate::op::{self, Data, Size};
use crate::sealed::Sealed;
use crate::{
    Accumulated, BaseOf, Basis, BindRequest, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm,
    DeferredFault, DeviceClock, DeviceProgram, Digest, Domain, DomainOf, EvalRequest, ExtOf, Footprint, HashFn,
    LeafLayout, LinearRecurrence, MakeElements, MapArgs, MemoryInfo, NonceSearch, OpenRequest, Opened, Operation,
    Operations, PlacementOperations, Protocol, RandomRows, Rehearse, Result, RowRun, RowsOutput, RunningRequest,
    SumRequest, Table, TreeMapArgs, Types, Uploaded, Values, check,
};

/// A backend as everyone calls it. Every implementation of [`Operations`] is one; nothing else can be.
///
/// The front refuses operations that are not in [`Capabilities::operations`] ([`crate::ErrorKind::Unsupported`]) and
/// arguments that contradict the contract ([`crate::op::Op::check`]), and names every error after the operation.
/// Operations behind it trust their arguments.
///
/// # Errors
/// A backend is usable after an error, but for [`crate::ErrorKind::DeviceLost`]. Each operation may fail with
/// [`crate::ErrorKind::Unsupported`] if it, its hash function or its block of a domain is not one of the backend's;
/// [`crate::ErrorKind::OutOfMemory`]; [`crate::ErrorKind::Stopped`] if its caller has ended it
/// ([`crate::CancelToken`]); [`crate::ErrorKind::Backend`] if the device fails. The sections of the methods list the
/// arguments that are refused ([`crate::ErrorKind::InvalidArgument`]); the others refuse none.
pub trait StarkBackend: Sized + Send + Sync + 'static + Sealed {
    /// The proof system.
    type P: Protocol;
    /// Device memory.
    type Buffer: crate::DeviceBuffer;
    /// A Merkle tree on the device.
    type Tree: crate::DeviceTree;
    /// A program made ready by [`Self::prepare`].
    type Program: DeviceProgram<Self::P>;
    /// The four types above as one; arguments are generic over it.
    type T: Types<P = Self::P, Buffer = Self::Buffer, Tree = Self::Tree, Program = Self::Program>;
    /// The operations behind the front.
    type Raw: Operations<T = Self::T>;
    /// The shapes on which a proof is planned.
    type Shapes: Rehearse<Of = Self, TypesOf = Self::T> + Operations<T: Types<P = Self::P>>;

    /// The operations behind the front, for backends around this one. Their arguments must have been checked.
    fn raw(&self) -> &Self::Raw;

    /// The backend's properties and abilities.
    fn capabilities(&self) -> &Capabilities {
        Operations::capabilities(self.raw())
    }

    /// Whether it has an operation.
    fn has(&self, operation: Operation) -> bool {
        self.capabilities().operations.contains(&operation)
    }

    /// Memory of the device.
    fn memory(&self) -> Result<MemoryInfo> {
        Operations::memory(self.raw())
    }

    /// Promises on the device's memory, one for all backends on it.
    fn budget(&self) -> &Budget {
        Operations::budget(self.raw())
    }

    /// Bytes that something takes of [`Self::memory`], or a little more, and never less: plans add them up.
    fn footprint(&self, of: &Footprint<'_, Self::T>) -> u64 {
        Operations::footprint(self.raw(), of)
    }

    /// The device's own clock; `None` where measurements take the host's.
    fn clock(&self) -> Option<&dyn DeviceClock> {
        Operations::clock(self.raw())
    }

    /// Copies `width * 2^log_height` elements, column-major, to the device.
    ///
    /// # Errors
    /// An element that is not canonical; a shape that the elements do not make.
    fn upload(&self, data: &[BaseOf<Self::T>], width: usize, log_height: u32) -> Result<Table<Self::T>> {
        call::<op::Upload, _>(self.raw(), (Data::Slice(data), width, log_height))
    }

    /// [`Self::upload`] of elements that are made on their way: `make` is called on any threads, in any order, so that
    /// every element is made once.
    ///
    /// # Errors
    /// As [`Self::upload`].
    fn upload_made(
        &self,
        make: &MakeElements<'_, BaseOf<Self::T>>,
        width: usize,
        log_height: u32,
    ) -> Result<Table<Self::T>> {
        call::<op::Upload, _>(self.raw(), (Data::Function(make), width, log_height))
    }

    /// Copies the given rows of all columns to the host, column-major.
    ///
    /// # Errors
    /// Rows that the table does not have.
    fn download(&self, table: Columns<&Self::Buffer>, rows: Range<usize>) -> Result<Vec<BaseOf<Self::T>>> {
        call::<op::Download, _>(self.raw(), (table, rows))
    }

    /// Copies a table to a second device of the same kind, after all work enqueued on this one, and before work that is
    /// enqueued on the other from here on.
    ///
    /// # Errors
    /// A peer on which the table cannot be.
    fn copy_to(&self, table: Columns<&Self::Buffer>, peer: &Self) -> Result<Table<Self::T>> {
        let call = Call::new(self.raw(), Operation::CopyTo)?;
        check::columns(call.operation, &table)?;
        call.named(Size::of(table.width, table.height()), |raw| PlacementOperations::copy_to(raw, table, peer.raw()))
    }

    /// Waits for everything enqueued.
    fn sync(&self) -> Result<()> {
        call::<op::Sync, _>(self.raw(), ())
    }

    /// Transforms every column in place from one basis to the other. `from` and `to` are coefficients and evaluations
    /// on a domain of the columns' size, in either direction; or evaluations on one domain, in storage order and in row
    /// order, which moves the values and changes none.
    ///
    /// # Errors
    /// Two bases between which there is no transform; a domain that is not of the columns' size.
    fn ntt(
        &self,
        table: Columns<&mut Self::Buffer>,
        from: Basis<DomainOf<Self::T>>,
        to: Basis<DomainOf<Self::T>>,
    ) -> Result<()> {
        call::<op::Ntt, _>(self.raw(), (table, from, to))
    }

    /// Evaluates every column on `to`, a domain at least as large, in storage order.
    ///
    /// # Errors
    /// A domain that is smaller than the columns are high, or of another kind.
    fn lde(
        &self,
        table: Columns<&Self::Buffer>,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
    ) -> Result<Table<Self::T>> {
        call::<op::Lde, _>(self.raw(), (table, from, to))
    }

    /// [`Self::upload`] of columns, each of `2^log_height` elements, then [`Self::lde`] of the new table; gives the new
    /// table, if `keep`, and its extension. A backend may extend columns while others are on their way.
    ///
    /// # Errors
    /// As [`Self::upload`] and [`Self::lde`].
    fn upload_lde(
        &self,
        columns: &[&[BaseOf<Self::T>]],
        log_height: u32,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
        keep: bool,
    ) -> Result<Uploaded<Self::Buffer>> {
        call::<op::UploadLde, _>(self.raw(), (columns, log_height, from, to, keep))
    }

    /// Cuts each base column into `parts` columns of `2^log_part` elements, of any meaning. Coset: part `k` takes
    /// `k, k + parts, ...`, so that of coefficients `H(X) = sum X^k H_k(X^parts)`. Circle: consecutive runs
    /// ([`Domain::split_index`]), so that the first part of values in storage order is that on a prefix. The result has
    /// all columns of part 0, then of part 1, .... Elements behind the first `parts << log_part` are dropped.
    ///
    /// # Errors
    /// More coefficients than there are rows; no column.
    fn split(&self, table: Columns<&Self::Buffer>, parts: usize, log_part: u32) -> Result<Table<Self::T>> {
        call::<op::Split, _>(self.raw(), (table, parts, log_part))
    }

    /// A new table of the picked base columns (table, column), in the order given, repeats allowed. All tables have one
    /// height.
    ///
    /// # Errors
    /// Tables of different heights; a column that does not exist; no column.
    fn select(&self, tables: &[Columns<&Self::Buffer>], picks: &[(usize, usize)]) -> Result<Table<Self::T>> {
        call::<op::Select, _>(self.raw(), (tables, picks))
    }

    /// Commits to the rows of tables, in storage order. Tables have one height, but where the protocol lifts
    /// ([`Domain::LIFTS`]): there the row at storage index `i` of `2^M` rows takes the element
    /// [`crate::Domain::lift_index`]`(i, M, n)` of a table of `2^n` rows. A layout [of a
    /// part](LeafLayout::of_part) makes the tree over the block of rows that the tables are of all rows.
    ///
    /// # Errors
    /// A table that is higher than the tree, or of another height where nothing is lifted; a number of rows a leaf
    /// other than 1, 2, 4, 8 and 16, or above the number of rows.
    fn merkle(&self, tables: &[Columns<&Self::Buffer>], layout: LeafLayout, hash: HashFn) -> Result<Self::Tree> {
        call::<op::Merkle, _>(self.raw(), (tables, layout.of(tables), hash))
    }

    /// The root of a tree.
    fn root(&self, tree: &Self::Tree) -> Result<Digest> {
        call::<op::Root, _>(self.raw(), tree)
    }

    /// Opens rows and paths of several trees at once.
    ///
    /// # Errors
    /// A leaf or a row that does not exist.
    fn open(&self, requests: &[OpenRequest<'_, Self::T>]) -> Result<Vec<Opened<BaseOf<Self::T>>>> {
        call::<op::Open, _>(self.raw(), requests)
    }

    /// Makes a program ready: encodes or compiles it. Reusable for any number of proofs.
    ///
    /// # Errors
    /// [`crate::ErrorKind::KernelBuild`] if a kernel is not compiled.
    fn prepare(&self, program: &ConstraintProgram<Self::P>) -> Result<Self::Program> {
        Call::new(self.raw(), Operation::Prepare)?.named(Size::default(), |raw| Operations::prepare(raw, program))
    }

    /// Builds extension columns that accumulate the outputs of programs from row to row, a table for each request.
    ///
    /// # Errors
    /// A program that the tables do not fit; a table of another height; no column to build.
    fn running(&self, requests: &[RunningRequest<'_, Self::T>]) -> Result<Vec<Accumulated<Self::T>>> {
        call::<op::Running, _>(self.raw(), requests)
    }

    /// A linear recurrence as one base column, in row order.
    ///
    /// # Errors
    /// Coefficients and values that do not fit each other; a start not behind the last; an element that is none.
    fn recurrence(&self, recurrence: &LinearRecurrence<BaseOf<Self::T>>) -> Result<Table<Self::T>> {
        call::<op::Recurrence, _>(self.raw(), recurrence)
    }

    /// Outputs of a program at every row as base columns, in row order.
    ///
    /// # Errors
    /// A program that the tables do not fit; an output that is no base value; no output.
    fn map(&self, args: &MapArgs<'_, Self::T>) -> Result<Table<Self::T>> {
        call::<op::Map, _>(self.raw(), args)
    }

    /// Outputs of programs at the nodes of a binary tree as base columns, in row order, the leaves first.
    ///
    /// # Errors
    /// A single row; programs of which a node does not take what its children hand up, or which read other rows of it.
    fn tree_map(&self, args: &TreeMapArgs<'_, Self::T>) -> Result<Table<Self::T>> {
        call::<op::TreeMap, _>(self.raw(), args)
    }

    /// Multilinear polynomials with their first variable bound, a table for each request ([`BindRequest`]).
    ///
    /// # Errors
    /// Rows that are not in their table; no variable; base columns that are no extension columns.
    fn bind(&self, requests: &[BindRequest<'_, Self::T>]) -> Result<Vec<Table<Self::T>>> {
        call::<op::Bind, _>(self.raw(), requests)
    }

    /// Sums over the corners of a hypercube, one of each wanted output for each request ([`SumRequest`]).
    ///
    /// # Errors
    /// Rows that are not in their tables; a program that does not fit; weights of other variables; no output.
    fn sum(&self, requests: &[SumRequest<'_, Self::T>]) -> Result<Vec<Vec<ExtOf<Self::T>>>> {
        call::<op::Sum, _>(self.raw(), requests)
    }

    /// [`Self::bind`], then [`Self::sum`] of what it makes, by one reading of the polynomials. It refuses what they do,
    /// fewer than two variables, and programs of other groups than one of extension columns.
    fn bind_sum(&self, requests: &[crate::BindSumRequest<'_, Self::T>]) -> Result<Vec<crate::BoundSums<Self::T>>> {
        call::<op::BindSum, _>(self.raw(), requests)
    }

    /// Runs a [`crate::RowProgram`] for every row of a table by itself: gives its columns and the lists that it emits
    /// to, and adds its counts to `counters`, one for each of the program's, each a table of any width and height.
    ///
    /// Every node is evaluated in every row, then every effect. A fault is [`crate::ErrorKind::InvalidArgument`] in the
    /// words of [`crate::ir::RowFault`]: that of the first row that has one, in it that of the first node or else of
    /// the first effect. After an error the counters are unspecified.
    ///
    /// # Errors
    /// A row's fault; tables, counters or a source that do not fit; more counts than [`crate::check::MAX_COUNTED`].
    fn rows(
        &self,
        args: &RowRun<'_, Self::T>,
        counters: &mut [Columns<&mut Self::Buffer>],
    ) -> Result<RowsOutput<Self::T>> {
        call::<op::Rows, _>(self.raw(), (args, counters.iter_mut().map(Columns::reborrow).collect(), None))
    }

    /// [`Self::rows`] that need not wait to know whether a row has a fault: it is an error of this call, or else of the
    /// verdict ([`Self::had_fault`]), and then the results are unspecified. One verdict may serve many runs.
    ///
    /// # Errors
    /// As [`Self::rows`], but for faults that the verdict has.
    fn rows_ahead(
        &self,
        args: &RowRun<'_, Self::T>,
        counters: &mut [Columns<&mut Self::Buffer>],
        verdict: &mut DeferredFault,
    ) -> Result<RowsOutput<Self::T>> {
        call::<op::Rows, _>(self.raw(), (args, counters.iter_mut().map(Columns::reborrow).collect(), Some(verdict)))
    }

    /// Whether a row had a fault in the runs of a verdict; waits for them. [`Self::rows`] says which.
    ///
    /// # Errors
    /// Errors of the runs.
    fn had_fault(&self, verdict: &DeferredFault) -> Result<bool> {
        call::<op::HadFault, _>(self.raw(), verdict)
    }

    /// Evaluates combinations of programs' outputs, each on (a prefix of) its domain: one extension column of
    /// `2^log_eval` rows for each request.
    ///
    /// # Errors
    /// A program that the tables do not fit; evaluation on less than the trace has, or on its own domain; a factor of a
    /// power above the trace's length; a multiplier that does not exist.
    fn constraint_eval(&self, requests: &[Constraints<'_, Self::T>]) -> Result<Vec<Table<Self::T>>> {
        call::<op::ConstraintEval, _>(self.raw(), requests)
    }

    /// Adds a table to one of the same width, in storage order, a lower one lifted ([`crate::Domain::lift_index`]).
    ///
    /// # Errors
    /// Tables of different widths; a table that is higher than the one it is added to.
    fn accumulate(&self, into: Columns<&mut Self::Buffer>, from: Columns<&Self::Buffer>) -> Result<()> {
        call::<op::Accumulate, _>(self.raw(), (into, from))
    }

    /// Writes uniform elements to the last rows of every column: a function of [`RandomRows`], the column and the row.
    ///
    /// # Errors
    /// More rows than the table has.
    fn random(&self, into: Columns<&mut Self::Buffer>, rows: &RandomRows) -> Result<()> {
        call::<op::Random, _>(self.raw(), (into, rows))
    }

    /// Values of every base column's polynomial at each point, for each request: `result[request][point][column]`.
    ///
    /// # Errors
    /// A domain that is not the one of a table.
    fn eval_at(&self, requests: &[EvalRequest<'_, Self::T>]) -> Result<Vec<Values<Self::T>>> {
        call::<op::EvalAt, _>(self.raw(), requests)
    }

    /// The sum of the terms at every point of the domain, storage order: one extension column. On a coset all tables
    /// have the domain's height. A circle domain is a prefix of a canonic one of `2^L` points; a table of `2^e` rows,
    /// `e <= L`, is on the canonic domain of its size and lifted to `L`.
    ///
    /// Where the terms are of values that the columns have at the points, as a prover's are, the sum is a polynomial;
    /// only then is what [`Self::lde`] makes of a prefix of it a function of the arguments: a backend of several
    /// devices may extend other values of it.
    ///
    /// # Errors
    /// A table that is not on the domain and is not lifted to it; a weight for a column that does not exist; a slope
    /// on a coset.
    fn deep_quotient(
        &self,
        tables: &[Columns<&Self::Buffer>],
        domain: DomainOf<Self::T>,
        terms: &[DeepTerm<Self::P>],
    ) -> Result<Table<Self::T>> {
        call::<op::DeepQuotient, _>(self.raw(), (tables, 0, domain, terms))
    }

    /// Folds one extension column on `domain` to half its size: `q(x^2) = p(x) + p(-x) + alpha (p(x) - p(-x))/x` on a
    /// coset, with no factor 1/2; from a circle to a line the same with `p(P)`, `p(conj P)` and `P.y` in place of `x`,
    /// on a line with its `x`. The result is on [`crate::Domain::folded`].
    ///
    /// # Errors
    /// A layer that is not one extension column on the domain; a single point.
    fn fri_fold(
        &self,
        layer: Columns<&Self::Buffer>,
        domain: DomainOf<Self::T>,
        alpha: ExtOf<Self::T>,
    ) -> Result<Table<Self::T>> {
        // A wrong domain and a single point are refused behind this.
        let folded = Some(domain).filter(Domain::is_valid).and_then(|domain| domain.folded()).unwrap_or(domain);
        call::<op::FriFold, _>(self.raw(), (layer, domain, folded, alpha))
    }

    /// The first nonce of the hash function's order that does the work; `None` if no nonce of that order will do.
    ///
    /// # Errors
    /// A hash function that has no proof of work; more than 64 bits.
    fn grind(&self, grind: &NonceSearch) -> Result<Option<u64>> {
        self.grind_within(grind, 0..grind.hash.nonces().windows())
    }

    /// As [`Self::grind`], in some of the order's [`crate::hash::Nonces::windows`]: window `w` has the tries
    /// `w * 2^LOG_WINDOW ..` ([`crate::LOG_WINDOW`]).
    ///
    /// # Errors
    /// As [`Self::grind`]; windows that do not exist.
    fn grind_within(&self, grind: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        call::<op::Grind, _>(self.raw(), (grind, windows))
    }
}
