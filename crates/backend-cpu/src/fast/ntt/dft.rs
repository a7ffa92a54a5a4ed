//! Small transforms in registers, where every twiddle is a power of two.
//!
//! 2 has order 192 in the field: with the protocol's roots, `root(2) = i = 2^48`, `root(3) = -2^24` and
//! `root(3)^3 = -2^72`. A factor -1 is folded into the next butterfly by exchanging its outputs.

use crate::fast::arith::Packed;

/// `(x[i], x[j]) = (x[i] + x[j], x[i] - x[j])`.
#[inline(always)]
fn plus<V: Packed>(x: &mut [V], i: usize, j: usize) {
    (x[i], x[j]) = x[i].butterfly(x[j]);
}

/// `(x[i], x[j]) = (x[i] - x[j], x[i] + x[j])`.
#[inline(always)]
fn minus<V: Packed>(x: &mut [V], i: usize, j: usize) {
    (x[j], x[i]) = x[i].butterfly(x[j]);
}

/// `y[br(k)] = sum_t x[t] root(log R)^(t k)`: natural order in, bit-reversed out.
///
/// R is 1, 2, 4 or 8.
#[inline(always)]
pub(super) fn forward<V: Packed, const R: usize>(x: &mut [V; R]) {
    const { assert!(matches!(R, 1 | 2 | 4 | 8)) };
    if R >= 8 {
        plus(x, 0, 4);
        plus(x, 1, 5);
        plus(x, 2, 6);
        plus(x, 3, 7);
        x[6] = x[6].mul_2exp48();
        x[7] = x[7].mul_2exp48();
    }
    if R >= 4 {
        plus(x, 0, 2);
        plus(x, 1, 3);
        x[3] = x[3].mul_2exp48();
    }
    if R >= 2 {
        plus(x, 0, 1);
    }
    if R >= 4 {
        plus(x, 2, 3);
    }
    if R >= 8 {
        plus(x, 4, 6);
        plus(x, 5, 7);
        x[5] = x[5].mul_2exp24();
        x[7] = x[7].mul_2exp72();
        minus(x, 4, 5);
        minus(x, 6, 7);
    }
}

/// `y[t] = sum_k x[br(k)] root(log R)^(-t k)`: bit-reversed order in, natural out, not divided by R.
///
/// `root(2)^-1 = -2^48`, `root(3)^-1 = 2^72`, `root(3)^-3 = 2^24`. R is 1, 2, 4 or 8.
#[inline(always)]
pub(super) fn inverse<V: Packed, const R: usize>(x: &mut [V; R]) {
    const { assert!(matches!(R, 1 | 2 | 4 | 8)) };
    if R >= 2 {
        plus(x, 0, 1);
    }
    if R >= 4 {
        plus(x, 2, 3);
        x[3] = x[3].mul_2exp48();
        plus(x, 0, 2);
        minus(x, 1, 3);
    }
    if R >= 8 {
        plus(x, 4, 5);
        plus(x, 6, 7);
        x[5] = x[5].mul_2exp72();
        x[7] = x[7].mul_2exp24();
        plus(x, 4, 6);
        plus(x, 5, 7);
        x[6] = x[6].mul_2exp48();
        x[7] = x[7].mul_2exp48();
        plus(x, 0, 4);
        plus(x, 1, 5);
        minus(x, 2, 6);
        minus(x, 3, 7);
    }
}
