//! The proof object of lambdaworks' format (section 10), its fields in the order of the encoding.
//!
//! The object has one more field on the wire, an `Option` called bus inputs that is always `None` in this protocol. It
//! is not kept here: the encoder writes `None` and the decoder accepts nothing else.

use alloc::vec::Vec;

use gpu_hal::{CosetProtocol, Digest};

/// Authentication path: the siblings from the leaf level upward, root excluded.
pub type Path = Vec<Digest>;

/// A proof. `P::Base` is the field of the trace, `P::Ext` that of the challenges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof<P: CosetProtocol> {
    /// Rows of the trace, `n`.
    pub trace_length: u64,
    /// Root of the tree over the main columns.
    pub main_root: Digest,
    /// Root of the tree over the auxiliary columns; `None` iff there are none.
    pub aux_root: Option<Digest>,
    /// Trace columns at `g^d z`.
    pub trace_ood: OodTable<P::Ext>,
    /// Root of the tree over the composition parts.
    pub composition_root: Digest,
    /// Composition parts at `z^P`.
    pub composition_ood: Vec<P::Ext>,
    /// Roots of the FRI layers `1..log n`.
    pub fri_roots: Vec<Digest>,
    /// The constant that the last fold ends in.
    pub fri_last_value: P::Ext,
    /// One per query, in the order of the queries.
    pub fri_decommitments: Vec<FriDecommitment<P::Ext>>,
    /// One per query, in the order of the queries.
    pub deep_openings: Vec<DeepOpening<P>>,
    /// Proof of work; `None` iff the grinding factor is 0.
    pub nonce: Option<u64>,
}

/// Out-of-domain values of the trace columns: row `d`, column `j` is `t_j(g^d z)`; main columns first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OodTable<E> {
    /// The values, row by row.
    pub data: Vec<E>,
    /// Number of columns, main and auxiliary.
    pub width: u64,
    /// Number of rows of the frame.
    pub height: u64,
}

impl<E: Copy> OodTable<E> {
    /// The values out of the domain in the order in which the transcript takes them (section 8): column by column, then
    /// those of the composition parts.
    pub fn in_order(&self, parts: &[E]) -> Vec<E> {
        let width = self.width as usize;
        let columns = (0..width).flat_map(|column| self.data.iter().skip(column).step_by(width));
        columns.chain(parts).copied().collect()
    }
}

/// The FRI openings of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FriDecommitment<E> {
    /// Paths of the opened leaf, layers `1..log n`.
    pub paths: Vec<Path>,
    /// The other value of that leaf, layers `1..log n`.
    pub values: Vec<E>,
}

/// The trace and composition openings of a query, at `x` and `-x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeepOpening<P: CosetProtocol> {
    /// The composition parts. One leaf holds both points, so the two paths are equal.
    pub composition: Opening<P::Ext>,
    /// The main columns.
    pub main: Opening<P::Base>,
    /// The auxiliary columns; `None` iff there are none.
    pub aux: Option<Opening<P::Ext>>,
}

/// The values of some columns at `x` and `-x` with their paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening<F> {
    /// Path of the leaf with `x`.
    pub path: Path,
    /// Path of the leaf with `-x`.
    pub path_sym: Path,
    /// Values at `x`.
    pub evaluations: Vec<F>,
    /// Values at `-x`.
    pub evaluations_sym: Vec<F>,
}
