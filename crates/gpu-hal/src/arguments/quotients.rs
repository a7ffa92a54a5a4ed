//! Polynomials at points outside their domain.

use alloc::vec::Vec;

use crate::{Basis, DomainOf, ExtOf, PointOf, Protocol, TableRef, Types};

/// One table that [`crate::StarkBackend::eval_at`] evaluates: every base column's polynomial at each point.
pub struct EvalRequest<'a, T: Types> {
    /// The table.
    pub columns: TableRef<'a, T>,
    /// The meaning of its elements. With evaluations in storage order the domain may be smaller than the table: then
    /// the first rows count, which are the evaluations on [`crate::Domain::prefix`]. The polynomial is that of degree
    /// below the domain's size.
    pub from: Basis<DomainOf<T>>,
    /// The points, none of which the table has a row for.
    pub points: &'a [PointOf<T>],
}

/// Values of one table: `[point][column]`.
pub type Values<T> = Vec<Vec<ExtOf<T>>>;

/// A term of the DEEP quotient. Coset: `(sum of weight * column(x) - constant) / (x - point)`, with slope zero. Circle:
/// `(sum of weight * column(q) - constant - slope * q.y) / ((P.x.0 - q.x) * P.y.1 - (P.y.0 - q.y) *
/// P.x.1)` with `P` the point and `P.x = P.x.0 + P.x.1 u` over CM31.
#[derive(Clone, Debug, PartialEq)]
pub struct DeepTerm<P: Protocol> {
    /// The point.
    pub point: P::Point,
    /// (table, base column, weight).
    pub weights: Vec<(usize, usize, P::Ext)>,
    /// The subtracted value: on a coset the weighted sum of the values at the point.
    pub constant: P::Ext,
    /// Factor of the `y` that is subtracted on a circle; zero on a coset.
    pub slope: P::Ext,
}
