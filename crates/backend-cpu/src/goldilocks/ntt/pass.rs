//! One pass over a block: R rows, one small transform across them for every column of the block.
#![allow(clippy::needless_range_loop, reason = "row and column numbers are what the loops are about")]

use rayon::prelude::*;

use super::dft;
use crate::goldilocks::arith::{Packed, Register};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

/// A forward pass: row t times `twiddles[t]`, then a transform of size R across the rows.
struct ForwardPass<'a, const R: usize> {
    /// Where to read; `None` to work in place.
    source: Option<[&'a [u64]; R]>,
    rows: [&'a mut [u64]; R],
    twiddles: &'a [u64; R],
}

impl<const R: usize> Kernel for ForwardPass<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let length = self.rows[0].len();
        assert!(length.is_multiple_of(I::Goldilocks::LANES));
        let mut targets = [std::ptr::null_mut::<u64>(); R];
        let mut sources = [std::ptr::null::<u64>(); R];
        let mut twiddles = [I::Goldilocks::splat_raw(1); R];
        for (t, row) in self.rows.into_iter().enumerate() {
            assert_eq!(row.len(), length);
            targets[t] = row.as_mut_ptr();
            sources[t] = targets[t];
            if let Some(source) = &self.source {
                assert_eq!(source[t].len(), length);
                sources[t] = source[t].as_ptr();
            }
            twiddles[t] = I::Goldilocks::splat_raw(self.twiddles[t]);
        }
        let mut at = 0;
        while at < length {
            let mut x = [twiddles[0]; R];
            // SAFETY: every row has `length` elements, a multiple of the lanes, and at < length.
            unsafe {
                x[0] = I::Goldilocks::load_raw(sources[0].add(at));
                for t in 1..R {
                    x[t] = I::Goldilocks::load_raw(sources[t].add(at)).mul(twiddles[t]);
                }
                dft::forward(&mut x);
                for t in 0..R {
                    x[t].store_raw(targets[t].add(at));
                }
            }
            at += I::Goldilocks::LANES;
        }
    }
}

/// An inverse pass: a transform of size R across the rows, then row t times `twiddles[t]`.
struct InversePass<'a, const R: usize, const LAST: bool> {
    rows: [&'a mut [u64]; R],
    twiddles: &'a [u64; R],
}

impl<const R: usize, const LAST: bool> Kernel for InversePass<'_, R, LAST> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let length = self.rows[0].len();
        assert!(length.is_multiple_of(I::Goldilocks::LANES));
        let mut targets = [std::ptr::null_mut::<u64>(); R];
        let mut twiddles = [I::Goldilocks::splat_raw(1); R];
        for (t, row) in self.rows.into_iter().enumerate() {
            assert_eq!(row.len(), length);
            targets[t] = row.as_mut_ptr();
            twiddles[t] = I::Goldilocks::splat_raw(self.twiddles[t]);
        }
        let mut at = 0;
        while at < length {
            let mut x = [twiddles[0]; R];
            // SAFETY: every row has `length` elements, a multiple of the lanes, and at < length.
            unsafe {
                for t in 0..R {
                    x[t] = I::Goldilocks::load_raw(targets[t].add(at));
                }
                dft::inverse(&mut x);
                for t in 0..R {
                    // Only the last pass carries the factor 1/n, in row 0 as well.
                    if LAST || t > 0 {
                        x[t] = x[t].mul(twiddles[t]);
                    }
                    if LAST {
                        x[t] = x[t].canonical();
                    }
                    x[t].store_raw(targets[t].add(at));
                }
            }
            at += I::Goldilocks::LANES;
        }
    }
}

/// Cuts `R` equal rows into the same pieces: one array of R pieces for each.
fn pieces<const R: usize>(block: &mut [u64], piece: usize) -> Vec<[&mut [u64]; R]> {
    let row = block.len() / R;
    let mut rows: Vec<_> = block.chunks_exact_mut(row).map(|row| row.chunks_mut(piece)).collect();
    (0..row.div_ceil(piece))
        .map(|_| std::array::from_fn(|t| rows[t].next().expect("every row has the same pieces")))
        .collect()
}

/// How long the pieces are that threads share out: the whole row, or enough of them to keep all threads busy.
fn piece_length(row: usize, parallel: bool) -> usize {
    if parallel { (row / (4 * rayon::current_num_threads()).next_power_of_two()).max(row.min(512)) } else { row }
}

/// The forward pass of `block`, read from `source` if there is one.
pub(super) fn forward<const R: usize>(
    level: SimdLevel,
    source: Option<&[u64]>,
    block: &mut [u64],
    twiddles: &[u64; R],
    parallel: bool,
) {
    let row = block.len() / R;
    let length = piece_length(row, parallel);
    let run = |index: usize, rows: [&mut [u64]; R]| {
        let source = source.map(|source| {
            std::array::from_fn(|t| {
                let from = t * row + index * length;
                &source[from..from + rows[t].len()]
            })
        });
        dispatch(level, ForwardPass { source, rows, twiddles });
    };
    if length == row {
        let mut rows = block.chunks_exact_mut(row);
        run(0, std::array::from_fn(|_| rows.next().expect("R rows make up the block")));
    } else {
        pieces(block, length).into_par_iter().enumerate().for_each(|(index, rows)| run(index, rows));
    }
}

/// The inverse pass of `block`. `last`: the results are the final ones, so all rows are scaled, and canonical.
pub(super) fn inverse<const R: usize>(
    level: SimdLevel,
    block: &mut [u64],
    twiddles: &[u64; R],
    last: bool,
    parallel: bool,
) {
    let row = block.len() / R;
    let length = piece_length(row, parallel);
    let run = |rows: [&mut [u64]; R]| {
        if last {
            dispatch(level, InversePass::<R, true> { rows, twiddles });
        } else {
            dispatch(level, InversePass::<R, false> { rows, twiddles });
        }
    };
    if length == row {
        let mut rows = block.chunks_exact_mut(row);
        run(std::array::from_fn(|_| rows.next().expect("R rows make up the block")));
    } else {
        pieces(block, length).into_par_iter().for_each(run);
    }
}
