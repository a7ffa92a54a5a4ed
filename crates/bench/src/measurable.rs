//! What measuring must know of a protocol.

use gpu_hal::{Basis, Combination, ConstraintProgram, HashFn, Protocol, RunningColumn};

use crate::Error;
use crate::cost::Cost;
use crate::shapes::{Example, Shape};

/// Fractions for `running` and `logup`.
pub struct Ratio<P: Protocol> {
    pub(crate) program: ConstraintProgram<P>,
    /// For `running`; the same fractions are those of `logup`.
    pub(crate) columns: Vec<RunningColumn>,
}

/// What `constraint_eval` takes.
pub struct Evaluation<P: Protocol> {
    pub(crate) program: ConstraintProgram<P>,
    /// Log2 of the rows of each group's table.
    pub(crate) heights: Vec<u32>,
    pub(crate) domain: P::Domain,
    pub(crate) log_trace: u32,
    pub(crate) log_eval: u32,
    pub(crate) combination: Combination<P>,
}

/// A protocol whose operations and proofs are measured.
pub trait Measurable: Cost {
    /// The hash function of its trees, the first if there are several.
    const HASH: HashFn;
    /// Where the fractions of [`Self::ratio`] come from.
    const RATIO: &'static str;

    /// The operations at their full sizes, but for those that make traces.
    fn shapes() -> Vec<Shape>;

    /// A domain that a trace of `2^log` rows is evaluated on, or extended to, in storage order.
    fn domain(log: u32) -> Self::Domain;

    /// The domain of the rows.
    fn rows(log: u32) -> Basis<Self::Domain>;

    /// What `eval_at` reads in a proof.
    fn evaluated(log: u32) -> Basis<Self::Domain>;

    /// What `fri_fold` folds: where it begins, or a line if it has any.
    fn layer(log: u32, on_line: bool) -> Self::Domain;

    /// A point outside the domains. An element that looks random gives one.
    fn point(element: Self::Ext) -> Self::Point;

    /// Fractions of two columns.
    fn ratio() -> Result<Ratio<Self>, Error>;

    /// The constraints of an example of `2^log` rows.
    fn evaluation(example: Example, log: u32) -> Result<Evaluation<Self>, Error>;
}
