//! The reference backend of the Circle protocol: check, then compute.

use std::ops::Range;

use field::circle::{CirclePoint, MAX_LOG_DOMAIN};
use field::{M31, QM31};
use gpu_hal::{
    Basis, Capabilities, CircleDomain, CircleStark, Columns, ConstraintProgram, Constraints, DeepTerm, Digest,
    GrindChallenge, HashFn, LeafLayout, Logup, Map, MemoryInfo, OpenRequest, Opened, Operation, Recurrence, Result,
    Running, StarkBackend, TreeMap, check,
};

use super::merkle::Hashes;
use super::{CpuReference, circle_quotient, constraints, grind, merkle, rows, transform};
use crate::memory::{CpuBuffer, CpuTree};

type Table<'a> = Columns<&'a CpuBuffer<M31>>;
type NewTable = Columns<CpuBuffer<M31>>;

impl CpuReference<CircleStark> {
    /// A backend without a limit on its memory.
    pub fn new() -> Self {
        Self::build(None, &Operation::ALL, CircleStark::HASHES, MAX_LOG_DOMAIN)
    }

    /// A backend whose buffers hold at most `bytes` bytes; what would exceed them fails with
    /// [`gpu_hal::ErrorKind::OutOfMemory`].
    pub fn with_memory_limit(bytes: u64) -> Self {
        Self::build(Some(bytes), &Operation::ALL, CircleStark::HASHES, MAX_LOG_DOMAIN)
    }
}

impl Default for CpuReference<CircleStark> {
    fn default() -> Self {
        Self::new()
    }
}

impl StarkBackend for CpuReference<CircleStark> {
    type P = CircleStark;
    type Buffer = CpuBuffer<M31>;
    type Tree = CpuTree;
    type Program = ConstraintProgram<CircleStark>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory.info())
    }

    fn upload(&self, data: &[M31], width: usize, log_height: u32) -> Result<NewTable> {
        transform::upload::<Self::P>(&self.memory, data, width, log_height)
    }

    fn download(&self, columns: Table<'_>, rows: Range<usize>) -> Result<Vec<M31>> {
        transform::download::<Self::P>(columns, rows)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn ntt(
        &self,
        columns: Columns<&mut CpuBuffer<M31>>,
        from: Basis<CircleDomain>,
        to: Basis<CircleDomain>,
    ) -> Result<()> {
        transform::ntt::<Self::P>(columns, from, to)
    }

    fn lde(&self, columns: Table<'_>, from: Basis<CircleDomain>, to: CircleDomain) -> Result<NewTable> {
        transform::lde::<Self::P>(&self.memory, columns, from, to)
    }

    fn split(&self, coefficients: Table<'_>, parts: usize, log_part: u32) -> Result<NewTable> {
        transform::split::<Self::P>(&self.memory, coefficients, parts, log_part)
    }

    fn select(&self, tables: &[Table<'_>], picks: &[(usize, usize)]) -> Result<NewTable> {
        transform::select::<Self::P>(&self.memory, tables, picks)
    }

    fn merkle(&self, columns: &[Table<'_>], layout: LeafLayout, hash: HashFn) -> Result<CpuTree> {
        merkle::tree::<Self::P>(&self.memory, columns, layout, hash)
    }

    fn root(&self, tree: &CpuTree) -> Result<Digest> {
        Ok(tree.nodes()[0])
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<M31>>> {
        check::open(requests)?;
        Ok(requests.iter().map(merkle::open).collect())
    }

    fn prepare(&self, program: &ConstraintProgram<CircleStark>) -> Result<Self::Program> {
        Ok(program.clone())
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<NewTable> {
        check::running(args.program, args)?;
        constraints::running(&self.memory, args.program, args)
    }

    fn logup(&self, args: &Logup<'_, Self>) -> Result<(NewTable, QM31)> {
        rows::logup(&self.memory, args.program, args)
    }

    fn recurrence(&self, recurrence: &Recurrence<M31>) -> Result<NewTable> {
        rows::recurrence(&self.memory, recurrence)
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<NewTable> {
        rows::map(&self.memory, args.program, args)
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<NewTable> {
        rows::tree_map(&self.memory, (args.leaf, args.node), args)
    }

    fn accumulate(&self, into: Columns<&mut CpuBuffer<M31>>, from: Table<'_>) -> Result<()> {
        rows::accumulate::<Self::P>(into, from)
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<NewTable> {
        check::constraint_eval(args.program, args)?;
        constraints::evaluate(&self.memory, args.program, args)
    }

    fn eval_at(
        &self,
        columns: Table<'_>,
        from: Basis<CircleDomain>,
        points: &[CirclePoint<QM31>],
    ) -> Result<Vec<Vec<QM31>>> {
        check::eval_at::<Self::P, _>(&columns, &from)?;
        Ok(circle_quotient::eval_at(&columns, &from, points))
    }

    fn deep_quotient(
        &self,
        columns: &[Table<'_>],
        domain: CircleDomain,
        terms: &[DeepTerm<CircleStark>],
    ) -> Result<NewTable> {
        check::deep_quotient(columns, &domain, terms)?;
        circle_quotient::deep(&self.memory, columns, &domain, terms)
    }

    fn fri_fold(&self, layer: Table<'_>, domain: CircleDomain, alpha: QM31) -> Result<NewTable> {
        let folded = check::fri_fold::<Self::P, _>(&layer, &domain)?;
        circle_quotient::fold(&self.memory, &layer, &domain, &folded, alpha)
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        check::grind(challenge)?;
        Ok(grind::blake2s(challenge))
    }
}
