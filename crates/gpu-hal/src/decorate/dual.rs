//! Two backends as one, compared after every operation.

use std::fmt::Debug;
use std::ops::Range;

use crate::{
    Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeviceBuffer, DeviceTree, Digest,
    ErrorKind, Footprint, GrindChallenge, HalError, HashFn, LeafLayout, Logup, Map, MemoryInfo, OpenRequest, Opened,
    Operation, Protocol, Recurrence, Result, Running, StarkBackend, TreeMap, Uploaded,
};

/// A backend that runs every operation on two others of the same protocol and compares what they return: tables element by
/// element, roots, openings, values, nonces, and the kind of an error. A difference is [`ErrorKind::Backend`] and names both
/// backends and the first place that differs.
///
/// It costs a download of every result, so it is for tests. Memory is the sum of both.
#[derive(Debug)]
pub struct Dual<L, R> {
    left: L,
    right: R,
    capabilities: Capabilities,
}

/// A table of a [`Dual`] on both of its devices.
#[derive(Debug)]
pub struct DualBuffer<L, R> {
    left: L,
    right: R,
}

/// A tree of a [`Dual`] on both of its devices.
#[derive(Debug)]
pub struct DualTree<L, R> {
    left: L,
    right: R,
}

/// A program of a [`Dual`], prepared for both of its devices.
#[derive(Debug)]
pub struct DualProgram<L, R> {
    left: L,
    right: R,
}

impl<L: DeviceBuffer, R: DeviceBuffer> DeviceBuffer for DualBuffer<L, R> {
    fn len(&self) -> usize {
        self.left.len()
    }
}

impl<L: DeviceTree, R: DeviceTree> DeviceTree for DualTree<L, R> {
    fn log_leaves(&self) -> u32 {
        self.left.log_leaves()
    }
}

/// The two halves of a table.
type Halves<'a, L, R> = (Columns<&'a L>, Columns<&'a R>);

fn halves<'a, L, R>(columns: Columns<&'a DualBuffer<L, R>>) -> Halves<'a, L, R> {
    (columns.map(|both| &both.left), columns.map(|both| &both.right))
}

fn all_halves<'a, L, R>(columns: &[Columns<&'a DualBuffer<L, R>>]) -> (Vec<Columns<&'a L>>, Vec<Columns<&'a R>>) {
    columns.iter().map(|table| halves(*table)).unzip()
}

impl<P: Protocol, L: StarkBackend<P = P>, R: StarkBackend<P = P>> Dual<L, R> {
    /// Runs `left` and `right` side by side. The result can do what both can.
    pub fn new(left: L, right: R) -> Self {
        let (l, r) = (left.capabilities(), right.capabilities());
        let capabilities = Capabilities {
            backend: format!("dual({},{})", l.backend, r.backend),
            device: format!("{} and {}", l.device, r.device),
            operations: l.operations.iter().filter(|op| r.operations.contains(op)).copied().collect(),
            hashes: l.hashes.iter().filter(|hash| r.hashes.contains(hash)).copied().collect(),
            max_log_height: l.max_log_height.min(r.max_log_height),
        };
        Self { left, right, capabilities }
    }

    /// The first backend.
    pub fn left(&self) -> &L {
        &self.left
    }

    /// The second backend.
    pub fn right(&self) -> &R {
        &self.right
    }

    fn difference(&self, op: Operation, detail: impl std::fmt::Display) -> HalError {
        let (left, right) = (&self.left.capabilities().backend, &self.right.capabilities().backend);
        HalError::new(ErrorKind::Backend, op.name(), format!("'{left}' and '{right}' differ: {detail}"))
    }

    /// Refuses what only one of the two can do, so that it does not look like a difference.
    fn supported(&self, op: Operation) -> Result<()> {
        if self.capabilities.operations.contains(&op) {
            return Ok(());
        }
        Err(HalError::unsupported(
            op.name(),
            format!("not an operation of both parts of {}", self.capabilities.backend),
        ))
    }

