//! Every operation of a [`Dual`], on both sides.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Dual, DualBuffer, DualProgram, DualTree, DualTypes, all_halves, first, halves};
use crate::{
    Accumulated, BaseOf, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeviceTree,
    Digest, DomainOf, ErrorKind, EvalAt, ExtOf, Footprint, GrindChallenge, HalError, HashFn, Leaves, MakeElements,
    MemoryInfo, OpenRequest, Opened, Operation, Operations, Protocol, Rehearsed, Result, Running, Table, TableRef,
    TraceOperations, Types, Uploaded, Values,
};

/// The tables of every request on one side.
type Halved<'a, B> = Vec<Vec<Columns<&'a B>>>;

/// The tables of every request, taken apart.
fn requests_halves<'a, L, R, Q>(
    requests: &'a [Q],
    columns: impl Fn(&'a Q) -> &'a [Columns<&'a DualBuffer<L, R>>],
) -> (Halved<'a, L>, Halved<'a, R>)
where
    L: 'a,
    R: 'a,
{
    requests.iter().map(|request| all_halves(columns(request))).unzip()
}

impl<P: Protocol, L: crate::StarkBackend<P = P>, R: crate::StarkBackend<P = P>> Operations for Dual<L, R> {
    type T = DualTypes<L, R>;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        let (left, right) = (self.left.memory()?, self.right.memory()?);
        let available = [left.available, right.available].into_iter().flatten().min();
        let is_host = left.is_host || right.is_host;
        Ok(MemoryInfo {
            available,
            in_use: left.in_use + right.in_use,
            peak: left.peak + right.peak,
            is_host,
            moved: None,
        })
    }

    fn budget(&self) -> &Budget {
        self.left.budget()
    }

    fn footprint(&self, of: &Footprint<'_, Self::T>) -> u64 {
        self.left.footprint(&of.with_program(|both| &both.left))
            + self.right.footprint(&of.with_program(|both| &both.right))
    }

    fn traces(&self) -> Option<&dyn TraceOperations<Self::T>> {
        let both = Operations::traces(self.left.raw()).zip(Operations::traces(self.right.raw()));
        both.map(|_| self as _)
    }

    fn upload(&self, data: &[BaseOf<Self::T>], width: usize, log_height: u32) -> Result<Table<Self::T>> {
        let op = Operation::Upload;
        let upload = self.both(op, |l| l.upload(data, width, log_height), |r| r.upload(data, width, log_height))?;
        self.table(op, upload)
    }

    fn upload_made(
        &self,
        make: &MakeElements<'_, BaseOf<Self::T>>,
        width: usize,
        log_height: u32,
    ) -> Result<Table<Self::T>> {
        let op = Operation::Upload;
        let left = |l: &L::Raw| l.upload_made(make, width, log_height);
        self.table(op, self.both(op, left, |r| r.upload_made(make, width, log_height))?)
    }

    fn download(&self, table: TableRef<'_, Self::T>, rows: Range<usize>) -> Result<Vec<BaseOf<Self::T>>> {
        let op = Operation::Download;
        let (left, right) = halves(table);
        let both = self.both(op, |l| l.download(left, rows.clone()), |r| r.download(right, rows.clone()))?;
        self.same(op, both, |a, b| first("element", a, b))
    }

    fn copy_to(&self, table: TableRef<'_, Self::T>, peer: &Self) -> Result<Table<Self::T>> {
        let op = Operation::CopyTo;
        let (left, right) = halves(table);
        let both = self.both(op, |l| l.copy_to(left, peer.left.raw()), |r| r.copy_to(right, peer.right.raw()))?;
        peer.table(op, both)
    }

    fn sync(&self) -> Result<()> {
        self.both(Operation::Sync, Operations::sync, Operations::sync).map(|_| ())
    }

    fn ntt(
        &self,
        table: Columns<&mut DualBuffer<L::Buffer, R::Buffer>>,
        from: Basis<DomainOf<Self::T>>,
        to: Basis<DomainOf<Self::T>>,
    ) -> Result<()> {
        let op = Operation::Ntt;
        let Columns { data: DualBuffer { left, right }, width, log_height } = table;
        self.both(
            op,
            |l| l.ntt(Columns::new(&mut *left, width, log_height), from, to),
            |r| r.ntt(Columns::new(&mut *right, width, log_height), from, to),
        )?;
        self.same_table(op, Columns::new(left, width, log_height), Columns::new(right, width, log_height))
    }

    fn lde(
        &self,
        table: TableRef<'_, Self::T>,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
    ) -> Result<Table<Self::T>> {
        let op = Operation::Lde;
        let (left, right) = halves(table);
        self.table(op, self.both(op, |l| l.lde(left, from, to), |r| r.lde(right, from, to))?)
    }

    fn upload_lde(
        &self,
        columns: &[&[BaseOf<Self::T>]],
        log_height: u32,
        from: Basis<DomainOf<Self::T>>,
        to: DomainOf<Self::T>,
        keep: bool,
    ) -> Result<Uploaded<DualBuffer<L::Buffer, R::Buffer>>> {
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

    fn split(&self, coefficients: TableRef<'_, Self::T>, parts: usize, log_part: u32) -> Result<Table<Self::T>> {
        let op = Operation::Split;
        let (left, right) = halves(coefficients);
        self.table(op, self.both(op, |l| l.split(left, parts, log_part), |r| r.split(right, parts, log_part))?)
    }

    fn select(&self, tables: &[TableRef<'_, Self::T>], picks: &[(usize, usize)]) -> Result<Table<Self::T>> {
        let op = Operation::Select;
        let (left, right) = all_halves(tables);
        self.table(op, self.both(op, |l| l.select(&left, picks), |r| r.select(&right, picks))?)
    }

    fn merkle(
        &self,
        tables: &[TableRef<'_, Self::T>],
        leaves: Leaves,
        hash: HashFn,
    ) -> Result<DualTree<L::Tree, R::Tree>> {
        let op = Operation::Merkle;
        let (left, right) = all_halves(tables);
        let (left, right) = self.both(op, |l| l.merkle(&left, leaves, hash), |r| r.merkle(&right, leaves, hash))?;
        let trees = ((left.log_leaves(), self.left.root(&left)?), (right.log_leaves(), self.right.root(&right)?));
        self.same(op, trees, |a, b| format!("(log leaves, root) {a:?} and {b:?}"))?;
        Ok(DualTree { left, right })
    }

    fn root(&self, tree: &DualTree<L::Tree, R::Tree>) -> Result<Digest> {
        let op = Operation::Root;
        let both = self.both(op, |l| l.root(&tree.left), |r| r.root(&tree.right))?;
        self.same(op, both, |a, b| format!("{a:?} and {b:?}"))
    }

    fn open(&self, requests: &[OpenRequest<'_, Self::T>]) -> Result<Vec<Opened<BaseOf<Self::T>>>> {
        let op = Operation::Open;
        let (left, right) = requests_halves(requests, |request| request.columns);
        let left: Vec<_> = requests
            .iter()
            .zip(&left)
            .map(|(r, columns)| OpenRequest { columns, tree: &r.tree.left, rows: r.rows, leaves: r.leaves })
            .collect();
        let right: Vec<_> = requests
            .iter()
            .zip(&right)
            .map(|(r, columns)| OpenRequest { columns, tree: &r.tree.right, rows: r.rows, leaves: r.leaves })
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

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<DualProgram<L::Program, R::Program>> {
        let (left, right) = self.both(Operation::Prepare, |l| l.prepare(program), |r| r.prepare(program))?;
        Ok(DualProgram { left, right })
    }

    fn running(&self, requests: &[Running<'_, Self::T>]) -> Result<Vec<Accumulated<Self::T>>> {
        /// The same arguments for one of the two backends.
        fn side<'a, S: Types, T: Types<P = S::P>>(
            args: &Running<'a, S>,
            program: &'a T::Program,
            columns: &'a [TableRef<'a, T>],
        ) -> Running<'a, T> {
            let (log_height, params, form) = (args.log_height, args.params, args.form);
            Running { program, columns, log_height, params, form }
        }
        let op = Operation::Running;
        let (left, right) = requests_halves(requests, |request| request.columns);
        let left: Vec<_> = requests.iter().zip(&left).map(|(r, c)| side(r, &r.program.left, c)).collect();
        let right: Vec<_> = requests.iter().zip(&right).map(|(r, c)| side(r, &r.program.right, c)).collect();
        let (left, right) = self.both(op, |l| l.running(&left), |r| r.running(&right))?;
        let (left, left_totals): (Vec<_>, Vec<_>) = left.into_iter().map(|a| (a.columns, a.total)).unzip();
        let (right, right_totals): (Vec<_>, Vec<_>) = right.into_iter().map(|a| (a.columns, a.total)).unzip();
        let totals = self.same(op, (left_totals, right_totals), |a, b| first("total", a, b))?;
        let tables = self.tables(op, left, right)?;
        Ok(tables.into_iter().zip(totals).map(|(columns, total)| Accumulated { columns, total }).collect())
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, Self::T>]) -> Result<Vec<Table<Self::T>>> {
        /// The same arguments for one of the two backends.
        fn side<'a, S: Types, T: Types<P = S::P>>(
            args: &Constraints<'a, S>,
            program: &'a T::Program,
            columns: &'a [TableRef<'a, T>],
        ) -> Constraints<'a, T> {
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
        let (left, right) = requests_halves(requests, |request| request.columns);
        let left: Vec<_> = requests.iter().zip(&left).map(|(r, c)| side(r, &r.program.left, c)).collect();
        let right: Vec<_> = requests.iter().zip(&right).map(|(r, c)| side(r, &r.program.right, c)).collect();
        let (left, right) = self.both(op, |l| l.constraint_eval(&left), |r| r.constraint_eval(&right))?;
        self.tables(op, left, right)
    }

    fn accumulate(
        &self,
        into: Columns<&mut DualBuffer<L::Buffer, R::Buffer>>,
        from: TableRef<'_, Self::T>,
    ) -> Result<()> {
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

    fn eval_at(&self, requests: &[EvalAt<'_, Self::T>]) -> Result<Vec<Values<Self::T>>> {
        let op = Operation::EvalAt;
        let left: Vec<_> = requests
            .iter()
            .map(|r| EvalAt { columns: r.columns.map(|both| &both.left), from: r.from, points: r.points })
            .collect();
        let right: Vec<_> = requests
            .iter()
            .map(|r| EvalAt { columns: r.columns.map(|both| &both.right), from: r.from, points: r.points })
            .collect();
        let both = self.both(op, |l| l.eval_at(&left), |r| r.eval_at(&right))?;
        self.same(op, both, |a, b| match a.iter().zip(b).position(|(x, y)| x != y) {
            None => format!("values of {} and {} requests", a.len(), b.len()),
            Some(at) => match a[at].iter().zip(&b[at]).position(|(x, y)| x != y) {
                None => format!("request {at}, {}", first("point", &a[at], &b[at])),
                Some(point) => {
                    format!("request {at}, point {point}, {}", first("column", &a[at][point], &b[at][point]))
                }
            },
        })
    }

    fn deep_quotient(
        &self,
        tables: &[TableRef<'_, Self::T>],
        log_cut: u32,
        domain: DomainOf<Self::T>,
        terms: &[DeepTerm<P>],
    ) -> Result<Table<Self::T>> {
        let op = Operation::DeepQuotient;
        let (left, right) = all_halves(tables);
        let both = self.both(
            op,
            |l| l.deep_quotient(&left, log_cut, domain, terms),
            |r| r.deep_quotient(&right, log_cut, domain, terms),
        )?;
        self.table(op, both)
    }

    fn fri_fold(
        &self,
        layer: TableRef<'_, Self::T>,
        domain: DomainOf<Self::T>,
        folded: DomainOf<Self::T>,
        alpha: ExtOf<Self::T>,
    ) -> Result<Table<Self::T>> {
        let op = Operation::FriFold;
        let (left, right) = halves(layer);
        let both =
            self.both(op, |l| l.fri_fold(left, domain, folded, alpha), |r| r.fri_fold(right, domain, folded, alpha))?;
        self.table(op, both)
    }

    fn grind(&self, challenge: &GrindChallenge, windows: Range<u64>) -> Result<Option<u64>> {
        let op = Operation::Grind;
        let both = self.both(op, |l| l.grind(challenge, windows.clone()), |r| r.grind(challenge, windows.clone()))?;
        self.same(op, both, |a, b| format!("nonces {a:?} and {b:?}"))
    }
}
