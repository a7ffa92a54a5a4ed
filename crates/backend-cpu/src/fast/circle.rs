//! The fast backend of the Circle protocol, as far as it goes: transforms and copies.

use std::ops::Range;

use field::circle::CirclePoint;
use field::{M31, QM31};
use gpu_hal::{
    Basis, Capabilities, CircleDomain, CircleStark, Columns, ConstraintProgram, Constraints, DeepTerm, Digest,
    GrindChallenge, HalError, HashFn, LeafLayout, MemoryInfo, OpenRequest, Opened, Operation, Result, Running,
    StarkBackend, check,
};

use super::backend::Cpu;
use super::ops::{circle, copy};
use crate::memory::{CpuBuffer, CpuTree};

type Table<'a> = Columns<&'a CpuBuffer<M31>>;
type NewTable = Columns<CpuBuffer<M31>>;

fn unsupported<T>(op: Operation) -> Result<T> {
    Err(HalError::unsupported(op.name(), "the CPU backend has no such operation for the circle protocol"))
}

impl StarkBackend for Cpu<CircleStark> {
    type P = CircleStark;
    type Buffer = CpuBuffer<M31>;
    type Tree = CpuTree;
    type Program = ConstraintProgram<CircleStark>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory_info())
    }

    fn upload(&self, data: &[M31], width: usize, log_height: u32) -> Result<NewTable> {
        self.run(|| copy::upload(&self.memory, data, width, log_height))
    }

    fn download(&self, columns: Table<'_>, rows: Range<usize>) -> Result<Vec<M31>> {
        copy::download(columns, rows)
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
        check::ntt::<CircleStark, _>(&Columns::new(&*columns.data, columns.width, columns.log_height), &from, &to)?;
        self.run(|| circle::ntt(&self.tables.0, columns, &from, &to));
        Ok(())
    }

    fn lde(&self, columns: Table<'_>, from: Basis<CircleDomain>, to: CircleDomain) -> Result<NewTable> {
        check::lde::<CircleStark, _>(&columns, &from, &to)?;
        self.run(|| circle::lde(&self.memory, &self.tables.0, &columns, &from, &to))
    }

    fn split(&self, coefficients: Table<'_>, parts: usize, log_part: u32) -> Result<NewTable> {
        self.run(|| {
            // Consecutive runs.
            copy::split::<CircleStark>(&self.memory, coefficients, parts, log_part, |part, index| {
                (part << log_part) + index
            })
        })
    }

    fn select(&self, tables: &[Table<'_>], picks: &[(usize, usize)]) -> Result<NewTable> {
        self.run(|| copy::select(&self.memory, tables, picks))
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
