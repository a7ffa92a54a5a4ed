//! Proofs with other hash functions than the reference's tool takes by default: the bytes of the reference's prover.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use cairo::file::{FileError, Format, bincode, check_auxiliary, decode, encode};
use cairo::preprocessed::Variant;
use cairo::prove::CairoProver;
use cairo::verify::{Expect, Policy, VerifyError, security, verify};
use cairo::{AirProof, AirVersion, Proof, Version};
use cairo_run::{Options, Run, load};
use circle_proof::{CircleOptions, PolicyError, Suite};
use gpu_hal::erased::Device;
use gpu_hal::{CircleStark, Digest};
use num_bigint::BigUint;
use num_traits::One as _;
use prover_core::Silent;
use prover_core::circle::PreprocessedTrace;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;

use crate::device::cpu;
use crate::verify::files::stored;

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

pub(super) fn folder() -> PathBuf {
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

pub(super) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Preprocessed columns that stay on a device, for proofs with the same blowup, lifting and suite.
pub(super) type Columns = Option<Arc<PreprocessedTrace<Device<CircleStark>>>>;

/// Proves a program, and says how long it took.
pub(super) fn prove(
    device: &Arc<Device<CircleStark>>,
    program: &str,
    options: &CircleOptions,
    salt: u32,
    samples_all: bool,
    columns: &mut Columns,
) -> Proof {
    let (input, variant, kept) = (input(program), Variant::CanonicalSmall, columns.take());
    let prover = CairoProver::<Version, _, _>::new(device.clone(), input, variant, options, salt, samples_all, kept);
    let prover = prover.unwrap();
    *columns = Some(prover.preprocessed().clone());
    let begun = Instant::now();
    let proof = prover.prove(&Silent).unwrap();
    eprintln!("{program}, {}: proven in {:?}", options.suite, begun.elapsed());
    proof
}

/// The proof is the reference's, byte for byte.
fn is_the_reference_s(proof: &Proof, vector: &Value) {
    let (expected, program) = (&vector["proof"], &vector["program"]);
    for (tree, root) in expected["roots"].as_array().unwrap().iter().enumerate() {
        assert_eq!(hex::encode(proof.root(tree).unwrap()), root.as_str().unwrap(), "{program}: tree {tree}");
    }
    let bytes = bincode(proof, Suite::Blake2sM31).unwrap();
    assert_eq!(bytes.len() as u64, expected["proof_bincode1_len"], "{program}");
    assert_eq!(sha256(&bytes), expected["proof_bincode1_sha256"].as_str().unwrap(), "{program}");
}

#[test]
fn the_bytes_are_those_of_the_reference() {
    let (device, mut columns) = (cpu(), None);
    for (program, salt) in PROGRAMS {
        let (vector, options, salt) = vector(program, salt);
        assert_eq!(options.suite, Suite::Blake2sM31);
        let proof = prove(&device, program, &options, salt, false, &mut columns);
        is_the_reference_s(&proof, &vector);
        judged(proof, &options);
    }
}

/// Proofs that other tests take for honest ones.
#[test]
fn stored_proofs_are_those_of_the_reference() {
    for program in ["tiny", "fib_10"] {
        is_the_reference_s(&stored(program, Suite::Blake2sM31), &vector(program, "").0);
    }
}

/// The proof is accepted in its suite, and in no other.
pub(super) fn judged(proof: Proof, options: &CircleOptions) {
    let policy = |suite| {
        let known = Version::root(Variant::CanonicalSmall, options).is_some();
        let preprocessed_root = if known { None } else { proof.root(0) };
        let any = circle_proof::Policy { suite, preprocessed_root, ..circle_proof::Policy::ANY };
        Policy { proof: any, ..Policy::default() }
    };
    let verdict = |proof: Proof, suite| verify(proof, &policy(suite), &Expect::default());
    assert_eq!(verdict(proof.clone(), options.suite).unwrap().options, *options);
    assert_eq!(security(&proof, options.suite).unwrap().0, *options);
    for other in Suite::ALL.into_iter().filter(|suite| *suite != options.suite) {
        let refused = verdict(proof.clone(), other).unwrap_err();
        assert!(!refused.is_policy(), "{other}: {refused}");
    }
    files_are_read(&proof, options.suite);

    // A word, or a felt, of a node that is not below p is none of a digest, although its remainder is.
    let mut changed = proof.clone();
    let nodes = &mut changed.stark_proof.0.decommitments.0;
    let node = nodes.iter_mut().flat_map(|tree| &mut tree.hash_witness).next().unwrap();
    node.0[if options.suite == Suite::Poseidon252 { 31 } else { 3 }] |= 0x80;
    let refused = verdict(changed, options.suite).unwrap_err();
    assert!(matches!(refused, VerifyError::NotReduced { .. }), "{refused}");
}

/// Samples of all preprocessed columns, as verifiers in circuits ask for: a verifier must be told.
#[test]
fn all_preprocessed_columns_are_sampled() {
    let (device, mut columns) = (cpu(), None);
    // The composition of the second has a node with a word 2^32 - 2 before it is reduced: the reference makes p - 1 of
    // it, and its own verifier would make 0.
    for program in ["fib_10", "opcodes_1"] {
        let (vector, options, salt) = vector(program, ".all_fold4_lift21");
        assert_eq!((options.fold_step, options.lifting), (4, Some(21)));
        let proof = prove(&device, program, &options, salt, true, &mut columns);
        is_the_reference_s(&proof, &vector);
        let extended = encode(&proof, Format::ExtendedBinary, options.suite).unwrap();
        let mut unpacked = Vec::new();
        std::io::copy(&mut bzip2::bufread::BzDecoder::new(&extended[..]), &mut unpacked).unwrap();
        assert_eq!(vector["proof"]["proof_extended_bincode1_len"], unpacked.len());
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

        let fewer = prove(&device, program, &options, salt, false, &mut columns);
        let refused = verdict(true, fewer.clone()).unwrap_err();
        assert!(matches!(refused, VerifyError::Samples { all: false }) && refused.is_policy(), "{refused}");
        let unread = fewer.sampled().iter().position(|is_sampled| !is_sampled).unwrap();
        verdict(false, fewer).unwrap();
        // A sample that nothing reads is bound like all else.
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

/// Every format holds the proof, and a changed file holds none that is accepted.
fn files_are_read(proof: &Proof, suite: Suite) {
    let expected = bincode(proof, suite).unwrap();
    for format in [Format::Binary, Format::ExtendedBinary, Format::Json, Format::Bincode] {
        let file = encode(proof, format, suite).unwrap();
        let (read, found) = decode::<Proof>(&file, u64::MAX, suite).unwrap();
        assert_eq!((found, bincode(&read, suite).unwrap()), (format, expected.clone()));
        check_auxiliary::<Proof>(&file, u64::MAX, suite).unwrap();
        let other = if suite == Suite::Poseidon252 { Suite::Blake2s } else { Suite::Poseidon252 };
        let refused = decode::<Proof>(&file, u64::MAX, other).map(drop).unwrap_err();
        assert!(matches!(refused, FileError::OtherSuite { expected, .. } if expected == other), "{refused}");
        assert!(refused.is_policy());
    }
    let any = circle_proof::Policy { suite, preprocessed_root: proof.root(0), ..circle_proof::Policy::ANY };
    let policy = Policy { proof: any, ..Policy::default() };
    for at in (0..expected.len()).step_by(expected.len() / 100) {
        let mut changed = expected.clone();
        changed[at] ^= 1;
        if let Ok((read, _)) = decode::<Proof>(&changed, u64::MAX, suite) {
            let refused = verify(read, &policy, &Expect::default());
            assert!(refused.is_err(), "byte {at} of {}", expected.len());
        }
    }
}

fn from_hex(text: &Value) -> Digest {
    hex::decode(text.as_str().unwrap()).unwrap().try_into().unwrap()
}

/// A felt has one text in bincode.
#[test]
fn felts_are_written_as_the_reference_writes_them() {
    let blake = crate::verify::files::proof("cairo/tiny.small");
    // The bytes of most digests of Blake2s are no felts.
    assert!(matches!(bincode(&blake, Suite::Poseidon252), Err(FileError::Digest)));
    let proof = crate::verify::files::with_felts(blake);
    let bytes = bincode(&proof, Suite::Poseidon252).unwrap();
    let (read, _) = decode::<Proof>(&bytes, u64::MAX, Suite::Poseidon252).unwrap();
    assert!(bincode(&read, Suite::Blake2s).unwrap() == bincode(&proof, Suite::Blake2s).unwrap());
    let digits = BigUint::from_bytes_le(&[1; 32]).to_string();
    let written = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let canonical = written(&digits);
    let at = bytes.windows(canonical.len()).position(|window| window == canonical).unwrap();
    let [zeros, hex] = [format!("0{digits}"), format!("0x{}", "01".repeat(32))];
    for text in [&zeros, &hex, "", "+1", "3618502788666131213697322783095070105623107215331596699973092056135872020481"]
    {
        let changed = [&bytes[..at], &written(text), &bytes[at + canonical.len()..]].concat();
        let refused = decode::<Proof>(&changed, u64::MAX, Suite::Poseidon252).map(drop).unwrap_err();
        assert!(matches!(refused, FileError::Bincode(_)), "{text}: {refused}");
    }
}

/// The default policy is of the reference's default, and says which flag takes the proof.
#[test]
fn other_suites_are_named_where_they_are_refused() {
    let options = CircleOptions { suite: Suite::Blake2sM31, ..CircleOptions::default() };
    let refused = Policy::default().proof.check_options(&options).unwrap_err();
    assert!(matches!(refused, PolicyError::Suite { found: "blake2s_m31", expected: "blake2s" }));
    assert!(refused.to_string().contains("--channel blake2s_m31 admits it"), "{refused}");
}
