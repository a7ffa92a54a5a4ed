//! Why a trace does not pass.

use air::Findings;
use gpu_hal::CircleStark;

use crate::{InteractionError, StatementError};

/// The set of elements that a check draws first. Recording draws the sets before it.
pub(super) const FIRST_DRAWN: u64 = 3;

/// Why a trace did not pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The statement contradicts itself.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// The tables are not of the statement's shape.
    #[error("{what}: {given} given, {needed} needed")]
    Count {
        /// The counted thing.
        what: String,
        /// How many are given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A component has more names than things of that kind.
    #[error("component {component} names {given} {what}, it has {there}")]
    Names {
        /// Number of the component.
        component: usize,
        /// The named thing.
        what: &'static str,
        /// How many names there are.
        given: usize,
        /// How many things there are.
        there: usize,
    },
    /// The statement does not give its interaction columns: the text of a [`crate::HostColumnsError`].
    #[error("{0}")]
    Given(String),
    /// A denominator is zero.
    #[error("component {component}: {source}")]
    Interaction {
        /// Number of the component.
        component: usize,
        /// Where.
        source: InteractionError,
    },
    /// The trace violates constraints, or its lookups do not come out.
    #[error("{0}")]
    Wrong(Box<Findings<CircleStark>>),
}
