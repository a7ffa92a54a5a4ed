//! Constraints, and how they are added up.

use alloc::vec::Vec;

use crate::{DomainOf, ExtOf, Protocol, TableRef, Types};

/// A factor of a divisor: on a coset `x^(2^log_power) - constant`; on a circle `X(2^log_power * P) - constant`, with
/// `X` the x-coordinate of the point after `log_power` doublings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor<F> {
    /// Log2 of the power.
    pub log_power: u32,
    /// The subtracted value.
    pub constant: F,
    /// Whether it stands in the denominator.
    pub inverse: bool,
}

/// A function that a group of constraints is multiplied by: the product of its factors and, if named, of a base column
/// of the inputs (group, column).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multiplier<F> {
    /// Factors; the empty product is 1.
    pub factors: Vec<Factor<F>>,
    /// A column of the inputs that is a factor too.
    pub column: Option<(usize, usize)>,
}

/// Constraints that share a multiplier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CombinationGroup<P: Protocol> {
    /// The common multiplier.
    pub multiplier: Multiplier<P::Base>,
    /// (index into the program's outputs, weight).
    pub terms: Vec<(usize, P::Ext)>,
}

/// `sum over groups of multiplier * (sum over terms of weight * output)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination<P: Protocol> {
    /// The groups.
    pub groups: Vec<CombinationGroup<P>>,
}

/// Arguments of [`crate::StarkBackend::constraint_eval`].
pub struct Constraints<'a, T: Types> {
    /// The prepared program.
    pub program: &'a T::Program,
    /// One table per group of the program, in storage order on `domain`. On a coset a lower table is periodic: it
    /// stands for its lift to the domain, whose value at storage index `i` is at `i >> (log_size - log_height)`. On a
    /// circle all tables have the domain's height.
    pub columns: &'a [TableRef<'a, T>],
    /// The domain of the columns.
    pub domain: DomainOf<T>,
    /// Log2 of the trace length: a row offset of 1 is a step of `2^(log_size - log_trace)` in natural order.
    pub log_trace: u32,
    /// Evaluate on the first `2^log_eval` points in storage order; `log_trace <= log_eval <= log_size`.
    pub log_eval: u32,
    /// Values of the program's parameters.
    pub params: &'a [ExtOf<T>],
    /// The combination to add up.
    pub combination: &'a Combination<T::P>,
}
