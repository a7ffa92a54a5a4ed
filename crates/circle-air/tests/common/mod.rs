//! A statement with everything that its golden vector holds, computed on the host.
#![allow(dead_code, reason = "each test file uses a part")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use circle_air::airs::{ShippedAir, build};
use circle_air::{Interaction, RecordedStatement, Statement, interaction_columns, secure};
use field::circle::storage_to_coset_row;
use field::{Field, M31, QM31};
use gpu_hal::ConstraintProgram;
use serde_json::Value;
use sha2::{Digest, Sha256};
use stwo::core::fields::qm31::SecureField;
use stwo::core::fri::FriConfig;
use stwo::core::pcs::PcsConfig;

/// The JSON vectors, by file name.
pub(crate) fn vectors() -> Vec<(String, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circle");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    assert_eq!(files.len(), 16);
    let read = |path: PathBuf| {
        let value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        (path.file_name().unwrap().to_string_lossy().into_owned(), value)
    };
    files.into_iter().map(read).collect()
}

/// `NAME=VALUE;...` as pairs.
pub(crate) fn params_of(text: &str) -> Vec<(String, String)> {
    let params = text.split(';').map(|param| param.split_once('=').unwrap());
    params.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The AIR of a vector.
pub(crate) fn air_of(vector: &Value) -> Arc<dyn ShippedAir> {
    let params = params_of(vector["params"].as_str().unwrap());
    let log_rows = vector["log_sizes"]["components"][0].as_u64().unwrap() as u32;
    build(vector["air"].as_str().unwrap(), log_rows, &params).unwrap()
}

pub(crate) fn config_of(vector: &Value) -> PcsConfig {
    let number = |name: &str| vector["config"][name].as_u64().unwrap() as u32;
    PcsConfig {
        pow_bits: number("pow_bits"),
        fri_config: FriConfig {
            log_blowup_factor: number("log_blowup_factor"),
            log_last_layer_degree_bound: number("log_last_layer_degree_bound"),
            n_queries: number("n_queries") as usize,
            fold_step: number("fold_step"),
        },
        lifting_log_size: vector["config"]["lifting_log_size"].as_u64().map(|log| log as u32),
    }
}

pub(crate) fn felt(value: &Value) -> QM31 {
    QM31(std::array::from_fn(|i| M31::new(value[i].as_u64().unwrap() as u32)))
}

/// `z, alpha` of a vector, or nothing.
pub(crate) fn drawn_of(vector: &Value) -> Vec<SecureField> {
    let elements = &vector["lookup_elements"];
    if elements.is_null() { Vec::new() } else { ["z", "alpha"].map(|name| secure(felt(&elements[name]))).into() }
}

pub(crate) fn numbers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap() as u32).collect()
}

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
    /// By component, tree and column: preprocessed (those that it reads), main, interaction.
    pub(crate) groups: Vec<[Vec<Vec<M31>>; 3]>,
    /// Of the components with lookups.
    pub(crate) claimed_sums: Vec<SecureField>,
}

/// Builds all columns of a statement from its traces, the interaction columns from the programs.
pub(crate) fn tables(
    recorded: &RecordedStatement,
    statement: &dyn Statement,
    lifting: Option<u32>,
    traces: Vec<Vec<Vec<M31>>>,
    drawn: &[SecureField],
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
            claimed_sums.push(secure(claimed_sum));
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
pub(crate) fn element(seed: u32) -> SecureField {
    let mut x = u64::from(seed) + 1;
    secure(QM31(std::array::from_fn(|_| {
        x = x.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        M31::reduce(x >> 13)
    })))
}

pub(crate) fn drawn(statement: &dyn Statement) -> Vec<SecureField> {
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
    .map(|(name, log_rows, params)| build(name, log_rows, &params_of(params)).unwrap())
    .collect()
}
