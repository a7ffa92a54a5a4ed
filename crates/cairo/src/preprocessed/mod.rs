//! The columns of tree 0: every Cairo proof of a variant has the same, and no claim changes them.
//!
//! | columns | rows | value of row i |
//! |---|---|---|
//! | `seq_n` | `2^n` | `i` |
//! | `bitwise_xor_n_c` | `2^(2n)` | `a = i >> n`, `b = i mod 2^n` and `a ^ b`, for c = 0, 1, 2 |
//! | `range_check_.._column_c` | 2 to the sum of the widths | digit c of i, the first one most significant |
//! | `poseidon_round_keys_c` | 64 | word c, of 27 bits, of the three keys of round i; after 35 rounds round 0 |
//! | `blake_sigma_c` | 16 | which word of the message round i takes as its c-th; after 10 rounds round 0 |
//! | `pedersen_points_c`, `pedersen_points_small_c` | `2^23`, `2^15` | limb c, of 9 bits, of a point of `pedersen.rs` |
//!
//! The list of a variant is in this order, then sorted by rows; the sort is stable. Values are in *storage order*:
//! entry i of a column is entry i of the committed column, without a permutation.
//!
//! The root of a variant is a constant ([`crate::AirVersion::root`]), which a verifier must compare: the proof names
//! its variant, and neither the transcript nor the reference's verifier knows the content of the tree.

mod pedersen;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use pedersen::tests::large_point;

use circle_air::PreprocessedColumn;
use field::M31;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stwo_cairo_common::preprocessed_columns::blake::{BLAKE_SIGMA, N_BLAKE_ROUNDS, N_BLAKE_SIGMA_COLS};
use stwo_cairo_common::preprocessed_columns::poseidon::{N_ROUNDS, N_WORDS, round_keys_m31};

proof_format::named! {
    /// A set of preprocessed columns, by its name on the command line. In JSON it is written in snake case.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Variant {
        /// All columns, with points for windows of 18 bits.
        Canonical = "canonical",
        /// All columns without the points.
        CanonicalWithoutPedersen = "canonical-without-pedersen",
        /// Shorter numbers of rows, and points for windows of 9 bits.
        CanonicalSmall = "canonical-small",
    }
    parse "there is no variant `{}`: auto, {}"
}

/// Log2 of the rows of the shortest `seq` column.
const MIN_LOG_SEQ: u32 = 4;

/// Widths of the operands of the tables of exclusive ors.
const XOR_BITS: [u32; 5] = [4, 7, 8, 9, 10];

/// Widths of the digits of the tables of ranges, which have more than one column.
const RANGES: [&[u32]; 7] = [&[4, 3], &[4, 4], &[9, 9], &[7, 2, 5], &[3, 6, 6, 3], &[4, 4, 4, 4], &[3, 3, 3, 3, 3]];

/// One column.
#[derive(Clone, Copy, Debug)]
enum Column {
    Seq { log_size: u32 },
    Xor { bits: u32, column: usize },
    Range { widths: &'static [u32], column: usize },
    PoseidonKey { column: usize },
    BlakeSigma { column: usize },
    Pedersen { window: pedersen::Window, column: usize },
}

impl Column {
    fn id(self) -> String {
        match self {
            Self::Seq { log_size } => format!("seq_{log_size}"),
            Self::Xor { bits, column } => format!("bitwise_xor_{bits}_{column}"),
            Self::Range { widths, column } => {
                let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
                format!("range_check_{}_column_{column}", widths.join("_"))
            }
            Self::PoseidonKey { column } => format!("poseidon_round_keys_{column}"),
            Self::BlakeSigma { column } => format!("blake_sigma_{column}"),
            Self::Pedersen { window, column } => format!("{}_{column}", window.name()),
        }
    }

    fn log_size(self) -> u32 {
        match self {
            Self::Seq { log_size } => log_size,
            Self::Xor { bits, .. } => 2 * bits,
            Self::Range { widths, .. } => widths.iter().sum(),
            Self::PoseidonKey { .. } => N_ROUNDS.next_power_of_two().ilog2(),
            Self::BlakeSigma { .. } => N_BLAKE_ROUNDS.next_power_of_two().ilog2(),
            Self::Pedersen { window, .. } => window.log_size(),
        }
    }

