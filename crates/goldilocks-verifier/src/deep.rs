//! The DEEP quotient from opened rows.
//!
//! With `S(x) = sum over j of gamma^(jR) t_j(x)`, `T(x) = sum over k of gamma^k H_k(x)` and, where there is a second
//! out-of-domain point, `U(x) = sum over j of gamma^j t_j(x)` it is
//!
//! ```text
//! p_0(x) = sum over d of gamma^d (S(x) - S(g^d z))/(x - g^d z) + gamma^(wR) (T(x) - T(z^P))/(x - z^P)
//!          + gamma^(wR + P) (U(x) - U(z_2))/(x - z_2)
//! ```
//!
//! because the term of column j in row d has the coefficient `gamma^(jR + d)`. A mask word stands before it: then the
//! quotient is `M(x) + gamma p_0(x)`.

use alloc::vec::Vec;
use core::ops::Add;

use air::RecordedAir;
use field::{Field, Goldilocks, TwoAdicField, powers};
use gpu_hal::CosetProtocol;

/// All that rows have in common.
pub(crate) struct Deep<P: CosetProtocol> {
    /// `gamma^R`.
    column_step: P::Ext,
    /// `gamma`.
    gamma: P::Ext,
    /// `gamma^(wR)`.
    composition: P::Ext,
    /// `gamma^(wR + P)`.
    anchors: P::Ext,
    /// Rows of the frame.
    frame_rows: usize,
    /// `g^d z`, then `z^P`, then `z_2` if there is one.
    points: Vec<P::Ext>,
    /// `S`, `T` and `U` there.
    values: Vec<P::Ext>,
}

impl<P: CosetProtocol> Deep<P> {
    /// The DEEP quotient of the frame at z, row by row, the parts at `z^P`, and the columns at a second point, if there
    /// is one.
    pub(crate) fn new(
        air: &RecordedAir<P>,
        (z, frame): (P::Ext, &[P::Ext]),
        parts: &[P::Ext],
        second: Option<(P::Ext, &[P::Ext])>,
        gamma: P::Ext,
    ) -> Self {
        let layout = air.layout();
        let width = layout.main_columns + layout.aux_columns;
        let column_step = gamma.pow(layout.frame_rows as u64);
        let composition = column_step.pow(width as u64);
        let g = Goldilocks::two_adic_generator(air.log_trace_length());
        let mut points: Vec<P::Ext> = powers(g).take(layout.frame_rows).map(|shift| z * shift).collect();
        let mut values: Vec<P::Ext> = frame.chunks_exact(width).map(|row| weighted(row, column_step)).collect();
        points.push(z.pow(layout.composition_parts as u64));
        values.push(weighted(parts, gamma));
        if let Some((point, anchors)) = second {
            points.push(point);
            values.push(weighted(anchors, gamma));
        }
        let anchors = composition * gamma.pow(layout.composition_parts as u64);
        Self { column_step, gamma, composition, anchors, frame_rows: layout.frame_rows, points, values }
    }

    /// The points that are divided by.
    pub(crate) fn points(&self) -> &[P::Ext] {
        &self.points
    }

    /// `p_0` at one point; `inverses[i]` is `1/(x - points[i])`.
    pub(crate) fn quotient(&self, main: &[P::Base], aux: &[P::Ext], parts: &[P::Ext], inverses: &[P::Ext]) -> P::Ext {
        let columns = weighted_after(main, self.column_step, weighted(aux, self.column_step));
        let quotient = |at: usize, sum: P::Ext| (sum - self.values[at]) * inverses[at];
        let (mut sum, mut weight) = (P::Ext::ZERO, P::Ext::ONE);
        for row in 0..self.frame_rows {
            sum += weight * quotient(row, columns);
            weight *= self.gamma;
        }
        sum += self.composition * quotient(self.frame_rows, weighted(parts, self.gamma));
        let anchor = self.frame_rows + 1;
        if anchor < self.points.len() {
            let columns = weighted_after(main, self.gamma, weighted(aux, self.gamma));
            sum += self.anchors * quotient(anchor, columns);
        }
        sum
    }
}

impl<P: CosetProtocol> Deep<P> {
    /// The quotient with a mask word of this value at the point.
    pub(crate) fn masked(&self, mask: P::Ext, quotient: P::Ext) -> P::Ext {
        mask + self.gamma * quotient
    }
}

#[cfg(test)]
impl<P: CosetProtocol> Deep<P> {
    /// A quotient whose values are zero at some points.
    pub(crate) fn at(points: Vec<P::Ext>) -> Self {
        let [column_step, gamma, composition, anchors] = [P::Ext::ONE; 4];
        let values = points.iter().map(|_| P::Ext::ZERO).collect();
        Self { column_step, gamma, composition, anchors, frame_rows: points.len() - 1, points, values }
    }
}

/// `sum over j of step^j values_j`.
fn weighted<E: Field>(values: &[E], step: E) -> E {
    weighted_after(values, step, E::ZERO)
}

/// `sum over j of step^j values_j + step^(number of values) rest`, by Horner's rule.
fn weighted_after<F: Field, E: Field + Add<F, Output = E>>(values: &[F], step: E, rest: E) -> E {
    values.iter().rev().fold(rest, |sum, &value| sum * step + value)
}
