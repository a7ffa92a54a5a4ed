//! The DEEP quotient: `sum over terms of (sum of weight * column(x) - constant) / (x - point)`.

use field::Goldilocks;
use gpu_hal::{Columns, CosetDomain, DeepTerm, EvalOrder, GoldilocksStark, Operation, Result};
use rayon::prelude::*;

use super::blocks::{blocks_mut, level_for, log_block};
use super::inverse::batch_inverse;
use super::lanes::{ExtLanes, LaneField, MAX_DEGREE};
use super::points::Points;
use crate::fast::arith::{Packed, SimdKernel, SimdLevel, dispatch};
use crate::memory::{CpuBuffer, Memory};

/// Bytes of norms that a task may hold.
const NORM_BYTES: usize = 256 << 10;
const LOG_BLOCK: u32 = 11;

struct Term<'a, E: LaneField> {
    pole: E::Pole,
    constant: E,
    weights: Vec<(&'a [Goldilocks], E)>,
}

/// The quotient; the arguments are checked.
pub(crate) fn quotient<E: LaneField>(
    memory: &Memory,
    level: SimdLevel,
    tables: &[Columns<&CpuBuffer<Goldilocks>>],
    domain: &CosetDomain<Goldilocks>,
    terms: &[DeepTerm<GoldilocksStark<E>>],
) -> Result<Columns<CpuBuffer<Goldilocks>>> {
    let log_size = domain.log_size;
    let mut result = memory.columns(Operation::DeepQuotient, E::DEGREE, log_size)?;
    let terms: Vec<Term<'_, E>> = terms
        .iter()
        .map(|term| Term {
            pole: E::pole(term.point),
            constant: term.constant,
            weights: term
                .weights
                .iter()
                .map(|(table, column, weight)| {
                    (&tables[*table].data.values()[column << log_size..][..1 << log_size], *weight)
                })
                .collect(),
        })
        .collect();
    let log_most = (NORM_BYTES / (16 * terms.len()).max(1)).max(1).ilog2().min(LOG_BLOCK);
    let log_block = log_block(log_size, log_most.min(6), log_most).max(log_size.min(3));
    let points = Points::new(domain, EvalOrder::Storage, log_block);
    let level = level_for(level, log_block);
    blocks_mut(result.data.values_mut(), log_size, log_block).into_par_iter().enumerate().for_each_init(
        || (vec![0; terms.len() << log_block], vec![0; terms.len() << log_block]),
        |(norms, before), (block, columns)| {
            dispatch(level, Block { terms: &terms, points: &points, norms, before, block, columns });
        },
    );
    Ok(result)
}

/// One task.
struct Block<'s, 'a, E: LaneField> {
    terms: &'s [Term<'a, E>],
    points: &'s Points,
    norms: &'s mut [u64],
    before: &'s mut [u64],
    block: usize,
    columns: Vec<&'s mut [Goldilocks]>,
}

impl<E: LaneField> SimdKernel for Block<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<V: Packed>(mut self) {
        let length = self.columns[0].len();
        let start = V::splat(self.points.start(self.block));
        for (term, norms) in self.terms.iter().zip(self.norms.chunks_exact_mut(length)) {
            let mut row = 0;
            while row < length {
                let (_, norm) = E::adjugate::<V>(&term.pole, self.points.lanes(start, row));
                // SAFETY: a block is a multiple of the lanes.
                unsafe { norm.store_raw(norms.as_mut_ptr().add(row)) };
                row += V::LANES;
            }
        }
        batch_inverse::<V>(self.norms, self.before);
        let mut targets = [std::ptr::null_mut(); MAX_DEGREE];
        for (target, column) in targets.iter_mut().zip(&mut self.columns[..E::DEGREE]) {
            *target = column.as_mut_ptr().cast();
        }
        let first = self.block * length;
        let mut row = 0;
        while row < length {
            let x: V = self.points.lanes(start, row);
            let mut total = E::Lanes::<V>::from_base(V::splat_raw(0));
            for (number, term) in self.terms.iter().enumerate() {
                let mut sum = E::Lanes::<V>::splat(-term.constant);
                for (column, weight) in &term.weights {
                    let values = V::load(&column[first + row..]);
                    sum = sum.add(E::Lanes::<V>::splat(*weight).mul_base(values));
                }
                let norm = &self.norms[number * length + row..][..V::LANES];
                let (adjugate, _) = E::adjugate::<V>(&term.pole, x);
                // SAFETY: the slice has an element for each lane.
                let inverse = adjugate.mul_base(unsafe { V::load_raw(norm.as_ptr()) });
                total = total.add(sum.mul(inverse));
            }
            // SAFETY: the columns of a block have `length` rows, a multiple of the lanes.
            unsafe { total.canonical().store(targets, row) };
            row += V::LANES;
        }
    }
}
