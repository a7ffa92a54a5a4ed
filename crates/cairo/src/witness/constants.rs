//! Tables that are the same for every run. Two are preprocessed columns too, and made of these.

use field::M31;

use super::machine::Table;
use crate::preprocessed::{self, Variant};

/// Log2 of the rows of a table; `None` if it is not constant.
pub fn log_rows(table: Table) -> Option<u32> {
    match table {
        Table::PoseidonKeys => Some(6),
        Table::BlakeSigma => Some(4),
        Table::PedersenPoints => Some(15),
        _ => None,
    }
}

/// The columns of a table, one after the other; none if it is not constant, or the variant has none.
pub fn values(table: Table, variant: Variant) -> Vec<M31> {
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
        columns.iter().position(|column| column.id.id == id)
    };
    let numbers: Vec<usize> = (0..table.width()).filter_map(number).collect();
    preprocessed::values(variant, &numbers).concat()
}
