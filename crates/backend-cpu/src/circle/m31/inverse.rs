//! Batch inversion on lanes.

use super::{LANES, Lanes};

/// Independent chains of products, so that a multiplication need not wait for the one before.
const CHAINS: usize = 4;

/// Replaces every element by its inverse, zeros staying zero. The length is a multiple of 16; `before` is scratch of
/// the same length.
///
/// Montgomery's trick on every lane of every chain, zeros counting as ones: with `P_i` the product of the elements
/// before `i`, going back, `1/x_i = P_i / P_{i+1}`.
#[inline(always)]
pub(crate) fn batch_inverse<V: Lanes>(values: &mut [u32], before: &mut [u32]) {
    assert_eq!(values.len(), before.len(), "scratch as long as the values");
    assert_eq!(values.len() % LANES, 0, "whole registers");
    let registers = values.len() / LANES;
    let chains = if registers.is_multiple_of(CHAINS) { CHAINS } else { 1 };
    let mut products = [V::splat(1); CHAINS];
    let (source, scratch) = (values.as_mut_ptr(), before.as_mut_ptr());
    for step in 0..registers / chains {
        for (chain, product) in products.iter_mut().enumerate().take(chains) {
            let at = (step * chains + chain) * LANES;
            // SAFETY: `at + 16` is at most the length of both slices.
            unsafe {
                product.store(scratch.add(at));
                *product = product.mul(one_for_zero(V::load(source.add(at))));
            }
        }
    }
    let mut inverses = products;
    for inverse in inverses.iter_mut().take(chains) {
        *inverse = invert(*inverse);
    }
    for step in (0..registers / chains).rev() {
        for (chain, inverse) in inverses.iter_mut().enumerate().take(chains) {
            let at = (step * chains + chain) * LANES;
            // SAFETY: `at + 16` is at most the length of both slices.
            unsafe {
                let value = V::load(source.add(at));
                inverse.mul(V::load(scratch.add(at))).and(value.nonzero_mask()).store(source.add(at));
                *inverse = inverse.mul(one_for_zero(value));
            }
        }
    }
}

#[inline(always)]
fn one_for_zero<V: Lanes>(value: V) -> V {
    let one = V::splat(1);
    value.wrapping_add(one.wrapping_sub(value.min(one)))
}

#[inline(always)]
fn squares<V: Lanes>(value: V, count: usize) -> V {
    let mut result = value;
    for _ in 0..count {
        result = result.square();
    }
    result
}

/// Fermat: `x^(p-2)`, with `p - 2 = (2^29 - 1) 4 + 1`; `run k` is `x^(2^k - 1)`.
#[inline(always)]
fn invert<V: Lanes>(x: V) -> V {
    let run2 = x.square().mul(x);
    let run4 = squares(run2, 2).mul(run2);
    let run5 = run4.square().mul(x);
    let run8 = squares(run4, 4).mul(run4);
    let run16 = squares(run8, 8).mul(run8);
    let run24 = squares(run16, 8).mul(run8);
    let run29 = squares(run24, 5).mul(run5);
    squares(run29, 2).mul(x)
}
