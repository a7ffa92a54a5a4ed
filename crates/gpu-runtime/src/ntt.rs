//! Transforms: the passes over memory, and what each does. The kernels are in `kernels/transform.h`.

use field::{Field, Goldilocks};
use gpu_hal::{CosetDomain, EvalOrder, Result};

use crate::call::{Call, Entry, column_ranges, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;
use crate::pool::Block;
use crate::twiddles::{Powers, powers, twiddles};

/// Log2 of the elements that a block holds in shared memory, as in the kernel: 32 KB.
const LOG_TILE: u32 = 12;
/// Log2 of the neighbours that a pass over distant elements takes with each: a memory transaction.
const LOG_LANES: u32 = 4;
/// Threads of a block.
const THREADS: u32 = 256;

/// One pass over memory: `levels` levels from level `low` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pass {
    low: u32,
    levels: u32,
}

/// Passes that cover levels `0..log`, lowest first; one without levels for a single element.
fn passes(log: u32) -> Vec<Pass> {
    let first = log.min(LOG_TILE);
    let mut out = vec![Pass { low: 0, levels: first }];
    let rest = log - first;
    let count = rest.div_ceil(LOG_TILE - LOG_LANES);
    for i in 0..count {
        let (start, end) = (rest * i / count, rest * (i + 1) / count);
        out.push(Pass { low: first + start, levels: end - start });
    }
    out
}

/// Columns for a transform.
pub(crate) struct Shape {
    pub(crate) width: usize,
    /// Log2 of the rows of the values.
    pub(crate) log_height: u32,
    /// Log2 of the number of coefficients.
    pub(crate) log_coefficients: u32,
}

struct Step<'a, M> {
    pass: Pass,
    source: &'a Block<M>,
    log_source: u32,
    target: &'a Block<M>,
    scale: Option<&'a Powers<M>>,
    natural: bool,
    inverse: bool,
}

/// Coefficients to values on `domain`, whose size is the shape's height: `source` and `target` may be the same block if the order is
/// storage order. In row order all but the last pass are done in `source`, which then must have the full height.
pub(crate) fn forward<D: KernelDevice>(
    call: Call<'_, D>,
    shape: &Shape,
    source: &Block<D::Memory>,
    target: &Block<D::Memory>,
    domain: &CosetDomain<Goldilocks>,
    order: EvalOrder,
) -> Result<()> {
    let scale = if domain.shift == Goldilocks::ONE {
        None
    } else {
        Some(powers(call, domain.shift, Goldilocks::ONE, shape.log_coefficients)?)
    };
    let passes = passes(shape.log_coefficients);
    for (index, pass) in passes.iter().rev().enumerate() {
        let (is_first, is_last) = (index == 0, index + 1 == passes.len());
        let in_source = order == EvalOrder::Row && !is_last;
        step(
            call,
            shape,
            &Step {
                pass: *pass,
                source: if is_first || order == EvalOrder::Row { source } else { target },
                log_source: if is_first { shape.log_coefficients } else { shape.log_height },
                target: if in_source { source } else { target },
                scale: if is_first { scale.as_ref() } else { None },
                natural: is_last && order == EvalOrder::Row,
                inverse: false,
            },
        )?;
    }
    Ok(())
}

/// Values on `domain` to coefficients, of the same height. `source` and `target` may be the same block if the order is storage
/// order.
pub(crate) fn inverse<D: KernelDevice>(
    call: Call<'_, D>,
    shape: &Shape,
    source: &Block<D::Memory>,
    target: &Block<D::Memory>,
    domain: &CosetDomain<Goldilocks>,
    order: EvalOrder,
) -> Result<()> {
    // Neither a valid shift nor a power of two is zero.
    let shift = domain.shift.inverse_or_zero();
    let size = Goldilocks::new(1 << shape.log_height).inverse_or_zero();
    let scale = powers(call, shift, size, shape.log_height)?;
    let passes = passes(shape.log_height);
    for (index, pass) in passes.iter().enumerate() {
        step(
            call,
            shape,
            &Step {
                pass: *pass,
                source: if index == 0 { source } else { target },
                log_source: shape.log_height,
                target,
                scale: if index + 1 == passes.len() { Some(&scale) } else { None },
                natural: index == 0 && order == EvalOrder::Row,
                inverse: true,
            },
        )?;
    }
    Ok(())
}

fn step<D: KernelDevice>(call: Call<'_, D>, shape: &Shape, step: &Step<'_, D::Memory>) -> Result<()> {
    let twiddles = twiddles(call, shape.log_height)?;
    let Pass { low, levels } = step.pass;
    let log_lanes = low.min(LOG_LANES);
    let log_size = levels + log_lanes;
    let threads = THREADS.min(1 << log_size.saturating_sub(1)).min(call.runtime.device.info().max_threads);
    let table = if step.inverse { &twiddles.inverse } else { &twiddles.forward };
    // Any buffer will do where no powers are read.
    let scale = step.scale.map_or(table, |scale| &scale.table);
    let entry = Entry { unit: &library::TRANSFORM, name: "transform", defines: &[] };
    for (first, columns) in column_ranges(shape.width) {
        let params = Params::new()
            .u64(1 << step.log_source)
            .u64(1 << shape.log_height)
            .u32(shape.log_height)
            .u32(step.log_source)
            .u32(low)
            .u32(levels)
            .u32(log_lanes)
            .u32(first)
            .u32(step.scale.map_or(0, |scale| scale.log_low))
            .u32(step.inverse.into())
            .u32(step.scale.is_some().into())
            .u32(step.natural.into());
        let buffers = [whole(step.source), whole(step.target), whole(table), whole(scale)];
        call.launch_blocks(entry, 1 << (shape.log_height - log_size), columns, threads, &buffers, params)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_cover_every_level_once_and_fit_the_tile() {
        for log in 0..=32 {
            let passes = passes(log);
            let mut next = 0;
            for pass in &passes {
                assert_eq!(pass.low, next);
                assert!(pass.levels + pass.low.min(LOG_LANES) <= LOG_TILE, "2^{log}: {pass:?}");
                next += pass.levels;
            }
            assert_eq!(next, log);
            assert!(passes.len() <= 4);
        }
    }
}
