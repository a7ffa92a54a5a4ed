//! Proofs with other hash functions than the reference's tool takes by default: the bytes of the reference's prover.

use std::path::PathBuf;
use std::sync::Arc;

use backend_cpu::Cpu;
use cairo::file::{Format, bincode, check_auxiliary, encode};
use cairo::preprocessed::Variant;
use cairo::prove::{CairoProver, Error};
use cairo::verify::{Expect, Policy, VerifyError, security, verify};
use cairo::{AirProof, Proof, Version};
use cairo_run::{Options, Run, load};
use circle_proof::{CircleOptions, PolicyError, Suite};
use gpu_hal::{CircleStark, Digest};
use num_traits::One as _;
use prover_core::Silent;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;

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

/// A vector, its options, its salt.
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

fn prove(
    backend: &Arc<Cpu<CircleStark>>,
    input: Run,
    options: &CircleOptions,
    salt: u32,
    samples_all: bool,
) -> Result<Proof, Error> {
    let variant = Variant::CanonicalSmall;
    CairoProver::<Version, _, _>::new(backend.clone(), input, variant, options, salt, samples_all, None)?.prove(&Silent)
}

/// The proof is the reference's, byte for byte.
fn is_the_reference_s(proof: &Proof, vector: &Value) {
    let (expected, program) = (&vector["proof"], &vector["program"]);
    for (tree, root) in expected["roots"].as_array().unwrap().iter().enumerate() {
        assert_eq!(hex::encode(proof.root(tree).unwrap()), root.as_str().unwrap(), "{program}: tree {tree}");
    }
    let bytes = bincode(proof).unwrap();
    assert_eq!(bytes.len() as u64, expected["proof_bincode1_len"], "{program}");
    assert_eq!(hex::encode(Sha256::digest(&bytes)), expected["proof_bincode1_sha256"].as_str().unwrap(), "{program}");
}

#[test]
fn the_bytes_are_those_of_the_reference() {
    let backend = Arc::new(Cpu::new());
    for (program, salt) in PROGRAMS {
        let (vector, options, salt) = vector(program, salt);
        assert_eq!(options.suite, Suite::Blake2sM31);
        let proof = prove(&backend, input(program), &options, salt, false).unwrap();
        is_the_reference_s(&proof, &vector);
        judged(proof, &options);
    }
}

/// The proof is accepted in its suite, and in no other.
fn judged(proof: Proof, options: &CircleOptions) {
    let policy = |suite| {
        let any = circle_proof::Policy { suite, ..circle_proof::Policy::ANY };
        Policy { proof: any, ..Policy::default() }
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

/// Samples of all preprocessed columns, as verifiers in circuits ask for: a verifier must be told.
#[test]
fn all_preprocessed_columns_are_sampled() {
    let backend = Arc::new(Cpu::new());
    for program in ["fib_10", "opcodes_1"] {
        let (vector, options, salt) = vector(program, ".all_fold4_lift21");
        assert_eq!((options.fold_step, options.lifting), (4, Some(21)));
        let proof = prove(&backend, input(program), &options, salt, true).unwrap();
        is_the_reference_s(&proof, &vector);
        let extended = encode(&proof, Format::ExtendedBinary, options.suite).unwrap();
        let mut unpacked = Vec::new();
        std::io::copy(&mut bzip2::bufread::BzDecoder::new(&extended[..]), &mut unpacked).unwrap();
        assert_eq!(unpacked.len() as u64, vector["proof"]["proof_extended_bincode1_len"]);
        check_auxiliary::<Proof>(&extended, 1 << 20, options.suite).unwrap();

        let verdict = |samples_all, proof: Proof| {
            let preprocessed_root = Some(from_hex(&vector["proof"]["roots"][0]));
            let policy = circle_proof::Policy { suite: options.suite, preprocessed_root, ..circle_proof::Policy::ANY };
            verify(proof, &Policy { proof: policy, samples_all, ..Policy::default() }, &Expect::default())
        };
        assert_eq!(verdict(true, proof.clone()).unwrap().options, options);
        let refused = verdict(false, proof.clone()).unwrap_err();
        assert!(matches!(refused, VerifyError::Samples { all: true }) && refused.is_policy(), "{refused}");
        assert!(refused.to_string().contains("--preprocessed-samples all admits it"), "{refused}");

        let fewer = prove(&backend, input(program), &options, salt, false).unwrap();
        let refused = verdict(true, fewer.clone()).unwrap_err();
        assert!(matches!(refused, VerifyError::Samples { all: false }) && refused.is_policy(), "{refused}");
        let unread = fewer.sampled().iter().position(|is_sampled| !is_sampled).unwrap();
        verdict(false, fewer).unwrap();
        // What nothing reads is bound like all else.
        let changes: [fn(&mut Proof, usize); 5] = [
            |proof, at| proof.stark_proof.0.sampled_values[0][at][0] += SecureField::one(),
            |proof, at| proof.stark_proof.0.sampled_values[0][at].clear(),
            |proof, at| proof.stark_proof.0.sampled_values[0][at].push(SecureField::one()),
            |proof, at| proof.stark_proof.0.queried_values[0][at][0] += BaseField::one(),
            |proof, _| proof.stark_proof.0.sampled_values[0].truncate(1),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            for samples_all in [false, true] {
                let mut changed = proof.clone();
                change(&mut changed, unread);
                let refused = verdict(samples_all, changed).unwrap_err();
                let is_of_both = samples_all || number == 1 || number == 4;
                assert!(!is_of_both || !refused.is_policy(), "{program}, change {number}: {refused}");
            }
        }
    }
}

fn from_hex(text: &Value) -> Digest {
    hex::decode(text.as_str().unwrap()).unwrap().try_into().unwrap()
}

/// The default policy is of the reference's default, and says which flag takes the proof.
#[test]
fn other_suites_are_named_where_they_are_refused() {
    let options = CircleOptions { suite: Suite::Blake2sM31, ..CircleOptions::default() };
    let refused = Policy::default().proof.check_options(&options).unwrap_err();
    assert!(matches!(refused, PolicyError::Suite { found: "blake2s_m31", expected: "blake2s" }));
    assert!(refused.to_string().contains("--channel blake2s_m31 admits it"), "{refused}");
}
