//! The fast backend of the Circle protocol.

mod constraints;
mod eval_at;
mod factors;
mod hash;
pub(crate) mod m31;
mod ntt;
mod quotient;
mod steps;

use std::ops::Range;

use field::circle::{CirclePoint, MAX_LOG_DOMAIN};
use field::{M31, QM31};
use gpu_hal::{
    Accumulated, Basis, BindRequest, CircleDomain, CircleStark, Columns, Constraints, DeepTerm, Digest, HashFn,
    MapArgs, NonceSearch, Operation, Result, RowRun, RowsOutput, RunningRequest, SumRequest, TreeMapArgs, Uploaded,
};

use self::factors::CircleTables;
use self::m31::{QLanes, batch_inverse};
use self::steps::Steps;
use crate::cpu::{Cpu, CpuProtocol, TreeLeaves};
use crate::memory::CpuBuffer;
use crate::simd::Isa;
use crate::{copy, fractions, row_programs, rows, sumchecks};

type Table<'a> = Columns<&'a CpuBuffer<M31>>;
type NewTable = Columns<CpuBuffer<M31>>;

/// The factors of circle transforms.
#[derive(Debug, Default)]
pub struct Tables(CircleTables);

/// The extension of columns of `2^log_height` elements, wherever they are.
fn extend(
    cpu: &Cpu<CircleStark>,
    columns: (Operation, &[&[M31]]),
    log_height: u32,
    from: &Basis<CircleDomain>,
    to: &CircleDomain,
) -> Result<NewTable> {
    ntt::lde(&cpu.memory, cpu.level, &cpu.tables.0, columns, log_height, from, to)
}

impl CpuProtocol for CircleStark {
    type Tables = Tables;
    type Compiled = ();
    const COMPILES: bool = false;
    const HASHES: &'static [HashFn] = hash::HASHES;
    const MAX_LOG_HEIGHT: u32 = MAX_LOG_DOMAIN;

    type Word = u32;
    type Lanes<I: Isa> = I::M31;
    type ExtLanes<I: Isa> = QLanes<I::M31>;
    type Steps = Steps;

    const NEAR_BYTES: usize = 256 << 10;

    fn word(element: M31) -> u32 {
        element.value()
    }

    #[inline(always)]
    fn batch_inverse<I: Isa>(values: &mut [u32], before: &mut [u32]) {
        batch_inverse::<I::M31>(values, before);
    }

    fn fetch<'a>(
        steps: &Steps,
        log_run: u32,
        column: &'a [M31],
        offset: i32,
        run: usize,
        slot: &mut [Self::Word],
    ) -> Option<&'a [M31]> {
        steps::fetch(steps, log_run, column, offset, run, slot)
    }

    /// None: from where it is to its extension, without a copy.
    fn tables_beside_lde(_: &Basis<CircleDomain>, _: bool) -> u64 {
        0
    }

    fn ntt(
        cpu: &Cpu<Self>,
        columns: Columns<&mut CpuBuffer<M31>>,
        from: &Basis<CircleDomain>,
        to: &Basis<CircleDomain>,
    ) -> Result<()> {
        ntt::ntt(cpu.level, &cpu.tables.0, columns, from, to);
        Ok(())
    }

    fn lde(cpu: &Cpu<Self>, table: &Table<'_>, from: &Basis<CircleDomain>, to: &CircleDomain) -> Result<NewTable> {
        let columns: Vec<&[M31]> = table.data.values().chunks_exact(table.height()).collect();
        extend(cpu, (Operation::Lde, &columns), table.log_height, from, to)
    }

    fn upload_lde(
        cpu: &Cpu<Self>,
        columns: &[&[M31]],
        log_height: u32,
        from: &Basis<CircleDomain>,
        to: &CircleDomain,
        keep: bool,
    ) -> Result<Uploaded<CpuBuffer<M31>>> {
        let op = Operation::UploadLde;
        let rows = if keep {
            Some(copy::upload_columns(&cpu.memory, columns, log_height)?)
        } else {
            copy::check_canonical(op, columns)?;
            None
        };
        Ok((rows, extend(cpu, (op, columns), log_height, from, to)?))
    }

    fn build_tree(leaves: &TreeLeaves<'_, '_, Self>, dropped: u32, nodes: &mut [Digest]) -> Result<()> {
        hash::build(leaves, dropped, nodes)
    }

    fn siblings(leaves: &TreeLeaves<'_, '_, Self>, of: &[usize], dropped: u32) -> Result<Vec<Vec<Digest>>> {
        hash::siblings(leaves, of, dropped)
    }

    fn constraint_eval(cpu: &Cpu<Self>, args: &Constraints<'_, Cpu<Self>>) -> Result<NewTable> {
        constraints::evaluate(&cpu.memory, cpu.level, &cpu.tables.0, args)
    }

    fn eval_at(
        cpu: &Cpu<Self>,
        columns: &Table<'_>,
        from: &Basis<CircleDomain>,
        points: &[CirclePoint<QM31>],
    ) -> Result<Vec<Vec<QM31>>> {
        eval_at::eval_at(&cpu.memory, cpu.level, &cpu.tables.0, columns, from, points)
    }

    fn deep_quotient(
        cpu: &Cpu<Self>,
        columns: &[Table<'_>],
        log_cut: u32,
        domain: &CircleDomain,
        terms: &[DeepTerm<Self>],
    ) -> Result<NewTable> {
        quotient::deep(&cpu.memory, cpu.level, &cpu.tables.0, (columns, log_cut), domain, terms)
    }

    fn fri_fold(cpu: &Cpu<Self>, layer: &Table<'_>, domain: &CircleDomain, alpha: QM31) -> Result<NewTable> {
        quotient::fold(&cpu.memory, cpu.level, &cpu.tables.0, layer, domain, alpha)
    }

    fn grind(cpu: &Cpu<Self>, grind: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        hash::grind(cpu.level, grind, windows)
    }

    fn running(cpu: &Cpu<Self>, args: &RunningRequest<'_, Cpu<Self>>) -> Result<Accumulated<Cpu<Self>>> {
        fractions::running(&cpu.memory, cpu.level, args)
    }

    fn bind(cpu: &Cpu<Self>, request: &BindRequest<'_, Cpu<Self>>) -> Result<NewTable> {
        sumchecks::bind(&cpu.memory, cpu.level, request)
    }

    fn sum(cpu: &Cpu<Self>, request: &SumRequest<'_, Cpu<Self>>) -> Vec<QM31> {
        sumchecks::sum(cpu.level, request)
    }

    fn map(cpu: &Cpu<Self>, args: &MapArgs<'_, Cpu<Self>>) -> Result<NewTable> {
        rows::map(&cpu.memory, cpu.level, args)
    }

    fn tree_map(cpu: &Cpu<Self>, args: &TreeMapArgs<'_, Cpu<Self>>) -> Result<NewTable> {
        rows::tree_map(&cpu.memory, cpu.level, args)
    }

    fn rows(
        cpu: &Cpu<Self>,
        args: &RowRun<'_, Cpu<Self>>,
        counters: &mut [Columns<&mut CpuBuffer<Self::Base>>],
    ) -> Result<RowsOutput<Cpu<Self>>> {
        row_programs::run(&cpu.memory, cpu.level, args, counters)
    }
}
