//! A backend of shapes: a prover that runs on it learns what a proof takes of a device, and takes nothing of it.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::steps::{Extension, Moment, Step};
use crate::{
    Accumulated, BaseOf, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeviceBuffer,
    DeviceProgram, DeviceTree, Digest, Domain, DomainOf, EvalAt, ExtOf, Footprint, GrindChallenge, HashFn, Leaves,
    MakeElements, MemoryInfo, OpenRequest, Opened, Openings, Operation, Operations, Protocol, Result, Running, Shape,
    StarkBackend, Stash, StoredRequest, Table, TableRef, TraceOperations, Types, Uploaded, Values, shapes,
};

/// A program of a backend, and what it was made from.
pub struct Prepared<T: Types> {
    /// What the backend made.
    pub program: T::Program,
    /// What it was made from.
    pub source: Arc<ConstraintProgram<T::P>>,
}

impl<T: Types> Prepared<T> {
    /// Makes a program ready.
    ///
    /// # Errors
    /// Those of [`StarkBackend::prepare`].
    pub fn new<B>(backend: &B, source: &ConstraintProgram<T::P>) -> Result<Arc<Self>>
    where
        B: StarkBackend<T = T, P = T::P, Program = T::Program>,
    {
        Self::shared(backend, &Arc::new(source.clone()))
    }

    /// The same of what others have, too.
    ///
    /// # Errors
    /// Those of [`StarkBackend::prepare`].
    pub fn shared<B>(backend: &B, source: &Arc<ConstraintProgram<T::P>>) -> Result<Arc<Self>>
    where
        B: StarkBackend<T = T, P = T::P, Program = T::Program>,
    {
        Ok(Arc::new(Self { program: backend.prepare(source)?, source: source.clone() }))
    }
}

impl<T: Types> DeviceProgram<T::P> for Arc<Prepared<T>> {
    fn program(&self) -> &ConstraintProgram<T::P> {
        &self.source
    }
}

/// What a rehearsal found since it began, or since [`Rehearsed::finish`] was called last.
#[derive(Clone, Debug)]
pub struct Rehearsal<P: Protocol> {
    /// Highest sum of what was live, in bytes, what the backend keeps for all statements included ([`Footprint::Kept`]).
    pub peak_bytes: u64,
    /// Where it was reached.
    pub peak_at: Moment,
    /// What is live at the end, without what the backend keeps.
    pub live_bytes: u64,
    /// Every operation, in order.
    pub steps: Vec<Step<P>>,
    /// What is moved to the host's memory and back; `None` if nothing is.
    pub spill: Option<Spill>,
}

/// What a device that is too small moves to the host's memory and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spill {
    /// Highest sum on the device, in bytes.
    pub device_bytes: u64,
    /// Highest sum in the host's memory, in bytes.
    pub host_bytes: u64,
    /// Bytes moved, in either direction.
    pub moved_bytes: u64,
}

impl Spill {
    /// That of two devices together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            device_bytes: self.device_bytes.saturating_add(other.device_bytes),
            host_bytes: self.host_bytes.saturating_add(other.host_bytes),
            moved_bytes: self.moved_bytes.saturating_add(other.moved_bytes),
        }
    }

    /// The larger of each number.
    pub fn max(self, other: Self) -> Self {
        Self {
            device_bytes: self.device_bytes.max(other.device_bytes),
            host_bytes: self.host_bytes.max(other.host_bytes),
            moved_bytes: self.moved_bytes.max(other.moved_bytes),
        }
    }
}

/// Live bytes in the order in which they are taken and released.
#[derive(Debug)]
struct Account<P: Protocol> {
    live: u64,
    peak: u64,
    peak_at: Moment,
    part: &'static str,
    steps: Vec<Step<P>>,
    /// Log2 of the points of the largest domain so far.
    log_domain: u32,
}

#[derive(Debug)]
struct Ledger<P: Protocol>(Mutex<Account<P>>);

