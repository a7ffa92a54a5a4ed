//! Programs on lanes of M31, and rows in storage order on a circle.

use field::circle::neighbour_index;
use field::{M31, bit_reverse};

use super::m31::{LANES, Lanes, transpose};
use crate::lanes::FieldLanes;

impl<V: Lanes> FieldLanes<M31> for V {
    type Word = u32;
    const LANES: usize = LANES;

    #[inline(always)]
    unsafe fn load(source: *const u32) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Lanes::load(source) }
    }

    #[inline(always)]
    unsafe fn store(self, target: *mut u32) {
        // SAFETY: the caller's promise.
        unsafe { Lanes::store(self, target) }
    }

    /// Lanes are canonical.
    #[inline(always)]
    fn canonical(self) -> Self {
        self
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Lanes::add(self, other)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Lanes::sub(self, other)
    }

    #[inline(always)]
    fn neg(self) -> Self {
        Lanes::neg(self)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Lanes::mul(self, other)
    }

    #[inline(always)]
    unsafe fn transpose(source: *const u32, stride: usize, target: *mut u32, target_stride: usize) {
        let mut registers = [V::splat(0); LANES];
        for (row, register) in registers.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *register = unsafe { <V as Lanes>::load(source.add(row * stride)) };
        }
        for (row, register) in transpose(registers).into_iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { Lanes::store(register, target.add(row * target_stride)) };
        }
    }
}

/// Steps between rows in storage order on the first `2^log_points` points of a domain, more than the trace's
/// `2^log_trace` rows.
pub struct Steps {
    pub(crate) log_points: u32,
    pub(crate) log_trace: u32,
}

/// [`crate::CpuProtocol`]'s `fetch`.
pub(super) fn fetch<'a>(
    steps: &Steps,
    log_run: u32,
    column: &'a [M31],
    offset: i32,
    run: usize,
    slot: &mut [u32],
) -> Option<&'a [M31]> {
    let Steps { log_points, log_trace } = *steps;
    let (length, first) = (1usize << log_run, run << log_run);
    if log_run > log_points {
        // A run that is longer than the points has them again and again.
        for (v, value) in slot.iter_mut().enumerate() {
            let at = v & ((1 << log_points) - 1);
            *value = column[neighbour_index(at, i64::from(offset), log_trace, log_points)].value();
        }
        return None;
    }
    if offset == 0 {
        return Some(&column[first..first + length]);
    }
    // Points and conjugates alternate, and run in opposite directions (circle.md, section 1). Where the steps of the
    // run's first pair need no carry into the bits of the run, the steps of all its pairs have the same places in
    // another run.
    let half_bits = log_points - 1;
    let high = log_points - log_run;
    let steps = (i64::from(offset) << (log_points - log_trace - 1)) & ((1 << half_bits) - 1);
    let low = bit_reverse(run, high) as i64;
    let (forth, back) = (low + steps, low - steps + (1 << half_bits));
    let stays = |moved: i64| (moved & ((1 << half_bits) - 1)) >> high == 0;
    if stays(forth) && stays(back) {
        let source = |moved: i64| {
            let run = bit_reverse((moved & ((1 << high) - 1)) as usize, high);
            &column[run << log_run..][..length]
        };
        let pairs = source(forth).chunks_exact(2).zip(source(back).chunks_exact(2));
        for (pair, (forth, back)) in slot.chunks_exact_mut(2).zip(pairs) {
            (pair[0], pair[1]) = (forth[0].value(), back[1].value());
        }
    } else {
        for (v, value) in slot.iter_mut().enumerate() {
            *value = column[neighbour_index(first + v, i64::from(offset), log_trace, log_points)].value();
        }
    }
    None
}
