//! Tables that are the same for every run. Two are preprocessed columns too, and made of these.

use std::sync::{Arc, Mutex, PoisonError};

use field::M31;

use super::machine::Table;
use crate::preprocessed::{self, Variant};

/// Log2 of the rows of a table; `None` if it is not constant.
pub(crate) fn log_rows(table: Table) -> Option<u32> {
    match table {
        Table::PoseidonKeys => Some(6),
        Table::BlakeSigma => Some(4),
        Table::PedersenPoints => Some(15),
        _ => None,
    }
}

/// A table of a variant, and its columns, one after the other.
type ConstantColumns = ((Table, Variant), Arc<Vec<M31>>);

/// Tables that were made.
static MADE: Mutex<Vec<ConstantColumns>> = Mutex::new(Vec::new());

/// The columns of a table, one after the other; none if it is not constant, or the variant has none. They are made once
/// a process: to add up points takes longer than some proofs.
pub(crate) fn values(table: Table, variant: Variant) -> Arc<Vec<M31>> {
    // No change of the list can stop halfway.
    let made = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = made().iter().find(|(key, _)| *key == (table, variant)).map(|(_, values)| Arc::clone(values));
    known.unwrap_or_else(|| {
        // Without the lock: threads that work at it may be given other proofs' work meanwhile. The second thread keeps
        // nothing.
        let values = Arc::new(make(table, variant));
        let mut made = made();
        if made.iter().all(|(key, _)| *key != (table, variant)) {
            made.push(((table, variant), Arc::clone(&values)));
        }
        values
    })
}

fn make(table: Table, variant: Variant) -> Vec<M31> {
    match table {
        Table::PedersenPoints => preprocessed::points(variant).concat(),
        Table::PoseidonKeys => named("poseidon_round_keys", table, variant),
        Table::BlakeSigma => named("blake_sigma", table, variant),
        _ => Vec::new(),
    }
}

/// Preprocessed columns with this name and their numbers.
fn named(name: &str, table: Table, variant: Variant) -> Vec<M31> {
    let columns = preprocessed::columns(variant);
    let number = |column| {
        let id = format!("{name}_{column}");
        columns.iter().position(|column| column.id == id)
    };
    let numbers: Vec<usize> = (0..table.width()).filter_map(number).collect();
    preprocessed::values(variant, &numbers).concat()
}
