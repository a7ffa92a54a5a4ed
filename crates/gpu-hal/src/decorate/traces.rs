//! The operations that make traces, through every decorator.

use alloc::vec::Vec;

use field::PrimeField;

use super::dual::{Dual, DualBuffer, DualTypes, all_halves, halves_mut};
use super::hook::{Hook, Hooked, Outcome};
use super::rehearsed::{Rehearsed, ShapeBuffer};
use super::steps::Step;
use crate::{
    BaseOf, Columns, Footprint, Map, Operation, Protocol, Recurrence, Result, RowList, RowProgram, RowRun, RowsMade,
    StarkBackend, Table, TraceOperations, TreeMap, Verdict, shapes, traces_of,
};

impl<B: StarkBackend, H: Hook<B>> TraceOperations<B::T> for Hooked<B, H> {
    fn recurrence(&self, recurrence: &Recurrence<BaseOf<B::T>>) -> Result<Table<B::T>> {
        let starts: usize = recurrence.starts().map(|(_, values)| size_of_val(values)).sum();
        let uploaded = size_of_val(recurrence.coefficients.as_slice()) + starts;
        let run = || traces_of(self.inner.raw())?.recurrence(recurrence);
        self.around(Operation::Recurrence, uploaded, run, |t| Outcome::Table(t))
    }

    fn map(&self, args: &Map<'_, B::T>) -> Result<Table<B::T>> {
        let run = || traces_of(self.inner.raw())?.map(args);
        self.around(Operation::Map, size_of_val(args.outputs), run, |t| Outcome::Table(t))
    }

    fn tree_map(&self, args: &TreeMap<'_, B::T>) -> Result<Table<B::T>> {
        self.around(Operation::TreeMap, 0, || traces_of(self.inner.raw())?.tree_map(args), |t| Outcome::Table(t))
    }

    fn rows(&self, args: &RowRun<'_, B::T>, counters: &mut [Columns<&mut B::Buffer>]) -> Result<RowsMade<B::T>> {
        let run = || traces_of(self.inner.raw())?.rows(args, counters).map(|made| (made, counters));
        self.around(Operation::Rows, encoded_bytes(args.program), run, |(made, counters)| {
            Outcome::Rows(made, counters.iter_mut().map(Columns::reborrow).collect())
        })
        .map(|(made, _)| made)
    }

    fn rows_ahead(
        &self,
        args: &RowRun<'_, B::T>,
        counters: &mut [Columns<&mut B::Buffer>],
        verdict: &mut Verdict,
    ) -> Result<RowsMade<B::T>> {
        let run = || traces_of(self.inner.raw())?.rows_ahead(args, counters, verdict).map(|made| (made, counters));
        self.around(Operation::Rows, encoded_bytes(args.program), run, |(made, counters)| {
            Outcome::Rows(made, counters.iter_mut().map(Columns::reborrow).collect())
        })
        .map(|(made, _)| made)
    }

    fn had_fault(&self, verdict: &Verdict) -> Result<bool> {
        let run = || traces_of(self.inner.raw())?.had_fault(verdict);
        self.around(Operation::Rows, 0, run, |_| Outcome::Nothing)
    }
}

/// Log2 of the elements that a backend may keep of a verdict.
const LOG_VERDICT: u32 = 3;

/// What a row program takes as it is told a device.
fn encoded_bytes<F: PrimeField>(program: &RowProgram<F>) -> usize {
    size_of_val(program.nodes()) + size_of_val(program.effects())
}

impl<P: Protocol, L: StarkBackend<P = P>, R: StarkBackend<P = P>> TraceOperations<DualTypes<L, R>> for Dual<L, R> {
    fn recurrence(&self, recurrence: &Recurrence<P::Base>) -> Result<Table<DualTypes<L, R>>> {
        let op = Operation::Recurrence;
        let left = |l: &L::Raw| traces_of(l)?.recurrence(recurrence);
        self.table(op, self.both(op, left, |r| traces_of(r)?.recurrence(recurrence))?)
    }

    fn map(&self, args: &Map<'_, DualTypes<L, R>>) -> Result<Table<DualTypes<L, R>>> {
        let op = Operation::Map;
        let (left, right) = all_halves(args.columns);
        let (log_height, outputs) = (args.log_height, args.outputs);
        let left = Map { program: &args.program.left, columns: &left, log_height, outputs };
        let right = Map { program: &args.program.right, columns: &right, log_height, outputs };
        self.table(op, self.both(op, |l| traces_of(l)?.map(&left), |r| traces_of(r)?.map(&right))?)
    }

