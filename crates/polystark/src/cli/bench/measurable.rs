//! What measuring must know of a protocol.

use polystark::Error;
use polystark::field::ExtensionField;
use polystark::hal::{Basis, Combination, ConstraintProgram, HashFn, Protocol, RunningColumn, StarkBackend};

use super::Failure;
use super::cost::Cost;
use super::measure::ClockedTask;
use super::shapes::{Example, Shape};
use crate::cli::arguments::DeviceArguments;

/// Fractions for `running` and `logup`.
pub(super) struct Ratio<P: Protocol> {
    pub(super) program: ConstraintProgram<P>,
    /// For `running`; the same fractions are those of `logup`.
    pub(super) columns: Vec<RunningColumn>,
}

/// What `constraint_eval` takes.
pub(super) struct Evaluation<P: Protocol> {
    pub(super) program: ConstraintProgram<P>,
    /// Log2 of the rows of each group's table.
    pub(super) heights: Vec<u32>,
    pub(super) domain: P::Domain,
    pub(super) log_trace: u32,
    pub(super) log_eval: u32,
    pub(super) combination: Combination<P>,
}

/// A protocol whose operations and proofs are measured.
pub(super) trait Measurable: Cost {
    /// The hash function of its trees, the first if there are several.
    const HASH: HashFn;
    /// Where the fractions of [`Self::ratio`] come from.
    const RATIO: &'static str;

    /// The operations at their full sizes.
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
    fn evaluation<B: StarkBackend<P = Self>>(
        backend: &B,
        example: Example,
        log: u32,
    ) -> Result<Evaluation<Self>, Error>;

    /// Does something on the device that the arguments name, by events on a GPU and by the host's clock elsewhere.
    fn with_clock<T: ClockedTask<Self>>(device: &DeviceArguments, task: T) -> Result<T::Output, Failure>;
}

/// Extension elements that look random.
pub(super) fn extensions<P: Protocol>(count: usize) -> Vec<P::Ext> {
    super::inputs::elements::<P>(P::DEGREE * count, 1)
        .chunks_exact(P::DEGREE)
        .map(|coordinates| P::Ext::from_coordinates(coordinates).expect("as many coordinates as the degree"))
        .collect()
}
