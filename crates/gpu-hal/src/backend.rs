//! The front that everyone calls.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use crate::operations::traces_of;
use crate::{
    Accumulated, BaseOf, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeviceBuffer,
    DeviceClock, DeviceProgram, Digest, DomainOf, ErrorKind, EvalAt, ExtOf, Footprint, GrindChallenge, HalError,
    HashFn, LeafLayout, MakeElements, Map, MemoryInfo, OpenRequest, Opened, Operation, Operations, Protocol,
    Recurrence, Rehearse, Result, RowRun, RowsMade, Running, Stop, Table, TreeMap, Types, Uploaded, Values, Verdict,
    check,
};

/// A backend as everyone calls it. Whatever implements [`Operations`] is one; nothing else can be.
///
/// The front refuses operations that are not in [`Capabilities::operations`] ([`crate::ErrorKind::Unsupported`]) and arguments
/// that contradict the contract ([`crate::check`]), and names every error after the operation. Operations behind it trust
/// their arguments. The rules of the crate hold.
pub trait StarkBackend: Sized + Send + Sync + 'static + sealed::Sealed {
    /// The proof system.
    type P: Protocol;
    /// Device memory.
    type Buffer: crate::DeviceBuffer;
    /// A Merkle tree on the device.
    type Tree: crate::DeviceTree;
    /// A program made ready by [`Self::prepare`].
    type Program: DeviceProgram<Self::P>;
    /// The four types above as one: what arguments are generic over.
    type T: Types<P = Self::P, Buffer = Self::Buffer, Tree = Self::Tree, Program = Self::Program>;
    /// The operations behind the front.
    type Raw: Operations<T = Self::T>;
    /// What a plan of a proof is made on.
    type Shapes: Rehearse<Of = Self> + Operations<T: Types<P = Self::P>>;

    /// The operations behind the front, for backends around this one. Their arguments must have been checked.
    fn raw(&self) -> &Self::Raw;

    /// What this backend is and can do.
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

    /// What is promised of the device's memory. Backends on one device share it.
    fn budget(&self) -> &Budget {
        Operations::budget(self.raw())
    }

    /// Bytes that something takes of what [`Self::memory`] counts: what a plan adds up. It may say a little more than what is
    /// taken, and never less.
    fn footprint(&self, of: &Footprint<'_, Self::T>) -> u64 {
        Operations::footprint(self.raw(), of)
    }

    /// The device's own clock; `None` where measurements take the host's.
    fn clock(&self) -> Option<&dyn DeviceClock> {
        Operations::clock(self.raw())
    }

    /// Copies `width * 2^log_height` elements, column-major, to the device. They must be canonical.
    fn upload(&self, data: &[BaseOf<Self::T>], width: usize, log_height: u32) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::Upload)?;
        check::shape(call.operation, data.len(), width, log_height)?;
        call.reads(width, 1 << log_height).named(|raw| Operations::upload(raw, data, width, log_height))
    }

    /// [`Self::upload`] of elements that are made on their way: `make` is called on any threads, in any order, so that every element is
    /// made once.
    fn upload_made(
        &self,
        make: &MakeElements<'_, BaseOf<Self::T>>,
        width: usize,
        log_height: u32,
    ) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::Upload)?;
        check::made(call.operation, width, log_height)?;
        call.reads(width, 1 << log_height).named(|raw| Operations::upload_made(raw, make, width, log_height))
    }

    /// Copies the given rows of all columns to the host, column-major.
    fn download(&self, table: Columns<&Self::Buffer>, rows: Range<usize>) -> Result<Vec<BaseOf<Self::T>>> {
        let call = Call::new(self, Operation::Download)?;
        check::download(&table, &rows)?;
        call.reads(table.width, rows.len()).named(|raw| Operations::download(raw, table, rows))
    }

    /// Copies a table to another backend of the same kind: a second device. The copy is ordered after what was enqueued on this
    /// one, and what is enqueued on the other from here on sees it.
    fn copy_to(&self, table: Columns<&Self::Buffer>, peer: &Self) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::CopyTo)?;
        check::columns(call.operation, &table)?;
        call.tables([&table]).named(|raw| Operations::copy_to(raw, table, peer.raw()))
    }

    /// Waits for everything enqueued.
    fn sync(&self) -> Result<()> {
        Call::new(self, Operation::Sync)?.named(Operations::sync)
    }

    /// Transforms every column in place from one basis to the other. `from` and `to` are coefficients and evaluations on a
    /// domain of the columns' size, in either direction; or evaluations on one domain, in storage order and in row order, which moves the
    /// values and changes none.
    fn ntt(
        &self,
        table: Columns<&mut Self::Buffer>,
        from: Basis<DomainOf<Self::T>>,
        to: Basis<DomainOf<Self::T>>,
    ) -> Result<()> {
        let call = Call::new(self, Operation::Ntt)?;
        check::ntt::<Self::P, _>(&table.as_shared(), &from, &to)?;
        [&from, &to].into_iter().try_for_each(|basis| call.basis(basis))?;
        call.reads(table.width, table.height()).named(|raw| Operations::ntt(raw, table, from, to))
    }

    /// Evaluates every column on `to`, a domain at least as large, in storage order.
    fn lde(
        &self,
        table: Columns<&Self::Buffer>,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
    ) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::Lde)?;
        check::lde::<Self::P, _>(&table, &from, &to)?;
        call.basis(&from)?;
        call.domain(&to)?;
        call.tables([&table]).named(|raw| Operations::lde(raw, table, from, to))
    }

    /// [`Self::upload`] of columns, each of `2^log_height` elements, then [`Self::lde`] of the new table; gives the new table, if
    /// `keep`, and its extension. A backend may extend columns while others are on their way.
    fn upload_lde(
        &self,
        columns: &[&[BaseOf<Self::T>]],
        log_height: u32,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
        keep: bool,
    ) -> Result<Uploaded<Self::Buffer>> {
        let call = Call::new(self, Operation::UploadLde)?;
        check::upload_lde::<Self::P>(columns, log_height, &from, &to)?;
        call.basis(&from)?;
        call.domain(&to)?;
        call.reads(columns.len(), 1 << log_height)
            .named(|raw| Operations::upload_lde(raw, columns, log_height, from, to, keep))
    }

    /// Cuts each base column into `parts` columns of `2^log_part` elements, whatever they mean. Coset: part `k` takes
    /// `k, k + parts, ...`, so that of coefficients `H(X) = sum X^k H_k(X^parts)`. Circle: consecutive runs
    /// ([`crate::Domain::split_index`]), so that the first part of values in storage order is those of a prefix. Part-major: the
    /// columns of the result are all of part 0, all of part 1, .... `parts << log_part` is at most the height; the rest is dropped.
    fn split(&self, table: Columns<&Self::Buffer>, parts: usize, log_part: u32) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::Split)?;
        check::split(&table, parts, log_part)?;
        call.tables([&table]).named(|raw| Operations::split(raw, table, parts, log_part))
    }

    /// A new table of the picked base columns (table, column), in the order given, repeats allowed. All tables have one height.
    fn select(&self, tables: &[Columns<&Self::Buffer>], picks: &[(usize, usize)]) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::Select)?;
        check::select(tables, picks)?;
        let rows = tables.first().map_or(0, Columns::height);
        call.reads(picks.len(), rows).named(|raw| Operations::select(raw, tables, picks))
    }

    /// Commits to the rows of tables, in storage order. Tables have one height, but where the protocol lifts
    /// ([`Protocol::LIFTS`]): there the row at storage index `i` of `2^M` rows takes the element
    /// [`crate::Domain::lift_index`]`(i, M, n)` of a table of `2^n` rows.
    fn merkle(&self, tables: &[Columns<&Self::Buffer>], layout: LeafLayout, hash: HashFn) -> Result<Self::Tree> {
        let call = Call::new(self, Operation::Merkle)?;
        let leaves = check::merkle::<Self::P, _>(tables, layout, hash, &self.capabilities().hashes)?;
        call.tables(tables).named(|raw| Operations::merkle(raw, tables, leaves, hash))
    }

    /// The root of a tree.
    fn root(&self, tree: &Self::Tree) -> Result<Digest> {
        Call::new(self, Operation::Root)?.named(|raw| Operations::root(raw, tree))
    }

    /// Opens rows and paths of several trees at once.
    fn open(&self, requests: &[OpenRequest<'_, Self::T>]) -> Result<Vec<Opened<BaseOf<Self::T>>>> {
        let call = Call::new(self, Operation::Open)?;
        check::open(requests)?;
        call.each(requests.len(), |raw| Operations::open(raw, requests))
    }

    /// Makes a program ready: encodes or compiles it. Reusable for any number of proofs.
    fn prepare(&self, program: &ConstraintProgram<Self::P>) -> Result<Self::Program> {
        Call::new(self, Operation::Prepare)?.named(|raw| Operations::prepare(raw, program))
    }

    /// Builds extension columns that accumulate the outputs of programs from row to row, a table for each request.
    fn running(&self, requests: &[Running<'_, Self::T>]) -> Result<Vec<Accumulated<Self::T>>> {
        let call = Call::new(self, Operation::Running)?;
        requests.iter().try_for_each(check::running)?;
        let call = call.tables(requests.iter().flat_map(|request| request.columns));
        call.each(requests.len(), |raw| Operations::running(raw, requests))
    }

    /// A linear recurrence as one base column, in row order.
    fn recurrence(&self, recurrence: &Recurrence<BaseOf<Self::T>>) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::Recurrence)?;
        check::recurrence(recurrence)?;
        call.reads(1, 1 << recurrence.log_height).named(|raw| traces_of(raw)?.recurrence(recurrence))
    }

    /// Outputs of a program at every row as base columns, in row order.
    fn map(&self, args: &Map<'_, Self::T>) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::Map)?;
        check::map(args)?;
        call.tables(args.columns).named(|raw| traces_of(raw)?.map(args))
    }

    /// Outputs of programs at the nodes of a binary tree as base columns, in row order: `width` of them. A node takes what its
    /// children hand up, so levels are made one after the other, the leaves first.
    fn tree_map(&self, args: &TreeMap<'_, Self::T>) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::TreeMap)?;
        check::tree_map(args)?;
        call.tables(args.columns).named(|raw| traces_of(raw)?.tree_map(args))
    }

    /// Runs a [`crate::RowProgram`] for every row of a table by itself: gives its columns and the lists that it emits to, and adds its
    /// counts to `counters`, one for each of the program's, each a table of any width and height.
    ///
    /// Every node is evaluated in every row, then every effect. A fault is [`ErrorKind::InvalidArgument`] in the words of
    /// [`crate::RowFault`]: that of the first row that has one, in it that of the first node or, if no node has one, of the first effect.
    /// What the counters hold after an error is unspecified.
    fn rows(
        &self,
        args: &RowRun<'_, Self::T>,
        counters: &mut [Columns<&mut Self::Buffer>],
    ) -> Result<RowsMade<Self::T>> {
        let call = Call::new(self, Operation::Rows)?;
        check::rows(args, counters)?;
        call.named(|raw| traces_of(raw)?.rows(args, counters))
    }

    /// [`Self::rows`] that need not wait to know whether a row has a fault: it is an error of this call, or else [`Self::had_fault`] tells it
    /// of the verdict, and then what was made is unspecified. One verdict may serve many runs.
    fn rows_ahead(
        &self,
        args: &RowRun<'_, Self::T>,
        counters: &mut [Columns<&mut Self::Buffer>],
        verdict: &mut Verdict,
    ) -> Result<RowsMade<Self::T>> {
        let call = Call::new(self, Operation::Rows)?;
        check::rows(args, counters)?;
        call.named(|raw| traces_of(raw)?.rows_ahead(args, counters, verdict))
    }

    /// Whether a row had a fault in the runs of a verdict; waits for them. [`Self::rows`] says which.
    fn had_fault(&self, verdict: &Verdict) -> Result<bool> {
        let call = Call::new(self, Operation::Rows)?;
        call.named(|raw| traces_of(raw)?.had_fault(verdict))
    }

    /// Evaluates combinations of programs' outputs, each on (a prefix of) its domain: one extension column of `2^log_eval` rows
    /// for each request.
    fn constraint_eval(&self, requests: &[Constraints<'_, Self::T>]) -> Result<Vec<Table<Self::T>>> {
        let call = Call::new(self, Operation::ConstraintEval)?;
        for request in requests {
            check::constraint_eval(request)?;
            call.domain(&request.domain)?;
        }
        let call = call.tables(requests.iter().flat_map(|request| request.columns));
        call.each(requests.len(), |raw| Operations::constraint_eval(raw, requests))
    }

    /// Adds a table to one of the same width, in storage order, a lower one lifted ([`crate::Domain::lift_index`]).
    fn accumulate(&self, into: Columns<&mut Self::Buffer>, from: Columns<&Self::Buffer>) -> Result<()> {
        let call = Call::new(self, Operation::Accumulate)?;
        check::accumulate::<Self::P, _>(&into.as_shared(), &from)?;
        call.tables([&from]).named(|raw| Operations::accumulate(raw, into, from))
    }

    /// Values of every base column's polynomial at each point, for each request: `result[request][point][column]`.
    fn eval_at(&self, requests: &[EvalAt<'_, Self::T>]) -> Result<Vec<Values<Self::T>>> {
        let call = Call::new(self, Operation::EvalAt)?;
        for request in requests {
            check::eval_at(request)?;
            call.basis(&request.from)?;
        }
        let call = call.tables(requests.iter().map(|request| &request.columns));
        call.each(requests.len(), |raw| Operations::eval_at(raw, requests))
    }

    /// The sum of the terms at every point of the domain, storage order: one extension column. On a coset all tables have the
    /// domain's height. A circle domain is a prefix of a canonic one of `2^L` points; a table of `2^e` rows, `e <= L`, is on
    /// the canonic domain of its size and lifted to `L`.
    ///
    /// Where the terms are of values that the columns have at the points, as a prover's are, the sum is a polynomial; only then is what
    /// [`Self::lde`] makes of a prefix of it a function of the arguments: a backend of several devices may extend other values of it.
    fn deep_quotient(
        &self,
        tables: &[Columns<&Self::Buffer>],
        domain: DomainOf<Self::T>,
        terms: &[DeepTerm<Self::P>],
    ) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::DeepQuotient)?;
        check::deep_quotient(tables, &domain, terms)?;
        call.domain(&domain)?;
        call.tables(tables).named(|raw| Operations::deep_quotient(raw, tables, 0, domain, terms))
    }

    /// Folds one extension column on `domain` to half its size: `q(x^2) = p(x) + p(-x) + alpha (p(x) - p(-x))/x` on a coset, with
    /// no factor 1/2; from a circle to a line the same with `p(P)`, `p(conj P)` and `P.y` in place of `x`, on a line with its `x`.
    /// The result is on [`crate::Domain::folded`].
    fn fri_fold(
        &self,
        layer: Columns<&Self::Buffer>,
        domain: DomainOf<Self::T>,
        alpha: ExtOf<Self::T>,
    ) -> Result<Table<Self::T>> {
        let call = Call::new(self, Operation::FriFold)?;
        let folded = check::fri_fold::<Self::P, _>(&layer, &domain)?;
        call.domain(&domain)?;
        call.tables([&layer]).named(|raw| Operations::fri_fold(raw, layer, domain, folded, alpha))
    }

    /// The first nonce of the protocol's search order; `None` if no 64-bit nonce will do.
    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        self.grind_within(challenge, 0..Self::P::WINDOWS)
    }

    /// The first nonce of some windows of that order, of which window `w` has the tries `w * 2^LOG_WINDOW ..` ([`crate::LOG_WINDOW`]; there
    /// are [`Protocol::WINDOWS`]). `None` if none of them will do.
    fn grind_within(&self, challenge: &GrindChallenge, windows: Range<u64>) -> Result<Option<u64>> {
        let call = Call::new(self, Operation::Grind)?;
        check::grind::<Self::P>(challenge, &windows)?;
        call.named(|raw| Operations::grind(raw, challenge, windows))
    }
}

