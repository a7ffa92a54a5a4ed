//! Number-theoretic transforms and low-degree extension over Goldilocks.
//!
//! Columns are stored one after the other, `2^log_n` elements each. `root(k)` is the protocol's root of unity of order
//! `2^k`. Evaluations are on a coset `shift <root(k)>`: in **natural** order element i is the value at
//! `shift root(k)^i`, in **bit-reversed** order (storage order) at `shift root(k)^br(i)`. Coefficients are always in
//! natural order. Values are canonical in and out.
//!
//! The transform in one paragraph: a block of `R m` coefficients is a polynomial f; with c the first point of the block
//! and `s = c^m`, f modulo `x^m - s root(R)^k` for the R values of k are R independent blocks of size m. One pass gives
//! them all: row t of the R rows is multiplied by `s^t`, then a transform of size R goes across the rows. The shift of
//! a coset is part of c and costs nothing, and the only tables are the 33 roots and one of 64 entries; R = 8, so the
//! inner transforms are additions and shifts. All threads of the current rayon pool share columns and, when there are
//! few, their parts.

mod block;
mod dft;
mod leaf;
mod pass;
mod reorder;
mod roots;
#[cfg(test)]
mod tests;

use std::fmt;

use field::{Field, Goldilocks, PrimeField};
use gpu_hal::CancelToken;
use rayon::prelude::*;

use self::block::Plan;
use self::roots::{Direction, part_first};
use crate::simd::SimdLevel;
use crate::work_done;

/// The order of a vector of evaluations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalOrder {
    /// Element i is the value at `shift root(k)^i`.
    Natural,
    /// Element i is the value at `shift root(k)^br(i)`.
    BitReversed,
}

/// The input of a low-degree extension.
#[derive(Clone, Copy, Debug)]
pub enum LdeInput<'a> {
    /// Coefficients.
    Coefficients(&'a [Goldilocks]),
    /// Evaluations on the trace domain `<root(log_n)>` (no shift).
    Evaluations(&'a [Goldilocks], EvalOrder),
}

/// Why a transform was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NttError {
    /// The field has no root of unity of this order.
    TooLarge {
        /// The logarithm of the domain's size.
        log_size: u32,
    },
    /// A slice does not hold `width` columns of the stated size.
    Length {
        /// The name of the slice.
        what: &'static str,
        /// Elements that it should have.
        expected: usize,
        /// Elements that it has.
        found: usize,
    },
    /// A coset needs a shift other than zero.
    ZeroShift,
}

impl fmt::Display for NttError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { log_size } => {
                write!(f, "a domain of 2^{log_size} points: Goldilocks has roots of unity up to order 2^32")
            }
            Self::Length { what, expected, found } => {
                write!(f, "{what} has {found} elements, width and size ask for {expected}")
            }
            Self::ZeroShift => write!(f, "the shift of the coset is zero: pass any other element"),
        }
    }
}

impl std::error::Error for NttError {}

/// `width * 2^log_size` elements, if that many exist and the field has the roots.
fn check(what: &'static str, found: usize, width: usize, log_size: u32) -> Result<(), NttError> {
    if log_size > 32 {
        return Err(NttError::TooLarge { log_size });
    }
    let expected = 1usize.checked_shl(log_size).and_then(|size| size.checked_mul(width)).unwrap_or(usize::MAX);
    if found == expected { Ok(()) } else { Err(NttError::Length { what, expected, found }) }
}

/// Threads share the inside of a column only when there are few columns for each.
fn plan(level: SimdLevel, width: usize) -> Plan {
    let threads = rayon::current_num_threads();
    Plan {
        level,
        parallel: threads > 1 && (!width.is_multiple_of(threads) || width < 2 * threads) && width < 8 * threads,
    }
}

/// `1 / 2^log_n`.
fn scale(log_n: u32) -> Goldilocks {
    Goldilocks::from_u64(1 << log_n).inverse_or_zero()
}

/// Coefficients to evaluations in bit-reversed order on `shift <root(log_n)>`, each column in place.
///
/// # Errors
/// If the slice is not `width` columns of `2^log_n` elements, `log_n > 32`, or `shift` is zero.
pub fn forward(
    level: SimdLevel,
    columns: &mut [Goldilocks],
    width: usize,
    log_n: u32,
    shift: Goldilocks,
) -> Result<(), NttError> {
    check("columns", columns.len(), width, log_n)?;
    if shift.is_zero() {
        return Err(NttError::ZeroShift);
    }
    let (plan, stop) = (plan(level, width), CancelToken::here());
    bytemuck::cast_slice_mut(columns).par_chunks_exact_mut(1 << log_n).for_each(|column| {
        if !stop.is_stopped() {
            block::forward(plan, None, column, shift);
        }
    });
    Ok(())
}

