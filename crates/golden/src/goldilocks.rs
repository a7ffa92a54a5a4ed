//! Proofs of the Goldilocks protocol, made by lambdaworks.

#[cfg(feature = "prover")]
mod check;
#[cfg(feature = "prover")]
pub mod compact;

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs::{self, ExampleAir};
use field::{ExtensionField, Fp3, Goldilocks, PrimeField};
use goldilocks_proof::{Suite, lambdaworks};
use gpu_hal::{CosetProtocol, GoldilocksStark};
use serde_json::Value;

#[cfg(feature = "prover")]
pub use check::{check, check_vectors, planned_is_measured, prove};

use crate::{Folder, bytes, list, number, text};

const FOLDER: Folder = Folder("goldilocks");

/// Proofs with challenges in the cubic extension.
pub type Cubic = GoldilocksStark<Fp3>;
/// Proofs with challenges in the base field.
pub type Base = GoldilocksStark<Goldilocks>;

/// The vector of the basic case: fibonacci-rap, 32 rows.
pub const BASIC: &str = "fibrap_fp3_n32_s16_b4_q3_c3_g1";
/// The only vector whose challenges are in the base field; in all others they are in the cubic extension.
pub const BASE: &str = "fibrap_base_n32_s16_b4_q3_c3_g1";

/// A statement, the options, and the golden facts of its proof.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Name of the AIR.
    pub air: String,
    /// Rows of the trace.
    pub rows: u64,
    /// Parameters of the AIR.
    pub params: BTreeMap<String, u64>,
    /// Composition parts that are declared, where not the AIR's own number.
    pub parts: Option<usize>,
    /// Options.
    pub options: lambdaworks::Options,
    /// Seed of the transcript.
    pub seed: Vec<u8>,
    /// Length of the proof in bytes.
    pub length: usize,
    /// SHA-256 of the proof, in hexadecimal.
    pub sha256: String,
}

impl Case {
    /// The statement with its trace.
    ///
    /// # Panics
    /// If there is no such AIR.
    pub fn air<P: CosetProtocol>(&self) -> Arc<dyn ExampleAir<P>> {
        match self.parts {
            Some(parts) => {
                let air = airs::FibonacciRap::new(self.rows, self.params["steps"]);
                Arc::new(air.unwrap_or_else(|error| panic!("{}: {error}", self.name)).with_parts(parts))
            }
            None => airs::build::<P>(&self.air, self.rows, &self.params)
                .unwrap_or_else(|error| panic!("{}: {error}", self.name)),
        }
    }
}

/// A golden proof with its intermediate values.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The statement; its name is that of the files.
    pub case: Case,
    /// Parameters and intermediates.
    pub json: Value,
    /// The bytes of the proof.
    pub proof: Vec<u8>,
}

impl Vector {
    /// Whether the challenges are in the base field.
    pub fn is_base(&self) -> bool {
        self.case.name == BASE
    }

    /// The values that the prover computes and does not publish.
    ///
    /// # Panics
    /// If the file is not there.
    pub fn inner(&self) -> Value {
        FOLDER.json(&format!("{}.inner.json", self.case.name))
    }

    /// The nonce of the proof of work, if there is one.
    ///
    /// # Panics
    /// If it is no number.
    pub fn nonce(&self) -> Option<u64> {
        self.json["nonce"].as_str().map(|nonce| nonce.parse().expect("a number"))
    }
}

/// All golden proofs, sorted by name.
///
/// # Panics
/// If the files are not as they should be.
pub fn vectors() -> Vec<Vector> {
    let vectors: Vec<Vector> = FOLDER.names().iter().map(|name| vector(name)).collect();
    assert_eq!(vectors.len(), 12, "all golden proofs are there");
    vectors
}

/// The golden proof of that name.
///
/// # Panics
/// If there is none.
pub fn vector(name: &str) -> Vector {
    let json = FOLDER.json(&format!("{name}.json"));
    let params = &json["params"];
    let param = |key: &str| number(&params[key]);
    let case = Case {
        name: name.to_owned(),
        air: text(&json["air"]).to_owned(),
        rows: param("trace_length"),
        params: params["steps"].as_u64().map(|steps| ("steps".to_owned(), steps)).into_iter().collect(),
        parts: name.ends_with("_parts2").then_some(2),
        options: options_of(["blowup_factor", "fri_number_of_queries", "grinding_factor", "coset_offset"].map(param)),
        seed: bytes(&params["transcript_seed_hex"]),
        length: number(&json["proof_len"]) as usize,
        sha256: text(&json["proof_sha256"]).to_owned(),
    };
    Vector { case, proof: FOLDER.bytes(&format!("{name}.proof.bin")), json }
}

/// The larger cases, of which there are digests.
///
/// # Panics
/// If the file is not as it should be.
pub fn digests() -> Vec<Case> {
    let case = |fields: Vec<String>| {
        let number = |at: usize| fields[at].parse::<u64>().expect("a number");
        let params = fields[2].split_once('=').map(|(name, value)| (name.to_owned(), value.parse().expect("a number")));
        Case {
            name: fields[..8].join(" "),
            air: fields[0].clone(),
            rows: number(1),
            params: params.into_iter().collect(),
            parts: None,
            options: options_of([3, 4, 5, 6].map(number)),
            seed: if fields[7] == "-" { Vec::new() } else { hex::decode(&fields[7]).expect("hexadecimal") },
            length: number(8) as usize,
            sha256: fields[9].clone(),
        }
    };
    let cases: Vec<Case> = FOLDER.table("digests.tsv").into_iter().map(case).collect();
    assert_eq!(cases.len(), 23, "all digests are there");
    cases
}

fn options_of([blowup, queries, grinding, coset_offset]: [u64; 4]) -> lambdaworks::Options {
    let [blowup, queries, grinding] = [blowup, queries, grinding].map(|number| number as u32);
    lambdaworks::Options { blowup, queries, grinding, coset_offset, suite: Suite::Keccak256 }
}

/// An example AIR; of `wide` five columns of degree 3.
///
/// # Panics
/// If there is none.
pub fn example(name: &str, rows: u64) -> Arc<dyn ExampleAir<Cubic>> {
    let params = if name == "wide" { &[("width", 5), ("degree", 3)][..] } else { &[] };
    let params = params.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    airs::build::<Cubic>(name, rows, &params).unwrap_or_else(|error| panic!("{name} of {rows} rows: {error}"))
}

/// Options of a small proof that has every round.
pub fn options(suite: Suite) -> lambdaworks::Options {
    lambdaworks::Options { blowup: 4, queries: 5, grinding: 3, coset_offset: 3, suite }
}

/// A base element: a decimal string.
///
/// # Panics
/// If it is none, or not canonical.
pub fn base(value: &Value) -> Goldilocks {
    Goldilocks::from_canonical(text(value).parse().expect("a number")).expect("a canonical number")
}

/// An element of the extension: a list of base elements, or one.
///
/// # Panics
/// If there are not as many as the extension has coordinates.
pub fn element<E: ExtensionField<Goldilocks>>(value: &Value) -> E {
    let coordinates = if value.is_array() { list(value, base) } else { vec![base(value)] };
    E::from_coordinates(&coordinates).expect("as many coordinates as the extension has")
}

/// A list of elements.
///
/// # Panics
/// As [`element`].
pub fn elements<E: ExtensionField<Goldilocks>>(value: &Value) -> Vec<E> {
    list(value, element)
}
