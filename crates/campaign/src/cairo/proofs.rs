//! The reference's proofs of Cairo programs, and verdicts on changed ones.

use std::sync::OnceLock;

use cairo::Proof;
use cairo::file::{Format, bincode, decode, encode};
use cairo::verify::{Expect, Policy, VerifyError, verify};
use circle_proof::Suite;
use serde_json::Value;

use crate::mutate::{picked, raw};
use crate::script::Script;
use crate::{Outcome, json};

/// Longest file that is read.
const MAX_BYTES: u64 = 1 << 22;

struct Case {
    proof: Proof,
    bytes: &'static [u8],
    value: Value,
}

/// The stored proofs of a suite.
fn stored(suite: Suite) -> Vec<&'static [u8]> {
    macro_rules! stored {
        ($($file:literal)*) => { vec![$(include_bytes!(concat!("../../../../vectors/", $file, ".bincode"))),*] };
    }
    match suite {
        Suite::Blake2s => stored!(
            "cairo/proofs/fib_10.small.low" "cairo/proofs/tiny.small.low" "cairo/proofs/ec_op_3.wo.low"
            "cairo1/proofs/hashes.small.low"
        ),
        Suite::Blake2sM31 => stored!("cairo/proofs/fib_10.blake2s_m31" "cairo/proofs/tiny.blake2s_m31"),
        Suite::Poseidon252 => stored!(
            "cairo/proofs/fib_10.poseidon252" "cairo/proofs/range_check96_30.poseidon252"
            "cairo/proofs/tiny.poseidon252"
        ),
    }
}

/// The originals of a suite.
fn originals(suite: Suite) -> &'static [Case] {
    static ORIGINALS: [OnceLock<Vec<Case>>; Suite::ALL.len()] = [const { OnceLock::new() }; Suite::ALL.len()];
    let case = |bytes: &'static [u8]| {
        let proof = decode::<Proof>(bytes, MAX_BYTES, suite).expect("a golden proof").0;
        assert!(is_accepted(proof.clone(), suite), "the original is accepted");
        let json = encode(&proof, Format::Json, suite).expect("it was decoded");
        Case { value: serde_json::from_slice(&json).expect("it is JSON"), bytes, proof }
    };
    ORIGINALS[suite as usize].get_or_init(|| stored(suite).into_iter().map(case).collect())
}

/// Golden proofs have three queries. If the reference's verifier panics, the checks before it have a defect.
fn is_accepted(proof: Proof, suite: Suite) -> bool {
    let policy = Policy { proof: circle_proof::Policy { suite, ..circle_proof::Policy::ANY }, ..Policy::default() };
    match verify(proof, &policy, &Expect::default()) {
        Ok(_) => true,
        Err(VerifyError::Panicked(text)) => panic!("the reference's verifier panics: {text}"),
        Err(_) => false,
    }
}

/// A changed proof of a suite, in JSON or in bincode.
pub fn proof(suite: Suite, data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let all = originals(suite);
    let (case, other) = picked(all, script);
    let is_json = script.below(3) > 0;
    let bytes =
        if is_json { json::mutated(&case.value, &other.value, script) } else { raw(case.bytes, other.bytes, script) };
    // Now and then it is said to be of another suite.
    let said = if script.below(16) == 0 { Suite::ALL[script.below(Suite::ALL.len())] } else { suite };
    let Ok((proof, format)) = decode::<Proof>(&bytes, MAX_BYTES, said) else { return Outcome::Passed };
    let encoded = bincode(&proof, said).expect("it was decoded");
    assert!(format != Format::Bincode || encoded == bytes, "a proof has one encoding in bincode");
    match is_accepted(proof.clone(), said) {
        // Another one, as a splice of all of it can be; in JSON one that is written down otherwise.
        true if said == suite && all.iter().any(|one| one.bytes == encoded) => Outcome::Original,
        false => Outcome::Passed,
        true if said == suite && is_renonced(proof, case, suite) => Outcome::Nonce,
        true => Outcome::Accepted,
    }
}

/// Whether proofs differ only in the nonces of their two works.
fn is_renonced(mut changed: Proof, case: &Case, suite: Suite) -> bool {
    changed.interaction_pow = case.proof.interaction_pow;
    changed.stark_proof.0.proof_of_work = case.proof.stark_proof.0.proof_of_work;
    bincode(&changed, suite).is_ok_and(|bytes| bytes == case.bytes)
}
