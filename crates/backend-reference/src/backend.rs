//! The backend of any protocol: check, then compute.

use std::marker::PhantomData;
use std::ops::Range;

use gpu_hal::{
    Basis, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, Digest, GrindChallenge, HashFn, LeafLayout,
    Logup, Map, MemoryInfo, OpenRequest, Opened, Operation, Recurrence, Result, Running, StarkBackend, TreeMap, check,
};

use crate::memory::{Memory, ReferenceBuffer, ReferenceTree};
use crate::protocol::ReferenceProtocol;
use crate::table::{NewTable, Table};
use crate::{constraints, merkle, quotient, rows, transform};

/// The reference backend of a protocol: [`gpu_hal::GoldilocksStark`] or [`gpu_hal::CircleStark`]. It has all operations.
#[derive(Debug)]
pub struct CpuReference<P> {
    memory: Memory,
    capabilities: Capabilities,
    protocol: PhantomData<P>,
}

impl<P: ReferenceProtocol> CpuReference<P> {
    /// A backend without a limit on its memory.
    pub fn new() -> Self {
        Self::build(None)
    }

    /// A backend whose buffers and trees hold at most `bytes` bytes; what would exceed them fails with
    /// [`gpu_hal::ErrorKind::OutOfMemory`].
    pub fn with_memory_limit(bytes: u64) -> Self {
        Self::build(Some(bytes))
    }

    fn build(limit: Option<u64>) -> Self {
        Self {
            memory: Memory::new(limit),
            capabilities: Capabilities {
                backend: "cpu-reference".into(),
                device: "host processor, one thread, scalar".into(),
                operations: Operation::ALL.to_vec(),
                hashes: P::HASHES.to_vec(),
                max_log_height: P::MAX_LOG_HEIGHT,
            },
            protocol: PhantomData,
        }
    }
}

impl<P: ReferenceProtocol> Default for CpuReference<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: ReferenceProtocol> StarkBackend for CpuReference<P> {
    type P = P;
    type Buffer = ReferenceBuffer<P::Base>;
    type Tree = ReferenceTree;
    type Program = ConstraintProgram<P>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory.info())
    }

    fn upload(&self, data: &[P::Base], width: usize, log_height: u32) -> Result<NewTable<P>> {
        transform::upload::<P>(&self.memory, data, width, log_height)
    }

    fn download(&self, columns: Table<'_, P>, rows: Range<usize>) -> Result<Vec<P::Base>> {
        transform::download::<P>(columns, rows)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn ntt(&self, columns: Columns<&mut Self::Buffer>, from: Basis<P::Domain>, to: Basis<P::Domain>) -> Result<()> {
        transform::ntt::<P>(columns, from, to)
    }

    fn lde(&self, columns: Table<'_, P>, from: Basis<P::Domain>, to: P::Domain) -> Result<NewTable<P>> {
        transform::lde::<P>(&self.memory, columns, from, to)
    }

    fn split(&self, coefficients: Table<'_, P>, parts: usize, log_part: u32) -> Result<NewTable<P>> {
        transform::split::<P>(&self.memory, coefficients, parts, log_part)
    }

    fn select(&self, tables: &[Table<'_, P>], picks: &[(usize, usize)]) -> Result<NewTable<P>> {
        transform::select::<P>(&self.memory, tables, picks)
    }

    fn merkle(&self, columns: &[Table<'_, P>], layout: LeafLayout, hash: HashFn) -> Result<ReferenceTree> {
        merkle::tree::<P>(&self.memory, columns, layout, hash)
    }

    fn root(&self, tree: &ReferenceTree) -> Result<Digest> {
        Ok(tree.nodes[0])
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<P::Base>>> {
        check::open(requests)?;
        Ok(requests.iter().map(merkle::open).collect())
    }

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<Self::Program> {
        Ok(program.clone())
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<NewTable<P>> {
        constraints::running(&self.memory, args.program, args)
    }

    fn logup(&self, args: &Logup<'_, Self>) -> Result<(NewTable<P>, P::Ext)> {
        rows::logup(&self.memory, args.program, args)
    }

    fn recurrence(&self, recurrence: &Recurrence<P::Base>) -> Result<NewTable<P>> {
        rows::recurrence(&self.memory, recurrence)
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<NewTable<P>> {
        rows::map(&self.memory, args.program, args)
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<NewTable<P>> {
        rows::tree_map(&self.memory, (args.leaf, args.node), args)
    }

    fn accumulate(&self, into: Columns<&mut Self::Buffer>, from: Table<'_, P>) -> Result<()> {
        rows::accumulate::<P>(into, from)
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<NewTable<P>> {
        constraints::evaluate(&self.memory, args.program, args)
    }

    fn eval_at(&self, columns: Table<'_, P>, from: Basis<P::Domain>, points: &[P::Point]) -> Result<Vec<Vec<P::Ext>>> {
        check::eval_at::<P, _>(&columns, &from)?;
        Ok(quotient::eval_at::<P>(&columns, &from, points))
    }

    fn deep_quotient(&self, columns: &[Table<'_, P>], domain: P::Domain, terms: &[DeepTerm<P>]) -> Result<NewTable<P>> {
        check::deep_quotient(columns, &domain, terms)?;
        quotient::deep(&self.memory, columns, &domain, terms)
    }

    fn fri_fold(&self, layer: Table<'_, P>, domain: P::Domain, alpha: P::Ext) -> Result<NewTable<P>> {
        let folded = check::fri_fold::<P, _>(&layer, &domain)?;
        quotient::fold::<P>(&self.memory, &layer, &domain, &folded, alpha)
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        check::grind(challenge)?;
        Ok(P::grind(challenge))
    }
}
