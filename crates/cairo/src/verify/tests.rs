//! Refusals before the reference's verifier is asked, on the claim of a vector: the program `fib_10`, whose proof has
//! these sums, roots and this nonce. The rest of the proof is not there, so that a proof that gets past all checks of
//! the claim is refused for its shape.

use std::collections::BTreeSet;

use cairo_air::claims::{CairoClaim, lookup_sum};
use cairo_run::{BIG_ID, Felt252, program_hash};
use circle_air::qm31;
use circle_proof::ShapeError;
use num_traits::Zero;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::PcsConfig;

mod claim;
mod components;
mod edges;
mod public;

use super::*;
use crate::air_1_3::{Air13, elements, parts};
use crate::{Proof, preprocessed};

fn read(path: &str) -> Value {
    let path = format!("{}/../../vectors/cairo/{path}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A vector by its name.
pub(crate) fn vector(name: &str) -> Value {
    read(&format!("vectors/{name}.json"))
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

/// The words of a program, each with its id: values below 2^72 and others are numbered apart, in the order of their
/// first addresses.
fn program(name: &str) -> Vec<(u32, [u32; 8])> {
    let data = read(&format!("programs/{name}.json"));
    let (mut small, mut big) = (Vec::new(), Vec::new());
    let word = |hex: &Value| {
        let bytes = Felt252::from_hex(hex.as_str().unwrap()).unwrap().to_bytes_le();
        let word: [u32; 8] = std::array::from_fn(|at| u32::from_le_bytes(bytes[4 * at..][..4].try_into().unwrap()));
        let is_small = word[3..].iter().all(|number| *number == 0) && word[2] < 1 << 8;
        let (first, values) = if is_small { (0, &mut small) } else { (BIG_ID, &mut big) };
        let at = values.iter().position(|value| *value == word).unwrap_or(values.len());
        if at == values.len() {
            values.push(word);
        }
        (first + at as u32, word)
    };
    data["data"].as_array().unwrap().iter().map(word).collect()
}

fn sha256(section: &[(u32, [u32; 8])]) -> String {
    let words = section.iter().flat_map(|(id, word)| std::iter::once(id).chain(word));
    hex::encode(Sha256::digest(words.flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>()))
}

/// The claim of a vector, without the words of the program and of the output.
fn claim(vector: &Value) -> CairoClaim {
    let mut claim: Map<String, Value> = vector["claim"]["components"].as_object().unwrap().clone();
    let mut data = vector["claim"]["public_data"].clone();
    data["public_memory"]["program"] = json!([]);
    data["public_memory"]["output"] = json!([]);
    claim.insert("public_data".into(), data);
    serde_json::from_value(claim.into()).unwrap()
}

pub(crate) fn secure(words: &Value) -> SecureField {
    let words: Vec<u32> = words.as_array().unwrap().iter().map(number).collect();
    SecureField::from_u32_unchecked(words[0], words[1], words[2], words[3])
}

/// The proof of `fib_10` with three queries, up to its interaction trace.
pub(crate) fn fib_10() -> Proof {
    let vector = vector("fib_10.small");
    let run = &vector["proofs"]["low"];
    let mut claim = claim(&vector);
    let memory = &mut claim.public_data.public_memory;
    memory.program = program("fib_10");
    memory.output = vec![(42, [144, 0, 0, 0, 0, 0, 0, 0])];
    let expected = &vector["claim"]["public_data"]["public_memory"];
    for (section, name) in [(&memory.program, "program"), (&memory.output, "output")] {
        assert_eq!(sha256(section), expected[name]["sha256_of_id_then_8_words"].as_str().unwrap());
    }
    let mut sums = Map::new();
    for component in run["components"].as_array().unwrap() {
        // Chunk i of the big values is `memory_id_to_big[i]`: there is one.
        let (name, sum) = (component["name"].as_str().unwrap(), secure(&component["claimed_sum"]));
        let name = name.trim_end_matches("[0]");
        let value = match name {
            "memory_id_to_big" => json!({ "big_claimed_sums": [sum], "claimed_sum": sum }),
            _ => json!({ "claimed_sum": sum }),
        };
        assert!(sums.insert(name.to_owned(), value).is_none(), "{name}");
    }
    let root = |name: &str| {
        let bytes: Vec<u8> = hex::decode(run["roots"][name].as_str().unwrap()).unwrap();
        json!(bytes)
    };
    let roots = ["preprocessed", "main", "interaction", "composition"].map(root);
    let layer = json!({ "fri_witness": [], "decommitment": { "hash_witness": [] }, "commitment": root("composition") });
    let one = SecureField::from_u32_unchecked(1, 0, 0, 0);
    let stark_proof = json!({
        "config": run["pcs_config"],
        "commitments": roots,
        "sampled_values": [], "decommitments": [], "queried_values": [], "proof_of_work": 0,
        "fri_proof": {
            "first_layer": layer, "inner_layers": [], "last_layer_poly": { "coeffs": [one], "log_size": 0 },
        },
    });
    Proof {
        claim,
        interaction_pow: run["interaction_pow_nonce"].as_u64().unwrap(),
        interaction_claim: serde_json::from_value(sums.into()).unwrap(),
        stark_proof: serde_json::from_value(stark_proof).unwrap(),
        channel_salt: 0,
        preprocessed_trace_variant: Variant::CanonicalSmall.into(),
    }
}

/// Takes any configuration.
fn any() -> Policy {
    Policy { proof: circle_proof::Policy::ANY, ..Policy::default() }
}

/// Why the proof is refused after a change.
fn refused(change: impl FnOnce(&mut Proof)) -> VerifyError {
    let mut proof = fib_10();
    change(&mut proof);
    verify(proof, &any(), &Expect::default()).unwrap_err()
}

/// Why the claim is refused after a change.
fn bad_claim(change: impl FnOnce(&mut Proof)) -> ClaimError {
    match refused(change) {
        VerifyError::Claim(error) => error,
        error => panic!("{error}"),
    }
}

/// Why the public data are refused after a change.
fn bad_public(change: impl FnOnce(&mut Proof)) -> PublicError {
    match refused(change) {
        VerifyError::Public(error) => error,
        error => panic!("{error}"),
    }
}

#[test]
fn what_is_right_is_refused_for_its_shape_alone() {
    match refused(|_| {}) {
        VerifyError::Proof(circle_proof::VerifyError::Shape(ShapeError { what, found: 0, expected: 4 })) => {
            assert_eq!(what, "trees of sampled values");
        }
        error => panic!("{error}"),
    }
}

/// The nonce does the work after the claim and two roots; the sums are zero with the elements drawn after the nonce.
#[test]
fn the_transcript_is_the_reference_s() {
    let (proof, vector) = (fib_10(), vector("fib_10.small"));
    traces(&proof, &proof.options(circle_proof::Suite::Blake2s).unwrap()).unwrap();
    // The drawn elements are private: the vector's make the sums zero.
    let elements = elements(&["lookup_z", "lookup_alpha"].map(|key| qm31(secure(&vector["proofs"]["low"][key]))));
    assert!(lookup_sum(&proof.claim, &elements, &proof.interaction_claim).is_zero());
}

/// Columns, constraints, rows and preprocessed columns of every vector, as the reference counts them.
#[test]
fn layouts_are_those_of_the_reference() {
    let names: BTreeSet<String> =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/cairo/vectors"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with("preprocessed"))
            .collect();
    for name in names {
        let vector = vector(name.trim_end_matches(".json"));
        let claim = claim(&vector);
        let components = vector["proofs"]["low"]["components"].as_array().unwrap();
        let variant: Variant = serde_json::from_value(vector["preprocessed_variant"].clone()).unwrap();
        let mut sums = Map::new();
        let zero = SecureField::zero();
        for component in vector["claim"]["components"].as_object().unwrap().keys() {
            let big = claim.memory_id_to_big.as_ref().unwrap().big_log_sizes.len();
            let value = match component.as_str() {
                "memory_id_to_big" => json!({ "big_claimed_sums": vec![zero; big], "claimed_sum": zero }),
                _ => json!({ "claimed_sum": zero }),
            };
            sums.insert(component.clone(), value);
        }
        let parts = parts(&claim, &serde_json::from_value(sums.into()).unwrap(), variant, false).unwrap();
        let of = |key: &str| -> Vec<u32> { components.iter().map(|component| number(&component[key])).collect() };
        assert_eq!(parts.constraints, of("n_constraints").iter().sum::<u32>() as usize, "{name}");
        assert_eq!(parts.log_rows, *of("log_size").iter().max().unwrap(), "{name}");
        for (tree, key) in [(0, "n_main"), (1, "n_interaction")] {
            let sizes = of(key).into_iter().zip(of("log_size")).flat_map(|(count, size)| vec![size; count as usize]);
            assert!(parts.traces[tree].iter().map(|column| column.log_size).eq(sizes), "{name}: {key}");
        }
        // Every component has one running sum, of four coordinates, that reads the row before.
        let before = parts.traces.iter().flatten().filter(|column| column.offsets == [-1, 0]).count();
        assert_eq!(before, 4 * components.len(), "{name}");
        // Columns of numbers may be read by several components.
        let used = parts.preprocessed.iter().filter(|column| !column.offsets.is_empty()).count() as u32;
        assert!(used > 0 && used <= of("n_preprocessed_used").iter().sum(), "{name}");
        assert_eq!(parts.preprocessed.len(), preprocessed::columns(variant).len(), "{name}");
    }
}

#[test]
fn the_root_is_the_variant_s() {
    let change = |proof: &mut Proof| proof.stark_proof.0.commitments[0].0[31] ^= 1;
    assert!(matches!(refused(change), VerifyError::Root { variant: Variant::CanonicalSmall, .. }));
    let other = refused(|proof| proof.preprocessed_trace_variant = Variant::Canonical.into());
    assert!(matches!(other, VerifyError::Root { variant: Variant::Canonical, .. }));
    let configured = |change: fn(&mut PcsConfig)| refused(|proof| change(&mut proof.stark_proof.0.config));
    let blowup = configured(|config| config.fri_config.log_blowup_factor = 2);
    assert!(matches!(blowup, VerifyError::UnknownRoot { log_blowup: 2, lifting: None, .. }) && blowup.is_policy());
    let lifting = configured(|config| config.lifting_log_size = Some(22));
    assert!(matches!(lifting, VerifyError::UnknownRoot { log_blowup: 1, lifting: Some(22), .. }));

    // The caller's word counts.
    let mut proof = fib_10();
    proof.stark_proof.0.commitments[0].0[31] ^= 1;
    let mut policy = any();
    policy.proof.preprocessed_root = Some(proof.stark_proof.commitments[0].0);
    let error = verify(proof, &policy, &Expect::default()).unwrap_err();
    assert!(matches!(error, VerifyError::InteractionWork { .. }), "{error}");
    let error = verify(fib_10(), &policy, &Expect::default()).unwrap_err();
    assert!(matches!(error, VerifyError::Root { .. }), "{error}");
}

#[test]
fn policies_and_expectations() {
    let with = |policy: &Policy, expect: &Expect| verify(fib_10(), policy, expect).unwrap_err();
    // Three queries and five bits of work.
    let error = with(&Policy::default(), &Expect::default());
    assert!(matches!(error, VerifyError::Policy(_)) && error.is_policy(), "{error}");
    let error = with(&Policy { variant: Some(Variant::Canonical), ..any() }, &Expect::default());
    assert!(matches!(error, VerifyError::Variant(Variant::CanonicalSmall)) && error.is_policy());
    let hash = program_hash(fib_10().claim.public_data.public_memory.program.iter().map(|(_, word)| word));
    let expect = Expect { program_hash: Some(hash), output: Some(vec![144.into()]), builtins: None };
    assert!(matches!(with(&any(), &expect), VerifyError::Proof(_)));
    let error = with(&any(), &Expect { output: Some(vec![145.into()]), ..expect.clone() });
    assert!(matches!(error, VerifyError::Expectation(Mismatch::Output { at: 0, .. })) && !error.is_policy());
    let error = with(&any(), &Expect { program_hash: Some(hash + Felt252::ONE), ..expect });
    assert!(matches!(error, VerifyError::Expectation(Mismatch::Program { .. })));
}

#[test]
fn what_is_mixed_is_bound_by_the_work() {
    let changes: [fn(&mut Proof); 7] = [
        |proof| proof.channel_salt += 1,
        |proof| proof.interaction_pow ^= 1,
        |proof| proof.claim.ret_opcode.as_mut().unwrap().log_size += 1,
        |proof| proof.claim.public_data.public_memory.program[9].1[0] ^= 1,
        |proof| proof.claim.public_data.public_memory.output[0].0 ^= 1,
        |proof| proof.claim.public_data.public_memory.safe_call_ids[0] ^= 1,
        |proof| proof.stark_proof.0.commitments[1].0[0] ^= 1,
    ];
    for change in changes {
        let error = refused(change);
        assert!(matches!(error, VerifyError::InteractionWork { bits: 24, .. }), "{error}");
    }
}
