//! The differences between the protocols.

use gpu_hal::{DeepTerm, Domain, EvalOrder, Protocol};

/// A protocol that [`crate::CpuReference`] has operations for. Domains are valid, and of the columns' height where
/// there are columns.
pub trait ReferenceProtocol: Protocol {
    /// Log2 of the largest height.
    const MAX_LOG_HEIGHT: u32;

    /// From coefficients to values in the given order, in place, for every column.
    fn evaluate(columns: &mut [Self::Base], domain: &Self::Domain, order: EvalOrder);

    /// From values in the given order to coefficients, in place, for every column.
    fn interpolate(columns: &mut [Self::Base], domain: &Self::Domain, order: EvalOrder);

    /// The value of the polynomial with these coefficients at a point.
    fn value(coefficients: &[Self::Base], point: Self::Point) -> Self::Ext;

    /// The value that a term subtracts from the weighted values at a point of the domain.
    fn subtrahend(term: &DeepTerm<Self>, at: <Self::Domain as Domain>::At) -> Self::Ext;

    /// The inverses of a term's denominators at points of the domain, zero having the inverse zero.
    fn inverse_denominators(term: &DeepTerm<Self>, points: &[<Self::Domain as Domain>::At]) -> Vec<Self::Ext>;
}