impl<P: Protocol> Ledger<P> {
    fn lock(&self) -> MutexGuard<'_, Account<P>> {
        // No update can stop halfway.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that count as live until this is dropped.
#[derive(Debug)]
struct Held<P: Protocol> {
    ledger: Arc<Ledger<P>>,
    bytes: u64,
}

impl<P: Protocol> Drop for Held<P> {
    fn drop(&mut self) {
        let mut account = self.ledger.lock();
        account.live = account.live.saturating_sub(self.bytes);
    }
}

/// A buffer without elements.
#[derive(Debug)]
pub struct ShapeBuffer<P: Protocol> {
    len: usize,
    _held: Held<P>,
}

impl<P: Protocol> DeviceBuffer for ShapeBuffer<P> {
    fn len(&self) -> usize {
        self.len
    }
}

/// A tree without digests.
#[derive(Debug)]
pub struct ShapeTree<P: Protocol> {
    log_leaves: u32,
    _held: Held<P>,
}

impl<P: Protocol> DeviceTree for ShapeTree<P> {
    fn log_leaves(&self) -> u32 {
        self.log_leaves
    }
}

/// The shapes of what would be on `B`'s device. Buffers and trees count for what [`StarkBackend::footprint`] says of `B`, from when they
/// are made until they are dropped; operations for as long as they run. What comes to the host is zeros, and the first nonce is found at
/// once. Data are neither asked for nor looked at.
pub struct Rehearsed<B: StarkBackend> {
    inner: Arc<B>,
    ledger: Arc<Ledger<B::P>>,
}

impl<B: StarkBackend> Rehearsed<B> {
    /// Nothing is live yet.
    pub fn new(inner: Arc<B>) -> Self {
        let nowhere = Moment { part: "", operation: Operation::Sync };
        let account = Account { live: 0, peak: 0, peak_at: nowhere, part: "", steps: Vec::new(), log_domain: 0 };
        Self { inner, ledger: Arc::new(Ledger(Mutex::new(account))) }
    }

    /// Names what follows, for [`Moment::part`].
    pub fn enter(&self, part: &'static str) {
        self.ledger.lock().part = part;
    }

    /// What was found. What is live stays so, and is where the next peak starts from.
    pub fn finish(&self) -> Rehearsal<B::P> {
        let mut account = self.ledger.lock();
        let kept = self.inner.footprint(&Footprint::Kept { log_domain: account.log_domain });
        let rehearsal = Rehearsal {
            peak_bytes: account.peak.saturating_add(kept),
            peak_at: account.peak_at,
            live_bytes: account.live,
            steps: core::mem::take(&mut account.steps),
            spill: None,
        };
        account.peak = account.live;
        rehearsal
    }

    /// [`StarkBackend::upload`] of a table of which nothing but the shape is known.
    pub fn upload_shape(&self, table: Shape) -> Columns<ShapeBuffer<B::P>> {
        self.note(Step::Upload(table));
        self.table(table.width, table.log_height)
    }

    /// [`StarkBackend::upload_lde`] of a table of which nothing but the shape is known.
    pub fn upload_lde_shape(
        &self,
        table: Shape,
        from: Basis<DomainOf<B::T>>,
        to: DomainOf<B::T>,
        keep: bool,
    ) -> Uploaded<ShapeBuffer<B::P>> {
        self.note(Step::UploadLde(extension::<B>(table, &from, &to)));
        self.reach(from.domain().into_iter().chain([&to]));
        let rows = keep.then(|| self.table(table.width, table.log_height));
        let extended = self.table(table.width, to.log_size());
        self.pass(&Footprint::UploadLde { table, from, keep });
        (rows, extended)
    }

    pub(super) fn note(&self, step: Step<B::P>) {
        self.ledger.lock().steps.push(step);
    }

    pub(super) fn moves(&self, operation: Operation, read: usize, written: usize) {
        self.note(Step::Moves { operation, read, written });
    }

    fn reach<'d>(&self, domains: impl IntoIterator<Item = &'d DomainOf<B::T>>)
    where
        DomainOf<B::T>: 'd,
    {
        let largest = domains.into_iter().map(|domain| domain.log_whole()).max().unwrap_or(0);
        let mut account = self.ledger.lock();
        account.log_domain = account.log_domain.max(largest);
    }

