//! Between the order of rows and storage order.
//!
//! On a circle domain of `2^n` points rows `2k` and `2k + 1` are stored at `2 br(k)` and `2 br(-1 - k) + 1`, with `br`
//! the reversal of `n - 1` bits (circle.md, section 1). So the even rows are a bit reversal, and so are the odd ones
//! from the last to the first.

use field::{M31, bit_reverse};
use gpu_hal::{CircleDomain, Domain as _};

use crate::circle::m31::{LANES, Lanes, transpose};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// Columns from this size on are turned by squares of 16 times 16 pairs.
const LOG_SQUARES: u32 = 9;

/// From rows to storage order.
pub(super) fn to_storage(level: SimdLevel, domain: &CircleDomain, rows: &[M31], stored: &mut [M31]) {
    match *domain {
        CircleDomain::Circle { log_size, .. } if log_size >= LOG_SQUARES => {
            dispatch(level, Squares { rows, stored, bits: log_size - 1 });
        }
        _ => rows.iter().enumerate().for_each(|(row, value)| stored[domain.row_to_storage(row)] = *value),
    }
}

/// From storage order to rows.
pub(super) fn from_storage(level: SimdLevel, domain: &CircleDomain, stored: &[M31], rows: &mut [M31]) {
    match *domain {
        CircleDomain::Circle { log_size, .. } if log_size >= LOG_SQUARES => {
            dispatch(level, SquaresBack { stored, rows, bits: log_size - 1 });
        }
        _ => rows.iter_mut().enumerate().for_each(|(row, value)| *value = stored[domain.row_to_storage(row)]),
    }
}

/// The even and the odd ones of 32 values from `first` on.
#[inline(always)]
fn load_pairs<V: Lanes>(values: &[M31], first: usize) -> (V, V) {
    let values = values[first..first + 2 * LANES].as_ptr().cast::<u32>();
    // SAFETY: 32 values.
    let (a, b) = unsafe { (V::load(values), V::load(values.add(LANES))) };
    a.deinterleave(b)
}

/// The inverse of [`load_pairs`]: it writes pairs.
#[inline(always)]
fn store_pairs<V: Lanes>(values: &mut [M31], first: usize, even: V, odd: V) {
    let values = values[first..first + 2 * LANES].as_mut_ptr().cast::<u32>();
    let (a, b) = even.interleave(odd);
    // SAFETY: 32 values of a slice that is ours alone.
    unsafe {
        a.store(values);
        b.store(values.add(LANES));
    }
}

struct Squares<'a> {
    rows: &'a [M31],
    stored: &'a mut [M31],
    /// Bits of the number of a pair of rows.
    bits: u32,
}

impl Squares<'_> {
    /// The even (`odd = 0`) or odd rows of the pairs `j << (bits - 4) | middle << 4 | lane`, transposed: register
    /// `lane`, lane `br(j)`, or `15 - br(j)` for odd rows.
    #[inline(always)]
    fn square<V: Lanes>(&self, middle: usize, odd: bool) -> [V; LANES] {
        let mut registers = [V::splat(0); LANES];
        for (at, register) in registers.iter_mut().enumerate() {
            let j = bit_reverse(if odd { LANES - 1 - at } else { at }, 4);
            let first = 2 * ((j << (self.bits - 4)) | (middle << 4));
            let (even_rows, odd_rows) = load_pairs::<V>(self.rows, first);
            *register = if odd { odd_rows } else { even_rows };
        }
        transpose(registers)
    }
}

impl Kernel for Squares<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let middle_bits = self.bits - 8;
        let last = (1 << middle_bits) - 1;
        for middle in 0..=last {
            let even = self.square::<I::M31>(middle, false);
            // The odd rows that go beside them: all bits of the number of the pair are turned.
            let odd = self.square::<I::M31>(last - middle, true);
            for lane in 0..LANES {
                let pair = (bit_reverse(lane, 4) << (self.bits - 4)) | (bit_reverse(middle, middle_bits) << 4);
                store_pairs(self.stored, 2 * pair, even[lane], odd[LANES - 1 - lane]);
            }
        }
    }
}

struct SquaresBack<'a> {
    stored: &'a [M31],
    rows: &'a mut [M31],
    /// Bits of the number of a pair of rows.
    bits: u32,
}

impl SquaresBack<'_> {
    /// The result of [`Squares::square`] for `middle`: the even or the odd places of the pairs that it stores,
    /// transposed back. Register `at` has the rows of `j = br(at)`, or of `br(15 - at)` for odd rows.
    #[inline(always)]
    fn square<V: Lanes>(&self, middle: usize, odd: bool) -> [V; LANES] {
        let middle_bits = self.bits - 8;
        let place = if odd { (1 << middle_bits) - 1 - middle } else { middle };
        let mut registers = [V::splat(0); LANES];
        for lane in 0..LANES {
            let pair = (bit_reverse(lane, 4) << (self.bits - 4)) | (bit_reverse(place, middle_bits) << 4);
            let (even, odd_places) = load_pairs::<V>(self.stored, 2 * pair);
            if odd {
                registers[LANES - 1 - lane] = odd_places;
            } else {
                registers[lane] = even;
            }
        }
        transpose(registers)
    }
}

impl Kernel for SquaresBack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        for middle in 0..1 << (self.bits - 8) {
            let (even, odd) = (self.square::<I::M31>(middle, false), self.square::<I::M31>(middle, true));
            for (at, even) in even.into_iter().enumerate() {
                let first = 2 * ((bit_reverse(at, 4) << (self.bits - 4)) | (middle << 4));
                store_pairs(self.rows, first, even, odd[LANES - 1 - at]);
            }
        }
    }
}