impl<O: Operations> StarkBackend for O {
    type P = <O::T as Types>::P;
    type Buffer = <O::T as Types>::Buffer;
    type Tree = <O::T as Types>::Tree;
    type Program = <O::T as Types>::Program;
    type T = O::T;
    type Raw = O;
    type Shapes = O::Shapes;

    fn raw(&self) -> &O {
        self
    }
}

mod sealed {
    pub trait Sealed {}
    impl<O: crate::Operations> Sealed for O {}
}

/// One call of a listed operation.
struct Call<'a, O> {
    raw: &'a O,
    operation: Operation,
    size: Size,
}

/// What an operation reads of tables, for its span.
#[derive(Clone, Copy, Default)]
struct Size {
    columns: u64,
    /// Of the highest table.
    rows: u64,
    elements: u64,
}

impl Size {
    fn add(&mut self, columns: usize, rows: usize) {
        self.columns += columns as u64;
        self.rows = self.rows.max(rows as u64);
        self.elements += columns as u64 * rows as u64;
    }
}

macro_rules! spans {
    ($($variant:ident $method:ident),+) => {
        /// The span of an operation that reads so much. Devices that work on their own may still do so when it ends.
        fn span(operation: Operation, size: Size, bytes: u64) -> tracing::Span {
            match operation {
                $(Operation::$variant => tracing::debug_span!(
                    stringify!($method), columns = size.columns, rows = size.rows, bytes
                ),)+
            }
        }
    };
}

