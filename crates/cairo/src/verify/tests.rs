//! Refusals before the reference's verifier is asked, on the claim of a vector: the program `fib_10`, whose proof has
//! these sums, roots and this nonce. The rest of the proof is not there, so that a proof that gets past all checks of
//! the claim is refused for its shape.

use std::collections::BTreeSet;

use cairo_air::air::{MemorySmallValue, SegmentRange};
use cairo_air::claims::{CairoClaim, lookup_sum};
use cairo_air::components::memory_id_to_big;
use cairo_run::{BIG_ID, BuiltinName, Felt252, program_hash};
use circle_air::qm31;
use circle_proof::ShapeError;
use num_traits::Zero;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use stwo::core::fields::m31::{BaseField, P};
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::PcsConfig;

mod components;
mod edges;

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
fn sums_are_those_of_the_components() {
    let one = SecureField::from_u32_unchecked(1, 0, 0, 0);
    // The reference's verifier adds it, although nothing binds it.
    let sum = cairo_air::components::mul_opcode::InteractionClaim { claimed_sum: one };
    let error = bad_claim(|proof| proof.interaction_claim.mul_opcode = Some(sum));
    assert_eq!(error, ClaimError::SumOfNothing { component: "mul_opcode" });
    let total = |proof: &mut Proof| {
        proof.interaction_claim.memory_id_to_big.as_mut().unwrap().claimed_sum += one;
    };
    assert_eq!(bad_claim(total), ClaimError::ChunkTotal);

    let error = bad_claim(|proof| proof.interaction_claim.ret_opcode = None);
    assert_eq!(error, ClaimError::NoSum { component: "ret_opcode" });
    let error =
        bad_claim(|proof| proof.interaction_claim.memory_id_to_big.as_mut().unwrap().big_claimed_sums.push(one));
    assert_eq!(error, ClaimError::ChunkSums { found: 2, expected: 1 });
    let error = bad_claim(|proof| {
        (proof.claim.memory_id_to_big, proof.interaction_claim.memory_id_to_big) = (None, None);
    });
    assert_eq!(error, ClaimError::Missing { component: "memory_id_to_big" });
}

#[test]
fn sizes_are_possible() {
    fn addresses(proof: &mut Proof) -> &mut u32 {
        &mut proof.claim.memory_address_to_id.as_mut().unwrap().log_size
    }
    for log_size in [0, 3, 30, 31, 32, u32::MAX] {
        let expected = ClaimError::Size { log_size, least: 4, most: 29 };
        assert_eq!(bad_claim(|proof| *addresses(proof) = log_size), expected);
        assert_eq!(bad_claim(|proof| proof.claim.ret_opcode.as_mut().unwrap().log_size = log_size), expected);
    }
    assert_eq!(bad_claim(|proof| *addresses(proof) = 26), ClaimError::Addresses { log_size: 26 });
    let (variant, most) = (Variant::CanonicalSmall, 20);
    let too_long = |component| ClaimError::TooLong { component, log_size: 21, variant, most };
    assert_eq!(bad_claim(|proof| *addresses(proof) = 21), too_long("memory_address_to_id"));
    let error = bad_claim(|proof| proof.claim.memory_id_to_big.as_mut().unwrap().big_log_sizes[0] = 21);
    assert_eq!(error, too_long("memory_id_to_big"));
    // Components that do not number their rows may be longer.
    let error = refused(|proof| proof.claim.add_opcode_small.as_mut().unwrap().log_size = 21);
    assert!(matches!(error, VerifyError::InteractionWork { .. }), "{error}");

    let sizes = |count: usize| {
        move |proof: &mut Proof| {
            proof.claim.memory_id_to_big = Some(memory_id_to_big::Claim { big_log_sizes: vec![20; count] });
            let sums = memory_id_to_big::InteractionClaim {
                big_claimed_sums: vec![SecureField::zero(); count],
                claimed_sum: SecureField::zero(),
            };
            proof.interaction_claim.memory_id_to_big = Some(sums);
        }
    };
    assert_eq!(bad_claim(sizes(17)), ClaimError::Chunks { found: 17 });
    for count in [0, 16] {
        assert!(matches!(refused(sizes(count)), VerifyError::InteractionWork { .. }));
    }
    let error = bad_claim(|proof| proof.claim.memory_address_to_id = None);
    assert_eq!(error, ClaimError::SumOfNothing { component: "memory_address_to_id" });
}

