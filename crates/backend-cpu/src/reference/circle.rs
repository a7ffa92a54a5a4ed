//! The reference backend of the Circle protocol, as far as it goes: transforms and copies.

use std::ops::Range;

use field::circle::{CirclePoint, MAX_LOG_DOMAIN};
use field::{M31, QM31};
use gpu_hal::{
    Basis, Capabilities, CircleDomain, CircleStark, Columns, ConstraintProgram, Constraints, DeepTerm, Digest,
    GrindChallenge, HalError, HashFn, LeafLayout, MemoryInfo, OpenRequest, Opened, Operation, Result, Running,
    StarkBackend,
};

use super::{CpuReference, transform};
use crate::memory::{CpuBuffer, CpuTree};

type Table<'a> = Columns<&'a CpuBuffer<M31>>;
type NewTable = Columns<CpuBuffer<M31>>;

const OPERATIONS: [Operation; 7] = [
    Operation::Upload,
    Operation::Download,
    Operation::Sync,
    Operation::Ntt,
    Operation::Lde,
    Operation::Split,
    Operation::Select,
];

fn unsupported<T>(op: Operation) -> Result<T> {
    Err(HalError::unsupported(op.name(), "the reference backend has no such operation for the circle protocol"))
}

impl CpuReference<CircleStark> {
    /// A backend without a limit on its memory.
    pub fn new() -> Self {
        Self::build(None, &OPERATIONS, &[], MAX_LOG_DOMAIN)
    }

    /// A backend whose buffers hold at most `bytes` bytes; what would exceed them fails with
    /// [`gpu_hal::ErrorKind::OutOfMemory`].
    pub fn with_memory_limit(bytes: u64) -> Self {
        Self::build(Some(bytes), &OPERATIONS, &[], MAX_LOG_DOMAIN)
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

    fn merkle(&self, _: &[Table<'_>], _: LeafLayout, _: HashFn) -> Result<CpuTree> {
        unsupported(Operation::Merkle)
    }

    fn root(&self, _: &CpuTree) -> Result<Digest> {
        unsupported(Operation::Root)
    }

    fn open(&self, _: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<M31>>> {
        unsupported(Operation::Open)
    }

    fn prepare(&self, _: &ConstraintProgram<CircleStark>) -> Result<Self::Program> {
        unsupported(Operation::Prepare)
    }

    fn running(&self, _: &Running<'_, Self>) -> Result<NewTable> {
        unsupported(Operation::Running)
    }

    fn constraint_eval(&self, _: &Constraints<'_, Self>) -> Result<NewTable> {
        unsupported(Operation::ConstraintEval)
    }

    fn eval_at(&self, _: Table<'_>, _: Basis<CircleDomain>, _: &[CirclePoint<QM31>]) -> Result<Vec<Vec<QM31>>> {
        unsupported(Operation::EvalAt)
    }

    fn deep_quotient(&self, _: &[Table<'_>], _: CircleDomain, _: &[DeepTerm<CircleStark>]) -> Result<NewTable> {
        unsupported(Operation::DeepQuotient)
    }

    fn fri_fold(&self, _: Table<'_>, _: CircleDomain, _: QM31) -> Result<NewTable> {
        unsupported(Operation::FriFold)
    }

    fn grind(&self, _: &GrindChallenge) -> Result<Option<u64>> {
        unsupported(Operation::Grind)
    }
}
