//! The fast backend of the Goldilocks protocol.

pub(crate) mod arith;
mod compiled;
mod constraints;
mod deep;
mod eval_at;
mod evaluator;
mod fold;
pub mod hash;
mod inverse;
mod lanes;
pub mod ntt;
mod points;
pub(crate) mod registers;
mod steps;
mod sums;
mod transform;

use std::ops::Range;

use field::{Goldilocks, TwoAdicField};
use gpu_hal::{
    Accumulated, Basis, BindRequest, Columns, Constraints, CosetDomain, DeepTerm, Digest, GoldilocksStark, HalError,
    HashFn, MapArgs, NonceSearch, Operation, Result, RowRun, RowsOutput, RunningRequest, SumRequest, TreeMapArgs,
    Uploaded,
};
use rayon::prelude::*;

use self::inverse::batch_inverse;
use self::lanes::LaneField;
use self::steps::Steps;
use crate::cpu::{Cpu, CpuProtocol, TreeLeaves};
use crate::memory::CpuBuffer;
use crate::simd::Isa;
use crate::{copy, fractions, row_programs, rows, sumchecks};

type Table<'a> = Columns<&'a CpuBuffer<Goldilocks>>;
type NewTable = Columns<CpuBuffer<Goldilocks>>;
type Domain = CosetDomain<Goldilocks>;

/// All columns of the tables of a tree, which have one height.
fn columns<'a, E: LaneField>(leaves: &TreeLeaves<'_, 'a, GoldilocksStark<E>>) -> Vec<&'a [Goldilocks]> {
    leaves.tables.iter().flat_map(|table| table.data.values().chunks_exact(table.height())).collect()
}

impl<E: LaneField> CpuProtocol for GoldilocksStark<E> {
    type Tables = ();
    type Compiled = compiled::Programs;
    const COMPILES: bool = true;
    const HASHES: &'static [HashFn] = &[HashFn::Keccak256, HashFn::Poseidon2];
    const MAX_LOG_HEIGHT: u32 = Goldilocks::TWO_ADICITY;

    type Word = u64;
    type Lanes<I: Isa> = I::Goldilocks;
    type ExtLanes<I: Isa> = E::Lanes<I::Goldilocks>;
    type Steps = Steps;

    const NEAR_BYTES: usize = 32 << 10;

    fn word(element: Goldilocks) -> u64 {
        element.value()
    }

    #[inline(always)]
    fn batch_inverse<I: Isa>(values: &mut [u64], before: &mut [u64]) {
        batch_inverse::<I::Goldilocks>(values, before);
    }

    fn fetch<'a>(
        steps: &Steps,
        log_run: u32,
        column: &'a [Goldilocks],
        offset: i32,
        run: usize,
        slot: &mut [Self::Word],
    ) -> Option<&'a [Goldilocks]> {
        steps::fetch(steps, log_run, column, offset, run, slot)
    }

    fn tables_beside_lde(from: &Basis<Domain>, uploads: bool) -> u64 {
        u64::from(uploads) + u64::from(transform::takes_coefficients(from))
    }

    fn ntt(
        cpu: &Cpu<Self>,
        columns: Columns<&mut CpuBuffer<Goldilocks>>,
        from: &Basis<Domain>,
        to: &Basis<Domain>,
    ) -> Result<()> {
        transform::ntt(cpu.level, columns, from, to)
    }

    fn lde(cpu: &Cpu<Self>, table: &Table<'_>, from: &Basis<Domain>, to: &Domain) -> Result<NewTable> {
        transform::lde(&cpu.memory, cpu.level, table, from, to)
    }

    fn upload_lde(
        cpu: &Cpu<Self>,
        columns: &[&[Goldilocks]],
        log_height: u32,
        from: &Basis<Domain>,
        to: &Domain,
        keep: bool,
    ) -> Result<Uploaded<CpuBuffer<Goldilocks>>> {
        let rows = copy::upload_columns(&cpu.memory, columns, log_height)?;
        let extended = transform::lde(&cpu.memory, cpu.level, &rows.as_ref(), from, to)?;
        Ok((keep.then_some(rows), extended))
    }

    fn build_tree(leaves: &TreeLeaves<'_, '_, Self>, dropped: u32, nodes: &mut [Digest]) -> Result<()> {
        let (columns, rows) = (columns(leaves), 1 << leaves.leaves.log_height);
        hash::merkle_tree_into(leaves.level, leaves.hash, &columns, rows, leaves.leaves.rows_per_leaf, dropped, nodes)
    }

    fn siblings(leaves: &TreeLeaves<'_, '_, Self>, of: &[usize], dropped: u32) -> Result<Vec<Vec<Digest>>> {
        let (columns, rows, of_leaf) = (columns(leaves), 1 << leaves.leaves.log_height, leaves.leaves.rows_per_leaf);
        let of = of.par_iter().with_min_len(16);
        let siblings =
            |leaf: &usize| hash::merkle_siblings(leaves.level, leaves.hash, &columns, rows, of_leaf, dropped, *leaf);
        of.map(siblings).collect()
    }

    fn constraint_eval(cpu: &Cpu<Self>, args: &Constraints<'_, Cpu<Self>>) -> Result<NewTable> {
        constraints::evaluate(cpu, args)
    }

    fn eval_at(cpu: &Cpu<Self>, columns: &Table<'_>, from: &Basis<Domain>, points: &[E]) -> Result<Vec<Vec<E>>> {
        Ok(eval_at::eval_at(cpu.level, columns, from, points))
    }

    fn deep_quotient(
        cpu: &Cpu<Self>,
        columns: &[Table<'_>],
        _: u32,
        domain: &Domain,
        terms: &[DeepTerm<Self>],
    ) -> Result<NewTable> {
        deep::quotient(&cpu.memory, cpu.level, columns, domain, terms)
    }

    fn fri_fold(cpu: &Cpu<Self>, layer: &Table<'_>, domain: &Domain, alpha: E) -> Result<NewTable> {
        fold::fold(&cpu.memory, cpu.level, layer, domain, alpha)
    }

    fn grind(cpu: &Cpu<Self>, grind: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        match grind.hash {
            HashFn::Keccak256 => Ok(hash::keccak_grind(cpu.level, &grind.prefix, grind.bits, windows)),
            // Poseidon2 has no proof of work.
            other @ (HashFn::Poseidon2 | HashFn::Blake2s | HashFn::Blake2sM31 | HashFn::Poseidon252) => {
                Err(HalError::unsupported(Operation::Grind, format!("hash function {other}")))
            }
        }
    }

    fn running(cpu: &Cpu<Self>, args: &RunningRequest<'_, Cpu<Self>>) -> Result<Accumulated<Cpu<Self>>> {
        fractions::running(&cpu.memory, cpu.level, args)
    }

    fn bind(cpu: &Cpu<Self>, request: &BindRequest<'_, Cpu<Self>>) -> Result<NewTable> {
        sumchecks::bind(&cpu.memory, cpu.level, request)
    }

    fn sum(cpu: &Cpu<Self>, request: &SumRequest<'_, Cpu<Self>>) -> Vec<E> {
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
