//! One place where every operation of a backend passes by: what [`super::Metered`] and [`super::Faulty`] are made of, and
//! any other decorator that needs no device data types of its own.

use std::mem::size_of;
use std::ops::Range;

use crate::{
    Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, Digest, Footprint, GrindChallenge,
    HashFn, LeafLayout, Logup, Map, MemoryInfo, OpenRequest, Opened, Operation, Protocol, Recurrence, Result, Running,
    StarkBackend, TreeMap, Uploaded,
};

type BaseOf<B> = <<B as StarkBackend>::P as Protocol>::Base;
type ExtOf<B> = <<B as StarkBackend>::P as Protocol>::Ext;
type DomainOf<B> = <<B as StarkBackend>::P as Protocol>::Domain;
type PointOf<B> = <<B as StarkBackend>::P as Protocol>::Point;

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
pub enum Outcome<'a, B: StarkBackend> {
    /// Nothing: `sync`.
    Nothing,
    /// A new table.
    Table(&'a mut Columns<B::Buffer>),
    /// A table changed in place: `ntt`, `accumulate`.
    InPlace(Columns<&'a mut B::Buffer>),
    /// Elements on the host: `download`.
    Elements(&'a mut Vec<BaseOf<B>>),
    /// A tree: `merkle`.
    Tree(&'a mut B::Tree),
    /// A new table, if it is kept, and its extension: `upload_lde`.
    Uploaded(&'a mut Uploaded<B::Buffer>),
    /// A new table and a value: `logup`.
    TableAndValue(&'a mut (Columns<B::Buffer>, ExtOf<B>)),
    /// A digest: `root`.
    Digest(&'a mut Digest),
    /// Openings: `open`.
    Opened(&'a mut Vec<Opened<BaseOf<B>>>),
    /// A program: `prepare`.
    Program(&'a mut B::Program),
    /// Values at points: `eval_at`.
    Values(&'a mut Vec<Vec<ExtOf<B>>>),
    /// A nonce: `grind`.
    Nonce(&'a mut Option<u64>),
}

impl<B: StarkBackend> Outcome<'_, B> {
    /// Bytes that came to the host.
    pub fn downloaded(&self) -> u64 {
        let bytes = match self {
            Self::Nothing
            | Self::Table(_)
            | Self::Uploaded(_)
            | Self::InPlace(_)
            | Self::Tree(_)
            | Self::Program(_) => 0,
            Self::TableAndValue((_, value)) => size_of_val(value),
            Self::Elements(elements) => size_of_val(elements.as_slice()),
            Self::Digest(digest) => size_of_val(*digest),
            Self::Opened(opened) => opened.iter().map(opened_bytes).sum(),
            Self::Values(values) => values.iter().map(|values| size_of_val(values.as_slice())).sum(),
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
pub trait Hook<B: StarkBackend>: Send + Sync + 'static {
    /// Called instead of every operation but `capabilities` and `memory`. `run` is the operation on `inner`; `outcome` shows
    /// its result.
    fn around<T>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<T>,
        outcome: impl for<'t> FnOnce(&'t mut T) -> Outcome<'t, B>,
    ) -> Result<T>;
}

/// A backend whose operations pass through a hook. Its tables, trees and programs are those of the backend inside.
#[derive(Debug)]
pub struct Hooked<B, H> {
    pub(super) inner: B,
    pub(super) hook: H,
}

impl<B: StarkBackend, H: Hook<B>> Hooked<B, H> {
    /// `inner`, its operations passing through `hook`.
    pub fn with_hook(inner: B, hook: H) -> Self {
        Self { inner, hook }
    }

    /// The backend inside.
    pub fn inner(&self) -> &B {
        &self.inner
    }

    fn around<T>(
        &self,
        operation: Operation,
        uploaded: usize,
        run: impl FnOnce() -> Result<T>,
        outcome: impl for<'t> FnOnce(&'t mut T) -> Outcome<'t, B>,
    ) -> Result<T> {
        self.hook.around(&self.inner, Call { operation, uploaded: uploaded as u64 }, run, outcome)
    }
}

impl<B: StarkBackend, H: Hook<B>> StarkBackend for Hooked<B, H> {
    type P = B::P;
    type Buffer = B::Buffer;
    type Tree = B::Tree;
    type Program = B::Program;

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo> {
        self.inner.memory()
    }

    fn budget(&self) -> &Budget {
        self.inner.budget()
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        self.inner.footprint(&of.with_program(|program| program))
    }

    fn upload(&self, data: &[BaseOf<B>], width: usize, log_height: u32) -> Result<Columns<B::Buffer>> {
        let run = || self.inner.upload(data, width, log_height);
        self.around(Operation::Upload, size_of_val(data), run, |t| Outcome::Table(t))
    }

    fn download(&self, columns: Columns<&B::Buffer>, rows: Range<usize>) -> Result<Vec<BaseOf<B>>> {
        self.around(Operation::Download, 0, || self.inner.download(columns, rows), |t| Outcome::Elements(t))
    }

    fn sync(&self) -> Result<()> {
        self.around(Operation::Sync, 0, || self.inner.sync(), |_| Outcome::Nothing)
    }

    fn ntt(&self, columns: Columns<&mut B::Buffer>, from: Basis<DomainOf<B>>, to: Basis<DomainOf<B>>) -> Result<()> {
        let run = || {
            let Columns { data, width, log_height } = columns;
            self.inner.ntt(Columns { data: &mut *data, width, log_height }, from, to)?;
            Ok(Columns { data, width, log_height })
        };
        self.around(Operation::Ntt, 0, run, |t| {
            Outcome::InPlace(Columns { data: &mut *t.data, width: t.width, log_height: t.log_height })
        })
        .map(|_| ())
    }

    fn lde(
        &self,
        columns: Columns<&B::Buffer>,
        from: Basis<DomainOf<B>>,
        to: DomainOf<B>,
    ) -> Result<Columns<B::Buffer>> {
        self.around(Operation::Lde, 0, || self.inner.lde(columns, from, to), |t| Outcome::Table(t))
    }

    fn upload_lde(
        &self,
        columns: &[&[BaseOf<B>]],
        log_height: u32,
        from: Basis<DomainOf<B>>,
        to: DomainOf<B>,
        keep: bool,
    ) -> Result<Uploaded<B::Buffer>> {
        let run = || self.inner.upload_lde(columns, log_height, from, to, keep);
        let bytes = columns.iter().map(|column| size_of_val(*column)).sum();
        self.around(Operation::UploadLde, bytes, run, |t| Outcome::Uploaded(t))
    }

    fn split(&self, coefficients: Columns<&B::Buffer>, parts: usize, log_part: u32) -> Result<Columns<B::Buffer>> {
        let run = || self.inner.split(coefficients, parts, log_part);
        self.around(Operation::Split, 0, run, |t| Outcome::Table(t))
    }

    fn select(&self, tables: &[Columns<&B::Buffer>], picks: &[(usize, usize)]) -> Result<Columns<B::Buffer>> {
        let run = || self.inner.select(tables, picks);
        self.around(Operation::Select, size_of_val(picks), run, |t| Outcome::Table(t))
    }

    fn merkle(&self, columns: &[Columns<&B::Buffer>], layout: LeafLayout, hash: HashFn) -> Result<B::Tree> {
        self.around(Operation::Merkle, 0, || self.inner.merkle(columns, layout, hash), |t| Outcome::Tree(t))
    }

    fn root(&self, tree: &B::Tree) -> Result<Digest> {
        self.around(Operation::Root, 0, || self.inner.root(tree), |t| Outcome::Digest(t))
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<B>>>> {
        let uploaded = requests.iter().map(|r| size_of_val(r.rows) + size_of_val(r.leaves)).sum();
        let run = || {
            let requests: Vec<OpenRequest<'_, B>> = requests
                .iter()
                .map(|r| OpenRequest { columns: r.columns, tree: r.tree, rows: r.rows, leaves: r.leaves })
                .collect();
            self.inner.open(&requests)
        };
        self.around(Operation::Open, uploaded, run, |t| Outcome::Opened(t))
    }

    fn prepare(&self, program: &ConstraintProgram<B::P>) -> Result<B::Program> {
        let uploaded = program.encode().len();
        self.around(Operation::Prepare, uploaded, || self.inner.prepare(program), |t| Outcome::Program(t))
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<Columns<B::Buffer>> {
        let inner = Running {
            program: args.program,
            columns: args.columns,
            log_height: args.log_height,
            params: args.params,
            running: args.running,
        };
        let uploaded = size_of_val(args.params) + size_of_val(args.running);
        self.around(Operation::Running, uploaded, || self.inner.running(&inner), |t| Outcome::Table(t))
    }

    fn logup(&self, args: &Logup<'_, Self>) -> Result<(Columns<B::Buffer>, ExtOf<B>)> {
        let inner = Logup {
            program: args.program,
            columns: args.columns,
            log_height: args.log_height,
            params: args.params,
            fractions: args.fractions,
        };
        let uploaded = size_of_val(args.params) + size_of_val(args.fractions);
        self.around(Operation::Logup, uploaded, || self.inner.logup(&inner), |t| Outcome::TableAndValue(t))
    }

    fn recurrence(&self, recurrence: &Recurrence<BaseOf<B>>) -> Result<Columns<B::Buffer>> {
        let starts: usize = recurrence.starts().map(|(_, values)| size_of_val(values)).sum();
        let uploaded = size_of_val(recurrence.coefficients.as_slice()) + starts;
        self.around(Operation::Recurrence, uploaded, || self.inner.recurrence(recurrence), |t| Outcome::Table(t))
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<Columns<B::Buffer>> {
        let inner =
            Map { program: args.program, columns: args.columns, log_height: args.log_height, outputs: args.outputs };
        self.around(Operation::Map, size_of_val(args.outputs), || self.inner.map(&inner), |t| Outcome::Table(t))
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<Columns<B::Buffer>> {
        let inner = TreeMap {
            leaf: args.leaf,
            node: args.node,
            columns: args.columns,
            log_height: args.log_height,
            width: args.width,
        };
        self.around(Operation::TreeMap, 0, || self.inner.tree_map(&inner), |t| Outcome::Table(t))
    }

    fn accumulate(&self, into: Columns<&mut B::Buffer>, from: Columns<&B::Buffer>) -> Result<()> {
        let run = || {
            let Columns { data, width, log_height } = into;
            self.inner.accumulate(Columns { data: &mut *data, width, log_height }, from)?;
            Ok(Columns { data, width, log_height })
        };
        self.around(Operation::Accumulate, 0, run, |t| {
            Outcome::InPlace(Columns { data: &mut *t.data, width: t.width, log_height: t.log_height })
        })
        .map(|_| ())
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<Columns<B::Buffer>> {
        let inner = Constraints {
            program: args.program,
            columns: args.columns,
            domain: args.domain,
            log_trace: args.log_trace,
            log_eval: args.log_eval,
            params: args.params,
            combination: args.combination,
        };
        let combination: usize = args
            .combination
            .groups
            .iter()
            .map(|group| size_of_val(group.terms.as_slice()) + size_of_val(group.multiplier.factors.as_slice()))
            .sum();
        let uploaded = size_of_val(args.params) + combination;
        self.around(Operation::ConstraintEval, uploaded, || self.inner.constraint_eval(&inner), |t| Outcome::Table(t))
    }

    fn eval_at(
        &self,
        columns: Columns<&B::Buffer>,
        from: Basis<DomainOf<B>>,
        points: &[PointOf<B>],
    ) -> Result<Vec<Vec<ExtOf<B>>>> {
        let run = || self.inner.eval_at(columns, from, points);
        self.around(Operation::EvalAt, size_of_val(points), run, |t| Outcome::Values(t))
    }

    fn deep_quotient(
        &self,
        columns: &[Columns<&B::Buffer>],
        domain: DomainOf<B>,
        terms: &[DeepTerm<B::P>],
    ) -> Result<Columns<B::Buffer>> {
        let uploaded = terms
            .iter()
            .map(|term| size_of::<PointOf<B>>() + size_of::<ExtOf<B>>() + size_of_val(term.weights.as_slice()))
            .sum();
        let run = || self.inner.deep_quotient(columns, domain, terms);
        self.around(Operation::DeepQuotient, uploaded, run, |t| Outcome::Table(t))
    }

    fn fri_fold(&self, layer: Columns<&B::Buffer>, domain: DomainOf<B>, alpha: ExtOf<B>) -> Result<Columns<B::Buffer>> {
        self.around(Operation::FriFold, 0, || self.inner.fri_fold(layer, domain, alpha), |t| Outcome::Table(t))
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        self.around(Operation::Grind, 0, || self.inner.grind(challenge), |t| Outcome::Nonce(t))
    }
}
