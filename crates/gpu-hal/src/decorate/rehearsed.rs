//! A backend of shapes: a prover that runs on it learns what a proof takes of a device, and takes nothing of it.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::steps::{Extension, Place, Step};
use crate::{
    Basis, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeviceBuffer, DeviceTree, Digest,
    Footprint, GrindChallenge, HashFn, LeafLayout, Logup, LogupColumns, Map, MemoryInfo, OpenRequest, Opened,
    Operation, Protocol, Recurrence, Result, Running, Shape, StarkBackend, TreeMap, Uploaded,
};

type BaseOf<B> = <<B as StarkBackend>::P as Protocol>::Base;
type ExtOf<B> = <<B as StarkBackend>::P as Protocol>::Ext;
type DomainOf<B> = <<B as StarkBackend>::P as Protocol>::Domain;
type PointOf<B> = <<B as StarkBackend>::P as Protocol>::Point;

/// A program of a backend, and what it was made from.
pub struct Prepared<B: StarkBackend> {
    /// What the backend made.
    pub program: B::Program,
    /// What it was made from.
    pub source: Arc<ConstraintProgram<B::P>>,
}

impl<B: StarkBackend> Prepared<B> {
    /// Makes a program ready.
    ///
    /// # Errors
    /// Those of [`StarkBackend::prepare`].
    pub fn new(backend: &B, source: &ConstraintProgram<B::P>) -> Result<Arc<Self>> {
        Ok(Arc::new(Self { program: backend.prepare(source)?, source: Arc::new(source.clone()) }))
    }
}

/// What a rehearsal found since it began, or since [`Rehearsed::finish`] was called last.
#[derive(Clone, Debug)]
pub struct Rehearsal<P: Protocol> {
    /// Highest sum of what was live, in bytes, what the backend keeps for all statements included ([`Footprint::Kept`]).
    pub peak_bytes: u64,
    /// Where it was reached.
    pub peak_at: Place,
    /// What is live at the end, without what the backend keeps.
    pub live_bytes: u64,
    /// Every operation, in order.
    pub steps: Vec<Step<P>>,
}

/// Live bytes in the order in which they are taken and released.
#[derive(Debug)]
struct Account<P: Protocol> {
    live: u64,
    peak: u64,
    peak_at: Place,
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
        let nowhere = Place { part: "", operation: Operation::Sync };
        let account = Account { live: 0, peak: 0, peak_at: nowhere, part: "", steps: Vec::new(), log_domain: 0 };
        Self { inner, ledger: Arc::new(Ledger(Mutex::new(account))) }
    }

    /// Names what follows, for [`Place::part`].
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
            steps: std::mem::take(&mut account.steps),
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
        from: Basis<DomainOf<B>>,
        to: DomainOf<B>,
        keep: bool,
    ) -> Uploaded<ShapeBuffer<B::P>> {
        self.note(Step::UploadLde(extension::<B>(table, &from, &to)));
        self.reach(&[&to]);
        let rows = keep.then(|| self.table(table.width, table.log_height));
        let extended = self.table(table.width, B::P::log_size(&to));
        self.pass(&Footprint::UploadLde { table, from, keep });
        (rows, extended)
    }

    fn note(&self, step: Step<B::P>) {
        self.ledger.lock().steps.push(step);
    }

    fn reach(&self, domains: &[&DomainOf<B>]) {
        let largest = domains.iter().map(|domain| B::P::log_whole(domain)).max().unwrap_or(0);
        let mut account = self.ledger.lock();
        account.log_domain = account.log_domain.max(largest);
    }

    /// Counts something until it is dropped.
    fn take(&self, what: &Footprint<'_, B>) -> Held<B::P> {
        let bytes = self.inner.footprint(what);
        let mut account = self.ledger.lock();
        account.live = account.live.saturating_add(bytes);
        if account.live > account.peak {
            let operation = account.steps.last().map_or(Operation::Sync, Step::operation);
            account.peak = account.live;
            account.peak_at = Place { part: account.part, operation };
        }
        Held { ledger: self.ledger.clone(), bytes }
    }

    /// What an operation takes while it runs; its result is live already.
    fn pass(&self, what: &Footprint<'_, B>) {
        drop(self.take(what));
    }

    fn table(&self, width: usize, log_height: u32) -> Columns<ShapeBuffer<B::P>> {
        let shape = Columns::new((), width, log_height);
        let held = self.take(&Footprint::Table(shape));
        Columns::new(ShapeBuffer { len: shape.elements(), _held: held }, width, log_height)
    }
}

fn extension<B: StarkBackend>(table: Shape, from: &Basis<DomainOf<B>>, to: &DomainOf<B>) -> Extension {
    Extension { table, log_to: B::P::log_size(to), from_values: !matches!(from, Basis::Coefficients) }
}

