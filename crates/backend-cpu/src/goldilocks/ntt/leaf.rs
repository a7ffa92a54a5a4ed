//! The last six levels of a transform, 64 elements at a time, read and written once.
//!
//! The 64 elements are an 8 x 8 matrix, row t holding elements 8t..8t+8. A forward leaf that starts at the point c is:
//! row t times `c^(8t)`, transforms of size 8 down the columns; then row k is a transform of size 8 that starts at
//! `c root(6)^br(k)`: column u times `c^u root(6)^(u br(k))`, transforms along the rows (transposed, so that lanes stay
//! independent).
#![allow(clippy::needless_range_loop, reason = "row and column numbers are what the loops are about")]

use field::Goldilocks;

use super::dft;
use super::roots::{Direction, leaf_table, part_first};
use crate::goldilocks::arith::{Packed, Register};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// The body once for each number: an index into an array of registers must be a constant, or the array goes to memory.
macro_rules! each {
    ($t:ident in $($number:literal)*: $body:block) => {
        $({
            const $t: usize = $number;
            $body
        })*
    };
}

/// Elements of a leaf.
pub(super) const LEAF: usize = 64;
/// Most leaves that one call handles: the widest pass makes 16, cut in two.
const MOST_LEAVES: usize = 8;

/// The powers of the first points `c[l]` of up to eight leaves.
struct Powers {
    /// `near[u][l] = c[l]^u`.
    near: [[u64; 8]; 8],
    /// `far[t][l] = c[l]^(8t)`.
    far: [[u64; 8]; 8],
}

impl Powers {
    #[inline(always)]
    fn new<V: Packed>(first: &[u64; 8]) -> Self {
        let mut powers = Self { near: [[1; 8]; 8], far: [[1; 8]; 8] };
        let mut at = 0;
        while at < 8 {
            // SAFETY: at + LANES <= 8, the length of every array read or written.
            unsafe {
                // Short chains of products: the first leaf waits for them.
                let c1 = V::load_raw(first.as_ptr().add(at));
                let c8 = store_powers(c1, powers.near.as_mut_ptr().cast::<u64>().add(at));
                store_powers(c8, powers.far.as_mut_ptr().cast::<u64>().add(at));
            }
            at += V::LANES;
        }
        powers
    }
}

/// Stores `c^t` at `rows + 8t`, t in 1..8, and returns `c^8`.
///
/// # Safety
/// `rows` must be writable up to `56 + LANES`.
#[inline(always)]
unsafe fn store_powers<V: Packed>(c: V, rows: *mut u64) -> V {
    let c2 = c.square();
    let c3 = c2.mul(c);
    let c4 = c2.square();
    let powers = [c, c2, c3, c4, c4.mul(c), c3.square(), c4.mul(c3)];
    each!(T in 0 1 2 3 4 5 6: {
        // SAFETY: the caller's promise.
        unsafe { powers[T].store_raw(rows.add(8 * (T + 1))) };
    });
    c4.square()
}

/// A block of `64 * leaves` elements whose earlier passes are done.
struct Forward<'a> {
    block: &'a mut [u64],
    first: &'a [u64; 8],
    table: &'a [[u64; 8]; 8],
}

impl Kernel for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let powers = Powers::new::<I::Goldilocks>(self.first);
        let groups = 8 / I::Goldilocks::LANES;
        for (l, leaf) in self.block.chunks_exact_mut(LEAF).enumerate() {
            let base = leaf.as_mut_ptr();
            let mut rows = [[I::Goldilocks::splat_raw(0); 8]; 8];
            // SAFETY: all offsets are 8 * (row below 8) + (column below 8, a multiple of the lanes), inside the leaf or
            // table.
            unsafe {
                for g in 0..groups {
                    let mut x = [I::Goldilocks::splat_raw(0); 8];
                    for t in 0..8 {
                        x[t] = I::Goldilocks::load_raw(base.add(8 * t + g * I::Goldilocks::LANES));
                    }
                    each!(T in 1 2 3 4 5 6 7: {
                        x[T] = x[T].mul(I::Goldilocks::splat_raw(powers.far[T][l]));
                    });
                    dft::forward(&mut x);
                    rows[g] = x;
                }
                for k in 0..groups {
                    let mut x = [I::Goldilocks::splat_raw(0); 8];
                    for g in 0..groups {
                        for r in 0..I::Goldilocks::LANES {
                            x[g * I::Goldilocks::LANES + r] = rows[g][k * I::Goldilocks::LANES + r];
                        }
                    }
                    I::Goldilocks::transpose(&mut x);
                    each!(U in 1 2 3 4 5 6 7: {
                        let entry = I::Goldilocks::load_raw(self.table[U].as_ptr().add(k * I::Goldilocks::LANES));
                        x[U] = x[U].mul(entry.mul(I::Goldilocks::splat_raw(powers.near[U][l])));
                    });
                    dft::forward(&mut x);
                    I::Goldilocks::transpose(&mut x);
                    for g in 0..groups {
                        for r in 0..I::Goldilocks::LANES {
                            x[g * I::Goldilocks::LANES + r]
                                .canonical()
                                .store_raw(base.add(8 * (k * I::Goldilocks::LANES + r) + g * I::Goldilocks::LANES));
                        }
                    }
                }
            }
        }
    }
}

