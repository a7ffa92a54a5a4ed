//! A column's layers, cut into passes: 8 layers on blocks of 256 values, then up to 4 at a time.

use field::{Field, M31};

use super::pass::{self, LOG_BASE};
use crate::circle::factors::Layer;
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// The smallest column that passes take.
pub(super) const SMALLEST: usize = 1 << LOG_BASE;
/// Blocks of this size stay in the second cache.
const LOG_FAR: u32 = 16;
/// Blocks of this size stay in the first cache.
const LOG_NEAR: u32 = 12;
/// Most layers of a pass.
const RADIX: u32 = 4;

/// Layers that the last pass over a block of `2^log` values takes, so that the rest fits a cache.
fn last_pass(log: u32) -> u32 {
    let fits = if log > LOG_FAR { LOG_FAR } else { LOG_NEAR };
    let left = if log > LOG_NEAR { fits } else { LOG_BASE };
    (log - left).min(RADIX)
}

/// Values to coefficients, in place, for a whole column.
pub(super) fn interpolate(level: SimdLevel, column: &mut [M31], layers: &[Layer<'_>]) {
    let scale = M31::new(column.len() as u32).inverse_or_zero();
    upward(level, column, 0, layers, Some(scale));
}

/// A part of a column that several threads work on, each on values of its own.
#[derive(Clone, Copy)]
struct SharedColumn(*mut M31);

// SAFETY: the threads that share it write to different places.
unsafe impl Send for SharedColumn {}
// SAFETY: as above.
unsafe impl Sync for SharedColumn {}

/// Strides that a task of a pass takes.
const STRIDES: usize = 1 << 13;

fn upward(level: SimdLevel, block: &mut [M31], number: usize, layers: &[Layer<'_>], scale: Option<M31>) {
    let log = block.len().ilog2();
    if log <= LOG_NEAR {
        return dispatch(level, Near { block, source: None, number, layers, scale, up: true });
    }
    let radix = last_pass(log);
    let size = block.len() >> radix;
    for_each_block(block, size, |part, block| upward(level, block, (number << radix) + part, layers, None));
    far(level, block, None, number, radix, layers, scale, true);
}

/// Coefficients to values on block `number`, from `source` or in place.
pub(super) fn evaluate(
    level: SimdLevel,
    source: Option<&[M31]>,
    block: &mut [M31],
    number: usize,
    layers: &[Layer<'_>],
) {
    let log = block.len().ilog2();
    if log <= LOG_NEAR {
        return dispatch(level, Near { block, source, number, layers, scale: None, up: false });
    }
    let radix = last_pass(log);
    let size = block.len() >> radix;
    far(level, block, source, number, radix, layers, None, false);
    for_each_block(block, size, |part, block| evaluate(level, None, block, (number << radix) + part, layers));
}

/// Every block of `size` values, by all threads if it is worth it.
fn for_each_block(values: &mut [M31], size: usize, work: impl Fn(usize, &mut [M31]) + Sync) {
    if values.len() > 1 << LOG_FAR {
        use rayon::prelude::*;
        values.par_chunks_exact_mut(size).enumerate().for_each(|(part, block)| work(part, block));
    } else {
        values.chunks_exact_mut(size).enumerate().for_each(|(part, block)| work(part, block));
    }
}

/// The pass of the `radix` highest layers of a block.
#[expect(clippy::too_many_arguments, reason = "two directions of one pass")]
fn far(
    level: SimdLevel,
    block: &mut [M31],
    source: Option<&[M31]>,
    number: usize,
    radix: u32,
    layers: &[Layer<'_>],
    scale: Option<M31>,
    up: bool,
) {
    let stride = block.len() >> radix;
    let size = block.len();
    let to = block.as_mut_ptr();
    let from = source.map_or(to.cast_const(), <[M31]>::as_ptr);
    let (from, to) = (SharedColumn(from.cast_mut()), SharedColumn(to));
    let run = move |first: usize| {
        let (from, to) = (from, to);
        let task =
            Far { from: from.0, to: to.0, first, count: STRIDES.min(stride), stride, number, radix, layers, scale, up };
        dispatch(level, task);
    };
    if size > 1 << LOG_FAR && stride > STRIDES {
        use rayon::prelude::*;
        (0..stride / STRIDES).into_par_iter().for_each(|task| run(task * STRIDES));
    } else {
        (0..stride.div_ceil(STRIDES)).for_each(|task| run(task * STRIDES));
    }
}

/// A pass over some strides of a block; the places of `from` and `to` are the block's.
struct Far<'a> {
    from: *const M31,
    to: *mut M31,
    first: usize,
    count: usize,
    stride: usize,
    number: usize,
    radix: u32,
    layers: &'a [Layer<'a>],
    scale: Option<M31>,
    up: bool,
}

impl Kernel for Far<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { from, to, first, count, stride, number, radix, layers, scale, up } = self;
        let layer = stride.ilog2() as usize;
        let layers = &layers[layer..layer + radix as usize];
        let strides = (first..first + count, stride);
        // SAFETY: `from` and `to` are blocks of `stride << radix` values, and no other task has these strides.
        unsafe {
            match radix {
                1 => pass::run::<I::M31, 2>(from.cast(), to.cast(), strides, number, layers, scale, up),
                2 => pass::run::<I::M31, 4>(from.cast(), to.cast(), strides, number, layers, scale, up),
                3 => pass::run::<I::M31, 8>(from.cast(), to.cast(), strides, number, layers, scale, up),
                _ => pass::run::<I::M31, 16>(from.cast(), to.cast(), strides, number, layers, scale, up),
            }
        }
    }
}

