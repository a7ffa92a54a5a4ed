//! Polynomials at points outside their domain.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use field::Field;

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

impl<P: Protocol> DeepTerm<P> {
    /// The factor by which the weights of this term are these, if there is one. The rows of a trace's frame are opened
    /// at points of their own with weights that differ by one factor.
    pub fn ratio(&self, of: &[(usize, usize, P::Ext)]) -> Option<P::Ext> {
        let ratio = self.weights.first()?.2 * of.first()?.2.inverse()?;
        let mut both = self.weights.iter().zip(of);
        let is_multiple =
            both.all(|(weight, other)| (weight.0, weight.1) == (other.0, other.1) && weight.2 == ratio * other.2);
        (self.weights.len() == of.len() && is_multiple).then_some(ratio)
    }

    /// The part of terms that is for some of the tables, by their numbers, as terms in which these are numbered in the
    /// order given. Where every table is in one of several lists, the quotients of the parts add up to the quotient of
    /// the terms. The constant and the slope go with the table of the first weight, with table 0 where there is none.
    pub fn of_tables(terms: &[Self], tables: impl IntoIterator<Item = usize>) -> Vec<Self> {
        let numbers: BTreeMap<usize, usize> = tables.into_iter().zip(0..).collect();
        let of_term = |term: &Self| {
            let weight =
                |(table, column, weight): &(usize, usize, P::Ext)| Some((*numbers.get(table)?, *column, *weight));
            let weights: Vec<_> = term.weights.iter().filter_map(weight).collect();
            let has_line = numbers.contains_key(&term.weights.first().map_or(0, |(table, ..)| *table));
            let (constant, slope) = if has_line { (term.constant, term.slope) } else { (P::Ext::ZERO, P::Ext::ZERO) };
            (has_line || !weights.is_empty()).then_some(Self { point: term.point, weights, constant, slope })
        };
        terms.iter().filter_map(of_term).collect()
    }
}
