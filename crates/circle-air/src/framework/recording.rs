//! One run of a component.

use super::tape::{Entry, Value};
use crate::TREES;

/// One run of a component's `evaluate`, operation by operation.
#[derive(Clone, Debug)]
pub struct Recording {
    pub(crate) log_size: u32,
    pub(crate) entries: Vec<Entry>,
    pub(crate) preprocessed: Vec<String>,
    pub(crate) offsets: [Vec<Vec<isize>>; TREES],
    /// Entries, in order of `add_constraint`.
    pub(crate) constraints: Vec<u32>,
    /// One for each lookup.
    pub(crate) numerators: Vec<Value>,
    /// One for each lookup.
    pub(crate) denominators: Vec<Value>,
    /// (numerator, denominator) of each batch of lookups, as entries.
    pub(crate) batches: Option<Vec<(u32, u32)>>,
    /// The batch of each lookup; empty without batches.
    pub(crate) batching: Vec<usize>,
    /// The constraint of the first batch; those of the others follow.
    pub(crate) logup_constraint: usize,
    /// The first column of the lookups in the interaction tree.
    pub(crate) logup_first: usize,
}