#[test]
fn lookups_do_not_wrap() {
    // Each of 2^29 rows reads three addresses, each of as many others two.
    let error = bad_claim(|proof| {
        proof.claim.add_opcode_small.as_mut().unwrap().log_size = 29;
        proof.claim.jnz_opcode_taken.as_mut().unwrap().log_size = 29;
    });
    assert!(matches!(error, ClaimError::Uses { uses, .. } if uses >= u64::from(P)), "{error}");
}

#[test]
fn numbers_are_reduced() {
    let salt = refused(|proof| proof.channel_salt = P);
    assert!(matches!(salt, VerifyError::NotReduced { .. }));
    let unreduced = SecureField::from_u32_unchecked(0, 0, 0, P);
    let changes: [fn(&mut Proof, SecureField); 5] = [
        |proof, value| proof.interaction_claim.ret_opcode.as_mut().unwrap().claimed_sum = value,
        |proof, value| proof.interaction_claim.memory_id_to_big.as_mut().unwrap().claimed_sum = value,
        |proof, value| proof.stark_proof.0.sampled_values.push(vec![vec![value]]),
        |proof, value| proof.stark_proof.0.queried_values.push(vec![vec![value.to_m31_array()[3]]]),
        |proof, value| proof.stark_proof.0.fri_proof.first_layer.fri_witness.push(value),
    ];
    for change in changes {
        assert!(matches!(refused(|proof| change(proof, unreduced)), VerifyError::NotReduced { .. }));
    }
    // A wrong number of coefficients: nothing but deserialization makes it.
    for (count, log_size) in [(1, 1), (2, 0), (3, 1), (0, 0), (1, u32::MAX)] {
        let layer = json!({ "coeffs": vec![SecureField::zero(); count], "log_size": log_size });
        let change = |proof: &mut Proof| {
            proof.stark_proof.0.fri_proof.last_layer_poly = serde_json::from_value(layer).unwrap();
        };
        assert!(matches!(refused(change), VerifyError::LastLayer { found } if found == count));
    }

    let prime = [1, 0, 0, 0, 0, 0, 17, 1 << 27];
    let bad: [fn(&mut Proof, [u32; 8]); 8] = [
        |proof, prime| proof.claim.public_data.public_memory.output[0].1 = prime,
        |proof, prime| proof.claim.public_data.public_memory.program[7].1 = prime,
        |proof, _| proof.claim.public_data.public_memory.output[0].1 = [u32::MAX; 8],
        |proof, _| proof.claim.public_data.public_memory.output[0].0 = P,
        |proof, _| proof.claim.public_data.public_memory.program[3].0 = u32::MAX,
        |proof, _| proof.claim.public_data.public_memory.safe_call_ids[1] = P,
        |proof, _| proof.claim.public_data.public_memory.public_segments.ecdsa.as_mut().unwrap().stop_ptr.id = P,
        |proof, _| proof.claim.public_data.final_state.ap = BaseField::from_u32_unchecked(P),
    ];
    for change in bad {
        assert!(matches!(bad_public(|proof| change(proof, prime)), PublicError::NotReduced { .. }));
    }
    // The largest felt is one.
    let error = refused(|proof| {
        proof.claim.public_data.public_memory.output[0].1 = [0, 0, 0, 0, 0, 0, 17, 1 << 27];
    });
    assert!(matches!(error, VerifyError::InteractionWork { .. }), "{error}");
}

