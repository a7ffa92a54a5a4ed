//! The options of a proof, and claimed sums.

use proof_format::text::excerpt;

/// A PCS configuration that the statement cannot be proven with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Lifting to less than the columns have.
    #[error("lifting_log_size {lifting} is below {needed}, the largest committed column")]
    LiftingTooSmall {
        /// As configured.
        lifting: u32,
        /// Log2 of the largest column, extended.
        needed: u32,
    },
    /// All preprocessed columns are sampled, and one is higher than the common domain.
    #[error(
        "all preprocessed columns are sampled: `{}` has 2^{log_size} extended points, the common domain 2^{common}: \
         set lifting_log_size to {log_size}",
        excerpt(id)
    )]
    SampledTooHigh {
        /// The highest column.
        id: String,
        /// Log2 of its points, extended.
        log_size: u32,
        /// Log2 of the points of the common domain.
        common: u32,
    },
    /// A domain beyond the group.
    #[error(
        "the common domain has 2^{log_size} points, at most 2^30 exist: lower the rows, the blowup or lifting_log_size"
    )]
    DomainTooLarge {
        /// Log2 of its points.
        log_size: u32,
    },
    /// Trees of different heights.
    #[error("tree {tree} has height {height}, the common domain {needed}: set lifting_log_size to {needed}")]
    TreeHeight {
        /// The tree.
        tree: usize,
        /// Its height.
        height: u32,
        /// The required number.
        needed: u32,
    },
    /// stwo's verifier expects a tree of full height.
    #[error(
        "lifting_log_size is set and the preprocessed tree is empty: the statement must have a preprocessed column then"
    )]
    EmptyPreprocessed,
    /// More than two row offsets on a column that is lifted.
    #[error(
        "component {component} reads a column at {offsets} row offsets, which is sound only if its extended columns are as \
         large as the common domain: they have 2^{log_size} points, it has 2^{needed}"
    )]
    Offsets {
        /// Number of the component.
        component: usize,
        /// Most offsets on one column.
        offsets: usize,
        /// Log2 of the extended columns.
        log_size: u32,
        /// Log2 of the common domain.
        needed: u32,
    },
}

/// Claimed sums that do not prove the statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimedSumError {
    /// The wrong number of them.
    #[error(
        "{given} claimed sums given, {needed} are needed: one of each component with lookups, then the statement's own claims"
    )]
    Count {
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The wrong number of drawn elements.
    #[error("{given} drawn elements given, {needed} needed")]
    Drawn {
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A wrong sum.
    #[error("the claimed sums add up to {claimed}, {expected} is what the public values require")]
    Value {
        /// The sum of the claimed ones.
        claimed: String,
        /// The required value.
        expected: String,
    },
    /// Claims that nobody looks at.
    #[error(
        "{claims} elements are claimed beside the sums, and the statement does not say which are right: implement check_claimed_sums"
    )]
    Claims {
        /// How many.
        claims: usize,
    },
    /// The drawn elements hit a public value.
    #[error(
        "a public value meets the drawn elements, its fraction has denominator 0: draw again with another transcript"
    )]
    Denominator,
}
