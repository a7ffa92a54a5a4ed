//! The operations of shapes: each counts what it takes, and gives zeros.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use std::sync::Arc;

use super::super::steps::Step;
use super::{Prepared, Rehearsed, ShapeBuffer, ShapeTree, extension};
use crate::{
    Accumulated, BaseOf, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, Digest,
    Domain, DomainOf, EvalAt, ExtOf, Fields, Footprint, GrindChallenge, HashFn, Leaves, MakeElements, MemoryInfo,
    OpenRequest, Opened, Openings, Operation, Operations, Result, Running, Shape, StarkBackend, Stash, StoredRequest,
    Table, TableRef, TraceOperations, Uploaded, Values, shapes,
};

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
