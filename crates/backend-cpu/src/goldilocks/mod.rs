//! The fast backend of the Goldilocks protocol: check, then compute in the pool.

pub(crate) mod arith;
mod constraints;
mod deep;
mod eval_at;
mod fold;
pub mod hash;
mod interpreter;
mod inverse;
pub(crate) mod lanes;
mod loads;
pub mod ntt;
mod points;
mod running;
mod transform;
mod tree;

use std::ops::Range;

use field::Goldilocks;
use gpu_hal::{
    Basis, Capabilities, Columns, ConstraintProgram, Constraints, CosetDomain, DeepTerm, Digest, Footprint,
    GoldilocksStark, GrindChallenge, HashFn, LeafLayout, Logup, Map, MemoryInfo, OpenRequest, Opened, Recurrence,
    Result, Running, Schedule, StarkBackend, TreeMap, Uploaded, check,
};
use rayon::prelude::*;

use self::lanes::LaneField;
use crate::backend::Cpu;
use crate::memory::{CpuBuffer, CpuTree};
use crate::merkle::dropped_levels;
use crate::plain::rows;
use crate::{copy, nodes, recurrence};

type Table<'a> = Columns<&'a CpuBuffer<Goldilocks>>;
type NewTable = Columns<CpuBuffer<Goldilocks>>;
type Domain = CosetDomain<Goldilocks>;

impl<E: LaneField> StarkBackend for Cpu<GoldilocksStark<E>> {
    type P = GoldilocksStark<E>;
    type Buffer = CpuBuffer<Goldilocks>;
    type Tree = CpuTree;
    type Program = Schedule<GoldilocksStark<E>>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory_info())
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        let plain = |of: Footprint<'_, Self>| of.plain();
        match *of {
            Footprint::Tree { log_leaves } => {
                plain(Footprint::Tree { log_leaves: log_leaves - dropped_levels(log_leaves) })
            }
            Footprint::Lde { table, from } if transform::takes_coefficients(&from) => plain(Footprint::Table(table)),
            Footprint::UploadLde { table, from, keep } => {
                let tables = u64::from(!keep) + u64::from(transform::takes_coefficients(&from));
                tables * plain(Footprint::Table(table))
            }
            Footprint::TreeMap { leaf, log_height, width, .. } => {
                let values = leaf.program().outputs().len().saturating_sub(width);
                nodes::scratch(values, log_height).map(|table| plain(Footprint::Table(table))).sum()
            }
            _ => of.plain(),
        }
    }

    fn upload(&self, data: &[Goldilocks], width: usize, log_height: u32) -> Result<NewTable> {
        self.run(|| copy::upload(&self.memory, data, width, log_height))
    }

    fn download(&self, columns: Table<'_>, rows: Range<usize>) -> Result<Vec<Goldilocks>> {
        copy::download(columns, rows)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn ntt(&self, columns: Columns<&mut CpuBuffer<Goldilocks>>, from: Basis<Domain>, to: Basis<Domain>) -> Result<()> {
        check::ntt::<Self::P, _>(&Columns::new(&*columns.data, columns.width, columns.log_height), &from, &to)?;
        self.run(|| transform::ntt(self.level, columns, &from, &to))
    }

    fn lde(&self, columns: Table<'_>, from: Basis<Domain>, to: Domain) -> Result<NewTable> {
        check::lde::<Self::P, _>(&columns, &from, &to)?;
        self.run(|| transform::lde(&self.memory, self.level, &columns, &from, &to))
    }

    fn upload_lde(
        &self,
        columns: &[&[Goldilocks]],
        log_height: u32,
        from: Basis<Domain>,
        to: Domain,
        keep: bool,
    ) -> Result<Uploaded<Self::Buffer>> {
        check::upload_lde::<Self::P>(columns, log_height, &from, &to)?;
        self.run(|| {
            let rows = copy::upload_columns(&self.memory, columns, log_height)?;
            let extended = transform::lde(&self.memory, self.level, &rows.as_ref(), &from, &to)?;
            Ok((keep.then_some(rows), extended))
        })
    }

    fn split(&self, coefficients: Table<'_>, parts: usize, log_part: u32) -> Result<NewTable> {
        self.run(|| {
            copy::split::<Self::P>(&self.memory, coefficients, parts, log_part, |part, index| index * parts + part)
        })
    }

    fn select(&self, tables: &[Table<'_>], picks: &[(usize, usize)]) -> Result<NewTable> {
        self.run(|| copy::select(&self.memory, tables, picks))
    }

    fn merkle(&self, columns: &[Table<'_>], layout: LeafLayout, hash: HashFn) -> Result<CpuTree> {
        check::merkle::<Self::P, _>(columns, layout, hash, &self.capabilities.hashes)?;
        self.run(|| tree::merkle(&self.memory, self.level, columns, layout, hash))
    }

    fn root(&self, tree: &CpuTree) -> Result<Digest> {
        Ok(tree.nodes()[0])
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<Goldilocks>>> {
        self.run(|| tree::open(self.level, requests))
    }

    fn prepare(&self, program: &ConstraintProgram<Self::P>) -> Result<Self::Program> {
        Ok(Schedule::new(program))
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<NewTable> {
        check::running(args.program.program(), args)?;
        self.run(|| running::running(&self.memory, self.level, args))
    }

    fn logup(&self, args: &Logup<'_, Self>) -> Result<(NewTable, E)> {
        rows::logup(&self.memory, args.program.program(), args)
    }

    fn recurrence(&self, args: &Recurrence<Goldilocks>) -> Result<NewTable> {
        check::recurrence(args)?;
        self.run(|| recurrence::recurrence(&self.memory, args))
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<NewTable> {
        rows::map(&self.memory, args.program.program(), args)
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<NewTable> {
        let values = check::tree_map::<Self>(args.leaf.program(), args.node.program(), args)?;
        let run = |program: &Self::Program, tables: &[Table<'_>], blocks: Vec<nodes::Block<'_, Goldilocks>>| {
            let run = |block: nodes::Block<'_, _>| block.run_plainly(program.program(), tables, 1 << args.log_height);
            blocks.into_par_iter().for_each(run);
        };
        self.run(|| nodes::tree_map(&self.memory, values, args, run))
    }

    fn accumulate(&self, into: Columns<&mut CpuBuffer<Goldilocks>>, from: Table<'_>) -> Result<()> {
        self.run(|| copy::accumulate::<Self::P>(into, from))
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<NewTable> {
        check::constraint_eval(args.program.program(), args)?;
        self.run(|| constraints::evaluate(&self.memory, self.level, args))
    }

    fn eval_at(&self, columns: Table<'_>, from: Basis<Domain>, points: &[E]) -> Result<Vec<Vec<E>>> {
        check::eval_at::<Self::P, _>(&columns, &from)?;
        Ok(self.run(|| eval_at::eval_at(self.level, &columns, &from, points)))
    }

    fn deep_quotient(&self, columns: &[Table<'_>], domain: Domain, terms: &[DeepTerm<Self::P>]) -> Result<NewTable> {
        check::deep_quotient(columns, &domain, terms)?;
        self.run(|| deep::quotient(&self.memory, self.level, columns, &domain, terms))
    }

    fn fri_fold(&self, layer: Table<'_>, domain: Domain, alpha: E) -> Result<NewTable> {
        check::fri_fold::<Self::P, _>(&layer, &domain)?;
        self.run(|| fold::fold(&self.memory, self.level, &layer, &domain, alpha))
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        check::grind(challenge)?;
        Ok(self.run(|| hash::keccak_grind(self.level, &challenge.digest, challenge.bits)))
    }
}