    /// Runs both sides; both must succeed, or fail for the same kind of reason.
    fn both<A, C>(
        &self,
        op: Operation,
        left: impl FnOnce(&L) -> Result<A>,
        right: impl FnOnce(&R) -> Result<C>,
    ) -> Result<(A, C)> {
        self.supported(op)?;
        match (left(&self.left), right(&self.right)) {
            (Ok(left), Ok(right)) => Ok((left, right)),
            (Err(left), Err(right)) if left.kind == right.kind => Err(left),
            (Err(left), Err(right)) => {
                Err(self.difference(op, format!("the first fails with '{left}', the second with '{right}'")))
            }
            (Err(error), Ok(_)) => {
                Err(self.difference(op, format!("only the first fails, with '{error}'")).with_source(error))
            }
            (Ok(_), Err(error)) => {
                Err(self.difference(op, format!("only the second fails, with '{error}'")).with_source(error))
            }
        }
    }

    /// Both results are host data: compares and returns one.
    fn same<T: PartialEq>(
        &self,
        op: Operation,
        (left, right): (T, T),
        differ: impl FnOnce(&T, &T) -> String,
    ) -> Result<T> {
        if left == right { Ok(left) } else { Err(self.difference(op, differ(&left, &right))) }
    }

    fn same_table(&self, op: Operation, left: Columns<&L::Buffer>, right: Columns<&R::Buffer>) -> Result<()> {
        let shape = (left.width, left.log_height);
        if shape != (right.width, right.log_height) {
            return Err(self
                .difference(op, format!("{:?} and {:?} (width, log height)", shape, (right.width, right.log_height))));
        }
        let elements = |table: Vec<P::Base>| -> Result<Vec<P::Base>> {
            if table.len() == left.elements() {
                return Ok(table);
            }
            Err(self.difference(op, format!("{} elements downloaded of {}", table.len(), left.elements())))
        };
        let a = elements(self.left.download(left, 0..left.height())?)?;
        let b = elements(self.right.download(right, 0..right.height())?)?;
        match a.iter().zip(&b).position(|(x, y)| x != y) {
            None => Ok(()),
            Some(at) => {
                let (column, row) = (at >> left.log_height, at & (left.height() - 1));
                Err(self.difference(op, format!("column {column}, row {row}: {} and {}", a[at], b[at])))
            }
        }
    }

    /// Both results are tables: compares them and returns the pair.
    fn table(
        &self,
        op: Operation,
        (left, right): (Columns<L::Buffer>, Columns<R::Buffer>),
    ) -> Result<Columns<DualBuffer<L::Buffer, R::Buffer>>> {
        self.same_table(op, left.as_ref(), right.as_ref())?;
        Ok(left.map(|left| DualBuffer { left, right: right.data }))
    }
}

/// The first difference of two lists, in words.
fn first<T: PartialEq + Debug>(what: &str, left: &[T], right: &[T]) -> String {
    match left.iter().zip(right).position(|(x, y)| x != y) {
        Some(at) => format!("{what} {at}: {:?} and {:?}", left[at], right[at]),
        None => format!("{} and {} {what}s", left.len(), right.len()),
    }
}