/// All layers of a block that stays in the nearest cache.
struct Near<'a> {
    block: &'a mut [M31],
    source: Option<&'a [M31]>,
    number: usize,
    layers: &'a [Layer<'a>],
    scale: Option<M31>,
    up: bool,
}

impl Kernel for Near<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { block, source, number, layers, scale, up } = self;
        let radix = block.len().ilog2() - LOG_BASE;
        let stride = 1 << LOG_BASE;
        let (to, count) = (block.as_mut_ptr(), block.len());
        let from = source.map_or(to.cast_const(), <[M31]>::as_ptr);
        let far = |from, scale| Far { from, to, first: 0, count: stride, stride, number, radix, layers, scale, up };
        let first = number << radix;
        if up {
            let scale_here = if radix == 0 { scale } else { None };
            for part in 0..count >> LOG_BASE {
                // SAFETY: a part of the block.
                unsafe {
                    base::<I>(to.add(part << LOG_BASE), to.add(part << LOG_BASE), first + part, layers, scale_here, up)
                };
            }
            if radix > 0 {
                far(to.cast_const(), scale).run::<I>();
            }
        } else {
            if radix > 0 {
                far(from, None).run::<I>();
            }
            let from = if radix > 0 { to.cast_const() } else { from };
            for part in 0..count >> LOG_BASE {
                // SAFETY: a part of the block.
                unsafe {
                    base::<I>(from.add(part << LOG_BASE), to.add(part << LOG_BASE), first + part, layers, None, up)
                };
            }
        }
    }
}

/// The lowest layers of 256 values.
///
/// # Safety
/// 256 values are readable at `from` and writable at `to`.
#[inline(always)]
unsafe fn base<I: Isa>(
    from: *const M31,
    to: *mut M31,
    number: usize,
    layers: &[Layer<'_>],
    scale: Option<M31>,
    up: bool,
) {
    let layers: &[Layer; LOG_BASE as usize] = layers.first_chunk().expect("a column has at least so many layers");
    // SAFETY: the caller's promise.
    unsafe {
        if up {
            pass::base_up::<I::M31>(from.cast(), to.cast(), number, layers, scale);
        } else {
            pass::base_down::<I::M31>(from.cast(), to.cast(), number, layers);
        }
    }
}
