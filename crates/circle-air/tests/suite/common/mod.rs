//! A statement with everything that its golden vector holds, computed on the host.
#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::Arc;

use circle_air::airs::ShippedAir;
use circle_air::{Interaction, RecordedStatement, Statement, interaction_columns};
use field::circle::storage_to_coset_row;
use field::{Field, M31, QM31};
use golden::circle::air;
use gpu_hal::ConstraintProgram;
use sha2::{Digest, Sha256};

/// SHA-256 of columns given in the order of the rows, hashed in storage order.
pub(crate) fn digest(columns: &[Vec<M31>]) -> String {
    let mut hash = Sha256::new();
    for column in columns {
        let log_size = column.len().ilog2();
        for index in 0..column.len() {
            hash.update(column[storage_to_coset_row(index, log_size)].value().to_le_bytes());
        }
    }
    hex::encode(hash.finalize())
}

/// All columns of a statement, by component.
pub(crate) struct Tables {
    /// Tree 0.
    pub(crate) preprocessed: Vec<Vec<M31>>,
    /// By component, tree and column: preprocessed (the ones that it reads), main, interaction.
    pub(crate) groups: Vec<[Vec<Vec<M31>>; 3]>,
    /// The claimed sums of the components with lookups.
    pub(crate) claimed_sums: Vec<QM31>,
}

/// Builds all columns of a statement from its traces, the interaction columns from the programs.
pub(crate) fn tables(
    recorded: &RecordedStatement,
    statement: &dyn Statement,
    lifting: Option<u32>,
    traces: Vec<Vec<Vec<M31>>>,
    drawn: &[QM31],
) -> Tables {
    let preprocessed = statement.preprocessed_values(lifting);
    let params = recorded.logup_params(statement, drawn).unwrap();
    let (mut groups, mut claimed_sums) = (Vec::new(), Vec::new());
    for (index, main) in traces.into_iter().enumerate() {
        let component = &recorded.components[index];
        let own: Vec<Vec<M31>> =
            recorded.preprocessed_indices[index].iter().map(|&column| preprocessed[column].clone()).collect();
        let mut columns = Vec::new();
        if let Some(logup) = &component.logup {
            let Interaction { columns: interaction, claimed_sum } =
                interaction_columns(logup, component.log_size, [&own, &main], &params[index]).unwrap();
            claimed_sums.push(claimed_sum);
            columns = interaction;
        }
        groups.push([own, main, columns]);
    }
    Tables { preprocessed, groups, claimed_sums }
}

/// The constraints' values on one row.
pub(crate) fn row_values(
    program: &ConstraintProgram<gpu_hal::CircleStark>,
    groups: &[Vec<Vec<M31>>; 3],
    params: &[QM31],
    log_size: u32,
    row: usize,
) -> Vec<QM31> {
    let rows = 1i64 << log_size;
    program.evaluate(params, |group, column, offset| {
        groups[group][column][(row as i64 + i64::from(offset)).rem_euclid(rows) as usize].into()
    })
}

/// (component, row) at which a constraint does not hold.
pub(crate) fn violated(recorded: &RecordedStatement, tables: &Tables, params: &[Vec<QM31>]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (index, component) in recorded.components.iter().enumerate() {
        for row in 0..1usize << component.log_size {
            let values =
                row_values(&component.constraints, &tables.groups[index], &params[index], component.log_size, row);
            if values.iter().any(|value| !value.is_zero()) {
                found.push((index, row));
            }
        }
    }
    found
}

/// A random-looking element.
pub(crate) fn element(seed: u32) -> QM31 {
    let mut x = u64::from(seed) + 1;
    QM31(std::array::from_fn(|_| {
        x = x.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        M31::reduce(x >> 13)
    }))
}

pub(crate) fn drawn(statement: &dyn Statement) -> Vec<QM31> {
    (0..statement.draws()).map(|i| element(90 + i as u32)).collect()
}

/// One of each AIR, small.
pub(crate) fn small_airs() -> Vec<Arc<dyn ShippedAir>> {
    [
        ("fibonacci", 4, "a=3;b=5"),
        ("wide-fibonacci", 3, "w=7;s=9"),
        ("plonk", 4, "v0=2;v1=3"),
        ("range-squares", 4, "table=3;s=1"),
        ("range-squares", 3, "table=5;s=2"),
        ("poseidon2", 2, "s=2147483000"),
        ("rpo-m31", 2, "s=2147483000"),
    ]
    .into_iter()
    .map(|(name, log_rows, params)| air(name, log_rows, params))
    .collect()
}