crate::__operations!(spans;);

impl<'a, O: Operations> Call<'a, O> {
    fn new<B: StarkBackend<Raw = O>>(backend: &'a B, operation: Operation) -> Result<Self> {
        if !backend.has(operation) {
            let backend = &backend.capabilities().backend;
            return Err(HalError::unsupported(operation.name(), format!("not an operation of {backend}")));
        }
        Stop::check(operation)?;
        Ok(Self { raw: backend.raw(), operation, size: Size::default() })
    }

    /// It reads so many columns of so many rows.
    fn reads(mut self, columns: usize, rows: usize) -> Self {
        self.size.add(columns, rows);
        self
    }

    /// It reads these tables.
    fn tables<'t, U: DeviceBuffer + 't>(mut self, tables: impl IntoIterator<Item = &'t Columns<&'t U>>) -> Self {
        tables.into_iter().for_each(|table| self.size.add(table.width, table.height()));
        self
    }

    /// Blocks of circle domains are for backends that say so.
    fn domain(&self, domain: &DomainOf<O::T>) -> Result<()> {
        use crate::Domain;
        if domain.block_index() != 0 && !Operations::capabilities(self.raw).blocks {
            let backend = &Operations::capabilities(self.raw).backend;
            let detail = format!("{backend} takes whole domains and prefixes, not {domain:?}");
            return Err(HalError::unsupported(self.operation.name(), detail));
        }
        Ok(())
    }

    fn basis(&self, basis: &Basis<DomainOf<O::T>>) -> Result<()> {
        match basis {
            Basis::Coefficients => Ok(()),
            Basis::Evaluations { domain, .. } => self.domain(domain),
        }
    }

    /// Runs it; its errors bear its name, whatever it is made of.
    fn named<R>(&self, run: impl FnOnce(&O) -> Result<R>) -> Result<R> {
        let bytes = self.size.elements * size_of::<BaseOf<O::T>>() as u64;
        let _span = span(self.operation, self.size, bytes).entered();
        let result = run(self.raw).map_err(|error| HalError { op: self.operation.name(), ..error });
        // One that was stopped at work has no result, whatever it says.
        Stop::check(self.operation)?;
        result
    }

    /// The same of an operation that has a result for each request.
    fn each<R>(&self, requests: usize, run: impl FnOnce(&O) -> Result<Vec<R>>) -> Result<Vec<R>> {
        let results = self.named(run)?;
        if results.len() != requests {
            let detail = format!("{} results for {requests} requests: the backend is broken", results.len());
            return Err(HalError::new(ErrorKind::Backend, self.operation.name(), detail));
        }
        Ok(results)
    }
}