    /// Counts something until it is dropped.
    fn take(&self, what: &Footprint<'_, B::T>) -> Held<B::P> {
        let bytes = self.inner.footprint(what);
        let mut account = self.ledger.lock();
        account.live = account.live.saturating_add(bytes);
        if account.live > account.peak {
            let operation = account.steps.last().map_or(Operation::Sync, Step::operation);
            account.peak = account.live;
            account.peak_at = Moment { part: account.part, operation };
        }
        Held { ledger: self.ledger.clone(), bytes }
    }

    /// What an operation takes while it runs; its result is live already.
    pub(super) fn pass(&self, what: &Footprint<'_, B::T>) {
        drop(self.take(what));
    }

    pub(super) fn table(&self, width: usize, log_height: u32) -> Columns<ShapeBuffer<B::P>> {
        let shape = Columns::new((), width, log_height);
        let held = self.take(&Footprint::Table(shape));
        Columns::new(ShapeBuffer { len: shape.elements(), _held: held }, width, log_height)
    }
}

fn extension<B: StarkBackend>(table: Shape, from: &Basis<DomainOf<B::T>>, to: &DomainOf<B::T>) -> Extension {
    Extension { table, log_to: to.log_size(), from_values: !matches!(from, Basis::Coefficients) }
}

impl<B: StarkBackend> Types for Rehearsed<B> {
    type P = B::P;
    type Buffer = ShapeBuffer<B::P>;
    type Tree = ShapeTree<B::P>;
    type Program = Arc<Prepared<B::T>>;
}

impl<B: StarkBackend> Operations for Rehearsed<B> {
    type T = Self;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo> {
        let MemoryInfo { available, is_host, moved, .. } = self.inner.memory()?;
        let account = self.ledger.lock();
        Ok(MemoryInfo { available, in_use: account.live, peak: account.peak, is_host, moved })
    }

    fn budget(&self) -> &Budget {
        self.inner.budget()
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        self.inner.footprint(&of.with_program(|prepared| &prepared.program))
    }

    fn traces(&self) -> Option<&dyn TraceOperations<Self>> {
        Operations::traces(self.inner.raw()).map(|_| self as _)
    }

    fn upload(&self, _: &[BaseOf<B::T>], width: usize, log_height: u32) -> Result<Table<Self>> {
        Ok(self.upload_shape(Columns::new((), width, log_height)))
    }

    fn upload_made(&self, _: &MakeElements<'_, BaseOf<B::T>>, width: usize, log_height: u32) -> Result<Table<Self>> {
        Ok(self.upload_shape(Columns::new((), width, log_height)))
    }

    fn download(&self, table: TableRef<'_, Self>, rows: Range<usize>) -> Result<Vec<BaseOf<B::T>>> {
        self.note(Step::Download { table: table.shape(), rows: rows.len() });
        Ok(vec![Default::default(); table.width * rows.len()])
    }

    fn copy_to(&self, table: TableRef<'_, Self>, peer: &Self) -> Result<Table<Self>> {
        self.moves(Operation::CopyTo, table.elements(), table.elements());
        Ok(peer.table(table.width, table.log_height))
    }

    fn stash(&self, _: TableRef<'_, Self>) -> Result<Stash> {
        Ok(Stash::new(()))
    }

    fn restore(&self, _: &Stash, shape: Shape) -> Result<Table<Self>> {
        Ok(self.table(shape.width, shape.log_height))
    }

    fn stashes_trees(&self) -> bool {
        self.inner.raw().stashes_trees()
    }

    fn stash_tree(&self, tree: &ShapeTree<B::P>) -> Result<Stash> {
        Ok(Stash::new(tree.log_leaves))
    }

    fn restore_tree(&self, stash: &Stash) -> Result<ShapeTree<B::P>> {
        let log_leaves = *stash.get()?;
        Ok(ShapeTree { log_leaves, _held: self.take(&Footprint::Tree { log_leaves }) })
    }

    fn opens_stored(&self) -> bool {
        self.inner.raw().opens_stored()
    }

