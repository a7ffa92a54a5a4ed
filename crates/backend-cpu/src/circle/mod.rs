//! The fast backend of the Circle protocol: check, then compute in the pool.

mod constraints;
mod eval_at;
mod factors;
mod hash;
mod interpreter;
mod level;
mod loads;
pub(crate) mod m31;
mod ntt;
mod quotient;
mod rows;
mod tree;

use std::ops::Range;

use field::circle::CirclePoint;
use field::{M31, QM31};
use gpu_hal::{
    Basis, Capabilities, CircleDomain, CircleStark, Columns, ConstraintProgram, Constraints, DeepTerm, Digest,
    Footprint, GrindChallenge, HashFn, LeafLayout, Logup, Map, MemoryInfo, OpenRequest, Opened, Operation, Protocol,
    Recurrence, Result, Running, Schedule, StarkBackend, TreeMap, Uploaded, check,
};

pub(crate) use factors::CircleTables;

use crate::backend::Cpu;
use crate::memory::{CpuBuffer, CpuTree};
use crate::merkle::dropped_levels;
use crate::plain::{circle_quotient, constraints as plain, rows as plain_rows};
use crate::{copy, nodes, recurrence};

type Table<'a> = Columns<&'a CpuBuffer<M31>>;
type NewTable = Columns<CpuBuffer<M31>>;

impl Cpu<CircleStark> {
    fn extend(
        &self,
        (op, given): (Operation, &[&[M31]]),
        log_height: u32,
        from: &Basis<CircleDomain>,
        to: &CircleDomain,
    ) -> Result<NewTable> {
        ntt::lde(&self.memory, self.level, &self.tables.0, (op, given), log_height, from, to)
    }
}