#[test]
fn runs_are_those_of_programs() {
    let number = BaseField::from_u32_unchecked;
    let changes: [fn(&mut Proof); 6] = [
        |proof| proof.claim.public_data.initial_state.pc = BaseField::from_u32_unchecked(2),
        |proof| proof.claim.public_data.final_state.pc = BaseField::from_u32_unchecked(1),
        |proof| proof.claim.public_data.initial_state.fp += BaseField::from_u32_unchecked(1),
        |proof| proof.claim.public_data.final_state.fp += BaseField::from_u32_unchecked(1),
        // Below the pointers that main returns: at address -7.
        |proof| proof.claim.public_data.final_state.ap = BaseField::from_u32_unchecked(4),
        |proof| proof.claim.public_data.final_state.ap = BaseField::from_u32_unchecked(46),
    ];
    for change in changes {
        assert!(matches!(bad_public(change), PublicError::Run { .. }));
    }
    let error = bad_public(|proof| {
        let data = &mut proof.claim.public_data;
        (data.initial_state.ap, data.initial_state.fp, data.final_state.fp) = (number(37), number(37), number(37));
    });
    assert_eq!(error, PublicError::ProgramLength { found: 33, first_ap: 37, expected: 34 });
    for words in [0, 5, 6] {
        let error = bad_public(|proof| proof.claim.public_data.public_memory.program.truncate(words));
        assert_eq!(error, PublicError::ProgramLength { found: words, first_ap: 36, expected: 33 });
    }
    for word in [0, 1, 2, 4, 5] {
        let error = bad_public(|proof| proof.claim.public_data.public_memory.program[word].1[0] ^= 1);
        assert_eq!(error, PublicError::ProgramStart { word, builtins: 11 });
    }
    // One builtin less than the program takes.
    let error = bad_public(|proof| proof.claim.public_data.public_memory.public_segments.keccak = None);
    assert_eq!(error, PublicError::ProgramStart { word: 1, builtins: 10 });
}

#[test]
fn the_output_is_its_segment_and_follows_the_execution() {
    fn segment(proof: &mut Proof) -> &mut SegmentRange {
        &mut proof.claim.public_data.public_memory.public_segments.output
    }
    let moved = bad_public(|proof| {
        segment(proof).start_ptr.value += 3;
        segment(proof).stop_ptr.value += 3;
    });
    assert_eq!(moved, PublicError::OutputPlace { start: 97, last_ap: 94 });
    let longer = bad_public(|proof| segment(proof).stop_ptr.value += 1);
    assert_eq!(longer, PublicError::OutputLength { words: 1, start: 94, stop: 96 });
    let cut = bad_public(|proof| proof.claim.public_data.public_memory.output.clear());
    assert_eq!(cut, PublicError::OutputLength { words: 0, start: 94, stop: 95 });
    let before = bad_public(|proof| segment(proof).stop_ptr.value = 90);
    assert_eq!(before, PublicError::OutputLength { words: 1, start: 94, stop: 90 });
}

#[test]
fn segments_are_those_of_the_claim() {
    let pointer = |value| MemorySmallValue { id: 29, value };
    let range = |start, stop| Some(SegmentRange { start_ptr: pointer(start), stop_ptr: pointer(stop) });
    let reason = |change: &dyn Fn(&mut Proof)| match bad_public(change) {
        PublicError::Segment { builtin, what, .. } => (builtin, what),
        error => panic!("{error}"),
    };
    // As far as there is a component of 2^4 instances from address 95 on, with any sum.
    let with = |start: u32, stop: u32, first: u32| {
        reason(&move |proof: &mut Proof| {
            use cairo_air::components::bitwise_builtin::{Claim, InteractionClaim};
            let claim = Claim { log_size: 4, bitwise_builtin_segment_start: first };
            proof.claim.bitwise_builtin = Some(claim);
            let claimed_sum = SecureField::zero();
            proof.interaction_claim.bitwise_builtin = Some(InteractionClaim { claimed_sum });
            proof.claim.public_data.public_memory.public_segments.bitwise = range(start, stop);
        })
    };
    let starts = |(builtin, what): (BuiltinName, String), text: &str| {
        assert!(builtin == BuiltinName::Bitwise && what.starts_with(text), "{builtin}: {what}");
    };
    starts(with(95, 95, 95), "it is empty, but");
    starts(with(96, 101, 95), "the claim's begins at 95");
    starts(with(95, 99, 95), "that is no number of instances");
    starts(with(95, 90, 95), "that is no number of instances");
    starts(with(95, 95 + 17 * 5, 95), "the component covers the addresses up to 175");
    let last = P - 16 * 5;
    starts(with(last + 1, last + 6, last + 1), "the component covers the addresses up to 2147483648");
    let none = reason(&|proof| proof.claim.public_data.public_memory.public_segments.poseidon = range(95, 101));
    assert_eq!(none, (BuiltinName::Poseidon, "the claim has no component for it".to_owned()));
    for change in [
        (|proof| proof.claim.public_data.public_memory.public_segments.keccak.as_mut().unwrap().stop_ptr.value = 16)
            as fn(&mut Proof),
        |proof| proof.claim.public_data.public_memory.public_segments.ecdsa.as_mut().unwrap().stop_ptr.value = 2,
    ] {
        assert!(reason(&change).1.starts_with("no component proves it"));
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