fn domain_of<D>(basis: &Basis<D>) -> Option<&D> {
    match basis {
        Basis::Coefficients => None,
        Basis::Evaluations { domain, .. } => Some(domain),
    }
}

fn shape<Buf>(table: &Columns<Buf>) -> Shape {
    Columns::new((), table.width, table.log_height)
}

fn shapes<Buf>(tables: &[Columns<Buf>]) -> Vec<Shape> {
    tables.iter().map(shape).collect()
}

impl<B: StarkBackend> StarkBackend for Rehearsed<B> {
    type P = B::P;
    type Buffer = ShapeBuffer<B::P>;
    type Tree = ShapeTree<B::P>;
    type Program = Arc<Prepared<B>>;

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo> {
        let available = self.inner.memory()?.available;
        let account = self.ledger.lock();
        Ok(MemoryInfo { available, in_use: account.live, peak: account.peak })
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        self.inner.footprint(&of.with_program(|prepared| &prepared.program))
    }

    fn upload(&self, _: &[BaseOf<B>], width: usize, log_height: u32) -> Result<Columns<Self::Buffer>> {
        Ok(self.upload_shape(Columns::new((), width, log_height)))
    }

    fn download(&self, columns: Columns<&Self::Buffer>, rows: Range<usize>) -> Result<Vec<BaseOf<B>>> {
        self.note(Step::Download { table: shape(&columns), rows: rows.len() });
        Ok(vec![Default::default(); columns.width * rows.len()])
    }

    fn sync(&self) -> Result<()> {
        self.note(Step::Sync);
        Ok(())
    }

    fn ntt(&self, columns: Columns<&mut Self::Buffer>, from: Basis<DomainOf<B>>, to: Basis<DomainOf<B>>) -> Result<()> {
        self.note(Step::Ntt(shape(&columns)));
        let domains: Vec<_> = [&from, &to].into_iter().filter_map(domain_of).collect();
        self.reach(&domains);
        Ok(())
    }

    fn lde(
        &self,
        columns: Columns<&Self::Buffer>,
        from: Basis<DomainOf<B>>,
        to: DomainOf<B>,
    ) -> Result<Columns<Self::Buffer>> {
        let table = shape(&columns);
        self.note(Step::Lde(extension::<B>(table, &from, &to)));
        self.reach(&[&to]);
        let extended = self.table(table.width, B::P::log_size(&to));
        self.pass(&Footprint::Lde { table, from });
        Ok(extended)
    }

    fn upload_lde(
        &self,
        columns: &[&[BaseOf<B>]],
        log_height: u32,
        from: Basis<DomainOf<B>>,
        to: DomainOf<B>,
        keep: bool,
    ) -> Result<Uploaded<Self::Buffer>> {
        Ok(self.upload_lde_shape(Columns::new((), columns.len(), log_height), from, to, keep))
    }

    fn split(
        &self,
        coefficients: Columns<&Self::Buffer>,
        parts: usize,
        log_part: u32,
    ) -> Result<Columns<Self::Buffer>> {
        let width = coefficients.width * parts;
        self.note(Step::Split(Columns::new((), width, log_part)));
        Ok(self.table(width, log_part))
    }

    fn select(&self, tables: &[Columns<&Self::Buffer>], picks: &[(usize, usize)]) -> Result<Columns<Self::Buffer>> {
        let log_height = tables.first().map_or(0, |table| table.log_height);
        self.note(Step::Select(Columns::new((), picks.len(), log_height)));
        Ok(self.table(picks.len(), log_height))
    }

    fn merkle(&self, columns: &[Columns<&Self::Buffer>], layout: LeafLayout, hash: HashFn) -> Result<Self::Tree> {
        let highest = columns.iter().map(|table| table.log_height).max().unwrap_or(0);
        let rows_per_leaf = layout.rows_per_leaf;
        let log_leaves = layout.log_height.unwrap_or(highest) - rows_per_leaf.ilog2();
        self.note(Step::Merkle { tables: shapes(columns), rows_per_leaf, log_leaves, hash });
        Ok(ShapeTree { log_leaves, _held: self.take(&Footprint::Tree { log_leaves }) })
    }

