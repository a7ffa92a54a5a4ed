//! This verifier and the one in Python (`crates/circle-proof/tests/python`), which was written from the protocol's text
//! alone, have the same verdict on honest and on edited proofs, and on the edits of a liar.
//!
//! `POLYSTARK_PYTHON_PROOFS` is how many files are judged; `docs/testing.md` has the command for 10^4.

#[path = "../../../../circle-proof/tests/suite/python/judge.rs"]
mod judge;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use adversary_cairo::liar::Lie;
use adversary_cairo::random::draw;
use cairo::file::{bincode, decode};
use cairo::preprocessed::Variant;
use cairo::prove::CairoProver;
use cairo::verify::{Expect, verify};
use cairo::{AirProof as _, AirVersion, Proof, Version};
use cairo_run::{Options, load};
use circle_air::{AirComponent, ClaimedSumError, PreprocessedColumn, Statement};
use circle_proof::{CircleOptions, Suite};
use field::QM31;
use gpu_hal::Hex;
use prover_core::Silent;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use self::judge::{Judge, export};
use super::files::{policy, proof, stored};
use super::random_edits::Original;
use crate::device::cpu;

/// Files that are judged unless the environment says how many.
const FILES: usize = 600;
/// Files for each proof of a random program.
const OF_PROGRAM: usize = 1000;

/// The columns and constraints of a claim.
struct OfClaim<'a> {
    claim: &'a <Version as AirVersion>::Claim,
    variant: Variant,
}

impl Statement for OfClaim<'_> {
    fn name(&self) -> &str {
        "cairo"
    }

    fn words(&self) -> Vec<u32> {
        Vec::new()
    }

    fn preprocessed(&self, _: Option<u32>) -> Vec<PreprocessedColumn> {
        Version::preprocessed(self.variant)
    }

    fn draws(&self) -> usize {
        Version::DRAWS
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        Version::components(self.claim, drawn, 0)
    }

    fn check_claimed_sums(&self, _: &[QM31], _: &[QM31]) -> Result<(), ClaimedSumError> {
        Ok(())
    }

    fn has_bounded_multiplicities(&self) -> bool {
        true
    }
}

/// An honest proof, and where its constraints are for the verifier in Python.
struct Honest {
    name: String,
    proof: Proof,
    suite: Suite,
    programs: String,
}

impl Honest {
    fn new(name: &str, proof: Proof, suite: Suite) -> Self {
        let claim = proof.claim();
        let names: Vec<_> = Version::claimed(claim).iter().map(|component| component.name).collect();
        let statement = OfClaim { claim, variant: proof.variant() };
        let programs = export(&statement, &names, &format!("{name}-{suite}.json")).display().to_string();
        Self { name: name.to_owned(), proof, suite, programs }
    }

    /// The reference's.
    fn stored() -> Vec<Self> {
        let mut all = Vec::new();
        for name in ["cairo/fib_10.small", "cairo/tiny.small", "cairo/ec_op_3.wo", "cairo1/hashes.small"] {
            all.push(Self::new(&name.replace('/', "-"), proof(name), Suite::Blake2s));
        }
        for (program, suite) in [
            ("fib_10", Suite::Blake2sM31),
            ("tiny", Suite::Blake2sM31),
            ("fib_10", Suite::Poseidon252),
            ("range_check96_30", Suite::Poseidon252),
        ] {
            all.push(Self::new(program, stored(program, suite), suite));
        }
        all
    }

    /// A proof of a random program, which ends.
    fn random(seed: u64) -> Option<Self> {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let loaded = load(draw(seed, false).json().as_bytes(), &Options::default()).ok()?;
        let suite = [Suite::Blake2s, Suite::Blake2sM31][random.random_range(0..2)];
        let options = CircleOptions {
            pow_bits: random.random_range(0..8),
            log_blowup: 1,
            queries: random.random_range(1..6),
            fold_step: random.random_range(1..5),
            log_last: random.random_range(0..4),
            lifting: None,
            suite,
        };
        let prover =
            CairoProver::<Version, _, _>::new(cpu(), &loaded.run, Variant::CanonicalSmall, &options, 0, false, None);
        let proof = prover.ok()?.prove(&Silent).ok()?;
        Some(Self::new(&format!("random-{seed}"), proof, suite))
    }

