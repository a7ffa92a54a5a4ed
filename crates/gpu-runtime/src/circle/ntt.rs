//! Transforms between coefficients in natural order and values on circles and lines. The kernels, and the meaning of
//! their parameters, are in `kernels/circle/ntt.h` and the files that it names; here is the plan of passes.

use field::{Field, M31};
use gpu_hal::{CircleDomain, Domain, EvalOrder, Result};

use super::factors::{factors, first_of, log_domain};
use super::kernels::Call;
use super::units;
use crate::call::{Entry, MAX_ROWS, whole};
use crate::device::{Argument, KernelDevice};
use crate::params::Params;
use crate::pool::Block;

/// Log2 of the elements that a block of threads has of a column at a time, and its threads.
const LOG_TILE: u32 = 12;
const THREADS: u32 = 256;
/// Most levels of a pass.
const MAX_LEVELS: u32 = 8;
/// Most columns that a block takes one after the other, with the same factors: in passes over runs, which have factors
/// of their own for every run, and in the others, which are faster when neighbouring blocks are in one column. And
/// blocks for each multiprocessor to leave.
const MAX_COLUMNS: [u64; 2] = [16, 1];
const BLOCKS: u64 = 16;

const CIRCLE: u32 = 1;
const ROWS: u32 = 2;

/// Levels of the passes of a transform of `2^log` points, from the highest bits on: as few passes as can be, as even as
/// can be.
fn levels(log: u32) -> Vec<u32> {
    let passes = log.div_ceil(MAX_LEVELS);
    (0..passes).map(|pass| (log + passes - 1 - pass) / passes).collect()
}

/// The parameter block of a pass.
struct Pass {
    levels: u32,
    columns: usize,
    log_source: u32,
    log_target: u32,
    log_stride: u32,
    log_domain: u32,
    flags: u32,
    scale: u32,
    log_repeat: u32,
    first: u32,
}

impl Pass {
    fn new(levels: u32, columns: usize, log_size: u32, log_stride: u32, domain: &CircleDomain) -> Self {
        let flags = if matches!(domain, CircleDomain::Circle { .. }) { CIRCLE } else { 0 };
        Self {
            levels,
            columns,
            log_source: log_size,
            log_target: log_size,
            log_stride,
            log_domain: log_domain(domain),
            flags,
            scale: 0,
            log_repeat: 0,
            first: first_of(domain),
        }
    }

    fn run<D: KernelDevice>(
        &self,
        call: Call<'_, D>,
        name: &'static str,
        table: &Block<D::Memory>,
        source: Argument<'_, D::Memory>,
        target: Argument<'_, D::Memory>,
    ) -> Result<()> {
        let blocks = 1u64 << self.log_target.saturating_sub(LOG_TILE);
        let fill = u64::from(call.runtime.device.info().multiprocessors) * BLOCKS;
        let block_columns =
            (blocks * self.columns as u64 / fill).clamp(1, MAX_COLUMNS[usize::from(self.log_stride > 0)]) as usize;
        let defines = [("NTT_LEVELS", u64::from(self.levels))];
        let entry = Entry { unit: &units::NTT, name, defines: &defines };
        for first in (0..self.columns).step_by(block_columns * MAX_ROWS as usize) {
            let groups = (self.columns - first).div_ceil(block_columns).min(MAX_ROWS as usize);
            let params = Params::new()
                .u32(self.columns as u32)
                .u32(first as u32)
                .u32(block_columns as u32)
                .u32(self.log_source)
                .u32(self.log_target)
                .u32(self.log_target)
                .u32(self.log_stride)
                .u32(self.log_domain)
                .u32(self.flags)
                .u32(self.scale)
                .u32(self.log_repeat)
                .u32(self.first);
            let buffers = [source, target, whole(table)];
            call.launch_blocks(entry, blocks, groups as u32, THREADS, &buffers, params)?;
        }
        Ok(())
    }
}