impl StarkBackend for Cpu<CircleStark> {
    type P = CircleStark;
    type Buffer = CpuBuffer<M31>;
    type Tree = CpuTree;
    type Program = Schedule<CircleStark>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory_info())
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        match *of {
            Footprint::Tree { log_leaves } => {
                let kept: Footprint<'_, Self> = Footprint::Tree { log_leaves: log_leaves - dropped_levels(log_leaves) };
                kept.plain()
            }
            Footprint::TreeMap { leaf, log_height, width, .. } => {
                let values = leaf.program().outputs().len().saturating_sub(width);
                let bytes = |table| Footprint::<'_, Self>::Table(table).plain();
                nodes::scratch(values, log_height).map(bytes).sum()
            }
            // From where it is to its extension, without a copy.
            Footprint::UploadLde { .. } => 0,
            _ => of.plain(),
        }
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
        self.run(|| ntt::ntt(self.level, &self.tables.0, columns, &from, &to));
        Ok(())
    }

    fn lde(&self, columns: Table<'_>, from: Basis<CircleDomain>, to: CircleDomain) -> Result<NewTable> {
        check::lde::<CircleStark, _>(&columns, &from, &to)?;
        let given: Vec<&[M31]> = columns.data.values().chunks_exact(columns.height()).collect();
        self.run(|| self.extend((Operation::Lde, &given), columns.log_height, &from, &to))
    }

    fn upload_lde(
        &self,
        columns: &[&[M31]],
        log_height: u32,
        from: Basis<CircleDomain>,
        to: CircleDomain,
        keep: bool,
    ) -> Result<Uploaded<Self::Buffer>> {
        check::upload_lde::<CircleStark>(columns, log_height, &from, &to)?;
        let op = Operation::UploadLde;
        self.run(|| {
            let rows = if keep {
                Some(copy::upload_columns(&self.memory, columns, log_height)?)
            } else {
                copy::check_canonical(op, columns)?;
                None
            };
            Ok((rows, self.extend((op, columns), log_height, &from, &to)?))
        })
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

    fn merkle(&self, columns: &[Table<'_>], layout: LeafLayout, hash: HashFn) -> Result<CpuTree> {
        let log_height = check::merkle::<CircleStark, _>(columns, layout, hash, &self.capabilities.hashes)?;
        self.run(|| tree::build(&self.memory, self.level, columns, layout, log_height))
    }

    fn root(&self, tree: &CpuTree) -> Result<Digest> {
        Ok(tree.nodes()[0])
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<M31>>> {
        self.run(|| tree::open(self.level, requests))
    }

    fn prepare(&self, program: &ConstraintProgram<CircleStark>) -> Result<Self::Program> {
        Ok(Schedule::new(program))
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<NewTable> {
        check::running(args.program.program(), args)?;
        plain::running(&self.memory, args.program.program(), args)
    }

    fn logup(&self, args: &Logup<'_, Self>) -> Result<(NewTable, QM31)> {
        if args.log_height < rows::LOG_LEAST {
            return plain_rows::logup(&self.memory, args.program.program(), args);
        }
        check::logup::<Self>(args.program.program(), args)?;
        self.run(|| rows::logup(&self.memory, self.level, args))
    }

    fn recurrence(&self, args: &Recurrence<M31>) -> Result<NewTable> {
        check::recurrence(args)?;
        self.run(|| recurrence::recurrence(&self.memory, args))
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<NewTable> {
        if args.log_height < rows::LOG_LEAST {
            return plain_rows::map(&self.memory, args.program.program(), args);
        }
        check::map::<Self>(args.program.program(), args)?;
        self.run(|| rows::map(&self.memory, self.level, args))
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<NewTable> {
        let values = check::tree_map::<Self>(args.leaf.program(), args.node.program(), args)?;
        let run = |program: &Self::Program, tables: &[Table<'_>], blocks: Vec<nodes::Block<'_, M31>>| {
            level::run(self.level, program, tables, 1 << args.log_height, blocks);
        };
        self.run(|| nodes::tree_map(&self.memory, values, args, run))
    }

    fn accumulate(&self, into: Columns<&mut CpuBuffer<M31>>, from: Table<'_>) -> Result<()> {
        self.run(|| copy::accumulate::<CircleStark>(into, from))
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<NewTable> {
        check::constraint_eval(args.program.program(), args)?;
        if args.log_eval < constraints::LOG_LEAST {
            return plain::evaluate(&self.memory, args.program.program(), args);
        }
        self.run(|| constraints::evaluate(&self.memory, self.level, &self.tables.0, args))
    }

    fn eval_at(
        &self,
        columns: Table<'_>,
        from: Basis<CircleDomain>,
        points: &[CirclePoint<QM31>],
    ) -> Result<Vec<Vec<QM31>>> {
        check::eval_at::<CircleStark, _>(&columns, &from)?;
        let log_rows = match &from {
            Basis::Coefficients => columns.log_height,
            Basis::Evaluations { domain, .. } => CircleStark::log_size(domain),
        };
        if log_rows < eval_at::LOG_LEAST {
            return Ok(circle_quotient::eval_at(&columns, &from, points));
        }
        self.run(|| eval_at::eval_at(&self.memory, self.level, &self.tables.0, &columns, &from, points))
    }

    fn deep_quotient(
        &self,
        columns: &[Table<'_>],
        domain: CircleDomain,
        terms: &[DeepTerm<CircleStark>],
    ) -> Result<NewTable> {
        check::deep_quotient(columns, &domain, terms)?;
        let is_line = matches!(domain, CircleDomain::Line { .. });
        if is_line || CircleStark::log_size(&domain) < quotient::LOG_LEAST {
            return circle_quotient::deep(&self.memory, columns, &domain, terms);
        }
        self.run(|| quotient::deep(&self.memory, self.level, &self.tables.0, columns, &domain, terms))
    }

    fn fri_fold(&self, layer: Table<'_>, domain: CircleDomain, alpha: QM31) -> Result<NewTable> {
        let folded = check::fri_fold::<CircleStark, _>(&layer, &domain)?;
        if CircleStark::log_size(&folded) < quotient::LOG_LEAST {
            return circle_quotient::fold(&self.memory, &layer, &domain, &folded, alpha);
        }
        self.run(|| quotient::fold(&self.memory, self.level, &self.tables.0, &layer, &domain, alpha))
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        check::grind(challenge)?;
        Ok(self.run(|| hash::grind(self.level, &challenge.digest, challenge.bits)))
    }
}