    fn root(&self, _: &Self::Tree) -> Result<Digest> {
        self.note(Step::Root);
        Ok(Digest::default())
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<B>>>> {
        self.note(Step::Open);
        let width = |request: &OpenRequest<'_, Self>| request.columns.iter().map(|table| table.width).sum::<usize>();
        self.pass(&Footprint::Open {
            numbers: requests.iter().map(|request| request.rows.len() + request.leaves.len()).sum(),
            elements: requests.iter().map(|request| request.rows.len() * width(request)).sum(),
            digests: requests.iter().map(|r| r.leaves.len() * r.tree.log_leaves as usize).sum(),
        });
        let opened = requests.iter().map(|request| Opened {
            rows: vec![vec![Default::default(); width(request)]; request.rows.len()],
            paths: vec![vec![Digest::default(); request.tree.log_leaves as usize]; request.leaves.len()],
        });
        Ok(opened.collect())
    }

    fn prepare(&self, program: &ConstraintProgram<B::P>) -> Result<Self::Program> {
        self.note(Step::Prepare);
        Prepared::new(&self.inner, program)
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<Columns<Self::Buffer>> {
        let (log_height, columns, tables) = (args.log_height, args.running.len(), shapes(args.columns));
        self.note(Step::Running { program: args.program.source.clone(), log_height, columns });
        let built = self.table(columns * B::P::DEGREE, log_height);
        self.pass(&Footprint::Running { program: &args.program.program, tables: &tables, log_height, columns });
        Ok(built)
    }

    fn logup(&self, args: &Logup<'_, Self>) -> Result<LogupColumns<Self>> {
        let (log_height, columns, tables) = (args.log_height, args.fractions.len(), shapes(args.columns));
        self.note(Step::Logup { program: args.program.source.clone(), log_height, columns });
        let built = self.table(columns * B::P::DEGREE, log_height);
        self.pass(&Footprint::Logup { program: &args.program.program, tables: &tables, log_height, columns });
        Ok((built, Default::default()))
    }

    fn recurrence(&self, recurrence: &Recurrence<BaseOf<B>>) -> Result<Columns<Self::Buffer>> {
        let log_height = recurrence.log_height;
        self.note(Step::Recurrence { order: recurrence.coefficients.len(), log_height });
        Ok(self.table(1, log_height))
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<Columns<Self::Buffer>> {
        let (program, log_height) = (args.program.source.clone(), args.log_height);
        self.note(Step::Map { program, tables: shapes(args.columns), log_height });
        Ok(self.table(args.outputs.len(), log_height))
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<Columns<Self::Buffer>> {
        let (log_height, width, tables) = (args.log_height, args.width, shapes(args.columns));
        let [leaf, node] = [args.leaf, args.node].map(|program| program.source.clone());
        self.note(Step::TreeMap { leaf, node, tables: tables.clone(), log_height });
        let built = self.table(width, log_height);
        let (leaf, node) = (&args.leaf.program, &args.node.program);
        self.pass(&Footprint::TreeMap { leaf, node, tables: &tables, log_height, width });
        Ok(built)
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<Columns<Self::Buffer>> {
        let (log_eval, combination, tables) = (args.log_eval, args.combination, shapes(args.columns));
        let program = args.program.source.clone();
        self.note(Step::ConstraintEval { program, log_eval, combination: combination.clone() });
        self.reach(&[&args.domain]);
        let values = self.table(B::P::DEGREE, log_eval);
        let program = &args.program.program;
        self.pass(&Footprint::ConstraintEval { program, tables: &tables, log_eval, combination });
        Ok(values)
    }

    fn accumulate(&self, into: Columns<&mut Self::Buffer>, from: Columns<&Self::Buffer>) -> Result<()> {
        self.note(Step::Accumulate { into: shape(&into), from: shape(&from) });
        Ok(())
    }

    fn eval_at(
        &self,
        columns: Columns<&Self::Buffer>,
        from: Basis<DomainOf<B>>,
        points: &[PointOf<B>],
    ) -> Result<Vec<Vec<ExtOf<B>>>> {
        let table = shape(&columns);
        let log_size = domain_of(&from).map_or(table.log_height, B::P::log_size);
        let points = points.len();
        self.note(Step::EvalAt { table, log_size, points });
        self.reach(domain_of(&from).as_slice());
        self.pass(&Footprint::EvalAt { table, log_size, points });
        Ok(vec![vec![Default::default(); table.width]; points])
    }

    fn deep_quotient(
        &self,
        columns: &[Columns<&Self::Buffer>],
        domain: DomainOf<B>,
        terms: &[DeepTerm<B::P>],
    ) -> Result<Columns<Self::Buffer>> {
        let (tables, log_size) = (shapes(columns), B::P::log_size(&domain));
        let weights = terms.iter().map(|term| term.weights.len()).sum();
        self.note(Step::DeepQuotient { tables: tables.clone(), log_size, terms: terms.len(), weights });
        self.reach(&[&domain]);
        let quotient = self.table(B::P::DEGREE, log_size);
        self.pass(&Footprint::DeepQuotient { tables: &tables, terms: terms.len() });
        Ok(quotient)
    }

    fn fri_fold(
        &self,
        layer: Columns<&Self::Buffer>,
        domain: DomainOf<B>,
        _: ExtOf<B>,
    ) -> Result<Columns<Self::Buffer>> {
        self.note(Step::FriFold { log_size: layer.log_height });
        self.reach(&[&domain]);
        Ok(self.table(layer.width, layer.log_height - 1))
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        self.note(Step::Grind { bits: challenge.bits });
        self.pass(&Footprint::Grind { bits: challenge.bits });
        Ok(Some(0))
    }
}