/// `2^log_coefficients` coefficients a column, more than one, to values on `domain` in storage order. Source and target
/// may be the same if they have the same height.
pub(super) fn forward<D: KernelDevice>(
    call: Call<'_, D>,
    width: usize,
    (source, log_coefficients): (Argument<'_, D::Memory>, u32),
    target: Argument<'_, D::Memory>,
    domain: &CircleDomain,
) -> Result<()> {
    let factors = factors(call, domain)?;
    let log_size = domain.log_size();
    // The layers of the highest bits would join coefficients that are zero: all blocks start with the same
    // coefficients.
    let mut log_stride = log_coefficients;
    for (index, levels) in levels(log_coefficients).into_iter().enumerate() {
        log_stride -= levels;
        let mut pass = Pass::new(levels, width, log_size, log_stride, domain);
        if index == 0 {
            pass.log_source = log_coefficients;
            if log_coefficients >= LOG_TILE {
                pass.log_repeat = log_size - log_coefficients;
            }
        }
        let name = if log_stride == 0 { "circle_forward_last" } else { "circle_forward" };
        pass.run(call, name, &factors.forward, if index == 0 { source } else { target }, target)?;
    }
    Ok(())
}

/// Values on `domain`, which has more than one point, to coefficients. Source and target may be the same for values in
/// storage order.
pub(super) fn inverse<D: KernelDevice>(
    call: Call<'_, D>,
    width: usize,
    source: Argument<'_, D::Memory>,
    target: Argument<'_, D::Memory>,
    (domain, order): (&CircleDomain, EvalOrder),
) -> Result<()> {
    let factors = factors(call, domain)?;
    let log_size = domain.log_size();
    let mut log_stride = 0;
    for levels in levels(log_size).into_iter().rev() {
        let mut pass = Pass::new(levels, width, log_size, log_stride, domain);
        let is_first = log_stride == 0;
        if is_first && order == EvalOrder::Row {
            pass.flags |= ROWS;
        }
        if log_stride + levels == log_size {
            pass.scale = twice_inverse_count(log_size);
        }
        let name = if is_first { "circle_inverse_first" } else { "circle_inverse" };
        pass.run(call, name, &factors.inverse, if is_first { source } else { target }, target)?;
        log_stride += levels;
    }
    Ok(())
}

/// Log2 of the elements that a block of `circle_extend` has, and its threads.
const LOG_EXTEND_TILE: u32 = 11;
const EXTEND_THREADS: u32 = 256;
const EXTEND_SOURCE_CIRCLE: u32 = 1;
const EXTEND_TARGET_CIRCLE: u32 = 2;
const EXTEND_ROWS: u32 = 4;

/// Whether columns of values are low enough to be extended in one launch.
pub(super) fn is_low(log_target: u32) -> bool {
    log_target <= LOG_EXTEND_TILE
}

/// [`inverse`] of values on a domain of more than one point, then [`forward`], of low columns.
pub(super) fn extend<D: KernelDevice>(
    call: Call<'_, D>,
    width: usize,
    (source, from, order): (Argument<'_, D::Memory>, &CircleDomain, EvalOrder),
    (target, to): (Argument<'_, D::Memory>, &CircleDomain),
) -> Result<()> {
    // One after the other: new tables take the place of old ones.
    let larger = if log_domain(from) > log_domain(to) { from } else { to };
    let factors = factors(call, larger)?;
    let (log_source, log_target) = (from.log_size(), to.log_size());
    let is_circle = |domain: &CircleDomain| matches!(domain, CircleDomain::Circle { .. });
    let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
    let flags = flag(is_circle(from), EXTEND_SOURCE_CIRCLE)
        | flag(is_circle(to), EXTEND_TARGET_CIRCLE)
        | flag(order == EvalOrder::Row, EXTEND_ROWS);
    let params = Params::new()
        .u32(width as u32)
        .u32(log_source)
        .u32(log_target)
        .u32(log_domain(from))
        .u32(log_domain(to))
        .u32(flags)
        .u32(twice_inverse_count(log_source))
        .u32(first_of(from))
        .u32(first_of(to))
        .u32(0);
    let blocks = width.div_ceil(1 << (LOG_EXTEND_TILE - log_target)) as u64;
    let buffers = [source, target, whole(&factors.forward), whole(&factors.inverse)];
    let entry = Entry { unit: &units::EXTEND, name: "circle_extend", defines: &[] };
    call.launch_blocks(entry, blocks, 1, EXTEND_THREADS, &buffers, params)
}

/// The factor of the coefficients, twice.
fn twice_inverse_count(log_size: u32) -> u32 {
    // A power of two is not zero.
    2 * M31::new(1 << log_size).inverse_or_zero().value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_cover_all_levels_and_leave_runs_of_sixteen() {
        for log in 1..=30 {
            let list = levels(log);
            assert_eq!(list.iter().sum::<u32>(), log);
            assert!(list.iter().all(|levels| (1..=MAX_LEVELS).contains(levels)));
            // The last pass forward, which is the first backward, is one over runs; the others have a stride of at
            // least 16.
            assert!(list.len() == 1 || list.iter().all(|levels| *levels >= 4), "2^{log}: {list:?}");
        }
    }
}
