//! The golden vectors with their statements.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use air::airs::{self, FibonacciRap};
use air::{Recorded, record};
use field::{Fp3, Goldilocks};
use gpu_hal::{CosetProtocol, GoldilocksStark};
use proof::{HashFn, Proof, ProofOptions, decode};
use serde_json::Value;
use verifier::{Policy, Seed, Verified, VerifyError, verify};

/// Proofs with challenges in the cubic extension.
pub(crate) type Cubic = GoldilocksStark<Fp3>;
/// Proofs with challenges in the base field.
pub(crate) type Base = GoldilocksStark<Goldilocks>;

/// A golden proof with its statement.
pub(crate) struct Case<P: CosetProtocol> {
    pub(crate) name: String,
    pub(crate) air: Recorded<P>,
    pub(crate) options: ProofOptions,
    pub(crate) seed: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) proof: Proof<P>,
}

impl<P: CosetProtocol> Case<P> {
    pub(crate) fn verify(&self, proof: &Proof<P>) -> Result<Verified, VerifyError> {
        verify(&self.air, &self.options, Seed::Given(&self.seed), proof, &Policy::ANY)
    }
}

fn number(json: &Value, key: &str) -> u64 {
    json["params"][key].as_u64().unwrap_or_else(|| panic!("{key} is a number"))
}

/// A vector by its name.
pub(crate) fn case<P: CosetProtocol>(name: &str) -> Case<P> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/goldilocks");
    let json = fs::read(folder.join(format!("{name}.json"))).expect("the vector is in the repository");
    let json: Value = serde_json::from_slice(&json).expect("valid JSON");
    let bytes = fs::read(folder.join(format!("{name}.proof.bin"))).expect("the proof is in the repository");
    let rows = number(&json, "trace_length");
    let air_name = json["air"].as_str().expect("a name");
    let air = if air_name == "fibonacci-rap" {
        let parts = number(&json, "composition_parts") as usize;
        let air = FibonacciRap::new(rows, number(&json, "steps")).expect("possible").with_parts(parts);
        record::<P, _>(&air)
    } else {
        record::<P, _>(&*airs::build::<P>(air_name, rows, &BTreeMap::new()).expect("known"))
    };
    let options = ProofOptions {
        blowup: number(&json, "blowup_factor") as u32,
        queries: number(&json, "fri_number_of_queries") as u32,
        grinding: number(&json, "grinding_factor") as u32,
        coset_offset: number(&json, "coset_offset"),
        hash: HashFn::Keccak256,
    };
    let seed = json["params"]["transcript_seed_hex"].as_str().expect("a string");
    let seed = hex::decode(seed).expect("hexadecimal");
    let proof = decode::<P>(&bytes).expect("an encoding");
    Case { name: name.into(), air: air.expect("valid"), options, seed, bytes, proof }
}

/// The vectors with challenges in the cubic extension.
pub(crate) const CUBIC: [&str; 11] = [
    "fibrap_fp3_n32_s16_b4_q3_c3_g1",
    "fibrap_fp3_n16_s15_b2_q5_c7_g0",
    "fibrap_fp3_n64_s40_b8_q4_c3_g8_seed",
    "fibrap_fp3_n32_s31_b4_q3_c3_g1_parts2",
    "simple-fibonacci_n16_b4_q3_c3_g1",
    "fibonacci-2-columns_n16_b4_q3_c3_g1",
    "quadratic_n16_b4_q3_c3_g1",
    "periodic_n16_b4_q3_c3_g1",
    "read-only-memory_n16_b4_q3_c3_g1",
    "read-only-memory-logup_n16_b4_q3_c3_g1",
    "bit-flags_n32_b4_q3_c3_g1",
];
/// The vector with challenges in the base field.
pub(crate) const BASE: &str = "fibrap_base_n32_s16_b4_q3_c3_g1";

/// All vectors over the cubic extension.
pub(crate) fn cubic() -> impl Iterator<Item = Case<Cubic>> {
    CUBIC.into_iter().map(case)
}