    fn tree_map(&self, args: &TreeMap<'_, DualTypes<L, R>>) -> Result<Table<DualTypes<L, R>>> {
        let op = Operation::TreeMap;
        let (left, right) = all_halves(args.columns);
        let (leaf, node, log_height, width) = (args.leaf, args.node, args.log_height, args.width);
        let left = TreeMap { leaf: &leaf.left, node: &node.left, columns: &left, log_height, width };
        let right = TreeMap { leaf: &leaf.right, node: &node.right, columns: &right, log_height, width };
        self.table(op, self.both(op, |l| traces_of(l)?.tree_map(&left), |r| traces_of(r)?.tree_map(&right))?)
    }

    fn rows(
        &self,
        args: &RowRun<'_, DualTypes<L, R>>,
        counters: &mut [Columns<&mut DualBuffer<L::Buffer, R::Buffer>>],
    ) -> Result<RowsMade<DualTypes<L, R>>> {
        let (op, RowRun { program, period, log_height, .. }) = (Operation::Rows, args);
        let (period, log_height) = (*period, *log_height);
        let ((source, other_source), (tables, other_tables)) = (all_halves(args.source), all_halves(args.tables));
        let left = RowRun { program, source: &source, period, tables: &tables, log_height };
        let right = RowRun { program, source: &other_source, period, tables: &other_tables, log_height };
        let (mut counted, mut other_counted): (Vec<_>, Vec<_>) = counters.iter_mut().map(halves_mut).unzip();
        let (left, right) = self.both(
            op,
            |l| traces_of(l)?.rows(&left, &mut counted),
            |r| traces_of(r)?.rows(&right, &mut other_counted),
        )?;
        for (counter, other) in counted.iter().zip(&other_counted) {
            self.same_table(op, counter.as_shared(), other.as_shared())?;
        }
        let lists = self.tables(op, left.lists, right.lists)?;
        Ok(RowsMade { lists, columns: self.table(op, (left.columns, right.columns))? })
    }
}

impl<B: StarkBackend> TraceOperations<Self> for Rehearsed<B> {
    fn recurrence(&self, recurrence: &Recurrence<BaseOf<B::T>>) -> Result<Table<Self>> {
        let (order, log_height) = (recurrence.coefficients.len(), recurrence.log_height);
        self.note(Step::Recurrence { order, log_height });
        let column = self.table(1, log_height);
        self.pass(&Footprint::Recurrence { order, starts: recurrence.starts().count(), log_height });
        Ok(column)
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<Table<Self>> {
        let (log_height, outputs, tables) = (args.log_height, args.outputs.len(), shapes(args.columns));
        let program = args.program.source.clone();
        self.note(Step::Map { program, tables: tables.clone(), log_height, outputs });
        let built = self.table(outputs, log_height);
        let (program, outputs) = (&args.program.program, args.outputs);
        self.pass(&Footprint::Map { program, tables: &tables, log_height, outputs });
        Ok(built)
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<Table<Self>> {
        let (log_height, width, tables) = (args.log_height, args.width, shapes(args.columns));
        let [leaf, node] = [args.leaf, args.node].map(|program| program.source.clone());
        self.note(Step::TreeMap { leaf, node, log_height });
        let built = self.table(width, log_height);
        let (leaf, node) = (&args.leaf.program, &args.node.program);
        self.pass(&Footprint::TreeMap { leaf, node, tables: &tables, log_height, width });
        Ok(built)
    }

    fn rows(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut ShapeBuffer<B::P>>],
    ) -> Result<RowsMade<Self>> {
        let counted: usize = counters.iter().map(Columns::elements).sum();
        let (read, written) = args.moved();
        self.moves(Operation::Rows, read + counted, written + counted);
        let list = |list: &RowList| self.table(list.columns(), args.log_height);
        let lists = args.program.lists().iter().map(list).collect();
        let made = RowsMade { lists, columns: self.table(args.program.width(), args.log_height) };
        let (program, log_height) = (args.program, args.log_height);
        let (source, tables) = (shapes(args.source), shapes(args.tables));
        self.pass(&Footprint::Rows { program, source: &source, tables: &tables, counted, log_height });
        Ok(made)
    }

    fn rows_ahead(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut ShapeBuffer<B::P>>],
        verdict: &mut Verdict,
    ) -> Result<RowsMade<Self>> {
        if verdict.get::<ShapeBuffer<B::P>>().is_none() {
            verdict.keep(self.table(1, LOG_VERDICT).data);
        }
        TraceOperations::rows(self, args, counters)
    }

    fn had_fault(&self, _: &Verdict) -> Result<bool> {
        self.moves(Operation::Rows, 0, 0);
        Ok(false)
    }
}
