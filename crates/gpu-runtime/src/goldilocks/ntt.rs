//! Transforms between coefficients in natural order and values in storage order, and from values on the subgroup in row
//! order. The kernels, and the meaning of their parameters, are in `kernels/goldilocks/ntt.h` and the files that it
//! names; here is the plan of passes.

use std::sync::Arc;

use field::{ExtensionField, Field, Goldilocks, PrimeField, TwoAdicField, bit_reverse, powers};
use gpu_hal::{CosetDomain, Result};

use super::kernels::Call;
use super::units;
use crate::call::{Entry, MAX_ROWS, whole};
use crate::device::{Argument, KernelDevice};
use crate::params::Params;
use crate::pool::Block;

/// Log2 of the elements of a block of threads, and its threads.
const LOG_TILE: u32 = 12;
const THREADS: u32 = 256;
/// Shared memory of the variant of the kernels with memory apart for factors. The other takes 32 KB.
const APART_BYTES: u32 = 36 << 10;
/// Most levels of a pass.
const MAX_LEVELS: u32 = 8;

const TWIST: u32 = 1;
const COSET: u32 = 2;
const SPLIT: u32 = 4;
const CANONICAL: u32 = 8;
const BLOCKS_FIRST: u32 = 16;
const ROW_ORDER: u32 = 32;
/// In passes from row order.
const SCALE: u32 = 1;

const ROOTS_TILE: usize = 131_072;
const ROOTS_INVERSE: usize = 512;
pub(super) const ROOTS_COUNT: usize = 132_096;

/// Levels of the passes of a transform of `2^log` points: as few passes as can be, as even as can be, one at least.
fn levels(log: u32) -> Vec<u32> {
    let passes = log.div_ceil(MAX_LEVELS).max(1);
    (0..passes).map(|pass| (log + passes - 1 - pass) / passes).collect()
}

/// The table of roots on the device, made once.
fn roots<D: KernelDevice, E: ExtensionField<Goldilocks>>(call: Call<'_, D, E>) -> Result<Arc<Block<D::Memory>>> {
    call.runtime.roots.get(|_| true, || call.alloc_words(&root_table()))
}

/// In the layout of `kernels/goldilocks/ntt.h`: powers of the root g of order 2^32, then the factors between the two
/// steps of a pass of R points, (root of order R)^(+- j rev(P)) at R + P RB + j, RB being R over the points of the
/// first step.
fn root_table() -> Vec<u64> {
    let generator = Goldilocks::two_adic_generator(32);
    let mut table = vec![0; ROOTS_COUNT];
    for (entry, power) in table[..1 << 16].iter_mut().zip(powers(generator)) {
        *entry = power.as_u64();
    }
    for (entry, power) in table[1 << 16..2 << 16].iter_mut().zip(powers(generator.pow_two_to(16))) {
        *entry = power.as_u64();
    }
    for log in 4..=MAX_LEVELS {
        let log_a = [2, 3, 3, 4, 4][log as usize - 4];
        let log_b = log - log_a;
        let root = Goldilocks::two_adic_generator(log);
        for row in 0..1usize << log_a {
            for j in 0..1usize << log_b {
                let power = root.pow((j * bit_reverse(row, log_a)) as u64);
                let at = ROOTS_TILE + (1 << log) + (row << log_b) + j;
                table[at] = power.as_u64();
                // A root is not zero.
                table[ROOTS_INVERSE + at] = power.inverse_or_zero().as_u64();
            }
        }
    }
    table
}

/// The parameter block of a pass.
struct Pass {
    levels: u32,
    log_source: u32,
    log_target: u32,
    columns: u32,
    log_size: u32,
    depth: u32,
    log_stride: u32,
    log_s: u32,
    log_b: u32,
    log_c: u32,
    flags: u32,
    source_blocks: u32,
    coset_low: [Goldilocks; 16],
    coset_high: [Goldilocks; 16],
}

impl Pass {
    fn new(levels: u32, columns: usize, log_size: u32, depth: u32, log_stride: u32) -> Self {
        Self {
            levels,
            log_source: log_size,
            log_target: log_size,
            columns: columns as u32,
            log_size,
            depth,
            log_stride,
            log_s: 0,
            log_b: 0,
            log_c: 0,
            flags: 0,
            source_blocks: 1,
            coset_low: [Goldilocks::ZERO; 16],
            coset_high: [Goldilocks::ZERO; 16],
        }
    }

