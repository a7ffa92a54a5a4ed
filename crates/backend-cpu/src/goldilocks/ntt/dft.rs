//! Small transforms in registers, where every twiddle is a power of two.
//!
//! 2 has order 192 in the field: with the protocol's roots, `root(2) = i = 2^48`, `root(3) = -2^24` and
//! `root(3)^3 = -2^72`; the odd powers 1, 3, 5, 7 of `root(4)` are `-2^60, 2^84, 2^12, -2^36`. A factor -1 is folded
//! into the next butterfly by exchanging its outputs.

use crate::goldilocks::arith::Packed;

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
/// R is 2, 4, 8 or 16.
#[inline(always)]
pub(super) fn forward<V: Packed, const R: usize>(x: &mut [V; R]) {
    const { assert!(matches!(R, 2 | 4 | 8 | 16)) };
    if R >= 16 {
        forward_16_upper(x);
    }
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

/// The first level of a transform of size 16, and all of its upper half.
#[inline(always)]
fn forward_16_upper<V: Packed>(x: &mut [V]) {
    plus(x, 0, 8);
    plus(x, 1, 9);
    plus(x, 2, 10);
    plus(x, 3, 11);
    plus(x, 4, 12);
    plus(x, 5, 13);
    plus(x, 6, 14);
    plus(x, 7, 15);
    x[12] = x[12].mul_2exp48();
    x[13] = x[13].mul_2exp48();
    x[14] = x[14].mul_2exp48();
    x[15] = x[15].mul_2exp48();
    plus(x, 8, 12);
    plus(x, 9, 13);
    plus(x, 10, 14);
    plus(x, 11, 15);
    x[10] = x[10].mul_2exp24();
    x[11] = x[11].mul_2exp24();
    x[14] = x[14].mul_2exp72();
    x[15] = x[15].mul_2exp72();
    minus(x, 8, 10);
    minus(x, 9, 11);
    minus(x, 12, 14);
    minus(x, 13, 15);
    x[9] = x[9].mul_2exp60();
    x[11] = x[11].mul_2exp12();
    x[13] = x[13].mul_2exp84();
    x[15] = x[15].mul_2exp36();
    minus(x, 8, 9);
    plus(x, 10, 11);
    plus(x, 12, 13);
    minus(x, 14, 15);
}

/// `y[t] = sum_k x[br(k)] root(log R)^(-t k)`: bit-reversed order in, natural out, not divided by R.
///
/// `root(2)^-1 = -2^48`, `root(3)^-1 = 2^72`, `root(3)^-3 = 2^24`; the powers -1, -3, -5, -7 of `root(4)` are
/// `2^36, -2^12, -2^84, 2^60`. R is 2, 4, 8 or 16.
#[inline(always)]
pub(super) fn inverse<V: Packed, const R: usize>(x: &mut [V; R]) {
    const { assert!(matches!(R, 2 | 4 | 8 | 16)) };
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
    if R >= 16 {
        inverse_16_upper(x);
    }
}

/// The upper half of an inverse transform of size 16, and its last level.
#[inline(always)]
fn inverse_16_upper<V: Packed>(x: &mut [V]) {
    plus(x, 8, 9);
    plus(x, 10, 11);
    plus(x, 12, 13);
    plus(x, 14, 15);
    x[9] = x[9].mul_2exp36();
    x[11] = x[11].mul_2exp84();
    x[13] = x[13].mul_2exp12();
    x[15] = x[15].mul_2exp60();
    plus(x, 8, 10);
    minus(x, 9, 11);
    plus(x, 12, 14);
    // x[13] still lacks its sign: the difference takes it in, the sum passes it on to minus(11, 15).
    (x[15], x[13]) = x[15].butterfly(x[13]);
    x[10] = x[10].mul_2exp72();
    x[11] = x[11].mul_2exp72();
    x[14] = x[14].mul_2exp24();
    x[15] = x[15].mul_2exp24();
    plus(x, 8, 12);
    plus(x, 9, 13);
    plus(x, 10, 14);
    minus(x, 11, 15);
    x[12] = x[12].mul_2exp48();
    x[13] = x[13].mul_2exp48();
    x[14] = x[14].mul_2exp48();
    x[15] = x[15].mul_2exp48();
    plus(x, 0, 8);
    plus(x, 1, 9);
    plus(x, 2, 10);
    plus(x, 3, 11);
    minus(x, 4, 12);
    minus(x, 5, 13);
    minus(x, 6, 14);
    minus(x, 7, 15);
}
