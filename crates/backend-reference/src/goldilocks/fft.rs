//! Polynomials on cosets `shift * <root>`: `f(X) = sum c_i X^i` against its values at `shift * root^k`.

use field::{Field, Goldilocks, bit_reverse, powers};
use gpu_hal::{CosetDomain, EvalOrder};

/// From coefficients to values, in place, for every column of `2^log_size` elements.
pub(super) fn evaluate(columns: &mut [Goldilocks], domain: &CosetDomain<Goldilocks>, order: EvalOrder) {
    for column in columns.chunks_exact_mut(1 << domain.log_size) {
        // f(shift * root^k) is the plain transform of the coefficients c_i shift^i.
        scale(column, Goldilocks::ONE, domain.shift);
        transform(column, domain.generator());
        if order == EvalOrder::Row {
            bit_reverse_permute(column);
        }
    }
}

/// From values to coefficients, in place, for every column of `2^log_size` elements.
pub(super) fn interpolate(columns: &mut [Goldilocks], domain: &CosetDomain<Goldilocks>, order: EvalOrder) {
    // The inverse transform has the inverse root and a factor 1/n. Neither a valid shift nor a power of two is zero.
    let root = domain.generator().inverse_or_zero();
    let shift = domain.shift.inverse_or_zero();
    let size = Goldilocks::new(1 << domain.log_size).inverse_or_zero();
    for column in columns.chunks_exact_mut(1 << domain.log_size) {
        if order == EvalOrder::Storage {
            bit_reverse_permute(column);
        }
        transform(column, root);
        bit_reverse_permute(column);
        scale(column, size, shift);
    }
}

/// Puts element `i` where element `bit_reverse(i)` was. Twice is nothing.
fn bit_reverse_permute<T>(values: &mut [T]) {
    let bits = values.len().ilog2();
    for i in 0..values.len() {
        let j = bit_reverse(i, bits);
        if i < j {
            values.swap(i, j);
        }
    }
}

/// `values[i] *= first * ratio^i`.
fn scale(values: &mut [Goldilocks], first: Goldilocks, ratio: Goldilocks) {
    for (value, power) in values.iter_mut().zip(powers(ratio)) {
        *value *= first * power;
    }
}

/// `X_k = sum_i x_i root^(ik)`, natural order in, bit-reversed order out; `root` has the order `n` of the slice's
/// length.
///
/// With `a` and `b` the halves of `x`: `X_{2k}` is the transform of `a + b`, and `X_{2k+1}` that of
/// `(a_i - b_i) root^i`, both of half the length with `root^2`. Even numbers come first in bit-reversed order.
fn transform(values: &mut [Goldilocks], root: Goldilocks) {
    let half = values.len() / 2;
    if half == 0 {
        return;
    }
    let (low, high) = values.split_at_mut(half);
    for ((a, b), power) in low.iter_mut().zip(high.iter_mut()).zip(powers(root)) {
        (*a, *b) = (*a + *b, (*a - *b) * power);
    }
    transform(low, root.square());
    transform(high, root.square());
}