    /// The meaning of the lanes of a block of threads: neighbours, then blocks, then columns; in the pass of stride 1
    /// columns first, as long as no more than a tenth of the lanes is without one.
    fn lanes(&mut self) {
        let lanes = LOG_TILE - self.levels;
        if self.log_stride == 0 {
            let fits = |log_c: &u32| {
                let taken = u64::from(self.columns).next_multiple_of(1 << log_c);
                taken * 10 <= u64::from(self.columns) * 11
            };
            let log_c = (0..=lanes).rev().find(fits).unwrap_or(0);
            self.log_b = (lanes - log_c).min(self.depth);
            self.log_c = lanes - self.log_b;
        } else {
            self.log_s = lanes.min(self.log_stride);
            self.log_b = (lanes - self.log_s).min(self.depth);
            self.log_c = lanes - self.log_s - self.log_b;
        }
        if self.log_b >= 2 && self.levels > 4 {
            self.flags |= SPLIT;
        }
    }

    /// Powers of `base` as factors, with a common one.
    fn factors(&mut self, base: Goldilocks, scale: Goldilocks) {
        if base == Goldilocks::ONE && scale == Goldilocks::ONE {
            return;
        }
        self.flags |= TWIST | COSET;
        for (entry, power) in self.coset_low.iter_mut().zip(powers(base)) {
            *entry = scale * power;
        }
        for (entry, power) in self.coset_high.iter_mut().zip(powers(base.pow(16))) {
            *entry = power;
        }
    }

    fn run<D: KernelDevice, E: ExtensionField<Goldilocks>>(
        &self,
        call: Call<'_, D, E>,
        name: &'static str,
        log_blocks: u32,
        source: Argument<'_, D::Memory>,
        target: Argument<'_, D::Memory>,
    ) -> Result<()> {
        let roots = roots(call)?;
        let groups = self.columns.div_ceil(1 << self.log_c);
        // Smaller passes have no use for it.
        let apart = self.levels > 4 && call.runtime.device.info().shared_bytes >= APART_BYTES;
        let defines = [("NTT_LEVELS", u64::from(self.levels)), ("NTT_APART", apart.into())];
        let entry = Entry { unit: &units::NTT, name, defines: &defines };
        for first in (0..groups).step_by(MAX_ROWS as usize) {
            let params = Params::new()
                .u32(self.log_source)
                .u32(self.log_target)
                .u32(self.columns)
                .u32(self.log_size)
                .u32(self.depth)
                .u32(self.log_stride)
                .u32(self.log_s)
                .u32(self.log_b)
                .u32(self.log_c)
                .u32(self.flags)
                .u32(first)
                .u32(self.source_blocks);
            let params = self.coset_low.iter().chain(&self.coset_high).fold(params, |params, x| params.base(*x));
            let buffers = [source, target, whole(&roots)];
            call.launch_blocks(entry, 1 << log_blocks, (groups - first).min(MAX_ROWS), THREADS, &buffers, params)?;
        }
        Ok(())
    }
}

/// `2^log_coefficients` coefficients a column to values on `domain`, in storage order, times `scale`. Source and target
/// may be the same if they have the same height.
pub(super) fn forward<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    width: usize,
    (source, log_coefficients): (Argument<'_, D::Memory>, u32),
    target: Argument<'_, D::Memory>,
    domain: &CosetDomain<Goldilocks>,
    scale: Goldilocks,
) -> Result<()> {
    let log_size = domain.log_size;
    let list = levels(log_coefficients);
    // The first levels would join coefficients that are zero: every block starts with the same coefficients.
    let mut depth = log_size - log_coefficients;
    for (index, &levels) in list.iter().enumerate() {
        let (is_first, is_last) = (index == 0, index + 1 == list.len());
        let mut pass = Pass::new(levels, width, log_size, depth, log_size - depth - levels);
        if is_first && depth > 0 {
            pass.log_source = log_coefficients;
            pass.source_blocks = 0;
            pass.flags |= BLOCKS_FIRST;
        }
        if is_last {
            pass.flags |= CANONICAL;
        }
        if depth > 0 {
            pass.flags |= TWIST;
        }
        pass.lanes();
        pass.factors(domain.shift.pow_two_to(pass.log_stride), if is_first { scale } else { Goldilocks::ONE });
        let log_blocks = pass.log_stride - pass.log_s + pass.depth - pass.log_b;
        let name = if is_last { "ntt_forward_last" } else { "ntt_forward" };
        pass.run(call, name, log_blocks, if is_first { source } else { target }, target)?;
        depth += levels;
    }
    Ok(())
}

