//! Columns too small for registers.

use field::M31;

use crate::circle::factors::Layer;

/// Coefficients to values on block `number` of its size.
pub(super) fn evaluate(block: &mut [M31], number: usize, layers: &[Layer<'_>]) {
    let bits = block.len().ilog2() as usize;
    if bits == 0 {
        return;
    }
    let t = layers[bits - 1].values[number];
    let (low, high) = block.split_at_mut(block.len() / 2);
    for (a, b) in low.iter_mut().zip(&mut *high) {
        let product = t * *b;
        (*a, *b) = (*a + product, *a - product);
    }
    evaluate(low, 2 * number, layers);
    evaluate(high, 2 * number + 1, layers);
}

/// Values on block `number` of its size to coefficients times the size.
pub(super) fn interpolate(block: &mut [M31], number: usize, layers: &[Layer<'_>]) {
    let bits = block.len().ilog2() as usize;
    if bits == 0 {
        return;
    }
    let t = layers[bits - 1].inverses[number];
    let (low, high) = block.split_at_mut(block.len() / 2);
    interpolate(low, 2 * number, layers);
    interpolate(high, 2 * number + 1, layers);
    for (a, b) in low.iter_mut().zip(high) {
        (*a, *b) = (*a + *b, (*a - *b) * t);
    }
}