    /// The values of a column that is computed row by row; `None` for one that is a column of a table of points.
    fn by_rows(self) -> Option<Vec<M31>> {
        let rows = |value: &(dyn Fn(u32) -> u32 + Sync)| {
            (0..1_u32 << self.log_size()).into_par_iter().map(|row| M31::new(value(row))).collect()
        };
        // Rows beyond the last one of a table repeat its first.
        let padded = |row: u32, count: usize| if (row as usize) < count { row as usize } else { 0 };
        Some(match self {
            Self::Seq { .. } => rows(&|row| row),
            Self::Xor { bits, column } => {
                let (a, b) = (move |row: u32| row >> bits, move |row: u32| row & ((1 << bits) - 1));
                rows(&|row| [a(row), b(row), a(row) ^ b(row)][column])
            }
            Self::Range { widths, column } => {
                let shift: u32 = widths[column + 1..].iter().sum();
                let mask = (1 << widths[column]) - 1;
                rows(&|row| (row >> shift) & mask)
            }
            Self::PoseidonKey { column } => rows(&|row| round_keys_m31(padded(row, N_ROUNDS), column).0),
            Self::BlakeSigma { column } => rows(&|row| BLAKE_SIGMA[padded(row, N_BLAKE_ROUNDS)][column]),
            Self::Pedersen { .. } => return None,
        })
    }
}

/// The columns of a variant in the order of the tree.
fn list(variant: Variant) -> Vec<Column> {
    let mut list: Vec<Column> = (MIN_LOG_SEQ..=max_log_seq(variant)).map(|log_size| Column::Seq { log_size }).collect();
    list.extend(XOR_BITS.into_iter().flat_map(|bits| (0..3).map(move |column| Column::Xor { bits, column })));
    let digits = |widths: &'static [u32]| (0..widths.len()).map(move |column| Column::Range { widths, column });
    list.extend(RANGES.into_iter().flat_map(digits));
    list.extend((0..N_WORDS).map(|column| Column::PoseidonKey { column }));
    list.extend((0..N_BLAKE_SIGMA_COLS).map(|column| Column::BlakeSigma { column }));
    let window = window(variant).into_iter();
    list.extend(
        window.flat_map(|window| (0..pedersen::COLUMNS).map(move |column| Column::Pedersen { window, column })),
    );
    list.sort_by_key(|column| column.log_size());
    list
}

/// The table of points of a variant.
fn window(variant: Variant) -> Option<pedersen::Window> {
    match variant {
        Variant::Canonical => Some(pedersen::Window::Bits18),
        Variant::CanonicalWithoutPedersen => None,
        Variant::CanonicalSmall => Some(pedersen::Window::Bits9),
    }
}

/// Log2 of the rows of the longest `seq` column: no component that numbers its rows may be longer.
pub fn max_log_seq(variant: Variant) -> u32 {
    match variant {
        Variant::Canonical | Variant::CanonicalWithoutPedersen => 25,
        Variant::CanonicalSmall => 20,
    }
}

/// The columns of a variant, in the order of the tree: lowest first.
pub fn columns(variant: Variant) -> Vec<PreprocessedColumn> {
    list(variant).into_iter().map(|column| PreprocessedColumn::new(&column.id(), column.log_size())).collect()
}

/// The values of some columns of a variant, by their numbers in [`columns`], in storage order.
///
/// Tables of points are computed once for each call, on all threads: `canonical` has one of 2^23 rows, 1.9 GB in all.
///
/// # Panics
/// If there is no column of such a number.
pub fn values(variant: Variant, columns: &[usize]) -> Vec<Vec<M31>> {
    let list = list(variant);
    let mut values: Vec<Option<Vec<M31>>> = columns.par_iter().map(|column| list[*column].by_rows()).collect();
    let points: Vec<usize> = columns
        .iter()
        .filter_map(|column| match list[*column] {
            Column::Pedersen { column, .. } => Some(column),
            _ => None,
        })
        .collect();
    if let Some(window) = window(variant).filter(|_| !points.is_empty()) {
        let empty = values.iter_mut().filter(|values| values.is_none());
        empty.zip(window.columns(&points)).for_each(|(values, points)| *values = Some(points));
    }
    // Every column is either computed by rows or one of the points.
    values.into_iter().flatten().collect()
}

/// The points of which the rows of a variant's table of points are sums, as words of 27 bits: 20 columns of 2^15 rows,
/// see [`pedersen`]. None without a table.
pub(crate) fn points(variant: Variant) -> Vec<Vec<M31>> {
    window(variant).map(pedersen::Window::parts).unwrap_or_default()
}