/// The same steps backwards, each inverted; the last multiplication carries `scale` as well.
struct Inverse<'a> {
    block: &'a mut [u64],
    first: &'a [u64; 8],
    table: &'a [[u64; 8]; 8],
    scale: Option<u64>,
}

impl Kernel for Inverse<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let powers = Powers::new::<I::Goldilocks>(self.first);
        let groups = 8 / I::Goldilocks::LANES;
        for (l, leaf) in self.block.chunks_exact_mut(LEAF).enumerate() {
            let base = leaf.as_mut_ptr();
            let mut rows = [[I::Goldilocks::splat_raw(0); 8]; 8];
            // SAFETY: all offsets are 8 * (row below 8) + (column below 8, a multiple of the lanes), inside the leaf or
            // table.
            unsafe {
                for k in 0..groups {
                    let mut x = [I::Goldilocks::splat_raw(0); 8];
                    for g in 0..groups {
                        for r in 0..I::Goldilocks::LANES {
                            x[g * I::Goldilocks::LANES + r] = I::Goldilocks::load_raw(
                                base.add(8 * (k * I::Goldilocks::LANES + r) + g * I::Goldilocks::LANES),
                            );
                        }
                    }
                    I::Goldilocks::transpose(&mut x);
                    dft::inverse(&mut x);
                    each!(U in 1 2 3 4 5 6 7: {
                        let entry = I::Goldilocks::load_raw(self.table[U].as_ptr().add(k * I::Goldilocks::LANES));
                        x[U] = x[U].mul(entry.mul(I::Goldilocks::splat_raw(powers.near[U][l])));
                    });
                    I::Goldilocks::transpose(&mut x);
                    for g in 0..groups {
                        for r in 0..I::Goldilocks::LANES {
                            rows[g][k * I::Goldilocks::LANES + r] = x[g * I::Goldilocks::LANES + r];
                        }
                    }
                }
                for g in 0..groups {
                    let mut x = rows[g];
                    dft::inverse(&mut x);
                    each!(T in 1 2 3 4 5 6 7: {
                        x[T] = x[T].mul(I::Goldilocks::splat_raw(powers.far[T][l]));
                    });
                    if let Some(scale) = self.scale {
                        each!(T in 0 1 2 3 4 5 6 7: {
                            x[T] = x[T].mul(I::Goldilocks::splat_raw(scale)).canonical();
                        });
                    }
                    for t in 0..8 {
                        x[t].store_raw(base.add(8 * t + g * I::Goldilocks::LANES));
                    }
                }
            }
        }
    }
}

/// The first points of the leaves of a block of size `2^bits` that starts at `first`.
fn leaf_firsts(direction: Direction, first: Goldilocks, bits: u32) -> [u64; 8] {
    let leaves_log = bits - LEAF.ilog2();
    std::array::from_fn(|l| {
        if l >> leaves_log == 0 { part_first(direction, first, bits, leaves_log, l).value() } else { 0 }
    })
}

/// Finishes a forward block whose passes down to the leaves are done; the results are canonical.
pub(super) fn forward(level: SimdLevel, block: &mut [u64], first: Goldilocks) {
    if block.len() > LEAF * MOST_LEAVES {
        let second = part_first(Direction::Forward, first, block.len().ilog2(), 1, 1);
        let (low, high) = block.split_at_mut(block.len() / 2);
        forward(level, low, first);
        forward(level, high, second);
        return;
    }
    let firsts = leaf_firsts(Direction::Forward, first, block.len().ilog2());
    dispatch(level, Forward { block, first: &firsts, table: leaf_table(Direction::Forward) });
}

/// Starts an inverse block: all of its leaves. `first` is the inverse of the block's first point. With a scale the
/// results are final: scaled and canonical.
pub(super) fn inverse(level: SimdLevel, block: &mut [u64], first: Goldilocks, scale: Option<Goldilocks>) {
    if block.len() > LEAF * MOST_LEAVES {
        let second = part_first(Direction::Inverse, first, block.len().ilog2(), 1, 1);
        let (low, high) = block.split_at_mut(block.len() / 2);
        inverse(level, low, first, scale);
        inverse(level, high, second, scale);
        return;
    }
    let firsts = leaf_firsts(Direction::Inverse, first, block.len().ilog2());
    dispatch(
        level,
        Inverse { block, first: &firsts, table: leaf_table(Direction::Inverse), scale: scale.map(Goldilocks::value) },
    );
}
