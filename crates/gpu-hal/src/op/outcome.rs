//! The results of all operations as one type.

use alloc::vec::Vec;

use crate::{
    Accumulated, BaseOf, BoundSums, Columns, Digest, ExtOf, Opened, RowsOutput, Table, Types, Uploaded, Values,
};

/// The result of an operation, for a hook to look at or to change.
pub enum Outcome<'a, T: Types> {
    /// Nothing: `sync`.
    Nothing,
    /// A new table.
    Table(&'a mut Table<T>),
    /// A table changed in place: `ntt`, `accumulate`.
    InPlace(Columns<&'a mut T::Buffer>),
    /// Elements on the host: `download`.
    Elements(&'a mut Vec<BaseOf<T>>),
    /// A tree: `merkle`.
    Tree(&'a mut T::Tree),
    /// A new table, if it is kept, and its extension: `upload_lde`.
    Uploaded(&'a mut Uploaded<T::Buffer>),
    /// Columns, lists, and the counters that were added to: `rows`.
    Rows(&'a mut RowsOutput<T>, Vec<Columns<&'a mut T::Buffer>>),
    /// New tables: `constraint_eval`.
    Tables(&'a mut Vec<Table<T>>),
    /// New tables and a number of totals: `running`.
    Accumulated(&'a mut Vec<Accumulated<T>>, usize),
    /// A digest: `root`.
    Digest(&'a mut Digest),
    /// Openings: `open`.
    Opened(&'a mut Vec<Opened<BaseOf<T>>>),
    /// A program: `prepare`.
    Program(&'a mut T::Program),
    /// Values at points: `eval_at`.
    Values(&'a mut Vec<Values<T>>),
    /// Sums over corners: `sum`.
    Sums(&'a mut Vec<Vec<ExtOf<T>>>),
    /// New tables with sums: `bind_sum`.
    BoundSums(&'a mut Vec<BoundSums<T>>),
    /// A nonce: `grind`.
    Nonce(&'a mut Option<u64>),
    /// Whether a row had a fault: `had_fault`.
    Fault(&'a mut bool),
    /// A number of bytes in a form of the backend's own: [`crate::PlacementOperations::stash`].
    Stashed(usize),
}

impl<T: Types> Outcome<'_, T> {
    /// Bytes that came to the host.
    pub fn downloaded(&self) -> u64 {
        let bytes = match self {
            Self::Stashed(bytes) => *bytes,
            Self::Nothing
            | Self::Table(_)
            | Self::Tables(_)
            | Self::Rows(..)
            | Self::Uploaded(_)
            | Self::InPlace(_)
            | Self::Tree(_)
            | Self::Fault(_)
            | Self::Program(_) => 0,
            Self::Accumulated(_, totals) => totals * size_of::<ExtOf<T>>(),
            Self::Elements(elements) => size_of_val(elements.as_slice()),
            Self::Digest(digest) => size_of_val(*digest),
            Self::Opened(opened) => opened.iter().map(opened_bytes).sum(),
            Self::Values(values) => values.iter().flatten().map(|values| size_of_val(values.as_slice())).sum(),
            Self::Sums(sums) => sums.iter().map(|sums| size_of_val(sums.as_slice())).sum(),
            Self::BoundSums(made) => made.iter().map(|made| size_of_val(made.sums.as_slice())).sum(),
            Self::Nonce(nonce) => nonce.map_or(0, |nonce| size_of_val(&nonce)),
        };
        bytes as u64
    }
}

fn opened_bytes<F>(opened: &Opened<F>) -> usize {
    let rows: usize = opened.rows.iter().map(|row| size_of_val(row.as_slice())).sum();
    let paths: usize = opened.paths.iter().map(|path| size_of_val(path.as_slice())).sum();
    rows + paths
}
