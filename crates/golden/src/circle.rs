//! Proofs of the Circle protocol, made by stwo's SimdBackend (`vectors/README.md`).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use circle_air::airs::{ShippedAir, build};
pub use circle_proof::CircleOptions;
use circle_proof::{Policy, decode, encode, verify};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Silent;
use prover_core::circle::{CircleProof, Prover};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A statement with its trace, the options, and what the reference made of it.
pub struct Case {
    /// What to call it.
    pub name: String,
    /// Statement and trace.
    pub air: Arc<dyn ShippedAir>,
    /// Options.
    pub options: CircleOptions,
    /// Length of the proof.
    pub length: usize,
    /// SHA-256 of the proof, in hexadecimal.
    pub sha256: String,
    /// The proof itself, of the small cases.
    pub proof: Option<Vec<u8>>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circle")
}

fn read(name: &str) -> Vec<u8> {
    let path = folder().join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A shipped AIR; parameters as `NAME=VALUE;...`, or `-` for none.
///
/// # Panics
/// If there is no such AIR.
pub fn air(name: &str, log_rows: u32, params: &str) -> Arc<dyn ShippedAir> {
    let params: Vec<(String, String)> = params
        .split(';')
        .filter_map(|param| param.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    build(name, log_rows, &params).unwrap_or_else(|error| panic!("{name} of 2^{log_rows} rows: {error}"))
}

/// The golden proofs.
///
/// # Panics
/// If the files are not as they should be.
pub fn proofs() -> Vec<Case> {
    let mut names: Vec<String> = fs::read_dir(folder())
        .expect("vectors/circle")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort();
    names.into_iter().map(case_of_json).collect()
}

fn case_of_json(name: String) -> Case {
    let json: Value = serde_json::from_slice(&read(&format!("{name}.json"))).expect("JSON");
    let number = |value: &Value| value.as_u64().expect("a number") as u32;
    let text = |key: &str| json[key].as_str().expect("text").to_owned();
    let config = &json["config"];
    let options = CircleOptions {
        pow_bits: number(&config["pow_bits"]),
        log_blowup: number(&config["log_blowup_factor"]),
        queries: number(&config["n_queries"]),
        fold_step: number(&config["fold_step"]),
        log_last: number(&config["log_last_layer_degree_bound"]),
        lifting: config["lifting_log_size"].as_u64().map(|log| log as u32),
    };
    Case {
        air: air(&text("air"), number(&json["log_sizes"]["components"][0]), &text("params")),
        options,
        length: number(&json["proof_len"]) as usize,
        sha256: text("proof_sha256"),
        proof: Some(read(&format!("{name}.proof.bin"))),
        name,
    }
}

/// The larger cases, of which there are digests.
///
/// # Panics
/// If the file is not as it should be.
pub fn digests() -> Vec<Case> {
    let text = String::from_utf8(read("digests.tsv")).expect("text");
    let case = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| fields[at].parse::<u32>().expect("a number");
        let options = CircleOptions {
            pow_bits: number(3),
            log_blowup: number(4),
            queries: number(5),
            fold_step: number(6),
            log_last: number(7),
            lifting: fields[8].parse().ok(),
        };
        Case {
            name: fields[..10].join(" "),
            air: air(fields[0], number(2), fields[1]),
            options,
            length: number(9) as usize,
            sha256: fields[10].to_owned(),
            proof: None,
        }
    };
    text.lines().skip(1).map(case).collect()
}

/// Proves a case.
///
/// # Panics
/// If there is no proof.
pub fn prove<B: StarkBackend<P = CircleStark>>(backend: &Arc<B>, case: &Case) -> CircleProof {
    let prover = Prover::new(backend.clone(), case.air.clone(), &case.options);
    let prover = prover.unwrap_or_else(|error| panic!("{}: {error}", case.name));
    prover.prove(&case.air.trace(), &Silent).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// Proves a case, compares the proof with the reference's, and has stwo's verifier accept it.
///
/// # Panics
/// If the proof is another, or refused.
pub fn check<B: StarkBackend<P = CircleStark>>(backend: &Arc<B>, case: &Case) {
    let made = prove(backend, case);
    let bytes = encode(&made.proof);
    if let Some(golden) = case.proof.as_ref().filter(|golden| **golden != bytes) {
        let golden = decode(golden).expect("a golden proof").0;
        let ours = &made.proof.0;
        let first = ours.commitments.iter().zip(golden.commitments.iter()).position(|(a, b)| a != b);
        panic!(
            "{}: {} bytes, the reference has {}; first other root: {first:?}; nonces {} and {}",
            case.name,
            bytes.len(),
            case.length,
            ours.proof_of_work,
            golden.proof_of_work
        );
    }
    assert_eq!(bytes.len(), case.length, "{}: length of the proof", case.name);
    assert_eq!(hex::encode(Sha256::digest(&bytes)), case.sha256, "{}: digest of the proof", case.name);
    let verdict = verify(case.air.as_ref(), &made.claimed_sums, &bytes, &Policy::ANY);
    verdict.unwrap_or_else(|error| panic!("{}: {error}", case.name));
}

/// Proves a statement from the trace that the device makes and from the host's: the proofs are the same, and are accepted.
///
/// # Panics
/// If not.
pub fn check_generated<B: StarkBackend<P = CircleStark>>(backend: &Arc<B>, air: &Arc<dyn ShippedAir>) {
    let options = CircleOptions { pow_bits: 3, log_blowup: 1, queries: 4, fold_step: 1, ..CircleOptions::default() };
    let name = air.name();
    let prover = Prover::new(backend.clone(), air.clone(), &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(prover.generates(), "{name}: the device makes no trace");
    let made = prover.prove_generated(&Silent).unwrap_or_else(|error| panic!("{name}: {error}"));
    let uploaded = prover.prove(&air.trace(), &Silent).unwrap_or_else(|error| panic!("{name}: {error}"));
    let bytes = encode(&made.proof);
    assert!(bytes == encode(&uploaded.proof), "{name}: another proof than from the host's trace");
    let verdict = verify(&**air, &made.claimed_sums, &bytes, &Policy::ANY);
    verdict.unwrap_or_else(|error| panic!("{name}: {error}"));
}

/// Proves twice, from a trace of the host and, where that is possible, one of the device, on backends that nothing else has used: at
/// most the memory that is planned is taken, and at least 98 % of it.
///
/// # Panics
/// If the plan says another thing than what was taken, or there is no proof.
pub fn planned_is_measured<B: StarkBackend<P = CircleStark>>(
    make: impl Fn() -> B,
    air: &Arc<dyn ShippedAir>,
    options: &CircleOptions,
) {
    for is_generated in [false, true] {
        let backend = Arc::new(make());
        let prover = Prover::new(backend.clone(), air.clone(), options)
            .unwrap_or_else(|error| panic!("{}: {error}", air.name()));
        let (plan, generates) = (prover.plan(), prover.generates());
        let made = match is_generated {
            true if generates => prover.prove_generated(&Silent),
            true => return,
            false => prover.prove(&air.trace(), &Silent),
        };
        made.unwrap_or_else(|error| panic!("{}: {error}", air.name()));
        let planned = plan.peak_bytes.max(plan.preparation_bytes);
        let what = format!("{}, made by the device: {is_generated}, {options:?}: {plan}", air.name());
        let taken = backend.memory().expect("counted").peak;
        // The rows of a trace that is made are kept for a while; those of one that is uploaded need not be.
        let is_exact = is_generated || !generates;
        let is_close = (planned.saturating_sub(taken)) * 50 <= planned;
        assert!(taken <= planned && (is_close || !is_exact), "{what}: {taken} bytes taken, {planned} planned");
    }
}
