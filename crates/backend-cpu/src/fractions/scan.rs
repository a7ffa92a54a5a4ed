//! The scans of a block of ratios, and the totals that came before it.

use field::{ExtensionField, Field};
use gpu_hal::{RunningColumn, RunningKind};

use super::ratios::{Plan, Scratch, ratios};
use crate::addresses::coordinates;
use crate::cpu::CpuProtocol;
use crate::lanes::{ExtLanes, FieldLanes, MAX_DEGREE, MAX_LANES, sources};
use crate::simd::{Isa, Kernel};

pub(super) fn identity<E: Field>(kind: RunningKind) -> E {
    match kind {
        RunningKind::Product => E::ONE,
        RunningKind::Sum => E::ZERO,
    }
}

pub(super) fn join<E: Field>(kind: RunningKind, a: E, b: E) -> E {
    match kind {
        RunningKind::Product => a * b,
        RunningKind::Sum => a + b,
    }
}

/// The ratios of a block and, of `running` columns, the scans of its segments; returns the totals, `[column][segment]`.
pub(super) struct Accumulate<'s, 'r, 'a, P: CpuProtocol> {
    pub(super) plan: &'s Plan<'a, P>,
    pub(super) running: &'s [RunningColumn],
    pub(super) scratch: &'s mut Scratch<P::Word>,
    pub(super) block: usize,
    pub(super) columns: &'s mut [&'r mut [P::Base]],
}

impl<P: CpuProtocol> Kernel for Accumulate<'_, '_, '_, P> {
    type Output = Vec<P::Ext>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Vec<P::Ext> {
        let Self { plan, running, scratch, block, columns } = self;
        ratios::<P, I>(plan, scratch, block, columns);
        let mut totals = Vec::with_capacity(running.len());
        for (column, columns) in running.iter().zip(columns.chunks_exact_mut(P::DEGREE)) {
            if columns[0].len() < P::Lanes::<I>::LANES * P::Lanes::<I>::LANES {
                totals.push(scan_by_rows::<P>(column, columns));
            } else {
                scan::<P, I>(column, columns, &mut totals);
            }
        }
        totals
    }
}

/// The scan of the ratios of a block, row after row.
fn scan_by_rows<P: CpuProtocol>(column: &RunningColumn, columns: &mut [&mut [P::Base]]) -> P::Ext {
    let mut total: P::Ext = identity(column.kind);
    for row in 0..columns[0].len() {
        let mut ratio = [P::Base::ZERO; MAX_DEGREE];
        ratio.iter_mut().zip(&*columns).for_each(|(ratio, column)| *ratio = column[row]);
        let ratio = P::Ext::from_coordinates(&ratio[..P::DEGREE]).expect("DEGREE coordinates");
        let next = join(column.kind, total, ratio);
        let value = if column.inclusive { next } else { total };
        columns.iter_mut().zip(value.coordinates()).for_each(|(column, value)| column[row] = *value);
        total = next;
    }
    total
}

/// The scans of the ratios of a block, as many segments as a register has lanes, each scanned in a lane of its own.
///
/// Squares of `LANES` rows of `LANES` segments are transposed: then a register holds one row of every segment.
#[inline(always)]
fn scan<P: CpuProtocol, I: Isa>(column: &RunningColumn, columns: &mut [&mut [P::Base]], totals: &mut Vec<P::Ext>) {
    let lanes = P::Lanes::<I>::LANES;
    let length = columns[0].len() / lanes;
    assert_eq!(length % lanes, 0, "a segment is a whole number of registers");
    let at = coordinates::<P>(columns, 0);
    let mut total = P::ExtLanes::<I>::splat(identity(column.kind));
    let mut square = [[P::Word::default(); MAX_LANES * MAX_LANES]; MAX_DEGREE];
    let places = square.each_mut().map(|square| square.as_mut_ptr());
    let mut row = 0;
    while row < length {
        for (place, at) in places.iter().zip(at).take(P::DEGREE) {
            // SAFETY: the block has `LANES` segments of `length` rows, a square room for `LANES` times `LANES` words.
            unsafe { P::Lanes::<I>::transpose(at.add(row), length, *place, lanes) };
        }
        let mut step = 0;
        while step < lanes {
            // SAFETY: as above.
            unsafe {
                let ratio = P::ExtLanes::<I>::load(sources(places), step * lanes);
                let next = match column.kind {
                    RunningKind::Product => total.mul(ratio),
                    RunningKind::Sum => total.add(ratio),
                };
                let value = if column.inclusive { next } else { total };
                value.canonical().store(places, step * lanes);
                total = next;
            }
            step += 1;
        }
        for (place, at) in places.iter().zip(at).take(P::DEGREE) {
            // SAFETY: as above.
            unsafe { P::Lanes::<I>::transpose(*place, lanes, at.add(row), length) };
        }
        row += lanes;
    }
    // SAFETY: a square has room for a register.
    unsafe { total.canonical().store(places, 0) };
    for lane in 0..lanes {
        let mut coordinates = [P::Base::ZERO; MAX_DEGREE];
        for (coordinate, square) in coordinates.iter_mut().zip(&square).take(P::DEGREE) {
            *coordinate = bytemuck::cast(square[lane]);
        }
        totals.push(P::Ext::from_coordinates(&coordinates[..P::DEGREE]).expect("DEGREE coordinates"));
    }
}

/// Joins the total before a segment to all its rows.
pub(super) struct Carry<'s, 'r, P: CpuProtocol> {
    pub(super) columns: &'s mut [&'r mut [P::Base]],
    pub(super) running: &'s [RunningColumn],
    /// `[column][segment]`.
    pub(super) starts: &'s [P::Ext],
}

impl<P: CpuProtocol> Kernel for Carry<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let segments = self.starts.len() / self.running.len();
        let columns = self.columns.chunks_exact_mut(P::DEGREE).zip(self.running);
        for ((columns, column), starts) in columns.zip(self.starts.chunks_exact(segments)) {
            let length = columns[0].len() / segments;
            assert_eq!(length % P::Lanes::<I>::LANES, 0, "a segment is a whole number of registers");
            let target = coordinates::<P>(columns, 0);
            for (segment, start) in starts.iter().enumerate() {
                let start = P::ExtLanes::<I>::splat(*start);
                let mut row = segment * length;
                while row < (segment + 1) * length {
                    // SAFETY: the columns of a block have `segments * length` rows, and `length` is a multiple of the
                    // lanes.
                    unsafe {
                        let local = P::ExtLanes::<I>::load(sources(target), row);
                        let value = match column.kind {
                            RunningKind::Product => start.mul(local),
                            RunningKind::Sum => start.add(local),
                        };
                        value.canonical().store(target, row);
                    }
                    row += P::Lanes::<I>::LANES;
                }
            }
        }
    }
}
