//! The operations of the backend.

use std::ops::Range;

use gpu_hal::decorate::Rehearsed;
use gpu_hal::stash::Stash;
use gpu_hal::{
    Accumulated, Basis, BindRequest, BindSumRequest, BoundSums, Budget, Capabilities, Columns, ConstraintProgram,
    Constraints, DeepTerm, Digest, EvalRequest, HashFn, LOG_WINDOW, Leaves, LinearRecurrence, MapArgs, MemoryInfo,
    NonceSearch, OpenRequest, Opened, Operations, Placement, PlacementOperations, RandomRows, Result, RowRun,
    RowsOutput, RunningRequest, SumRequest, TreeMapArgs, Values,
};

use crate::memory::{ReferenceBuffer, ReferenceTree};
use crate::protocol::ReferenceProtocol;
use crate::reference::CpuReference;
use crate::table::{NewTable, Table};
use crate::{constraints, merkle, quotient, row_programs, rows, sumchecks, transform};

impl<P: ReferenceProtocol> Operations for CpuReference<P> {
    type T = Self;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory.info())
    }

    fn budget(&self) -> &Budget {
        self.memory.budget()
    }

    fn upload(&self, data: &[P::Base], width: usize, log_height: u32) -> Result<NewTable<P>> {
        transform::upload::<P>(&self.memory, data, width, log_height)
    }

    fn download(&self, table: Table<'_, P>, rows: Range<usize>) -> Result<Vec<P::Base>> {
        Ok(transform::download::<P>(table, rows))
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn ntt(
        &self,
        table: Columns<&mut ReferenceBuffer<P::Base>>,
        from: Basis<P::Domain>,
        to: Basis<P::Domain>,
    ) -> Result<()> {
        transform::ntt::<P>(table, from, to);
        Ok(())
    }

    fn lde(&self, table: Table<'_, P>, from: Basis<P::Domain>, to: P::Domain) -> Result<NewTable<P>> {
        transform::lde::<P>(&self.memory, table, from, to)
    }

    fn split(&self, coefficients: Table<'_, P>, parts: usize, log_part: u32) -> Result<NewTable<P>> {
        transform::split::<P>(&self.memory, coefficients, parts, log_part)
    }

    fn select(&self, tables: &[Table<'_, P>], picks: &[(usize, usize)]) -> Result<NewTable<P>> {
        transform::select::<P>(&self.memory, tables, picks)
    }

    fn merkle(&self, tables: &[Table<'_, P>], leaves: Leaves, hash: HashFn) -> Result<ReferenceTree> {
        merkle::tree::<P>(&self.memory, tables, leaves, hash)
    }

    fn root(&self, tree: &ReferenceTree) -> Result<Digest> {
        Ok(tree.nodes[0])
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<P::Base>>> {
        Ok(requests.iter().map(merkle::open).collect())
    }

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<ConstraintProgram<P>> {
        Ok(program.clone())
    }

    fn running(&self, requests: &[RunningRequest<'_, Self>]) -> Result<Vec<Accumulated<Self>>> {
        requests.iter().map(|request| rows::running(&self.memory, request)).collect()
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, Self>]) -> Result<Vec<NewTable<P>>> {
        requests.iter().map(|request| constraints::evaluate(&self.memory, request)).collect()
    }

    fn accumulate(&self, into: Columns<&mut ReferenceBuffer<P::Base>>, from: Table<'_, P>) -> Result<()> {
        rows::accumulate::<P>(into, from);
        Ok(())
    }

    fn random(&self, into: Columns<&mut ReferenceBuffer<P::Base>>, rows: &RandomRows) -> Result<()> {
        rows::random::<P>(into, rows);
        Ok(())
    }

    fn bind(&self, requests: &[BindRequest<'_, Self>]) -> Result<Vec<NewTable<P>>> {
        requests.iter().map(|request| sumchecks::bind(&self.memory, request)).collect()
    }

    fn sum(&self, requests: &[SumRequest<'_, Self>]) -> Result<Vec<Vec<P::Ext>>> {
        Ok(requests.iter().map(sumchecks::sum).collect())
    }

    fn bind_sum(&self, requests: &[BindSumRequest<'_, Self>]) -> Result<Vec<BoundSums<Self>>> {
        requests.iter().map(|request| sumchecks::bind_sum(&self.memory, request)).collect()
    }

    fn eval_at(&self, requests: &[EvalRequest<'_, Self>]) -> Result<Vec<Values<Self>>> {
        Ok(requests.iter().map(quotient::eval_at).collect())
    }

    fn deep_quotient(
        &self,
        tables: &[Table<'_, P>],
        log_cut: u32,
        domain: P::Domain,
        terms: &[DeepTerm<P>],
    ) -> Result<NewTable<P>> {
        quotient::deep(&self.memory, tables, log_cut, &domain, terms)
    }

    fn fri_fold(
        &self,
        layer: Table<'_, P>,
        domain: P::Domain,
        folded: P::Domain,
        alpha: P::Ext,
    ) -> Result<NewTable<P>> {
        quotient::fold::<P>(&self.memory, &layer, &domain, &folded, alpha)
    }

    fn grind(&self, grind: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        let tries =
            windows.flat_map(|window| (0..1 << LOG_WINDOW).map(move |number: u64| window << LOG_WINDOW | number));
        Ok(tries.map(|number| grind.hash.nonces().nonce(number)).find(|nonce| grind.is_work(*nonce)))
    }

    fn recurrence(&self, recurrence: &LinearRecurrence<P::Base>) -> Result<NewTable<P>> {
        rows::recurrence::<P>(&self.memory, recurrence)
    }

    fn map(&self, args: &MapArgs<'_, Self>) -> Result<NewTable<P>> {
        rows::map(&self.memory, args)
    }

    fn tree_map(&self, args: &TreeMapArgs<'_, Self>) -> Result<NewTable<P>> {
        rows::tree_map(&self.memory, args)
    }

    fn rows(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut ReferenceBuffer<P::Base>>],
    ) -> Result<RowsOutput<Self>> {
        row_programs::run(&self.memory, args, counters)
    }
}

impl<P: ReferenceProtocol> PlacementOperations<Self> for CpuReference<P> {
    fn placement(&self) -> Placement {
        Placement { stashes_trees: true, ..Placement::default() }
    }

    fn stash_tree(&self, tree: &ReferenceTree) -> Result<Stash> {
        Ok(tree.stash())
    }

    fn restore_tree(&self, stash: &Stash, log_leaves: u32) -> Result<ReferenceTree> {
        self.memory.restore_tree(stash, log_leaves)
    }
}