    /// Both verdicts on bytes: whether they are accepted.
    fn verdicts(&self, judge: &mut Judge, bytes: &[u8]) -> (Result<(), String>, String) {
        let ours = match decode::<Proof>(bytes, u64::MAX, self.suite) {
            Ok((proof, _)) => verify(proof, &policy(self.suite), &Expect::default()).map(drop),
            Err(error) => return (Err(error.to_string()), judge.verdict(&self.line(bytes))),
        };
        (ours.map_err(|error| error.to_string()), judge.verdict(&self.line(bytes)))
    }

    fn line(&self, bytes: &[u8]) -> String {
        let mut line = format!("cairo {} read - {} ", self.suite, self.programs);
        let _ = write!(line, "{}", Hex(bytes));
        line
    }
}

/// Verdicts by check, after both were compared.
#[derive(Default)]
struct Sums(BTreeMap<String, usize>);

impl Sums {
    fn compare(&mut self, what: &str, (ours, theirs): (Result<(), String>, String)) {
        let is_accepted = theirs == "accepted";
        assert_eq!(ours.is_ok(), is_accepted, "{what}: {ours:?}, in Python {theirs}");
        *self.0.entry(theirs).or_default() += 1;
    }
}

#[test]
fn two_verifiers_have_one_verdict() {
    let files = std::env::var("POLYSTARK_PYTHON_PROOFS").map_or(FILES, |count| count.parse().expect("a number"));
    let (mut judge, mut sums) = (Judge::new(), Sums::default());
    let mut honest = Honest::stored();
    let seeds = 0..;
    honest.extend(seeds.filter_map(Honest::random).take(files / OF_PROGRAM));
    let of_each = files / honest.len();
    for (number, honest) in honest.iter().enumerate() {
        let original = Original::of(honest.proof.clone(), honest.suite);
        sums.compare(&honest.name, honest.verdicts(&mut judge, &original.bytes));
        assert_eq!(sums.0["accepted"], number + 1, "{}", honest.name);
        // Edits may be none, which are accepted.
        let mut same = 0;
        for edit in 1..of_each {
            let random = &mut ChaCha8Rng::seed_from_u64((1000 * number + edit) as u64);
            let bytes = if random.random() {
                original.edited_bytes(random)
            } else {
                let proof = serde_json::from_value::<Proof>(original.edited_value(random));
                match proof.map(|proof| bincode(&proof, honest.suite)) {
                    Ok(Ok(bytes)) => bytes,
                    _ => continue,
                }
            };
            if bytes == original.bytes {
                same += 1;
                continue;
            }
            sums.compare(&format!("{}, edit {edit}", honest.name), honest.verdicts(&mut judge, &bytes));
        }
        assert!(same <= of_each / 20 + 1, "{}", honest.name);
    }
    eprintln!("{files} files, {} of them honest: {:?}", honest.len(), sums.0);
    assert_eq!(sums.0["accepted"], honest.len(), "no edit is accepted");
    for check in ["Decode", "Public", "Claim", "ProofOfWork", "Opening"] {
        assert!(files < FILES || sums.0.contains_key(check), "{check}: {:?}", sums.0);
    }
}

/// The lies that are edits of a proof.
#[test]
fn both_refuse_the_edits_of_a_liar() {
    let (mut judge, mut sums) = (Judge::new(), Sums::default());
    let honest = Honest::stored();
    for &lie in Lie::ALL.iter().filter(|lie| lie.is_edit()) {
        let mut told = 0;
        for honest in &honest {
            let mut proof = honest.proof.clone();
            if lie.edit(&mut proof, honest.suite, &|_| None)
                && let Ok(bytes) = bincode(&proof, honest.suite)
                && bytes != bincode(&honest.proof, honest.suite).expect("a proof")
            {
                told += 1;
                let verdicts = honest.verdicts(&mut judge, &bytes);
                assert!(verdicts.0.is_err(), "{lie:?} of {}", honest.name);
                sums.compare(&format!("{lie:?} of {}", honest.name), verdicts);
            }
        }
        // They take the work before the lookups anew, which is not done here.
        let needs_work = matches!(lie, Lie::MissingComponent | Lie::SurplusComponent);
        assert_eq!(told == 0, needs_work, "{lie:?}: told {told} times");
    }
    eprintln!("{:?}", sums.0);
}
