//! One place where every operation of a backend passes by: what [`super::Metered`] and [`super::Faulty`] are made of, and
//! any other decorator that needs no device data types of its own.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::mem::size_of;
use core::ops::Range;
use std::sync::Arc;

use crate::{
    Accumulated, BaseOf, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeviceClock,
    DeviceTree, Digest, DomainOf, EvalAt, ExtOf, Footprint, GrindChallenge, HashFn, Leaves, MakeElements, MemoryInfo,
    OpenRequest, Opened, Operation, Operations, PointOf, Result, RowsMade, Running, RunningForm, Shape, Stash,
    StoredRequest, Table, TableRef, TraceOperations, Types, Uploaded, Values,
};

/// A call of an operation, as far as it can be told before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The operation.
    pub operation: Operation,
    /// Bytes that go to the device: the data of an upload, a program's encoding, and the arguments whose number depends on
    /// the statement (parameters, weights, points, row and leaf numbers). Shapes and other scalars do not count.
    pub uploaded: u64,
}

/// What an operation returned, for a hook to look at or to change.
pub enum Outcome<'a, T: Types> {
    /// Nothing: `sync`.
    Nothing,
    /// A new table.
    Table(&'a mut Table<T>),
    /// A table changed in place: `ntt`, `accumulate`.
    InPlace(Columns<&'a mut T::Buffer>),
    /// Elements on the host: `download`.
    Elements(&'a mut Vec<BaseOf<T>>),
    /// A tree: `merkle`.
    Tree(&'a mut T::Tree),
    /// A new table, if it is kept, and its extension: `upload_lde`.
    Uploaded(&'a mut Uploaded<T::Buffer>),
    /// Columns, lists, and the counters that were added to: `rows`.
    Rows(&'a mut RowsMade<T>, Vec<Columns<&'a mut T::Buffer>>),
    /// New tables: `constraint_eval`.
    Tables(&'a mut Vec<Table<T>>),
    /// New tables and so many totals: `running`.
    Accumulated(&'a mut Vec<Accumulated<T>>, usize),
    /// A digest: `root`.
    Digest(&'a mut Digest),
    /// Openings: `open`.
    Opened(&'a mut Vec<Opened<BaseOf<T>>>),
    /// A program: `prepare`.
    Program(&'a mut T::Program),
    /// Values at points: `eval_at`.
    Values(&'a mut Vec<Values<T>>),
    /// A nonce: `grind`.
    Nonce(&'a mut Option<u64>),
    /// So many bytes in a form of the backend's own: [`Operations::stash`].
    Stashed(u64),
}

impl<T: Types> Outcome<'_, T> {
    /// Bytes that came to the host.
    pub fn downloaded(&self) -> u64 {
        let bytes = match self {
            Self::Stashed(bytes) => return *bytes,
            Self::Nothing
            | Self::Table(_)
            | Self::Tables(_)
            | Self::Rows(..)
            | Self::Uploaded(_)
            | Self::InPlace(_)
            | Self::Tree(_)
            | Self::Program(_) => 0,
            Self::Accumulated(_, totals) => totals * size_of::<ExtOf<T>>(),
            Self::Elements(elements) => size_of_val(elements.as_slice()),
            Self::Digest(digest) => size_of_val(*digest),
            Self::Opened(opened) => opened.iter().map(opened_bytes).sum(),
            Self::Values(values) => values.iter().flatten().map(|values| size_of_val(values.as_slice())).sum(),
            Self::Nonce(nonce) => nonce.map_or(0, |nonce| size_of_val(&nonce)),
        };
        bytes as u64
    }
}

fn opened_bytes<F>(opened: &Opened<F>) -> usize {
    let rows: usize = opened.rows.iter().map(|row| size_of_val(row.as_slice())).sum();
    let paths: usize = opened.paths.iter().map(|path| size_of_val(path.as_slice())).sum();
    rows + paths
}

/// What a decorator does around each operation.
pub trait Hook<B: crate::StarkBackend>: Send + Sync + 'static {
    /// Called instead of every operation but `capabilities` and `memory`. `run` is the operation on `inner`; `outcome` shows
    /// its result.
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R>;
}

/// A hook that backends share.
impl<B: crate::StarkBackend, H: Hook<B>> Hook<B> for Arc<H> {
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        (**self).around(inner, call, run, outcome)
    }
}

/// A hook that does nothing: that of the shapes of a backend with the hook `H`, of which a plan is made.
pub struct Passing<H>(PhantomData<fn() -> H>);

impl<H> Default for Passing<H> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<H> fmt::Debug for Passing<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passing")
    }
}

impl<B: crate::StarkBackend, H: 'static> Hook<B> for Passing<H> {
    fn around<R>(
        &self,
        _inner: &B,
        _call: Call,
        run: impl FnOnce() -> Result<R>,
        _outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        run()
    }
}

/// A backend whose operations pass through a hook. Its tables, trees and programs are those of the backend inside.
#[derive(Debug)]
pub struct Hooked<B, H> {
    pub(super) inner: Arc<B>,
    pub(super) hook: H,
}

impl<B: crate::StarkBackend, H: Hook<B>> Hooked<B, H> {
    /// `inner`, its operations passing through `hook`.
    pub fn with_hook(inner: B, hook: H) -> Self {
        Self { inner: Arc::new(inner), hook }
    }

    /// The backend inside.
    pub fn inner(&self) -> &B {
        &self.inner
    }

    pub(super) fn around<R>(
        &self,
        operation: Operation,
        uploaded: usize,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        self.hook.around(&self.inner, Call { operation, uploaded: uploaded as u64 }, run, outcome)
    }
}

impl<B: crate::StarkBackend, H: Hook<B>> Operations for Hooked<B, H> {
    type T = B::T;
    type Shapes = Hooked<B::Shapes, Passing<H>>;

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo> {
        self.inner.memory()
    }

    fn budget(&self) -> &Budget {
        self.inner.budget()
    }

    fn footprint(&self, of: &Footprint<'_, B::T>) -> u64 {
        self.inner.footprint(of)
    }

    fn clock(&self) -> Option<&dyn DeviceClock> {
        self.inner.clock()
    }

    fn traces(&self) -> Option<&dyn TraceOperations<B::T>> {
        Operations::traces(self.inner.raw()).map(|_| self as _)
    }

    fn upload(&self, data: &[BaseOf<B::T>], width: usize, log_height: u32) -> Result<Table<B::T>> {
        let run = || self.inner.raw().upload(data, width, log_height);
        self.around(Operation::Upload, size_of_val(data), run, |t| Outcome::Table(t))
    }

    fn upload_made(&self, make: &MakeElements<'_, BaseOf<B::T>>, width: usize, log_height: u32) -> Result<Table<B::T>> {
        let run = || self.inner.raw().upload_made(make, width, log_height);
        let bytes = (width << log_height) * size_of::<BaseOf<B::T>>();
        self.around(Operation::Upload, bytes, run, |t| Outcome::Table(t))
    }

    fn download(&self, table: TableRef<'_, B::T>, rows: Range<usize>) -> Result<Vec<BaseOf<B::T>>> {
        self.around(Operation::Download, 0, || self.inner.raw().download(table, rows), |t| Outcome::Elements(t))
    }

    fn copy_to(&self, table: TableRef<'_, B::T>, peer: &Self) -> Result<Table<B::T>> {
        let run = || self.inner.raw().copy_to(table, peer.inner.raw());
        self.around(Operation::CopyTo, 0, run, |t| Outcome::Table(t))
    }

    fn stash(&self, table: TableRef<'_, B::T>) -> Result<Stash> {
        let bytes = table.elements() * size_of::<BaseOf<B::T>>();
        self.around(Operation::Download, 0, || self.inner.raw().stash(table), |_| Outcome::Stashed(bytes as u64))
    }

    fn restore(&self, stash: &Stash, shape: Shape) -> Result<Table<B::T>> {
        let bytes = shape.elements() * size_of::<BaseOf<B::T>>();
        self.around(Operation::Upload, bytes, || self.inner.raw().restore(stash, shape), |t| Outcome::Table(t))
    }

    fn stashes_trees(&self) -> bool {
        self.inner.raw().stashes_trees()
    }

    fn stash_tree(&self, tree: &B::Tree) -> Result<Stash> {
        let bytes = self.footprint(&Footprint::Tree { log_leaves: tree.log_leaves() });
        self.around(Operation::Download, 0, || self.inner.raw().stash_tree(tree), |_| Outcome::Stashed(bytes))
    }

    fn restore_tree(&self, stash: &Stash) -> Result<B::Tree> {
        self.around(Operation::Upload, 0, || self.inner.raw().restore_tree(stash), |t| Outcome::Tree(t))
    }

    fn opens_stored(&self) -> bool {
        self.inner.raw().opens_stored()
    }

    fn open_stored(&self, requests: &[StoredRequest<'_, B::T>]) -> Result<Vec<Opened<BaseOf<B::T>>>> {
        let uploaded = requests.iter().map(|r| size_of_val(r.rows) + size_of_val(r.leaves)).sum();
        self.around(Operation::Open, uploaded, || self.inner.raw().open_stored(requests), |t| Outcome::Opened(t))
    }

    fn sync(&self) -> Result<()> {
        self.around(Operation::Sync, 0, || self.inner.raw().sync(), |_| Outcome::Nothing)
    }

    fn ntt(
        &self,
        mut table: Columns<&mut B::Buffer>,
        from: Basis<DomainOf<B::T>>,
        to: Basis<DomainOf<B::T>>,
    ) -> Result<()> {
        let run = || self.inner.raw().ntt(table.reborrow(), from, to).map(|()| table);
        self.around(Operation::Ntt, 0, run, |t| Outcome::InPlace(t.reborrow())).map(|_| ())
    }

    fn lde(&self, table: TableRef<'_, B::T>, from: Basis<DomainOf<B::T>>, to: DomainOf<B::T>) -> Result<Table<B::T>> {
        self.around(Operation::Lde, 0, || self.inner.raw().lde(table, from, to), |t| Outcome::Table(t))
    }

    fn upload_lde(
        &self,
        columns: &[&[BaseOf<B::T>]],
        log_height: u32,
        from: Basis<DomainOf<B::T>>,
        to: DomainOf<B::T>,
        keep: bool,
    ) -> Result<Uploaded<B::Buffer>> {
        let run = || self.inner.raw().upload_lde(columns, log_height, from, to, keep);
        let bytes = columns.iter().map(|column| size_of_val(*column)).sum();
        self.around(Operation::UploadLde, bytes, run, |t| Outcome::Uploaded(t))
    }

    fn split(&self, coefficients: TableRef<'_, B::T>, parts: usize, log_part: u32) -> Result<Table<B::T>> {
        let run = || self.inner.raw().split(coefficients, parts, log_part);
        self.around(Operation::Split, 0, run, |t| Outcome::Table(t))
    }

    fn select(&self, tables: &[TableRef<'_, B::T>], picks: &[(usize, usize)]) -> Result<Table<B::T>> {
        let run = || self.inner.raw().select(tables, picks);
        self.around(Operation::Select, size_of_val(picks), run, |t| Outcome::Table(t))
    }

    fn merkle(&self, tables: &[TableRef<'_, B::T>], leaves: Leaves, hash: HashFn) -> Result<B::Tree> {
        self.around(Operation::Merkle, 0, || self.inner.raw().merkle(tables, leaves, hash), |t| Outcome::Tree(t))
    }

    fn root(&self, tree: &B::Tree) -> Result<Digest> {
        self.around(Operation::Root, 0, || self.inner.raw().root(tree), |t| Outcome::Digest(t))
    }

    fn open(&self, requests: &[OpenRequest<'_, B::T>]) -> Result<Vec<Opened<BaseOf<B::T>>>> {
        let uploaded = requests.iter().map(|r| size_of_val(r.rows) + size_of_val(r.leaves)).sum();
        self.around(Operation::Open, uploaded, || self.inner.raw().open(requests), |t| Outcome::Opened(t))
    }

    fn prepare(&self, program: &ConstraintProgram<B::P>) -> Result<B::Program> {
        let uploaded = program.encode().len();
        self.around(Operation::Prepare, uploaded, || self.inner.raw().prepare(program), |t| Outcome::Program(t))
    }

    fn running(&self, requests: &[Running<'_, B::T>]) -> Result<Vec<Accumulated<B::T>>> {
        let form = |form: &RunningForm<'_>| match form {
            RunningForm::Columns(columns) => size_of_val(*columns),
            RunningForm::Logup(fractions) => size_of_val(*fractions),
        };
        let uploaded = requests.iter().map(|args| size_of_val(args.params) + form(&args.form)).sum();
        let totals = requests.iter().filter(|args| args.form.has_total()).count();
        let run = || self.inner.raw().running(requests);
        self.around(Operation::Running, uploaded, run, |t| Outcome::Accumulated(t, totals))
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, B::T>]) -> Result<Vec<Table<B::T>>> {
        let groups = requests.iter().flat_map(|args| &args.combination.groups);
        let combinations: usize = groups
            .map(|group| size_of_val(group.terms.as_slice()) + size_of_val(group.multiplier.factors.as_slice()))
            .sum();
        let params: usize = requests.iter().map(|args| size_of_val(args.params)).sum();
        let run = || self.inner.raw().constraint_eval(requests);
        self.around(Operation::ConstraintEval, params + combinations, run, |t| Outcome::Tables(t))
    }

    fn accumulate(&self, mut into: Columns<&mut B::Buffer>, from: TableRef<'_, B::T>) -> Result<()> {
        let run = || self.inner.raw().accumulate(into.reborrow(), from).map(|()| into);
        self.around(Operation::Accumulate, 0, run, |t| Outcome::InPlace(t.reborrow())).map(|_| ())
    }

    fn eval_at(&self, requests: &[EvalAt<'_, B::T>]) -> Result<Vec<Values<B::T>>> {
        let uploaded = requests.iter().map(|request| size_of_val(request.points)).sum();
        self.around(Operation::EvalAt, uploaded, || self.inner.raw().eval_at(requests), |t| Outcome::Values(t))
    }

    fn deep_quotient(
        &self,
        tables: &[TableRef<'_, B::T>],
        log_cut: u32,
        domain: DomainOf<B::T>,
        terms: &[DeepTerm<B::P>],
    ) -> Result<Table<B::T>> {
        let uploaded = terms
            .iter()
            .map(|term| size_of::<PointOf<B::T>>() + size_of::<ExtOf<B::T>>() + size_of_val(term.weights.as_slice()))
            .sum();
        let run = || self.inner.raw().deep_quotient(tables, log_cut, domain, terms);
        self.around(Operation::DeepQuotient, uploaded, run, |t| Outcome::Table(t))
    }

    fn fri_fold(
        &self,
        layer: TableRef<'_, B::T>,
        domain: DomainOf<B::T>,
        folded: DomainOf<B::T>,
        alpha: ExtOf<B::T>,
    ) -> Result<Table<B::T>> {
        let run = || self.inner.raw().fri_fold(layer, domain, folded, alpha);
        self.around(Operation::FriFold, 0, run, |t| Outcome::Table(t))
    }

    fn grind(&self, challenge: &GrindChallenge, windows: Range<u64>) -> Result<Option<u64>> {
        self.around(Operation::Grind, 0, || self.inner.raw().grind(challenge, windows), |t| Outcome::Nonce(t))
    }
}
