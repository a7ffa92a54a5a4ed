//! Circle proofs against the golden ones of the reference prover.

use std::fs;
use std::path::{Path, PathBuf};

use backend_cpu::CpuReference;
use circle_air::airs::{ShippedAir, build};
use circle_proof::{CircleOptions, decode, encode};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Silent;
use prover_core::circle::Prover;
use serde_json::Value;
use sha2::{Digest, Sha256};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circle")
}

fn air(name: &str, log_rows: u32, params: &str) -> Box<dyn ShippedAir> {
    let params: Vec<(String, String)> = params
        .split(';')
        .filter_map(|param| param.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    build(name, log_rows, &params).expect("a shipped AIR")
}

fn prove<B: StarkBackend<P = CircleStark>>(backend: &B, air: &dyn ShippedAir, options: &CircleOptions) -> Vec<u8> {
    let prover = Prover::new(backend, air, options).expect("a provable statement");
    let proof = prover.prove(&air.trace(), &Silent).expect("a satisfied trace");
    encode(&proof.proof)
}

/// The vectors: name, AIR, options.
fn vectors() -> Vec<(String, Box<dyn ShippedAir>, CircleOptions)> {
    let mut names: Vec<String> = fs::read_dir(folder())
        .expect("the golden proofs are there")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort();
    let read = |name: String| {
        let text = fs::read_to_string(folder().join(format!("{name}.json"))).expect("readable");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        let number = |value: &Value| value.as_u64().expect("a number") as u32;
        let config = &json["config"];
        let options = CircleOptions {
            pow_bits: number(&config["pow_bits"]),
            log_blowup: number(&config["log_blowup_factor"]),
            queries: number(&config["n_queries"]),
            fold_step: number(&config["fold_step"]),
            log_last: number(&config["log_last_layer_degree_bound"]),
            lifting: config["lifting_log_size"].as_u64().map(|log| log as u32),
        };
        let text = |key: &str| json[key].as_str().expect("text").to_owned();
        let air = air(&text("air"), number(&json["log_sizes"]["components"][0]), &text("params"));
        (name, air, options)
    };
    names.into_iter().map(read).collect()
}

#[test]
fn golden_proofs_on_the_reference_backend() {
    let backend = CpuReference::<CircleStark>::new();
    let vectors = vectors();
    assert_eq!(vectors.len(), 16);
    for (name, air, options) in vectors {
        // A search beyond 2^32 takes the reference minutes.
        if options.pow_bits > 16 {
            continue;
        }
        let golden = fs::read(folder().join(format!("{name}.proof.bin"))).expect("readable");
        let proof = prove(&backend, air.as_ref(), &options);
        if proof != golden {
            let (ours, theirs) = (decode(&proof).expect("ours"), decode(&golden).expect("golden"));
            panic!(
                "{name}: roots {:?} / {:?}, nonces {} / {}",
                ours.0.commitments, theirs.0.commitments, ours.0.proof_of_work, theirs.0.proof_of_work
            );
        }
        assert_eq!(hex::encode(Sha256::digest(&proof)).len(), 64);
    }
}
