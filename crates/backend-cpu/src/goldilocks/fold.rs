//! The FRI fold: `q[i] = (y[2i] + y[2i+1]) + alpha (y[2i] - y[2i+1]) / x`, with `x` the point at storage index `2i`.

use field::{Field, Goldilocks};
use gpu_hal::{Columns, CosetDomain, Operation, Result};
use rayon::prelude::*;

use super::arith::{Packed, Register};
use super::lanes::LaneField;
use super::points::{Points, stored_table};
use crate::blocks::{blocks_mut, level_for, log_block};
use crate::lanes::{ExtLanes, MAX_DEGREE, Sources};
use crate::memory::{CpuBuffer, Memory};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

const LOG_BLOCK: u32 = 12;
/// Rows whose two halves are taken apart at a time.
const RUN: usize = 128;

/// Folds a layer; the arguments are checked, so the domain has at least two points.
pub(crate) fn fold<E: LaneField>(
    memory: &Memory,
    level: SimdLevel,
    layer: &Columns<&CpuBuffer<Goldilocks>>,
    domain: &CosetDomain<Goldilocks>,
    alpha: E,
) -> Result<Columns<CpuBuffer<Goldilocks>>> {
    let log_size = domain.log_size - 1;
    let mut result = memory.columns(Operation::FriFold, E::DEGREE, log_size)?;
    let log_block = log_block(log_size, 7, LOG_BLOCK);
    // Points 2i of a block are the points at even places of a run twice as long; their inverses have the inverse
    // factors.
    let points = Points::new(domain, gpu_hal::EvalOrder::Storage, 0);
    let mut inverses: Vec<Goldilocks> = stored_table(log_block + 1).into_iter().step_by(2).collect();
    field::batch_inverse(&mut inverses);
    let level = level_for(level, log_block);
    let sources: Vec<&[Goldilocks]> = layer.data.values().chunks_exact(layer.height()).collect();
    blocks_mut(result.data.values_mut(), log_size, log_block).into_par_iter().enumerate().for_each(
        |(block, columns)| {
            let start = points.point(block << (log_block + 1)).inverse_or_zero();
            let first = block << (log_block + 1);
            dispatch(level, Block { sources: &sources, first, inverses: &inverses, start, alpha, columns });
        },
    );
    Ok(result)
}

/// One task: rows `first / 2 ..` of the result.
struct Block<'s, E> {
    sources: &'s [&'s [Goldilocks]],
    first: usize,
    inverses: &'s [Goldilocks],
    start: Goldilocks,
    alpha: E,
    columns: Vec<&'s mut [Goldilocks]>,
}

impl<E: LaneField> Kernel for Block<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let length = self.columns[0].len();
        let run = length.min(RUN);
        let alpha = E::Lanes::<I::Goldilocks>::splat(self.alpha * self.start);
        let mut even = [[0u64; RUN]; MAX_DEGREE];
        let mut odd = [[0u64; RUN]; MAX_DEGREE];
        let mut targets = [std::ptr::null_mut(); MAX_DEGREE];
        for (target, column) in targets.iter_mut().zip(&mut self.columns[..E::DEGREE]) {
            *target = column.as_mut_ptr().cast();
        }
        let mut first = 0;
        while first < length {
            for (k, source) in self.sources.iter().enumerate() {
                let pairs = source[self.first + 2 * first..][..2 * run].chunks_exact(2);
                for ((pair, even), odd) in pairs.zip(&mut even[k]).zip(&mut odd[k]) {
                    *even = pair[0].value();
                    *odd = pair[1].value();
                }
            }
            let mut row = 0;
            while row < run {
                let inverse = I::Goldilocks::load(&self.inverses[first + row..]);
                // SAFETY: a block and a run are multiples of the lanes, and the columns of a block have `length` rows.
                unsafe {
                    let at_x = E::Lanes::<I::Goldilocks>::load(addresses(&even), row);
                    let at_minus_x = E::Lanes::<I::Goldilocks>::load(addresses(&odd), row);
                    let value = at_x.sub(at_minus_x).mul(alpha.mul_base(inverse)).add(at_x).add(at_minus_x);
                    value.canonical().store(targets, first + row);
                }
                row += I::Goldilocks::LANES;
            }
            first += run;
        }
    }
}

fn addresses(arrays: &[[u64; RUN]; MAX_DEGREE]) -> Sources<u64> {
    arrays.each_ref().map(|array| array.as_ptr())
}
