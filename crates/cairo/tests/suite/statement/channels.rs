//! Proofs with other hash functions than the reference's tool takes by default: the bytes of the reference's prover.

use std::path::PathBuf;
use std::sync::Arc;

use backend_cpu::Cpu;
use cairo::file::bincode;
use cairo::preprocessed::Variant;
use cairo::prove::{CairoProver, Error};
use cairo::verify::{Expect, Policy, VerifyError, security, verify};
use cairo::{AirProof, Proof, Version};
use cairo_run::{Options, Run, load};
use circle_proof::{CircleOptions, PolicyError, Suite};
use gpu_hal::CircleStark;
use prover_core::Silent;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// A program that was proven with `blake2s_m31`, and with which salt.
const PROGRAMS: [(&str, &str); 7] = [
    ("tiny", ""),
    ("fib_10", ""),
    ("fib_10", ".salt7"),
    ("opcodes_1", ""),
    ("blake_7", ""),
    ("pedersen_20", ""),
    ("poseidon_20", ""),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cairo")
}

fn input(program: &str) -> Run {
    let bytes = std::fs::read(folder().join(format!("programs/{program}.json"))).unwrap();
    load(&bytes, &Options::default()).unwrap().run
}

fn vector(program: &str, salt: &str) -> (Value, CircleOptions, u32) {
    let file = folder().join(format!("channels/{program}.blake2s_m31{salt}.json"));
    let vector: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let number = |value: &Value| value.as_u64().unwrap() as u32;
    let (config, salt) = (&vector["pcs_config"], number(&vector["channel_salt"]));
    let options = CircleOptions {
        pow_bits: number(&config["pow_bits"]),
        log_blowup: number(&config["log_blowup_factor"]),
        queries: number(&config["n_queries"]),
        fold_step: number(&config["fold_step"]),
        log_last: number(&config["log_last_layer_degree_bound"]),
        lifting: config["lifting_log_size"].as_u64().map(|log| log as u32),
        suite: vector["channel_hash"].as_str().unwrap().parse().unwrap(),
    };
    (vector, options, salt)
}

fn prove(backend: &Arc<Cpu<CircleStark>>, input: Run, options: &CircleOptions, salt: u32) -> Result<Proof, Error> {
    let variant = Variant::CanonicalSmall;
    CairoProver::<Version, _, _>::new(backend.clone(), input, variant, options, salt, None)?.prove(&Silent)
}

#[test]
fn the_bytes_are_those_of_the_reference() {
    let backend = Arc::new(Cpu::new());
    for (program, salt) in PROGRAMS {
        let (vector, options, salt) = vector(program, salt);
        assert_eq!(options.suite, Suite::Blake2sM31);
        let proof = prove(&backend, input(program), &options, salt).unwrap();
        let expected = &vector["proof"];
        for (tree, root) in expected["roots"].as_array().unwrap().iter().enumerate() {
            assert_eq!(hex::encode(proof.root(tree).unwrap()), root.as_str().unwrap(), "{program}: tree {tree}");
        }
        let bytes = bincode(&proof).unwrap();
        assert_eq!(bytes.len() as u64, expected["proof_bincode1_len"], "{program}");
        assert_eq!(hex::encode(Sha256::digest(&bytes)), expected["proof_bincode1_sha256"].as_str().unwrap());
        judged(proof, &options);
    }
}

/// The proof is accepted in its suite, and in no other.
fn judged(proof: Proof, options: &CircleOptions) {
    let policy = |suite| {
        let any = circle_proof::Policy { suite, ..circle_proof::Policy::ANY };
        Policy { proof: any, variant: None }
    };
    let verdict = |proof: Proof, suite| verify(proof, &policy(suite), &Expect::default());
    assert_eq!(verdict(proof.clone(), options.suite).unwrap().options, *options);
    let other = verdict(proof.clone(), Suite::Blake2s).unwrap_err();
    assert!(matches!(other, VerifyError::Root { .. }), "{other}");
    assert_eq!(security(&proof, options.suite).unwrap().0, *options);

    // A word of a node that is not below p is none of a digest, although its remainder is.
    let mut changed = proof;
    let nodes = &mut changed.stark_proof.0.decommitments.0;
    let node = nodes.iter_mut().flat_map(|tree| &mut tree.hash_witness).next().unwrap();
    node.0[3] |= 0x80;
    let refused = verdict(changed, options.suite).unwrap_err();
    assert!(matches!(refused, VerifyError::NotReduced { .. }), "{refused}");
}

/// The default policy is of the reference's default, and says which flag takes the proof.
#[test]
fn other_suites_are_named_where_they_are_refused() {
    let options = CircleOptions { suite: Suite::Blake2sM31, ..CircleOptions::default() };
    let refused = Policy::default().proof.check_options(&options).unwrap_err();
    assert!(matches!(refused, PolicyError::Suite { found: "blake2s_m31", expected: "blake2s" }));
    assert!(refused.to_string().contains("--channel blake2s_m31 admits it"), "{refused}");
}