/// Evaluations on `shift <root(log_n)>` to coefficients, each column in place.
///
/// # Errors
/// If the slice is not `width` columns of `2^log_n` elements, `log_n > 32`, or `shift` is zero.
pub fn inverse(
    level: SimdLevel,
    columns: &mut [Goldilocks],
    width: usize,
    log_n: u32,
    shift: Goldilocks,
    order: EvalOrder,
) -> Result<(), NttError> {
    check("columns", columns.len(), width, log_n)?;
    let first = shift.inverse().ok_or(NttError::ZeroShift)?;
    let (plan, stop) = (plan(level, width), CancelToken::here());
    bytemuck::cast_slice_mut(columns).par_chunks_exact_mut(1 << log_n).for_each(|column| {
        if stop.is_stopped() {
            return;
        }
        if order == EvalOrder::Natural {
            reorder::in_place(level, column);
        }
        block::inverse(plan, column, first, Some(scale(log_n)));
    });
    Ok(())
}

/// Low-degree extension: the evaluations of every column, in bit-reversed order, on
/// `shift <root(log_n + log_blowup)>`.
///
/// `out` holds `width` columns of `2^(log_n + log_blowup)` elements; its earlier content does not matter. Block j of
/// size `2^log_n` of a column is the coset `shift W^br(j) <root(log_n)>`, `W = root(log_n + log_blowup)`. Needs no
/// memory beyond `out`.
///
/// # Errors
/// If a slice is not `width` columns of its size, `log_n + log_blowup > 32`, or `shift` is zero.
pub fn lde(
    level: SimdLevel,
    input: LdeInput<'_>,
    width: usize,
    log_n: u32,
    log_blowup: u32,
    shift: Goldilocks,
    out: &mut [Goldilocks],
) -> Result<(), NttError> {
    let log_size = log_n.saturating_add(log_blowup);
    let (LdeInput::Coefficients(data) | LdeInput::Evaluations(data, _)) = input;
    check("out", out.len(), width, log_size)?;
    check("input", data.len(), width, log_n)?;
    if shift.is_zero() {
        return Err(NttError::ZeroShift);
    }
    let (plan, stop) = (plan(level, width), CancelToken::here());
    bytemuck::cast_slice::<_, u64>(data)
        .par_chunks_exact(1 << log_n)
        .zip(bytemuck::cast_slice_mut(out).par_chunks_exact_mut(1 << log_size))
        .for_each(|(data, out): (&[u64], &mut [u64])| {
            lde_column((plan, &stop), input, data, out, log_n, log_blowup, shift);
        });
    Ok(())
}

/// One column of [`lde`]. The coefficients are made in the last coset's place, which is transformed last.
fn lde_column(
    (plan, stop): (Plan, &CancelToken),
    input: LdeInput<'_>,
    data: &[u64],
    out: &mut [u64],
    log_n: u32,
    log_blowup: u32,
    shift: Goldilocks,
) {
    let log_size = log_n + log_blowup;
    if stop.is_stopped() {
        return;
    }
    let first = |j| part_first(Direction::Forward, shift, log_size, log_blowup, j);
    let last_coset = (1 << log_blowup) - 1;
    let (others, last) = out.split_at_mut(last_coset << log_n);
    let coefficients: &[u64] = match input {
        LdeInput::Coefficients(_) => data,
        LdeInput::Evaluations(_, order) => {
            match order {
                EvalOrder::Natural => reorder::copy(plan.level, data, last, plan.parallel),
                EvalOrder::BitReversed => last.copy_from_slice(data),
            }
            block::inverse(plan, last, Goldilocks::ONE, Some(scale(log_n)));
            last
        }
    };
    let coset = |(j, out): (usize, &mut [u64])| {
        if stop.is_stopped() {
            return;
        }
        block::forward(plan, Some(coefficients), out, first(j));
        work_done::count(out.len());
    };
    if plan.parallel {
        others.par_chunks_exact_mut(1 << log_n).enumerate().for_each(coset);
    } else {
        others.chunks_exact_mut(1 << log_n).enumerate().for_each(coset);
    }
    let source = matches!(input, LdeInput::Coefficients(_)).then_some(data);
    block::forward(plan, source, last, first(last_coset));
    work_done::count(last.len());
}
