//! The golden vectors of the Goldilocks protocol.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use air::airs::{self, ExampleAir};
use field::{ExtensionField, Goldilocks, PrimeField};
use gpu_hal::{CosetProtocol, HashFn};
use proof::ProofOptions;
use serde_json::Value;

/// One golden proof.
pub(crate) struct Vector {
    pub(crate) name: String,
    pub(crate) json: Value,
    pub(crate) bytes: Vec<u8>,
}

/// Folder of the vectors in this repository.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/goldilocks")
}

/// All golden proofs.
pub(crate) fn vectors() -> Vec<Vector> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the vectors are in the repository") {
        let path = entry.expect("a readable folder").path();
        let file = path.file_name().and_then(|name| name.to_str()).expect("an ASCII name").to_owned();
        if let Some(name) = file.strip_suffix(".proof.bin") {
            let json = std::fs::read(folder().join(format!("{name}.json"))).expect("every proof has its JSON");
            out.push(Vector {
                name: name.to_owned(),
                json: serde_json::from_slice(&json).expect("valid JSON"),
                bytes: std::fs::read(&path).expect("a readable proof"),
            });
        }
    }
    assert_eq!(out.len(), 12, "all golden proofs are there");
    out.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

/// A field element in the JSON's form: a decimal string, or a list of them.
pub(crate) fn element<E: ExtensionField<Goldilocks>>(value: &Value) -> E {
    let base = |value: &Value| {
        let text = value.as_str().expect("a decimal string");
        Goldilocks::from_canonical(text.parse().expect("a number")).expect("a canonical number")
    };
    let coordinates: Vec<Goldilocks> = match value {
        Value::Array(list) => list.iter().map(base).collect(),
        single => vec![base(single)],
    };
    E::from_coordinates(&coordinates).expect("as many coordinates as the extension has")
}

impl Vector {
    fn param(&self, name: &str) -> u64 {
        self.json["params"][name].as_u64().unwrap_or_else(|| panic!("{}: no parameter {name}", self.name))
    }

    /// The statement.
    pub(crate) fn air<P: CosetProtocol>(&self) -> Arc<dyn ExampleAir<P>> {
        let rows = self.param("trace_length");
        let name = self.json["air"].as_str().expect("a name");
        if self.name.ends_with("_parts2") {
            let air = airs::FibonacciRap::new(rows, self.param("steps")).map(|air| air.with_parts(2));
            return Arc::new(air.expect("parameters of a golden proof"));
        }
        let params: BTreeMap<String, u64> =
            self.json["params"]["steps"].as_u64().map(|steps| ("steps".to_owned(), steps)).into_iter().collect();
        airs::build::<P>(name, rows, &params).expect("parameters of a golden proof")
    }

    /// The options.
    pub(crate) fn options(&self) -> ProofOptions {
        ProofOptions {
            blowup: self.param("blowup_factor") as u32,
            queries: self.param("fri_number_of_queries") as u32,
            grinding: self.param("grinding_factor") as u32,
            coset_offset: self.param("coset_offset"),
            hash: HashFn::Keccak256,
        }
    }

    /// The transcript's seed.
    pub(crate) fn seed(&self) -> Vec<u8> {
        hex::decode(self.json["params"]["transcript_seed_hex"].as_str().expect("a seed")).expect("hexadecimal")
    }
}

/// One line of `digests.tsv`.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) air: String,
    pub(crate) rows: u64,
    pub(crate) params: BTreeMap<String, u64>,
    pub(crate) options: ProofOptions,
    pub(crate) seed: Vec<u8>,
    pub(crate) proof_len: usize,
    pub(crate) sha256: String,
}

/// All lines of `digests.tsv`.
pub(crate) fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(folder().join("digests.tsv")).expect("the digests are in the repository");
    let rows: Vec<Row> = text.lines().skip(1).map(row).collect();
    assert_eq!(rows.len(), 23, "all digests are there");
    rows
}

fn row(line: &str) -> Row {
    let field: Vec<&str> = line.split('\t').collect();
    let number = |at: usize| field[at].parse::<u64>().expect("a number");
    let params = field[2].split_once('=').map(|(name, value)| (name.to_owned(), value.parse().expect("a number")));
    Row {
        air: field[0].to_owned(),
        rows: number(1),
        params: params.into_iter().collect(),
        options: ProofOptions {
            blowup: number(3) as u32,
            queries: number(4) as u32,
            grinding: number(5) as u32,
            coset_offset: number(6),
            hash: HashFn::Keccak256,
        },
        seed: if field[7] == "-" { Vec::new() } else { hex::decode(field[7]).expect("hexadecimal") },
        proof_len: number(8) as usize,
        sha256: field[9].to_owned(),
    }
}