/// Values on `domain` in storage order to coefficients. Source and target may be the same.
pub(super) fn inverse<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    width: usize,
    source: Argument<'_, D::Memory>,
    target: Argument<'_, D::Memory>,
    domain: &CosetDomain<Goldilocks>,
) -> Result<()> {
    let log_size = domain.log_size;
    let list = levels(log_size);
    // Neither a valid shift nor a power of two is zero.
    let shift = domain.shift.inverse_or_zero();
    let mut depth = log_size;
    for (index, &levels) in list.iter().rev().enumerate() {
        depth -= levels;
        let mut pass = Pass::new(levels, width, log_size, depth, log_size - depth - levels);
        if depth > 0 {
            pass.flags |= TWIST;
        } else {
            pass.flags |= CANONICAL;
        }
        pass.lanes();
        let scale = if depth == 0 { inverse_size(log_size) } else { Goldilocks::ONE };
        pass.factors(shift.pow_two_to(pass.log_stride), scale);
        let log_blocks = pass.log_stride - pass.log_s + pass.depth - pass.log_b;
        let name = if index == 0 { "ntt_inverse_first" } else { "ntt_inverse" };
        pass.run(call, name, log_blocks, if index == 0 { source } else { target }, target)?;
    }
    Ok(())
}

/// `1/2^log`.
pub(super) fn inverse_size(log: u32) -> Goldilocks {
    // A power of two is not zero.
    Goldilocks::new(1 << log).inverse_or_zero()
}

/// Values on the subgroup of `2^log_size` points in row order to coefficients. Each pass goes from one memory to
/// another: from `source` to `targets[0]`, from there to `targets[1]`, and so on in turns (`targets[1]` may be the
/// source); [`last_target`] has the result. Without `scale` the result is `2^log_size` times the coefficients, not
/// canonical.
pub(super) fn from_rows<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    width: usize,
    source: Argument<'_, D::Memory>,
    targets: [Argument<'_, D::Memory>; 2],
    log_size: u32,
    scale: bool,
) -> Result<()> {
    let list = levels(log_size);
    let scale = if scale { inverse_size(log_size) } else { Goldilocks::ONE };
    if let [levels] = list[..] {
        let mut pass = Pass::new(levels, width, log_size, 0, 0);
        pass.flags = CANONICAL | ROW_ORDER;
        pass.lanes();
        pass.factors(Goldilocks::ONE, scale);
        return pass.run(call, "ntt_inverse_first", 0, source, targets[0]);
    }
    let (mut from, mut depth) = (source, 0);
    for (index, &levels) in list.iter().enumerate() {
        let mut pass = Pass::new(levels, width, log_size, depth, log_size - levels);
        let lanes = LOG_TILE - levels;
        pass.log_s = lanes.min(pass.log_stride);
        pass.log_c = lanes - pass.log_s;
        if index + 1 == list.len() && scale != Goldilocks::ONE {
            pass.flags = CANONICAL | SCALE;
            pass.coset_low[0] = scale;
        }
        let name = if index == 0 { "ntt_rows_first" } else { "ntt_rows" };
        let to = targets[index % 2];
        pass.run(call, name, pass.log_stride - pass.log_s, from, to)?;
        (from, depth) = (to, depth + levels);
    }
    Ok(())
}

/// The one of its two targets that [`from_rows`] wrote last.
pub(super) fn last_target(log_size: u32) -> usize {
    (levels(log_size).len() - 1) % 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_cover_all_levels_and_leave_runs_of_sixteen() {
        for log in 0..=32 {
            let list = levels(log);
            assert_eq!(list.iter().sum::<u32>(), log);
            assert!(list.iter().all(|levels| *levels <= MAX_LEVELS));
            // Passes but the last have a stride, the product of the passes that follow, of at least 16; passes from row
            // order have a depth.
            assert!(list.len() == 1 || list.iter().all(|levels| *levels >= 4), "2^{log}: {list:?}");
        }
    }
}
