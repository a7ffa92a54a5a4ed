//! The reference backend of the Goldilocks protocol: check, then compute.

use std::ops::Range;

use field::{ExtensionField, Goldilocks, TwoAdicField};
use gpu_hal::{
    Basis, Capabilities, Columns, ConstraintProgram, Constraints, CosetDomain, DeepTerm, Digest, GoldilocksStark,
    GrindChallenge, HashFn, LeafLayout, Logup, Map, MemoryInfo, OpenRequest, Opened, Operation, Protocol, Recurrence,
    Result, Running, StarkBackend, TreeMap, check,
};

use super::merkle::Hashes;
use super::{CpuReference, constraints, coset_fft, grind, merkle, quotient, rows, transform};
use crate::memory::{CpuBuffer, CpuTree};

type Table<'a> = Columns<&'a CpuBuffer<Goldilocks>>;
type NewTable = Columns<CpuBuffer<Goldilocks>>;

impl<E: ExtensionField<Goldilocks>> CpuReference<GoldilocksStark<E>> {
    /// A backend without a limit on its memory.
    pub fn new() -> Self {
        Self::build(None, &Operation::ALL, <GoldilocksStark<E>>::HASHES, Goldilocks::TWO_ADICITY)
    }

    /// A backend whose buffers and trees hold at most `bytes` bytes; what would exceed them fails with
    /// [`gpu_hal::ErrorKind::OutOfMemory`].
    pub fn with_memory_limit(bytes: u64) -> Self {
        Self::build(Some(bytes), &Operation::ALL, <GoldilocksStark<E>>::HASHES, Goldilocks::TWO_ADICITY)
    }
}

impl<E: ExtensionField<Goldilocks>> Default for CpuReference<GoldilocksStark<E>> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: ExtensionField<Goldilocks>> StarkBackend for CpuReference<GoldilocksStark<E>> {
    type P = GoldilocksStark<E>;
    type Buffer = CpuBuffer<Goldilocks>;
    type Tree = CpuTree;
    type Program = ConstraintProgram<GoldilocksStark<E>>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory.info())
    }

    fn upload(&self, data: &[Goldilocks], width: usize, log_height: u32) -> Result<NewTable> {
        transform::upload::<Self::P>(&self.memory, data, width, log_height)
    }

    fn download(&self, columns: Table<'_>, rows: Range<usize>) -> Result<Vec<Goldilocks>> {
        transform::download::<Self::P>(columns, rows)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn ntt(
        &self,
        columns: Columns<&mut CpuBuffer<Goldilocks>>,
        from: Basis<CosetDomain<Goldilocks>>,
        to: Basis<CosetDomain<Goldilocks>>,
    ) -> Result<()> {
        transform::ntt::<Self::P>(columns, from, to)
    }

    fn lde(
        &self,
        columns: Table<'_>,
        from: Basis<CosetDomain<Goldilocks>>,
        to: CosetDomain<Goldilocks>,
    ) -> Result<NewTable> {
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

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<Goldilocks>>> {
        check::open(requests)?;
        Ok(requests.iter().map(merkle::open).collect())
    }

    fn prepare(&self, program: &ConstraintProgram<GoldilocksStark<E>>) -> Result<Self::Program> {
        Ok(program.clone())
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<NewTable> {
        check::running(args.program, args)?;
        constraints::running(&self.memory, args.program, args)
    }

    fn logup(&self, args: &Logup<'_, Self>) -> Result<(NewTable, E)> {
        rows::logup(&self.memory, args.program, args)
    }

    fn recurrence(&self, recurrence: &Recurrence<Goldilocks>) -> Result<NewTable> {
        rows::recurrence(&self.memory, recurrence)
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<NewTable> {
        rows::map(&self.memory, args.program, args)
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<NewTable> {
        rows::tree_map(&self.memory, (args.leaf, args.node), args)
    }

    fn accumulate(&self, into: Columns<&mut CpuBuffer<Goldilocks>>, from: Table<'_>) -> Result<()> {
        rows::accumulate::<Self::P>(into, from)
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<NewTable> {
        check::constraint_eval(args.program, args)?;
        constraints::evaluate(&self.memory, args.program, args)
    }

    fn eval_at(&self, columns: Table<'_>, from: Basis<CosetDomain<Goldilocks>>, points: &[E]) -> Result<Vec<Vec<E>>> {
        check::eval_at::<Self::P, _>(&columns, &from)?;
        let polynomial = |column: &[Goldilocks]| match from {
            Basis::Coefficients => column.to_vec(),
            Basis::Evaluations { domain, order } => {
                // Of a table higher than the domain the first rows count.
                let mut coefficients = column[..1 << domain.log_size].to_vec();
                coset_fft::interpolate(&mut coefficients, &domain, order);
                coefficients
            }
        };
        let polynomials: Vec<_> = columns.data.values().chunks_exact(columns.height()).map(polynomial).collect();
        let values = |point: &E| polynomials.iter().map(|c| quotient::horner::<Self::P>(c, *point)).collect();
        Ok(points.iter().map(values).collect())
    }

    fn deep_quotient(
        &self,
        columns: &[Table<'_>],
        domain: CosetDomain<Goldilocks>,
        terms: &[DeepTerm<Self::P>],
    ) -> Result<NewTable> {
        check::deep_quotient(columns, &domain, terms)?;
        quotient::deep::<Self::P>(&self.memory, columns, &domain, terms)
    }

    fn fri_fold(&self, layer: Table<'_>, domain: <Self::P as Protocol>::Domain, alpha: E) -> Result<NewTable> {
        let folded = check::fri_fold::<Self::P, _>(&layer, &domain)?;
        quotient::fold::<Self::P>(&self.memory, &layer, &domain, &folded, alpha)
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        check::grind(challenge)?;
        Ok(grind::keccak(challenge))
    }
}
