//! The properties of a protocol that measuring needs.

use gpu_hal::work::Prices;
use gpu_hal::{Basis, Combination, ConstraintProgram, HashFn, Protocol, RunningColumn};

use crate::Error;
use crate::shapes::{Example, Shape};

/// Fractions for `running` and `logup`.
pub struct Ratio<P: Protocol> {
    pub(crate) program: ConstraintProgram<P>,
    /// For `running`; `logup` takes the same fractions.
    pub(crate) columns: Vec<RunningColumn>,
}

/// The arguments of `constraint_eval`.
pub struct Evaluation<P: Protocol> {
    pub(crate) program: ConstraintProgram<P>,
    /// Log2 of the rows of each group's table.
    pub(crate) heights: Vec<u32>,
    pub(crate) domain: P::Domain,
    pub(crate) log_trace: u32,
    pub(crate) log_eval: u32,
    pub(crate) combination: Combination<P>,
}

/// A protocol whose operations and proofs are measured: examples of its operations.
pub trait Measurable: Protocol {
    /// The least cost of its arithmetic.
    const PRICES: Prices;
    /// Products of the base field on an H100 or H200, in G/s; `None` if nobody measured them.
    const PRODUCTS: Option<f64>;
    /// Bytes of an element.
    const ELEMENT: u64 = size_of::<Self::Base>() as u64;
    /// Base columns of a column over the extension.
    const COLUMNS: u64 = Self::DEGREE as u64;

    /// The hash function of its trees, the first if there are several.
    const HASH: HashFn;
    /// Where the fractions of [`Self::ratio`] come from.
    const RATIO: &'static str;

    /// The operations at their full sizes, except the ones that make traces.
    fn shapes() -> Vec<Shape>;

    /// A domain that a trace of `2^log` rows is evaluated on, or extended to, in storage order.
    fn domain(log: u32) -> Self::Domain;

    /// The domain of the rows.
    fn rows(log: u32) -> Basis<Self::Domain>;

    /// The basis that `eval_at` reads in a proof.
    fn evaluated(log: u32) -> Basis<Self::Domain>;

    /// The domain that `fri_fold` folds: the first one, or a line if it has any.
    fn layer(log: u32, on_line: bool) -> Self::Domain;

    /// A point outside the domains. An element that looks random gives one.
    fn point(element: Self::Ext) -> Self::Point;

    /// Fractions of two columns.
    fn ratio() -> Result<Ratio<Self>, Error>;

    /// The constraints of an example of `2^log` rows.
    fn evaluation(example: Example, log: u32) -> Result<Evaluation<Self>, Error>;
}

#[cfg(test)]
mod tests {
    use gpu_hal::CircleStark;

    use super::*;
    use crate::Goldilocks3;

    #[test]
    fn sizes_are_those_of_the_fields() {
        assert_eq!((Goldilocks3::ELEMENT, Goldilocks3::COLUMNS), (8, 3));
        assert_eq!((CircleStark::ELEMENT, CircleStark::COLUMNS), (4, 4));
    }
}
