//! The reference's proofs of Cairo programs, and verdicts on changed ones.

use std::sync::LazyLock;

use cairo::Proof;
use cairo::file::{Format, bincode, decode};
use cairo::verify::{Expect, Policy, VerifyError, verify};
use serde_json::Value;

use crate::mutate::{picked, raw};
use crate::script::Script;
use crate::{Outcome, json};

/// Longest file that is read.
const MAX_BYTES: u64 = 1 << 22;

struct Case {
    proof: Proof,
    bytes: Vec<u8>,
    value: Value,
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let case = |bytes: &[u8]| {
        let proof = decode::<Proof>(bytes, MAX_BYTES).expect("a golden proof").0;
        assert!(is_accepted(proof.clone()), "the original is accepted");
        Case { value: serde_json::to_value(&proof).expect("a proof has a value"), bytes: bytes.to_vec(), proof }
    };
    vec![
        case(include_bytes!("../../../../vectors/cairo/proofs/fib_10.small.low.bincode")),
        case(include_bytes!("../../../../vectors/cairo/proofs/tiny.small.low.bincode")),
        case(include_bytes!("../../../../vectors/cairo/proofs/ec_op_3.wo.low.bincode")),
        case(include_bytes!("../../../../vectors/cairo1/proofs/hashes.small.low.bincode")),
    ]
});

/// Golden proofs have three queries. If the reference's verifier panics, the checks before it have a defect.
fn is_accepted(proof: Proof) -> bool {
    let policy = Policy { proof: circle_proof::Policy::ANY, ..Policy::default() };
    match verify(proof, &policy, &Expect::default()) {
        Ok(_) => true,
        Err(VerifyError::Panicked(text)) => panic!("the reference's verifier panics: {text}"),
        Err(_) => false,
    }
}

/// A changed proof, in JSON or in bincode.
pub fn proof(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(&CASES, script);
    let is_json = script.below(3) > 0;
    let bytes =
        if is_json { json::mutated(&case.value, &other.value, script) } else { raw(&case.bytes, &other.bytes, script) };
    let Ok((proof, format)) = decode::<Proof>(&bytes, MAX_BYTES) else { return Outcome::Passed };
    let encoded = bincode(&proof).expect("it was decoded");
    assert!(format != Format::Bincode || encoded == bytes, "a proof has one encoding in bincode");
    match is_accepted(proof.clone()) {
        // Another one, as a splice of all of it can be; in JSON one that is written down otherwise.
        true if CASES.iter().any(|one| one.bytes == encoded) => Outcome::Original,
        false => Outcome::Passed,
        true if is_renonced(proof, case) => Outcome::Nonce,
        true => Outcome::Accepted,
    }
}

/// Whether proofs differ only in the nonces of their two works.
fn is_renonced(mut changed: Proof, case: &Case) -> bool {
    changed.interaction_pow = case.proof.interaction_pow;
    changed.stark_proof.0.proof_of_work = case.proof.stark_proof.0.proof_of_work;
    bincode(&changed).is_ok_and(|bytes| bytes == case.bytes)
}
