//! Proofs of the Circle protocol, made by stwo's SimdBackend.

#[cfg(feature = "prover")]
mod check;

use std::sync::Arc;

use circle_air::airs::{ShippedAir, all, build};
pub use circle_proof::CircleOptions;
use circle_proof::Suite;
use field::{M31, QM31};
use serde_json::Value;

#[cfg(feature = "prover")]
pub use check::{check, check_generated, check_samples, planned_is_measured, prove};

use crate::{Folder, list, number, text};

const FOLDER: Folder = Folder("circle");

/// Parameters of an AIR, by name.
pub type Params = Vec<(String, String)>;

/// A statement with its trace, the options, and the golden facts of its proof.
pub struct Case {
    /// Its name.
    pub name: String,
    /// Statement and trace.
    pub air: Arc<dyn ShippedAir>,
    /// Logarithm of the rows (of the first component, where there are several).
    pub log_rows: u32,
    /// Parameters of the AIR.
    pub params: Params,
    /// Options.
    pub options: CircleOptions,
    /// Length of the proof in bytes.
    pub length: usize,
    /// SHA-256 of the proof, in hexadecimal.
    pub sha256: String,
    /// Whether there is a [`vector`] of that name.
    pub is_vector: bool,
}

/// A golden proof with its intermediate values.
pub struct Vector {
    /// Name of the files.
    pub name: String,
    /// Parameters and intermediates.
    pub json: Value,
    /// The bytes of the proof.
    pub proof: Vec<u8>,
}

impl Vector {
    /// The words of the statement.
    pub fn words(&self) -> Vec<u32> {
        numbers(&self.json["statement_words"])
    }

    /// Logarithm of the rows (of the first component, where there are several).
    pub fn log_rows(&self) -> u32 {
        numbers(&self.json["log_sizes"]["components"])[0]
    }

    /// The statement.
    pub fn statement(&self) -> Arc<dyn ShippedAir> {
        self.statement_with(|_| ())
    }

    /// The statement with other parameters.
    ///
    /// # Panics
    /// If there is none.
    pub fn statement_with(&self, change: impl FnOnce(&mut Params)) -> Arc<dyn ShippedAir> {
        let mut params = params(text(&self.json["params"]));
        change(&mut params);
        made(text(&self.json["air"]), self.log_rows(), &params)
    }

    /// The options.
    pub fn options(&self) -> CircleOptions {
        let config = &self.json["config"];
        let number = |key: &str| number(&config[key]) as u32;
        CircleOptions {
            pow_bits: number("pow_bits"),
            log_blowup: number("log_blowup_factor"),
            queries: number("n_queries"),
            fold_step: number("fold_step"),
            log_last: number("log_last_layer_degree_bound"),
            lifting: config["lifting_log_size"].as_u64().map(|log| log as u32),
            ..CircleOptions::default()
        }
    }

    /// The elements that the lookups draw: z and alpha, or none.
    pub fn drawn(&self) -> Vec<QM31> {
        let elements = &self.json["lookup_elements"];
        if elements.is_null() { Vec::new() } else { ["z", "alpha"].map(|name| element(&elements[name])).into() }
    }

    /// The claimed sums.
    pub fn claimed_sums(&self) -> Vec<QM31> {
        elements(&self.json["claimed_sums"])
    }
}

/// All golden proofs, sorted by name.
///
/// # Panics
/// If the files are not as they should be.
pub fn vectors() -> Vec<Vector> {
    let vectors: Vec<Vector> = FOLDER.names().iter().map(|name| vector(name)).collect();
    assert_eq!(vectors.len(), 16, "all golden proofs are there");
    vectors
}

/// The golden proof of that name.
///
/// # Panics
/// If there is none.
pub fn vector(name: &str) -> Vector {
    Vector {
        name: name.to_owned(),
        json: FOLDER.json(&format!("{name}.json")),
        proof: FOLDER.bytes(&format!("{name}.proof.bin")),
    }
}

