//! The recursion over blocks: a pass over the block, then its sub-blocks one after the other.
//!
//! Depth first, so that a sub-block stays in the cache that it fits until it is finished; only the passes over blocks
//! that are larger than a cache read it from the next one.

use field::{Field, Goldilocks, PrimeField};
use rayon::prelude::*;

use super::leaf::{self, LEAF};
use super::pass;
use super::roots::{Direction, part_first, pass_twiddles, root};
use crate::simd::SimdLevel;

/// Blocks below this size (128 KB) are not worth sharing between threads.
const SHARED_LOG: u32 = 14;

/// How to run a transform.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) level: SimdLevel,
    /// Whether threads share the work inside a column.
    pub(super) parallel: bool,
}

/// Levels that the next pass over a block of size `2^bits` takes: three, or four where three would leave one or two.
fn pass_log(bits: u32) -> u32 {
    match bits - LEAF.ilog2() {
        rest @ 0..=2 => rest,
        // Seven levels are 4 + 3, eight are 4 + 4, five are 3 + 2.
        rest if !rest.is_multiple_of(3) && rest != 5 => 4,
        _ => 3,
    }
}

/// Coefficients in natural order to values in bit-reversed order at the points of the block that starts at `first`.
///
/// Reads the coefficients from `source` if there is one, else from `block`. The results are canonical.
pub(super) fn forward(plan: Plan, source: Option<&[u64]>, block: &mut [u64], first: Goldilocks) {
    let bits = block.len().ilog2();
    if block.len() <= LEAF {
        if let Some(source) = source {
            block.copy_from_slice(source);
        }
        if block.len() == LEAF {
            leaf::forward(plan.level, block, first);
        } else {
            small_forward(block, first);
        }
        return;
    }
    match pass_log(bits) {
        1 => forward_pass::<2>(plan, source, block, first),
        2 => forward_pass::<4>(plan, source, block, first),
        3 => forward_pass::<8>(plan, source, block, first),
        _ => forward_pass::<16>(plan, source, block, first),
    }
}

fn forward_pass<const R: usize>(plan: Plan, source: Option<&[u64]>, block: &mut [u64], first: Goldilocks) {
    let bits = block.len().ilog2();
    let row_log = bits - R.ilog2();
    let parallel = plan.parallel && bits >= SHARED_LOG;
    let twiddles = pass_twiddles::<R>(first, row_log, Goldilocks::ONE);
    pass::forward(plan.level, source, block, &twiddles, parallel);
    let part = |(t, part): (usize, &mut [u64])| {
        let first = part_first(Direction::Forward, first, bits, R.ilog2(), t);
        forward(plan, None, part, first);
    };
    if block.len() / R == LEAF {
        leaf::forward(plan.level, block, first);
    } else if parallel {
        block.par_chunks_exact_mut(1 << row_log).enumerate().for_each(part);
    } else {
        block.chunks_exact_mut(1 << row_log).enumerate().for_each(part);
    }
}

/// Values in bit-reversed order at the points of a block to coefficients in natural order, in place.
///
/// `first` is the inverse of the block's first point. With a scale the results are final: multiplied by it, and
/// canonical; it should then be the inverse of the block's length.
pub(super) fn inverse(plan: Plan, block: &mut [u64], first: Goldilocks, scale: Option<Goldilocks>) {
    let bits = block.len().ilog2();
    if block.len() < LEAF {
        small_inverse(block, first);
        if let Some(scale) = scale {
            for x in block {
                *x = (Goldilocks::from_u64(*x) * scale).value();
            }
        }
    } else if block.len() == LEAF {
        leaf::inverse(plan.level, block, first, scale);
    } else {
        match pass_log(bits) {
            1 => inverse_pass::<2>(plan, block, first, scale),
            2 => inverse_pass::<4>(plan, block, first, scale),
            3 => inverse_pass::<8>(plan, block, first, scale),
            _ => inverse_pass::<16>(plan, block, first, scale),
        }
    }
}

fn inverse_pass<const R: usize>(plan: Plan, block: &mut [u64], first: Goldilocks, scale: Option<Goldilocks>) {
    let bits = block.len().ilog2();
    let row_log = bits - R.ilog2();
    let parallel = plan.parallel && bits >= SHARED_LOG;
    let part = |(t, part): (usize, &mut [u64])| {
        let first = part_first(Direction::Inverse, first, bits, R.ilog2(), t);
        inverse(plan, part, first, None);
    };
    if block.len() / R == LEAF {
        leaf::inverse(plan.level, block, first, None);
    } else if parallel {
        block.par_chunks_exact_mut(1 << row_log).enumerate().for_each(part);
    } else {
        block.chunks_exact_mut(1 << row_log).enumerate().for_each(part);
    }
    let twiddles = pass_twiddles::<R>(first, row_log, scale.unwrap_or(Goldilocks::ONE));
    pass::inverse(plan.level, block, &twiddles, scale.is_some(), parallel);
}

/// [`forward`] for blocks too small for lanes: `f mod (x^m - s)` and `f mod (x^m + s)`, `s = first^m`, again and again.
fn small_forward(block: &mut [u64], first: Goldilocks) {
    let half = block.len() / 2;
    if half == 0 {
        return;
    }
    let s = first.pow(half as u64);
    let (low, high) = block.split_at_mut(half);
    for (a, b) in low.iter_mut().zip(high.iter_mut()) {
        let (x, y) = (Goldilocks::from_u64(*a), Goldilocks::from_u64(*b) * s);
        (*a, *b) = ((x + y).value(), (x - y).value());
    }
    let second = first * root(Direction::Forward, half.ilog2() + 1);
    small_forward(low, first);
    small_forward(high, second);
}

/// [`inverse`] for blocks too small for lanes, without the scale.
fn small_inverse(block: &mut [u64], first: Goldilocks) {
    let half = block.len() / 2;
    if half == 0 {
        return;
    }
    let (low, high) = block.split_at_mut(half);
    let second = first * root(Direction::Inverse, half.ilog2() + 1);
    small_inverse(low, first);
    small_inverse(high, second);
    let s = first.pow(half as u64);
    for (a, b) in low.iter_mut().zip(high.iter_mut()) {
        let (x, y) = (Goldilocks::from_u64(*a), Goldilocks::from_u64(*b));
        (*a, *b) = ((x + y).value(), ((x - y) * s).value());
    }
}