    fn open_stored(&self, requests: &[StoredRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<B::T>>>> {
        let open = |request: &StoredRequest<'_, Self>| {
            self.moves(Operation::Open, 0, 0);
            let (rows, leaves, log_leaves) = (request.rows.len(), request.leaves.len(), request.log_leaves);
            self.pass(&Footprint::OpenStored { rows, leaves, tables: &request.shapes(), log_leaves });
            Opened {
                rows: vec![vec![Default::default(); request.width()]; rows],
                paths: vec![vec![Digest::default(); log_leaves as usize]; leaves],
            }
        };
        Ok(requests.iter().map(open).collect())
    }

    fn sync(&self) -> Result<()> {
        self.moves(Operation::Sync, 0, 0);
        Ok(())
    }

    fn ntt(
        &self,
        table: Columns<&mut ShapeBuffer<B::P>>,
        from: Basis<DomainOf<B::T>>,
        to: Basis<DomainOf<B::T>>,
    ) -> Result<()> {
        let table = table.shape();
        self.note(Step::Ntt(table));
        self.reach([&from, &to].into_iter().filter_map(Basis::domain));
        self.pass(&Footprint::Ntt { table, from, to });
        Ok(())
    }

    fn lde(&self, table: TableRef<'_, Self>, from: Basis<DomainOf<B::T>>, to: DomainOf<B::T>) -> Result<Table<Self>> {
        let table = table.shape();
        self.note(Step::Lde(extension::<B>(table, &from, &to)));
        self.reach(from.domain().into_iter().chain([&to]));
        let extended = self.table(table.width, to.log_size());
        self.pass(&Footprint::Lde { table, from });
        Ok(extended)
    }

    fn upload_lde(
        &self,
        columns: &[&[BaseOf<B::T>]],
        log_height: u32,
        from: Basis<DomainOf<B::T>>,
        to: DomainOf<B::T>,
        keep: bool,
    ) -> Result<Uploaded<ShapeBuffer<B::P>>> {
        Ok(self.upload_lde_shape(Columns::new((), columns.len(), log_height), from, to, keep))
    }

    fn split(&self, coefficients: TableRef<'_, Self>, parts: usize, log_part: u32) -> Result<Table<Self>> {
        let width = coefficients.width * parts;
        self.moves(Operation::Split, width << log_part, width << log_part);
        Ok(self.table(width, log_part))
    }

    fn select(&self, tables: &[TableRef<'_, Self>], picks: &[(usize, usize)]) -> Result<Table<Self>> {
        let log_height = tables.first().map_or(0, |table| table.log_height);
        self.moves(Operation::Select, picks.len() << log_height, picks.len() << log_height);
        Ok(self.table(picks.len(), log_height))
    }

    fn merkle(&self, tables: &[TableRef<'_, Self>], leaves: Leaves, hash: HashFn) -> Result<ShapeTree<B::P>> {
        let Leaves { rows_per_leaf, log_height } = leaves;
        let log_leaves = log_height - rows_per_leaf.ilog2();
        let tables = shapes(tables);
        let held = self.take(&Footprint::Tree { log_leaves });
        self.pass(&Footprint::Merkle { tables: &tables, leaves });
        self.note(Step::Merkle { tables, rows_per_leaf, log_leaves, hash });
        Ok(ShapeTree { log_leaves, _held: held })
    }

    fn root(&self, _: &ShapeTree<B::P>) -> Result<Digest> {
        self.moves(Operation::Root, 0, 0);
        Ok(Digest::default())
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<B::T>>>> {
        self.moves(Operation::Open, 0, 0);
        self.pass(&Openings::of(requests).footprint());
        let opened = requests.iter().map(|request| Opened {
            rows: vec![vec![Default::default(); request.width()]; request.rows.len()],
            paths: vec![vec![Digest::default(); request.tree.log_leaves as usize]; request.leaves.len()],
        });
        Ok(opened.collect())
    }

    fn prepare(&self, program: &ConstraintProgram<B::P>) -> Result<Arc<Prepared<B::T>>> {
        self.moves(Operation::Prepare, 0, 0);
        Prepared::new(&*self.inner, program)
    }

    fn running(&self, requests: &[Running<'_, Self>]) -> Result<Vec<Accumulated<Self>>> {
        let totals = requests.iter().filter(|args| args.form.has_total()).count();
        let run = |args: &Running<'_, Self>| {
            let (log_height, form, tables) = (args.log_height, args.form, shapes(args.columns));
            let columns = form.width();
            self.note(Step::Running { program: args.program.source.clone(), log_height, columns });
            let built = self.table(columns * B::P::DEGREE, log_height);
            let program = &args.program.program;
            self.pass(&Footprint::Running { program, tables: &tables, log_height, form, totals });
            Accumulated { columns: built, total: Default::default() }
        };
        Ok(requests.iter().map(run).collect())
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, Self>]) -> Result<Vec<Table<Self>>> {
        let run = |args: &Constraints<'_, Self>| {
            let (log_eval, combination, tables) = (args.log_eval, args.combination, shapes(args.columns));
            let program = args.program.source.clone();
            self.note(Step::ConstraintEval { program, log_eval, combination: combination.clone() });
            self.reach([&args.domain]);
            let values = self.table(B::P::DEGREE, log_eval);
            let program = &args.program.program;
            self.pass(&Footprint::ConstraintEval { program, tables: &tables, log_eval, combination });
            values
        };
        Ok(requests.iter().map(run).collect())
    }

    fn accumulate(&self, into: Columns<&mut ShapeBuffer<B::P>>, from: TableRef<'_, Self>) -> Result<()> {
        self.moves(Operation::Accumulate, from.elements() + into.elements(), into.elements());
        Ok(())
    }

    fn eval_at(&self, requests: &[EvalAt<'_, Self>]) -> Result<Vec<Values<Self>>> {
        let values = requests.iter().map(|request| request.columns.width * request.points.len()).sum();
        let run = |request: &EvalAt<'_, Self>| {
            let (table, points) = (request.columns.shape(), request.points.len());
            let domain = request.from.domain();
            let log_size = domain.map_or(table.log_height, Domain::log_size);
            self.note(Step::EvalAt { table, log_size, points });
            self.reach(domain);
            self.pass(&Footprint::EvalAt { table, log_size, points, values });
            vec![vec![Default::default(); table.width]; points]
        };
        Ok(requests.iter().map(run).collect())
    }

    fn deep_quotient(
        &self,
        tables: &[TableRef<'_, Self>],
        log_cut: u32,
        domain: DomainOf<B::T>,
        terms: &[DeepTerm<B::P>],
    ) -> Result<Table<Self>> {
        let (tables, log_size) = (shapes(tables), domain.log_size());
        let weights = terms.iter().map(|term| term.weights.len()).sum();
        let weighted: BTreeSet<_> =
            terms.iter().flat_map(|term| &term.weights).map(|(table, column, _)| (*table, *column)).collect();
        // On a prefix a table is read by as large a part as the domain is of the whole.
        let part = (domain.log_whole() - log_size).saturating_sub(log_cut);
        let read = tables.iter().enumerate().map(|(number, table)| {
            let width = weighted.range((number, 0)..(number + 1, 0)).count();
            Columns::new((), width, table.log_height.saturating_sub(part))
        });
        self.note(Step::DeepQuotient { read: read.collect(), log_size, terms: terms.len(), weights });
        self.reach([&domain]);
        let quotient = self.table(B::P::DEGREE, log_size);
        self.pass(&Footprint::DeepQuotient { tables: &tables, log_cut, domain, terms });
        Ok(quotient)
    }

    fn fri_fold(
        &self,
        layer: TableRef<'_, Self>,
        domain: DomainOf<B::T>,
        folded: DomainOf<B::T>,
        _: ExtOf<B::T>,
    ) -> Result<Table<Self>> {
        self.note(Step::FriFold { log_size: layer.log_height });
        self.reach([&domain]);
        Ok(self.table(layer.width, folded.log_size()))
    }

    fn grind(&self, challenge: &GrindChallenge, _: Range<u64>) -> Result<Option<u64>> {
        self.note(Step::Grind);
        self.pass(&Footprint::Grind { bits: challenge.bits });
        Ok(Some(0))
    }
}
