//! AIRs as files: a file that is read has one encoding and is recorded or refused, and a proof about one AIR is none
//! about another.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use air::AirFile;
use air::airs::ExampleAir;
use field::Goldilocks;
use goldilocks_proof::{ProofFile, Seed, Suite, lambdaworks};
use goldilocks_verifier::{Policy, verify_bytes};
use gpu_hal::{CircleStark, GoldilocksStark, Protocol};
use polystark::Family;
use polystark::goldilocks::Device;

use crate::mutate::{Original, mutated, picked};
use crate::script::Script;
use crate::{Outcome, map};

type P = GoldilocksStark;

/// No work: another nonce would do it as well.
const OPTIONS: lambdaworks::Options =
    lambdaworks::Options { blowup: 8, queries: 3, grinding: 0, coset_offset: 3, suite: Suite::Keccak256 };

struct Case {
    original: Original,
    digest: [u8; 32],
    public_inputs: Vec<Goldilocks>,
    proof: Vec<u8>,
}

/// The file of an AIR that is known by name, and a proof about it.
fn case(name: &str, rows: u64) -> Case {
    let example: Arc<dyn ExampleAir<P>> =
        air::airs::build(name, rows, &BTreeMap::new()).expect("an AIR that takes defaults");
    let air = AirFile::of(&*example).expect("it needs no code");
    let bytes = air.encode().expect("a small file");
    let device = Device::open("cpu", Some(1)).expect("the processor is there");
    let silent = |_| std::ops::ControlFlow::Continue(());
    let proven = device.prove_air_with(Arc::new(air.clone()), &example.trace(), OPTIONS.into(), &silent);
    let file = ProofFile::decode(&proven.expect("a true statement").file).expect("it was verified");
    let recorded = air::record(&air).expect("an AIR");
    let case = Case {
        original: Original { map: map::air_file(&bytes, P::DEGREE), bytes },
        digest: recorded.digest(),
        public_inputs: recorded.public_inputs().to_vec(),
        proof: file.proof,
    };
    assert_eq!(outcome(&case, &case.original.bytes), Outcome::Original);
    case
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    // AIRs that need no code: the memories compute boundaries from challenges.
    let names =
        [("bit-flags", 32), ("fibonacci-2-columns", 16), ("fibonacci-rap", 16), ("periodic", 16), ("quadratic", 16)];
    names.into_iter().map(|(name, rows)| case(name, rows)).collect()
});

static CIRCLE: LazyLock<Original> = LazyLock::new(|| {
    let bytes = include_bytes!("../../../fuzz/corpus/decode_air/circle-savings").to_vec();
    Original { map: map::air_file(&bytes, CircleStark::DEGREE), bytes }
});

/// A changed file of either protocol.
pub fn file(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (case, other) = picked(&CASES, script);
    if script.below(4) > 0 {
        return outcome(case, &mutated(&case.original, &other.original, script));
    }
    let bytes = mutated(&CIRCLE, &case.original, script);
    check::<CircleStark>(&bytes);
    // Whether its components can be made, too.
    let _ = Family::<CircleStark>::of_file(&bytes);
    if bytes == CIRCLE.bytes { Outcome::Original } else { Outcome::Passed }
}

/// The AIR in these bytes, if there is one.
fn check<P: Protocol>(bytes: &[u8]) -> Option<AirFile<P>> {
    let air = AirFile::<P>::decode(bytes).ok()?;
    assert_eq!(air.encode().as_deref(), Ok(bytes), "an AIR has one encoding");
    Some(air)
}

/// A proof about the original is accepted about an AIR that says the same, and about no other. Expressions that no
/// constraint reads say nothing.
fn outcome(case: &Case, bytes: &[u8]) -> Outcome {
    let Some(recorded) = check::<P>(bytes).and_then(|air| air::record(&air).ok()) else { return Outcome::Passed };
    let is_accepted = verify_bytes(&recorded, &OPTIONS, Seed::Default, &case.proof, &Policy::ANY).is_ok();
    match is_accepted {
        false => Outcome::Passed,
        true if recorded.digest() == case.digest && recorded.public_inputs() == case.public_inputs => Outcome::Original,
        true => Outcome::Accepted,
    }
}
