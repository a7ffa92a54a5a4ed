//! Errors of a component, a statement, a configuration, claimed sums, or the choice of an AIR.

mod build;
mod config;

use gpu_hal::ir::ProgramError;

pub use build::BuildError;
pub use config::{ClaimedSumError, ConfigError};

/// A component that cannot be proven as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The protocol does not have this size.
    #[error("a component of 2^{log_size} rows: 2^1 to 2^29 are possible")]
    LogSize {
        /// Log2 of the rows.
        log_size: u32,
    },
    /// The composition polynomial is split exactly once, which fits only this bound.
    #[error(
        "max_constraint_log_degree_bound is {bound} at log_size {log_size}: the protocol proves {log_size} + 1 only; lower the \
         degree with further columns"
    )]
    DegreeBound {
        /// The bound that the component declares.
        bound: u32,
        /// Log2 of its rows.
        log_size: u32,
    },
    /// A constraint of too high a degree for any component.
    #[error(
        "constraint {constraint} has degree {degree}, a column counting 1: at most 3; commit a product in a column of its own"
    )]
    ConstraintDegree {
        /// Number of the constraint, in the order of `add_constraint`.
        constraint: usize,
        /// Its degree.
        degree: usize,
    },
    /// No column that a prover commits.
    #[error("the component has no main and no interaction column")]
    NoColumns,
    /// Nothing would bind the columns.
    #[error("the component adds no constraint")]
    NoConstraints,
    /// `inverse` of something that is not constant.
    #[error(
        "inverse() of a value that depends on the trace is not a polynomial: commit the inverse in a column of its own"
    )]
    Inverse,
    /// `inverse` of the constant zero.
    #[error("inverse() of the constant 0")]
    InverseOfZero,
    /// A decision that depends on the trace.
    #[error("is_zero() of a value that depends on the trace: evaluate() must not branch on values")]
    Branch,
    /// A value of another recording.
    #[error("a value of another call of evaluate() was used: do not keep values beyond the call")]
    Foreign,
    /// A tree that masks cannot be taken from.
    #[error(
        "a mask of tree {tree} was asked for: next_interaction_mask takes trees 1 and 2 only, get_preprocessed_column tree 0"
    )]
    Tree {
        /// The tree.
        tree: usize,
    },
    /// A column that no constraint can read.
    #[error("column {column} of tree {tree} has a mask without offsets: it would be committed and never tested")]
    EmptyMask {
        /// The tree.
        tree: usize,
        /// Number of the column in the component.
        column: usize,
    },
    /// An offset as long as the trace.
    #[error("column {column} of tree {tree} is read at row offset {offset}, the component has 2^{log_size} rows")]
    Offset {
        /// The tree.
        tree: usize,
        /// Number of the column in the component.
        column: usize,
        /// The offset.
        offset: isize,
        /// Log2 of the rows.
        log_size: u32,
    },
    /// Interaction columns that depend on each other in a circle, as far as anybody knows.
    #[error(
        "a lookup entry reads column {column} of tree 2: its multiplicity and its values must be made of preprocessed and main columns"
    )]
    LookupOfInteraction {
        /// Number of the column in the component.
        column: usize,
    },
    /// A sum that must be known before the claim is, which must be known before the sum.
    #[error(
        "a lookup entry depends on claim {claim}: only constraints may, as the claims are made when the lookups are"
    )]
    LookupOfClaim {
        /// Number of the claim.
        claim: usize,
    },
    /// Lookup entries without `finalize_logup`.
    #[error(
        "{fractions} lookup entries were never finalised: call finalize_logup, _in_pairs or _batched once, at the end"
    )]
    LogupNotFinalised {
        /// How many.
        fractions: usize,
    },
    /// A second `finalize_logup`.
    #[error("finalize_logup was called twice")]
    LogupFinalisedTwice,
    /// A lookup entry that no constraint would cover.
    #[error("a lookup entry was added after finalize_logup: it would be ignored")]
    FractionAfterFinalise,
    /// `finalize_logup` without entries.
    #[error("finalize_logup was called without any lookup entry")]
    LogupWithoutFractions,
    /// A batching that does not say where each entry goes.
    #[error("finalize_logup_batched got {batching} batch numbers for {fractions} entries: one each is needed")]
    BatchingLength {
        /// Numbers given.
        batching: usize,
        /// Lookup entries.
        fractions: usize,
    },
    /// A batch without entries.
    #[error("finalize_logup_batched leaves batch {batch} empty: batch numbers must be consecutive from 0")]
    BatchingGap {
        /// The first empty batch.
        batch: usize,
    },
    /// Two recordings of one component have not the same shape.
    #[error(
        "recorded with other drawn elements or public values, the component differs in {what}: its shape must not depend on them"
    )]
    Shape {
        /// The first thing that differs.
        what: String,
    },
    /// A constant that was taken for fixed has changed.
    #[error(
        "a constant that was {recorded} when the statement was recorded is now {now}: Statement::variant must differ in every \
         public value"
    )]
    Constant {
        /// Then.
        recorded: String,
        /// Now.
        now: String,
    },
    /// A lookup whose values cannot be told.
    #[error(
        "the denominator of lookup {lookup} is not the sum of its values times powers of alpha, less z, or its multiplicity is not of the \
         base field: use add_to_relation and stwo's combine"
    )]
    LookupForm {
        /// Number of the lookup, in the order of `add_to_relation`.
        lookup: usize,
    },
    /// A constant that depends on drawn elements in another way than lookups do.
    #[error(
        "the constant {value} is neither a claim nor a sum of multiples of z and of powers of alpha of one relation: use drawn elements as \
         stwo's combine does"
    )]
    ConstantForm {
        /// Its value under the first elements.
        value: String,
    },
    /// The program cannot hold it.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// A statement that cannot be proven as it is, or that does not fit its recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// A component is wrong.
    #[error("component {component}: {source}")]
    Component {
        /// Its number.
        component: usize,
        /// The cause.
        source: RecordError,
    },
    /// No component.
    #[error("the statement has no component")]
    NoComponents,
    /// The components are not always as many.
    #[error(
        "the statement has {now} components, {recorded} when it was recorded: their number must not depend on public values or drawn elements"
    )]
    Components {
        /// When it was recorded.
        recorded: usize,
        /// Now.
        now: usize,
    },
    /// Two preprocessed columns of one name.
    #[error("preprocessed column `{id}` is there twice")]
    DuplicateId {
        /// The name.
        id: String,
    },
    /// A preprocessed column of a size that the protocol does not have.
    #[error("preprocessed column `{id}` of 2^{log_size} rows: 2^1 to 2^29 are possible")]
    PreprocessedSize {
        /// The name.
        id: String,
        /// Log2 of its rows.
        log_size: u32,
    },
    /// A preprocessed column that the statement does not have.
    #[error("component {component} reads preprocessed column `{id}`, the statement has: {}", known.join(", "))]
    UnknownId {
        /// Number of the component.
        component: usize,
        /// The name.
        id: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A preprocessed column of another size than the component that reads it.
    #[error("component {component} of 2^{log_size} rows reads preprocessed column `{id}` of 2^{column_log_size}")]
    SizeMismatch {
        /// Number of the component.
        component: usize,
        /// The name of the column.
        id: String,
        /// Log2 of the component's rows.
        log_size: u32,
        /// Log2 of the column's rows.
        column_log_size: u32,
    },
    /// Drawn elements without interaction columns, the reverse, or half a relation.
    #[error(
        "the statement draws {draws} elements and {with_interaction} of its components have lookups or other interaction columns: 0 and \
         none, or 2 for each relation and at least one"
    )]
    Draws {
        /// The number that [`crate::Statement::draws`] returns.
        draws: usize,
        /// Components with interaction columns.
        with_interaction: usize,
    },
    /// Lookups that are not shown to be fewer than the prime.
    #[error(
        "the components look up {lookups} times on all rows, which is not below the prime 2147483647, where a batch counts as two: as many uses of one tuple cancel, \
         and prove nothing; take fewer rows, or vouch for the multiplicities (Statement::has_bounded_multiplicities)"
    )]
    Lookups {
        /// [`crate::RecordedStatement::lookups`].
        lookups: u64,
    },
    /// A claim that proves nothing.
    #[error("no constraint depends on claim {claim} of {claims}: whoever proves could claim anything")]
    UnusedClaim {
        /// Number of the claim.
        claim: usize,
        /// The number that [`crate::Statement::claims`] returns.
        claims: usize,
    },
    /// The wrong number of drawn elements.
    #[error("{given} drawn elements given, the statement needs {needed}")]
    Drawn {
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The wrong number of claimed sums.
    #[error(transparent)]
    ClaimedSum(#[from] ClaimedSumError),
}
