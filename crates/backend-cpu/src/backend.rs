//! The operations of the backend: each computes in the pool.

use std::ops::Range;

use gpu_hal::decorate::Rehearsed;
use gpu_hal::stash::Stash;
use gpu_hal::{
    Accumulated, Basis, BindRequest, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, Digest,
    Domain, EvalRequest, Footprint, HashFn, Leaves, LinearRecurrence, MakeElements, MapArgs, MemoryInfo, NonceSearch,
    OpenRequest, Opened, Operations, Placement, PlacementOperations, RandomRows, Result, RowRun, RowsOutput,
    RunningRequest, SumRequest, TreeMapArgs, Uploaded, Values,
};

use crate::cpu::{Cpu, CpuProtocol, NewTable, Table};
use crate::memory::{CpuBuffer, CpuTree};
use crate::merkle::dropped_levels;
use crate::program::CpuProgram;
use crate::{copy, nodes, random, recurrence, tree};

impl<P: CpuProtocol> Operations for Cpu<P> {
    type T = Self;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory.info())
    }

    fn budget(&self) -> &Budget {
        // A proof is about to ask the system, too, for its free memory.
        self.memory.release();
        self.memory.budget()
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        let plain = |of: Footprint<'_, Self>| of.plain();
        match *of {
            Footprint::Tree { log_leaves } => {
                plain(Footprint::Tree { log_leaves: log_leaves - dropped_levels(log_leaves) })
            }
            Footprint::Lde { table, from } => P::tables_beside_lde(&from, false) * plain(Footprint::Table(table)),
            Footprint::UploadLde { table, from, keep } => {
                P::tables_beside_lde(&from, !keep) * plain(Footprint::Table(table))
            }
            Footprint::TreeMap { leaf, log_height, width, .. } => {
                let values = leaf.program().outputs().len().saturating_sub(width);
                nodes::scratch(values, log_height).map(|table| plain(Footprint::Table(table))).sum()
            }
            _ => of.plain(),
        }
    }

    fn upload(&self, data: &[P::Base], width: usize, log_height: u32) -> Result<NewTable<P>> {
        self.run(|| copy::upload(&self.memory, data, width, log_height))
    }

    fn upload_made(&self, make: &MakeElements<'_, P::Base>, width: usize, log_height: u32) -> Result<NewTable<P>> {
        self.run(|| copy::upload_made(&self.memory, make, width, log_height))
    }

    fn download(&self, table: Table<'_, P>, rows: Range<usize>) -> Result<Vec<P::Base>> {
        Ok(copy::download(table, rows))
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn ntt(&self, table: Columns<&mut CpuBuffer<P::Base>>, from: Basis<P::Domain>, to: Basis<P::Domain>) -> Result<()> {
        self.run(|| P::ntt(self, table, &from, &to))
    }

    fn lde(&self, table: Table<'_, P>, from: Basis<P::Domain>, to: P::Domain) -> Result<NewTable<P>> {
        self.run(|| P::lde(self, &table, &from, &to))
    }

    fn upload_lde(
        &self,
        columns: &[&[P::Base]],
        log_height: u32,
        from: Basis<P::Domain>,
        to: P::Domain,
        keep: bool,
    ) -> Result<Uploaded<CpuBuffer<P::Base>>> {
        self.run(|| P::upload_lde(self, columns, log_height, &from, &to, keep))
    }

    fn split(&self, coefficients: Table<'_, P>, parts: usize, log_part: u32) -> Result<NewTable<P>> {
        let source = |part, index| P::Domain::split_index(index, part, parts, log_part);
        self.run(|| copy::split::<P>(&self.memory, coefficients, parts, log_part, source))
    }

    fn select(&self, tables: &[Table<'_, P>], picks: &[(usize, usize)]) -> Result<NewTable<P>> {
        self.run(|| copy::select(&self.memory, tables, picks))
    }

    fn merkle(&self, tables: &[Table<'_, P>], leaves: Leaves, hash: HashFn) -> Result<CpuTree> {
        self.run(|| tree::build::<P>(&self.memory, self.level, tables, leaves, hash))
    }

    fn root(&self, tree: &CpuTree) -> Result<Digest> {
        Ok(tree.nodes()[0])
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<P::Base>>> {
        self.run(|| tree::open(self.level, requests))
    }

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<CpuProgram<P>> {
        Ok(CpuProgram::new(program))
    }

    fn running(&self, requests: &[RunningRequest<'_, Self>]) -> Result<Vec<Accumulated<Self>>> {
        self.run(|| requests.iter().map(|args| P::running(self, args)).collect())
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, Self>]) -> Result<Vec<NewTable<P>>> {
        self.run(|| requests.iter().map(|args| P::constraint_eval(self, args)).collect())
    }

    fn accumulate(&self, into: Columns<&mut CpuBuffer<P::Base>>, from: Table<'_, P>) -> Result<()> {
        self.run(|| copy::accumulate::<P>(into, from));
        Ok(())
    }

    fn random(&self, into: Columns<&mut CpuBuffer<P::Base>>, rows: &RandomRows) -> Result<()> {
        self.run(|| random::random(self.level, into, rows));
        Ok(())
    }

    fn bind(&self, requests: &[BindRequest<'_, Self>]) -> Result<Vec<NewTable<P>>> {
        self.run(|| requests.iter().map(|request| P::bind(self, request)).collect())
    }

    fn sum(&self, requests: &[SumRequest<'_, Self>]) -> Result<Vec<Vec<P::Ext>>> {
        self.run(|| Ok(requests.iter().map(|request| P::sum(self, request)).collect()))
    }

    fn eval_at(&self, requests: &[EvalRequest<'_, Self>]) -> Result<Vec<Values<Self>>> {
        let run = |request: &EvalRequest<'_, Self>| P::eval_at(self, &request.columns, &request.from, request.points);
        self.run(|| requests.iter().map(run).collect())
    }

    fn deep_quotient(
        &self,
        tables: &[Table<'_, P>],
        log_cut: u32,
        domain: P::Domain,
        terms: &[DeepTerm<P>],
    ) -> Result<NewTable<P>> {
        self.run(|| P::deep_quotient(self, tables, log_cut, &domain, terms))
    }

    fn fri_fold(
        &self,
        layer: Table<'_, P>,
        domain: P::Domain,
        _folded: P::Domain,
        alpha: P::Ext,
    ) -> Result<NewTable<P>> {
        self.run(|| P::fri_fold(self, &layer, &domain, alpha))
    }

    fn grind(&self, grind: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        self.run(|| P::grind(self, grind, windows))
    }

    fn recurrence(&self, args: &LinearRecurrence<P::Base>) -> Result<NewTable<P>> {
        self.run(|| recurrence::recurrence(&self.memory, args))
    }

    fn map(&self, args: &MapArgs<'_, Self>) -> Result<NewTable<P>> {
        self.run(|| P::map(self, args))
    }

    fn tree_map(&self, args: &TreeMapArgs<'_, Self>) -> Result<NewTable<P>> {
        self.run(|| P::tree_map(self, args))
    }

    fn rows(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut CpuBuffer<P::Base>>],
    ) -> Result<RowsOutput<Self>> {
        self.run(|| P::rows(self, args, counters))
    }
}

impl<P: CpuProtocol> PlacementOperations<Self> for Cpu<P> {
    fn placement(&self) -> Placement {
        Placement { stashes_trees: true, ..Placement::default() }
    }

    fn stash_tree(&self, tree: &CpuTree) -> Result<Stash> {
        Ok(tree.stash())
    }

    fn restore_tree(&self, stash: &Stash, log_leaves: u32) -> Result<CpuTree> {
        self.memory.restore_tree(stash, log_leaves)
    }
}
