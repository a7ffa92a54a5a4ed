//! The DEEP quotient: `sum over terms of (sum of weight * column(x) - constant) / (x - point)`.

use field::Goldilocks;
use gpu_hal::{CancelToken, Columns, CosetDomain, DeepTerm, EvalOrder, GoldilocksStark, Operation, Result};
use rayon::prelude::*;

use super::arith::{Packed, Register};
use super::inverse::batch_inverse;
use super::lanes::LaneField;
use super::points::Points;
use crate::blocks::{blocks_mut, level_for, log_block};
use crate::lanes::{ExtLanes, MAX_DEGREE};
use crate::memory::{CpuBuffer, Memory};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Bytes of norms that a task may hold.
const NORM_BYTES: usize = 256 << 10;
const LOG_BLOCK: u32 = 11;

struct Term<'a, E: LaneField> {
    pole: E::Pole,
    constant: E,
    sum: WeightedSum<'a, E>,
}

/// The weighted sum of a term.
enum WeightedSum<'a, E> {
    /// A sum of these columns.
    Columns(Vec<(&'a [Goldilocks], E)>),
    /// A multiple of the latest sum of columns ([`DeepTerm::ratio`]).
    Multiple(E),
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
    let mut result = memory.zeros(Operation::DeepQuotient, E::DEGREE, log_size)?;
    let column = |table: usize, column: usize| &tables[table].data.values()[column << log_size..][..1 << log_size];
    let mut latest: &[(usize, usize, E)] = &[];
    let terms: Vec<Term<'_, E>> = terms
        .iter()
        .map(|term| {
            let sum = match term.ratio(latest) {
                Some(ratio) => WeightedSum::Multiple(ratio),
                None => {
                    latest = &term.weights;
                    WeightedSum::Columns(latest.iter().map(|(t, c, weight)| (column(*t, *c), *weight)).collect())
                }
            };
            Term { pole: E::pole(term.point), constant: term.constant, sum }
        })
        .collect();
    let log_most = (NORM_BYTES / (16 * terms.len()).max(1)).max(1).ilog2().min(LOG_BLOCK);
    let log_block = log_block(log_size, log_most.min(6), log_most).max(log_size.min(3));
    let points = Points::new(domain, EvalOrder::Storage, log_block);
    let (level, stop) = (level_for(level, log_block), CancelToken::here());
    blocks_mut(result.data.values_mut(), log_size, log_block).into_par_iter().enumerate().for_each_init(
        || (vec![0; terms.len() << log_block], vec![0; terms.len() << log_block]),
        |(norms, before), (block, columns)| {
            if stop.is_stopped() {
                return;
            }
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

impl<E: LaneField> Kernel for Block<'_, '_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let length = self.columns[0].len();
        let start = I::Goldilocks::splat(self.points.start(self.block));
        for (term, norms) in self.terms.iter().zip(self.norms.chunks_exact_mut(length)) {
            let mut row = 0;
            while row < length {
                let (_, norm) = E::adjugate::<I::Goldilocks>(&term.pole, self.points.lanes(start, row));
                // SAFETY: a block is a multiple of the lanes.
                unsafe { norm.store_raw(norms.as_mut_ptr().add(row)) };
                row += I::Goldilocks::LANES;
            }
        }
        batch_inverse::<I::Goldilocks>(self.norms, self.before);
        let mut targets = [std::ptr::null_mut(); MAX_DEGREE];
        for (target, column) in targets.iter_mut().zip(&mut self.columns[..E::DEGREE]) {
            *target = column.as_mut_ptr().cast();
        }
        let first = self.block * length;
        let mut row = 0;
        while row < length {
            let x: I::Goldilocks = self.points.lanes(start, row);
            let mut total = E::Lanes::<I::Goldilocks>::from_base(I::Goldilocks::splat_raw(0));
            let mut latest = total;
            for (number, term) in self.terms.iter().enumerate() {
                let sum = match &term.sum {
                    WeightedSum::Columns(columns) => {
                        latest = E::Lanes::<I::Goldilocks>::from_base(I::Goldilocks::splat_raw(0));
                        for (column, weight) in columns {
                            let values = I::Goldilocks::load(&column[first + row..]);
                            latest = latest.add(E::Lanes::<I::Goldilocks>::splat(*weight).mul_base(values));
                        }
                        latest
                    }
                    WeightedSum::Multiple(ratio) => E::Lanes::<I::Goldilocks>::splat(*ratio).mul(latest),
                };
                let sum = sum.sub(E::Lanes::<I::Goldilocks>::splat(term.constant));
                let norm = &self.norms[number * length + row..][..I::Goldilocks::LANES];
                let (adjugate, _) = E::adjugate::<I::Goldilocks>(&term.pole, x);
                // SAFETY: the slice has an element for each lane.
                let inverse = adjugate.mul_base(unsafe { I::Goldilocks::load_raw(norm.as_ptr()) });
                total = total.add(sum.mul(inverse));
            }
            // SAFETY: the columns of a block have `length` rows, a multiple of the lanes.
            unsafe { total.canonical().store(targets, row) };
            row += I::Goldilocks::LANES;
        }
    }
}