impl<P: Protocol, L: StarkBackend<P = P>, R: StarkBackend<P = P>> StarkBackend for Dual<L, R> {
    type P = P;
    type Buffer = DualBuffer<L::Buffer, R::Buffer>;
    type Tree = DualTree<L::Tree, R::Tree>;
    type Program = DualProgram<L::Program, R::Program>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        let (left, right) = (self.left.memory()?, self.right.memory()?);
        let available = [left.available, right.available].into_iter().flatten().min();
        Ok(MemoryInfo { available, in_use: left.in_use + right.in_use, peak: left.peak + right.peak })
    }

    fn budget(&self) -> &Budget {
        self.left.budget()
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        self.left.footprint(&of.with_program(|both| &both.left))
            + self.right.footprint(&of.with_program(|both| &both.right))
    }

    fn upload(&self, data: &[P::Base], width: usize, log_height: u32) -> Result<Columns<Self::Buffer>> {
        let op = Operation::Upload;
        let upload = self.both(op, |l| l.upload(data, width, log_height), |r| r.upload(data, width, log_height))?;
        self.table(op, upload)
    }

    fn download(&self, columns: Columns<&Self::Buffer>, rows: Range<usize>) -> Result<Vec<P::Base>> {
        let op = Operation::Download;
        let (left, right) = halves(columns);
        let both = self.both(op, |l| l.download(left, rows.clone()), |r| r.download(right, rows.clone()))?;
        self.same(op, both, |a, b| first("element", a, b))
    }

    fn sync(&self) -> Result<()> {
        self.both(Operation::Sync, L::sync, R::sync).map(|_| ())
    }

    fn ntt(&self, columns: Columns<&mut Self::Buffer>, from: Basis<P::Domain>, to: Basis<P::Domain>) -> Result<()> {
        let op = Operation::Ntt;
        let Columns { data: DualBuffer { left, right }, width, log_height } = columns;
        self.both(
            op,
            |l| l.ntt(Columns::new(&mut *left, width, log_height), from, to),
            |r| r.ntt(Columns::new(&mut *right, width, log_height), from, to),
        )?;
        self.same_table(op, Columns::new(left, width, log_height), Columns::new(right, width, log_height))
    }

    fn lde(
        &self,
        columns: Columns<&Self::Buffer>,
        from: Basis<P::Domain>,
        to: P::Domain,
    ) -> Result<Columns<Self::Buffer>> {
        let op = Operation::Lde;
        let (left, right) = halves(columns);
        self.table(op, self.both(op, |l| l.lde(left, from, to), |r| r.lde(right, from, to))?)
    }

    fn upload_lde(
        &self,
        columns: &[&[P::Base]],
        log_height: u32,
        from: Basis<P::Domain>,
        to: P::Domain,
        keep: bool,
    ) -> Result<Uploaded<Self::Buffer>> {
        let op = Operation::UploadLde;
        let ((rows, extended), (other_rows, other_extended)) = self.both(
            op,
            |l| l.upload_lde(columns, log_height, from, to, keep),
            |r| r.upload_lde(columns, log_height, from, to, keep),
        )?;
        let rows = match (rows, other_rows) {
            (Some(rows), Some(other)) => Some(self.table(op, (rows, other))?),
            (None, None) => None,
            _ => return Err(HalError::new(ErrorKind::Backend, op.name(), "only one backend kept the table")),
        };
        Ok((rows, self.table(op, (extended, other_extended))?))
    }

    fn split(
        &self,
        coefficients: Columns<&Self::Buffer>,
        parts: usize,
        log_part: u32,
    ) -> Result<Columns<Self::Buffer>> {
        let op = Operation::Split;
        let (left, right) = halves(coefficients);
        self.table(op, self.both(op, |l| l.split(left, parts, log_part), |r| r.split(right, parts, log_part))?)
    }

    fn select(&self, tables: &[Columns<&Self::Buffer>], picks: &[(usize, usize)]) -> Result<Columns<Self::Buffer>> {
        let op = Operation::Select;
        let (left, right) = all_halves(tables);
        self.table(op, self.both(op, |l| l.select(&left, picks), |r| r.select(&right, picks))?)
    }

    fn merkle(&self, columns: &[Columns<&Self::Buffer>], layout: LeafLayout, hash: HashFn) -> Result<Self::Tree> {
        let op = Operation::Merkle;
        self.supported(op)?;
        if !self.capabilities.hashes.contains(&hash) {
            return Err(HalError::unsupported(
                op.name(),
                format!("{hash}; {} has {:?}", self.capabilities.backend, self.capabilities.hashes),
            ));
        }
        let (left, right) = all_halves(columns);
        let (left, right) = self.both(op, |l| l.merkle(&left, layout, hash), |r| r.merkle(&right, layout, hash))?;
        let trees = ((left.log_leaves(), self.left.root(&left)?), (right.log_leaves(), self.right.root(&right)?));
        self.same(op, trees, |a, b| format!("(log leaves, root) {a:?} and {b:?}"))?;
        Ok(DualTree { left, right })
    }

    fn root(&self, tree: &Self::Tree) -> Result<Digest> {
        let op = Operation::Root;
        let both = self.both(op, |l| l.root(&tree.left), |r| r.root(&tree.right))?;
        self.same(op, both, |a, b| format!("{a:?} and {b:?}"))
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<P::Base>>> {
        let op = Operation::Open;
        let columns: Vec<_> = requests.iter().map(|request| all_halves(request.columns)).collect();
        let left: Vec<OpenRequest<'_, L>> = requests
            .iter()
            .zip(&columns)
            .map(|(r, (columns, _))| OpenRequest { columns, tree: &r.tree.left, rows: r.rows, leaves: r.leaves })
            .collect();
        let right: Vec<OpenRequest<'_, R>> = requests
            .iter()
            .zip(&columns)
            .map(|(r, (_, columns))| OpenRequest { columns, tree: &r.tree.right, rows: r.rows, leaves: r.leaves })
            .collect();
        let both = self.both(op, |l| l.open(&left), |r| r.open(&right))?;
        self.same(op, both, |a, b| match a.iter().zip(b).position(|(x, y)| x != y) {
            None => format!("{} and {} openings", a.len(), b.len()),
            Some(at) if a[at].rows != b[at].rows => {
                format!("request {at}, {}", first("opened row", &a[at].rows, &b[at].rows))
            }
            Some(at) => format!("request {at}, {}", first("path", &a[at].paths, &b[at].paths)),
        })
    }

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<Self::Program> {
        let (left, right) = self.both(Operation::Prepare, |l| l.prepare(program), |r| r.prepare(program))?;
        Ok(DualProgram { left, right })
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<Columns<Self::Buffer>> {
        let op = Operation::Running;
        let (left, right) = all_halves(args.columns);
        let (log_height, params, running) = (args.log_height, args.params, args.running);
        let both = self.both(
            op,
            |l| l.running(&Running { program: &args.program.left, columns: &left, log_height, params, running }),
            |r| r.running(&Running { program: &args.program.right, columns: &right, log_height, params, running }),
        )?;
        self.table(op, both)
    }

    fn logup(&self, args: &Logup<'_, Self>) -> Result<(Columns<Self::Buffer>, P::Ext)> {
        let op = Operation::Logup;
        let (left, right) = all_halves(args.columns);
        let (log_height, params, fractions) = (args.log_height, args.params, args.fractions);
        let ((left, a), (right, b)) = self.both(
            op,
            |l| l.logup(&Logup { program: &args.program.left, columns: &left, log_height, params, fractions }),
            |r| r.logup(&Logup { program: &args.program.right, columns: &right, log_height, params, fractions }),
        )?;
        let total = self.same(op, (a, b), |a, b| format!("totals {a:?} and {b:?}"))?;
        Ok((self.table(op, (left, right))?, total))
    }

    fn recurrence(&self, recurrence: &Recurrence<P::Base>) -> Result<Columns<Self::Buffer>> {
        let op = Operation::Recurrence;
        self.table(op, self.both(op, |l| l.recurrence(recurrence), |r| r.recurrence(recurrence))?)
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<Columns<Self::Buffer>> {
        let op = Operation::Map;
        let (left, right) = all_halves(args.columns);
        let (log_height, outputs) = (args.log_height, args.outputs);
        let both = self.both(
            op,
            |l| l.map(&Map { program: &args.program.left, columns: &left, log_height, outputs }),
            |r| r.map(&Map { program: &args.program.right, columns: &right, log_height, outputs }),
        )?;
        self.table(op, both)
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<Columns<Self::Buffer>> {
        let op = Operation::TreeMap;
        let (left, right) = all_halves(args.columns);
        let (leaf, node, log_height, width) = (args.leaf, args.node, args.log_height, args.width);
        let both = self.both(
            op,
            |l| l.tree_map(&TreeMap { leaf: &leaf.left, node: &node.left, columns: &left, log_height, width }),
            |r| r.tree_map(&TreeMap { leaf: &leaf.right, node: &node.right, columns: &right, log_height, width }),
        )?;
        self.table(op, both)
    }

    fn accumulate(&self, into: Columns<&mut Self::Buffer>, from: Columns<&Self::Buffer>) -> Result<()> {
        let op = Operation::Accumulate;
        let Columns { data: DualBuffer { left, right }, width, log_height } = into;
        let (from_left, from_right) = halves(from);
        self.both(
            op,
            |l| l.accumulate(Columns::new(&mut *left, width, log_height), from_left),
            |r| r.accumulate(Columns::new(&mut *right, width, log_height), from_right),
        )?;
        self.same_table(op, Columns::new(left, width, log_height), Columns::new(right, width, log_height))
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<Columns<Self::Buffer>> {
        /// The same arguments for one of the two backends.
        fn side<'a, S: StarkBackend, B: StarkBackend<P = S::P>>(
            args: &Constraints<'a, S>,
            program: &'a B::Program,
            columns: &'a [Columns<&'a B::Buffer>],
        ) -> Constraints<'a, B> {
            Constraints {
                program,
                columns,
                domain: args.domain,
                log_trace: args.log_trace,
                log_eval: args.log_eval,
                params: args.params,
                combination: args.combination,
            }
        }
        let op = Operation::ConstraintEval;
        let (left, right) = all_halves(args.columns);
        let both = self.both(
            op,
            |l| l.constraint_eval(&side(args, &args.program.left, &left)),
            |r| r.constraint_eval(&side(args, &args.program.right, &right)),
        )?;
        self.table(op, both)
    }

    fn eval_at(
        &self,
        columns: Columns<&Self::Buffer>,
        from: Basis<P::Domain>,
        points: &[P::Point],
    ) -> Result<Vec<Vec<P::Ext>>> {
        let op = Operation::EvalAt;
        let (left, right) = halves(columns);
        let both = self.both(op, |l| l.eval_at(left, from, points), |r| r.eval_at(right, from, points))?;
        self.same(op, both, |a, b| match a.iter().zip(b).position(|(x, y)| x != y) {
            None => first("point", a, b),
            Some(point) => format!("point {point}, {}", first("column", &a[point], &b[point])),
        })
    }

    fn deep_quotient(
        &self,
        columns: &[Columns<&Self::Buffer>],
        domain: P::Domain,
        terms: &[DeepTerm<P>],
    ) -> Result<Columns<Self::Buffer>> {
        let op = Operation::DeepQuotient;
        let (left, right) = all_halves(columns);
        let both =
            self.both(op, |l| l.deep_quotient(&left, domain, terms), |r| r.deep_quotient(&right, domain, terms))?;
        self.table(op, both)
    }

    fn fri_fold(
        &self,
        layer: Columns<&Self::Buffer>,
        domain: P::Domain,
        alpha: P::Ext,
    ) -> Result<Columns<Self::Buffer>> {
        let op = Operation::FriFold;
        let (left, right) = halves(layer);
        self.table(op, self.both(op, |l| l.fri_fold(left, domain, alpha), |r| r.fri_fold(right, domain, alpha))?)
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        let op = Operation::Grind;
        let both = self.both(op, |l| l.grind(challenge), |r| r.grind(challenge))?;
        self.same(op, both, |a, b| format!("nonces {a:?} and {b:?}"))
    }
}
