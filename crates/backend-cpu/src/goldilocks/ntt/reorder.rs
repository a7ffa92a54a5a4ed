//! Bit-reversal, an 8 x 8 tile at a time, so that every cache line is read once and written once.
//!
//! Write an index as `a 2^(k-3) + 8 m + b` with a, b < 8. It goes to `br(b) 2^(k-3) + 8 br(m) + br(a)`: the tile of
//! middle m, its rows taken in the order br(a), is transposed into the tile of middle br(m), rows in the order br(b).
#![allow(clippy::needless_range_loop, reason = "row and column numbers are what the loops are about")]

use field::bit_reverse;
use rayon::prelude::*;

use crate::goldilocks::arith::Packed;
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

const BR3: [usize; 8] = [0, 4, 2, 6, 1, 5, 3, 7];

/// Reads the tile that starts at `source` with rows `stride` apart into `tile`, transposed, rows in the order of the
/// target.
///
/// # Safety
/// `source + 7 stride + 8` must be readable.
#[inline(always)]
unsafe fn read_tile<V: Packed>(source: *const u64, stride: usize, tile: &mut [u64; 64]) {
    let groups = 8 / V::LANES;
    for h in 0..groups {
        let mut x = [V::splat_raw(0); 8];
        for g in 0..groups {
            for r in 0..V::LANES {
                // SAFETY: row below 8, column below 8.
                x[g * V::LANES + r] = unsafe { V::load_raw(source.add(BR3[h * V::LANES + r] * stride + g * V::LANES)) };
            }
        }
        V::transpose(&mut x);
        for c in 0..8 {
            // SAFETY: row below 8, column below 8.
            unsafe { x[c].store_raw(tile.as_mut_ptr().add(8 * BR3[c] + h * V::LANES)) };
        }
    }
}

/// Writes a tile that [`read_tile`] read.
///
/// # Safety
/// `target + 7 stride + 8` must be writable.
#[inline(always)]
unsafe fn write_tile<V: Packed>(tile: &[u64; 64], target: *mut u64, stride: usize) {
    for row in 0..8 {
        let mut at = 0;
        while at < 8 {
            // SAFETY: row below 8, column below 8.
            unsafe {
                V::load_raw(tile.as_ptr().add(8 * row + at)).store_raw(target.add(row * stride + at));
            }
            at += V::LANES;
        }
    }
}

/// Tiles `middles` of a copy.
struct CopyTiles {
    source: *const u64,
    target: *mut u64,
    bits: u32,
    middles: std::ops::Range<usize>,
}

// SAFETY: two of these for different middles touch different elements of the target; see `copy`.
unsafe impl Send for CopyTiles {}

impl Kernel for CopyTiles {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let stride = 1 << (self.bits - 3);
        for middle in self.middles {
            let mut tile = [0; 64];
            let to = bit_reverse(middle, self.bits - 6);
            // SAFETY: `copy` checked that both have 2^bits elements.
            unsafe {
                read_tile::<I::Goldilocks>(self.source.add(8 * middle), stride, &mut tile);
                write_tile::<I::Goldilocks>(&tile, self.target.add(8 * to), stride);
            }
        }
    }
}

/// `target[br(i)] = source[i]`. Both have the same length, a power of two.
pub(super) fn copy(level: SimdLevel, source: &[u64], target: &mut [u64], parallel: bool) {
    assert_eq!(source.len(), target.len());
    let bits = source.len().ilog2();
    if bits < 6 {
        for (i, x) in source.iter().enumerate() {
            target[bit_reverse(i, bits)] = *x;
        }
        return;
    }
    let middles = 1usize << (bits - 6);
    let piece = if parallel { middles.min(256) } else { middles };
    let (source, target) = (source.as_ptr(), target.as_mut_ptr());
    let jobs: Vec<_> = (0..middles)
        .step_by(piece)
        .map(|from| CopyTiles { source, target, bits, middles: from..from + piece })
        .collect();
    if parallel {
        jobs.into_par_iter().for_each(|job| dispatch(level, job));
    } else {
        jobs.into_iter().for_each(|job| dispatch(level, job));
    }
}

/// All tiles of a permutation in place.
struct SwapTiles<'a> {
    data: &'a mut [u64],
    bits: u32,
}

impl Kernel for SwapTiles<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let stride = 1 << (self.bits - 3);
        let base = self.data.as_mut_ptr();
        for middle in 0..1usize << (self.bits - 6) {
            let other = bit_reverse(middle, self.bits - 6);
            if other < middle {
                continue;
            }
            let (mut tile, mut other_tile) = ([0; 64], [0; 64]);
            // SAFETY: the slice has 2^bits elements. Where both tiles are one, it is written twice with the same
            // contents.
            unsafe {
                read_tile::<I::Goldilocks>(base.add(8 * middle), stride, &mut tile);
                read_tile::<I::Goldilocks>(base.add(8 * other), stride, &mut other_tile);
                write_tile::<I::Goldilocks>(&tile, base.add(8 * other), stride);
                write_tile::<I::Goldilocks>(&other_tile, base.add(8 * middle), stride);
            }
        }
    }
}

/// Exchanges elements i and br(i). The length is a power of two.
pub(super) fn in_place(level: SimdLevel, data: &mut [u64]) {
    let bits = data.len().ilog2();
    if bits < 6 {
        for i in 0..data.len() {
            let j = bit_reverse(i, bits);
            if i < j {
                data.swap(i, j);
            }
        }
        return;
    }
    dispatch(level, SwapTiles { data, bits });
}