/// The cases of the golden proofs.
///
/// # Panics
/// As [`vectors`].
pub fn proofs() -> Vec<Case> {
    let case = |vector: Vector| Case {
        air: vector.statement(),
        log_rows: vector.log_rows(),
        params: params(text(&vector.json["params"])),
        options: vector.options(),
        length: number(&vector.json["proof_len"]) as usize,
        sha256: text(&vector.json["proof_sha256"]).to_owned(),
        is_vector: true,
        name: vector.name,
    };
    vectors().into_iter().map(case).collect()
}

/// The larger cases, of which there are digests.
///
/// # Panics
/// If the file is not as it should be.
pub fn digests() -> Vec<Case> {
    let cases = table("digests.tsv");
    assert_eq!(cases.len(), 14, "all digests are there");
    cases
}

/// Random cases with other hash functions than Blake2s, of which there are digests.
///
/// # Panics
/// If the file is not as it should be.
pub fn suites() -> Vec<Case> {
    table("suites.tsv")
}

/// The cases of a table of digests; the last column, if it is there, is the suite.
fn table(name: &str) -> Vec<Case> {
    let case = |fields: Vec<String>| {
        let number = |at: usize| fields[at].parse::<u32>().expect("a number");
        let options = CircleOptions {
            pow_bits: number(3),
            log_blowup: number(4),
            queries: number(5),
            fold_step: number(6),
            log_last: number(7),
            lifting: fields[8].parse().ok(),
            suite: fields.get(11).map_or_else(Suite::default, |name| name.parse().expect("a suite")),
        };
        Case {
            name: fields[..10].join(" "),
            air: air(&fields[0], number(2), &fields[1]),
            log_rows: number(2),
            params: params(&fields[1]),
            options,
            length: number(9) as usize,
            sha256: fields[10].clone(),
            is_vector: false,
        }
    };
    FOLDER.table(name).into_iter().map(case).collect()
}

/// A shipped AIR; parameters as `NAME=VALUE;...`, or nothing.
///
/// # Panics
/// If there is no such AIR.
pub fn air(name: &str, log_rows: u32, text: &str) -> Arc<dyn ShippedAir> {
    made(name, log_rows, &params(text))
}

fn made(name: &str, log_rows: u32, params: &Params) -> Arc<dyn ShippedAir> {
    build(name, log_rows, params).unwrap_or_else(|error| panic!("{name} of 2^{log_rows} rows: {error}"))
}

/// Every shipped AIR with `2^log_rows` rows or as few more as it has; components of other heights too.
pub fn statements(log_rows: u32) -> Vec<Arc<dyn ShippedAir>> {
    let mut out = Vec::new();
    for info in all() {
        let (log_rows, params) = (log_rows.max(info.least_log_rows), ["w=7;s=3", "table=5;s=2"]);
        match info.name {
            "wide-fibonacci" => out.push(air(info.name, log_rows, params[0])),
            "range-squares" => {
                out.push(air(info.name, log_rows, params[1]));
                out.push(air(info.name, log_rows - 2, &format!("table={log_rows};s=2")));
            }
            // Its table alone has 2^16 rows.
            "blake2s" => {}
            _ => out.push(air(info.name, log_rows, "")),
        }
    }
    out
}

/// Options of a small proof.
pub fn options() -> CircleOptions {
    CircleOptions { pow_bits: 3, log_blowup: 1, queries: 4, fold_step: 1, ..CircleOptions::default() }
}

/// `NAME=VALUE;...` as pairs.
pub fn params(text: &str) -> Params {
    let params = text.split(';').filter_map(|param| param.split_once('='));
    params.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The numbers of a list; none of a null, which a tree without columns has.
///
/// # Panics
/// If it is something else.
pub fn numbers(value: &Value) -> Vec<u32> {
    if value.is_null() { Vec::new() } else { list(value, |value| number(value) as u32) }
}

/// An element of the extension: four numbers.
///
/// # Panics
/// If it is none.
pub fn element(value: &Value) -> QM31 {
    let coordinates: [u32; 4] = numbers(value).try_into().expect("four numbers");
    QM31(coordinates.map(M31::new))
}

/// A list of elements.
///
/// # Panics
/// As [`element`].
pub fn elements(value: &Value) -> Vec<QM31> {
    list(value, element)
}
