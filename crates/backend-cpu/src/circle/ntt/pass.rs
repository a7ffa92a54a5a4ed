//! Several layers at a time on registers. Upward, from values to coefficients, `(a, b)` becomes `(a + b, (a - b)/t)`;
//! downward it becomes `(a + t b, a - t b)`.

use std::ops::Range;

use field::M31;

use crate::circle::factors::Layer;
use crate::circle::m31::{LANES, Lanes};

/// Log2 of the values that [`base_up`] and [`base_down`] take.
pub(super) const LOG_BASE: u32 = 8;

#[inline(always)]
fn up<V: Lanes>(a: V, b: V, even: V, odd: V) -> (V, V) {
    (a.add(b), a.sub(b).mul_prepared(even, odd))
}

#[inline(always)]
fn down<V: Lanes>(a: V, b: V, even: V, odd: V) -> (V, V) {
    let product = b.mul_prepared(even, odd);
    (a.add(product), a.sub(product))
}

/// A factor of all lanes, doubled.
#[inline(always)]
fn uniform<V: Lanes>(factor: M31) -> V {
    V::splat(factor.value() << 1)
}

/// Layers of `REGISTERS = 2^r` registers: `layers[k]` pairs registers `2^k` apart, blocks of the last one are numbered
/// `number`.
#[inline(always)]
fn layers_up<V: Lanes, const REGISTERS: usize>(x: &mut [V; REGISTERS], number: usize, layers: &[Layer<'_>]) {
    let radix = REGISTERS.trailing_zeros() as usize;
    for (k, layer) in layers.iter().enumerate().take(radix) {
        let distance = 1 << k;
        let factors = &layer.inverses[number << (radix - 1 - k)..][..1 << (radix - 1 - k)];
        for (block, factor) in factors.iter().enumerate() {
            let factor = uniform::<V>(*factor);
            for l in 0..distance {
                let at = block * 2 * distance + l;
                (x[at], x[at + distance]) = up(x[at], x[at + distance], factor, factor);
            }
        }
    }
}

#[inline(always)]
fn layers_down<V: Lanes, const REGISTERS: usize>(x: &mut [V; REGISTERS], number: usize, layers: &[Layer<'_>]) {
    let radix = REGISTERS.trailing_zeros() as usize;
    for back in 0..radix {
        let k = radix - 1 - back;
        let distance = 1 << k;
        let factors = &layers[k].values[number << back..][..1 << back];
        for (block, factor) in factors.iter().enumerate() {
            let factor = uniform::<V>(*factor);
            for l in 0..distance {
                let at = block * 2 * distance + l;
                (x[at], x[at + distance]) = down(x[at], x[at + distance], factor, factor);
            }
        }
    }
}

/// A pass over `REGISTERS` strides, at the given places of a stride.
///
/// # Safety
/// `from` must be readable and `to` writable for `REGISTERS * stride` words; the places lie in a stride, from a
/// multiple of 16 to another.
#[inline(always)]
pub(super) unsafe fn run<V: Lanes, const REGISTERS: usize>(
    from: *const u32,
    to: *mut u32,
    strides: (Range<usize>, usize),
    number: usize,
    layers: &[Layer<'_>],
    scale: Option<M31>,
    is_up: bool,
) {
    let (places, stride) = strides;
    let mut at = places.start;
    while at < places.end {
        let mut x = [V::splat(0); REGISTERS];
        for (j, register) in x.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *register = unsafe { V::load(from.add(j * stride + at)) };
        }
        if is_up {
            layers_up(&mut x, number, layers);
            if let Some(scale) = scale {
                for register in &mut x {
                    *register = register.scale(scale);
                }
            }
        } else {
            layers_down(&mut x, number, layers);
        }
        for (j, register) in x.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { register.store(to.add(j * stride + at)) };
        }
        at += LANES;
    }
}

/// The factors of the lanes of a pair of registers, doubled: after `k < 4` deinterleaves the lanes hold the blocks one
/// after the other, `COUNT = 16 >> k` of them, `2^k` times. The first factor is number `first`.
#[inline(always)]
fn lanes_of<V: Lanes, const COUNT: usize>(factors: &[M31], first: usize) -> (V, V) {
    let factors = &factors[first..first + COUNT];
    // SAFETY: there are `COUNT` of them.
    let even = unsafe { V::load_repeated::<COUNT>(factors.as_ptr().cast()) };
    let even = even.wrapping_add(even);
    (even, even.odds())
}

/// The lowest 8 layers of 256 values, upward.
///
/// # Safety
/// `from` must be readable and `to` writable for 256 words.
#[inline(always)]
pub(super) unsafe fn base_up<V: Lanes>(
    from: *const u32,
    to: *mut u32,
    number: usize,
    layers: &[Layer<'_>; LOG_BASE as usize],
    scale: Option<M31>,
) {
    let mut x = [V::splat(0); 16];
    for pair in 0..8 {
        // SAFETY: the caller's promise.
        let (mut a, mut b) =
            unsafe { (V::load(from.add(2 * pair * LANES)), V::load(from.add((2 * pair + 1) * LANES))) };
        let block = 8 * number + pair;
        let factors = [
            lanes_of::<V, 16>(layers[0].inverses, 16 * block),
            lanes_of::<V, 8>(layers[1].inverses, 8 * block),
            lanes_of::<V, 4>(layers[2].inverses, 4 * block),
            lanes_of::<V, 2>(layers[3].inverses, 2 * block),
            lanes_of::<V, 1>(layers[4].inverses, block),
        ];
        for (even, odd) in factors {
            (a, b) = a.deinterleave(b);
            (a, b) = up(a, b, even, odd);
        }
        (x[2 * pair], x[2 * pair + 1]) = (a, b);
    }
    // Pairs of registers are done; three layers are left.
    let mut halves = [[x[0]; 8]; 2];
    for i in 0..8 {
        (halves[0][i], halves[1][i]) = (x[2 * i], x[2 * i + 1]);
    }
    for half in &mut halves {
        layers_up(half, number, &layers[5..]);
    }
    for i in 0..8 {
        for (side, half) in halves.iter().enumerate() {
            let mut value = half[i];
            if let Some(scale) = scale {
                value = value.scale(scale);
            }
            // SAFETY: the caller's promise.
            unsafe { value.store(to.add((2 * i + side) * LANES)) };
        }
    }
}

/// The lowest 8 layers of 256 values, downward.
///
/// # Safety
/// As for [`base_up`].
#[inline(always)]
pub(super) unsafe fn base_down<V: Lanes>(
    from: *const u32,
    to: *mut u32,
    number: usize,
    layers: &[Layer<'_>; LOG_BASE as usize],
) {
    let mut halves = [[V::splat(0); 8]; 2];
    for i in 0..8 {
        for (side, half) in halves.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            half[i] = unsafe { V::load(from.add((2 * i + side) * LANES)) };
        }
    }
    for half in &mut halves {
        layers_down(half, number, &layers[5..]);
    }
    for (pair, (a, b)) in halves[0].iter().zip(halves[1]).enumerate() {
        let (mut a, mut b) = (*a, b);
        let block = 8 * number + pair;
        let factors = [
            lanes_of::<V, 1>(layers[4].values, block),
            lanes_of::<V, 2>(layers[3].values, 2 * block),
            lanes_of::<V, 4>(layers[2].values, 4 * block),
            lanes_of::<V, 8>(layers[1].values, 8 * block),
            lanes_of::<V, 16>(layers[0].values, 16 * block),
        ];
        for (even, odd) in factors {
            (a, b) = down(a, b, even, odd);
            (a, b) = a.interleave(b);
        }
        // SAFETY: the caller's promise.
        unsafe {
            a.store(to.add(2 * pair * LANES));
            b.store(to.add((2 * pair + 1) * LANES));
        }
    }
}
