//! Random edits of a proof with every suite: none is accepted, and nothing panics.

use std::time::Instant;

use cairo::file::{bincode, decode};
use cairo::verify::{Expect, Policy, VerifyError, verify};
use cairo::{AirVersion as _, Proof, Version};
use circle_proof::Suite;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde_json::Value;
use stwo::core::fields::m31::P;

use super::edits::{Place, places, pointer};
use super::files::{policy, stored};

/// Edits with each suite, unless the environment says another number.
const EDITS: u64 = 300;
/// The number of edits.
const VARIABLE: &str = "POLYSTARK_EDITS";

#[test]
fn no_random_edit_is_accepted() {
    let edits = std::env::var(VARIABLE).map_or(EDITS, |text| text.parse().expect("a number of edits"));
    for suite in Suite::ALL.into_iter().filter(|suite| Version::takes(*suite)) {
        let original = Original::new(suite);
        let begun = Instant::now();
        let outcomes: Vec<Outcome> = (0..edits).into_par_iter().map(|number| original.edited(number)).collect();
        let seconds = begun.elapsed().as_secs_f64();
        let [same, none, refused] = [Outcome::Same, Outcome::None, Outcome::Refused]
            .map(|outcome| outcomes.iter().filter(|found| **found == outcome).count() as u64);
        eprintln!(
            "{suite}: {edits} edits in {seconds:.1} s: {refused} refused as proofs, {none} no proofs, {same} the same"
        );
        // A few edits may become anything.
        assert!(edits < EDITS || same <= edits / 20 && refused > edits / 4, "{suite}");
    }
}

/// The outcome of an edit that is not accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The edit changes nothing.
    Same,
    /// The file has no proof in it any more.
    None,
    /// The verifier refuses the proof.
    Refused,
}

/// A proof that edits are made of.
pub(super) struct Original {
    suite: Suite,
    policy: Policy,
    pub(super) bytes: Vec<u8>,
    value: Value,
    numbers: Vec<Place>,
}

impl Original {
    fn new(suite: Suite) -> Self {
        Self::of(stored("fib_10", suite), suite)
    }

    pub(super) fn of(proof: Proof, suite: Suite) -> Self {
        let policy = policy(suite);
        let (mut numbers, mut others) = (Vec::new(), Vec::new());
        let value = serde_json::to_value(&proof).unwrap();
        places(&value, &mut Vec::new(), &mut numbers, &mut others);
        let bytes = bincode(&proof, suite).unwrap();
        verify(proof, &policy, &Expect::default()).unwrap();
        Self { suite, policy, bytes, value, numbers }
    }

    /// Makes an edit, which its number says.
    fn edited(&self, number: u64) -> Outcome {
        let random = &mut ChaCha8Rng::seed_from_u64(number);
        let proof = if random.random() {
            decode(&self.edited_bytes(random), u64::MAX, self.suite).ok().map(|(proof, _)| proof)
        } else {
            serde_json::from_value::<Proof>(self.edited_value(random)).ok()
        };
        let Some(proof) = proof else { return Outcome::None };
        // An edit of numbers may leave what is no digest of the suite.
        if bincode(&proof, self.suite).is_ok_and(|bytes| bytes == self.bytes) {
            return Outcome::Same;
        }
        match verify(proof, &self.policy, &Expect::default()) {
            Err(VerifyError::Panicked(said)) => panic!("edit {number}, {}: {said}", self.suite),
            Err(_) => Outcome::Refused,
            Ok(_) => panic!("edit {number}, {}: accepted", self.suite),
        }
    }

    /// Bytes of the file changed, left out, put in or repeated.
    pub(super) fn edited_bytes(&self, random: &mut ChaCha8Rng) -> Vec<u8> {
        let mut changed = self.bytes.clone();
        let at = random.random_range(0..changed.len());
        match random.random_range(0..6) {
            0 | 1 => changed[at] ^= 1 << random.random_range(0..8),
            2 => changed[at] = random.random(),
            3 => drop(changed.remove(at)),
            4 => changed.truncate(at),
            _ => {
                let end = (at + random.random_range(1..100)).min(changed.len());
                let part = changed[at..end].to_vec();
                changed.splice(at..at, part);
            }
        }
        changed
    }

    /// A number of the proof changed; every other time one of the claim, of the sums or of the options.
    pub(super) fn edited_value(&self, random: &mut ChaCha8Rng) -> Value {
        let mut changed = self.value.clone();
        let is_small = |place: &&Place| place[0] != "stark_proof" || place[1] == "config";
        let small: Vec<_> = self.numbers.iter().filter(is_small).collect();
        let place = if random.random() {
            small[random.random_range(0..small.len())]
        } else {
            &self.numbers[random.random_range(0..self.numbers.len())]
        };
        let number = changed.pointer_mut(&pointer(place)).unwrap();
        let before = number.as_u64().unwrap();
        let after = match random.random_range(0..5) {
            0 => before ^ (1 << random.random_range(0..32)),
            1 => before.wrapping_add(1),
            2 => u64::from(random.random_range(0..P)),
            3 => u64::from(random.random::<u8>()),
            _ => before.wrapping_add(u64::from(P)),
        };
        *number = after.into();
        changed
    }
}
