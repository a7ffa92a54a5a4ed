//! Every lie of the malicious prover: the check that is there for it refuses, and without the lie the proof is taken.

use std::sync::Arc;

use adversary_cairo::liar::{FileLie, Liar, Lie};
use adversary_cairo::random::draw;
use cairo::file::{Format, bincode, decode, encode};
use cairo::preprocessed::Variant;
use cairo::prove::CairoProver;
use cairo::verify::{Expect, Policy, Verified, VerifyError, verify};
use cairo::{AirVersion as _, Proof, Version};
use cairo_run::{BuiltinName, Loaded, Options, load};
use circle_proof::{CircleOptions, Suite};
use gpu_hal::CircleStark;
use gpu_hal::erased::Device;
use prover_core::Silent;

use super::files::stored;
use crate::device::{cpu, named_or_skip};

/// A short run with all that lies are about: an output, range checks, sums of big numbers, jumps of both kinds.
fn run() -> Loaded {
    let has_all = |loaded: &Loaded| {
        let steps = &loaded.run.state_transitions.casm_states_by_opcode;
        let lists = [&steps.add_opcode, &steps.jnz_opcode_taken, &steps.jump_opcode_rel_imm];
        let range_checks = loaded.builtins.iter().filter(|(name, _)| *name == BuiltinName::RangeCheck);
        lists.into_iter().all(|list| !list.is_empty())
            && range_checks.map(|(_, instances)| *instances).sum::<usize>() > 1
            && (2..10_000).contains(&loaded.steps)
            && !loaded.output.is_empty()
    };
    let loaded = |seed| load(draw(seed, false).json().as_bytes(), &Options::default()).unwrap();
    (0..100).map(loaded).find(has_all).expect("one of a hundred")
}

/// Chooses the rows that lies are about.
const SEED: u64 = 7;

fn options(suite: Suite) -> CircleOptions {
    CircleOptions { pow_bits: 5, log_blowup: 1, queries: 3, fold_step: 1, log_last: 0, lifting: None, suite }
}

/// Pairs of lies of which one takes a whole proof.
const WHOLE_PAIRS: usize = 3;

/// The suites that proofs of Cairo programs may have.
fn suites() -> Vec<Suite> {
    Suite::ALL.into_iter().filter(|suite| Version::takes(*suite)).collect()
}

/// The lies that are edits, and the lies that take a whole proof.
fn lies() -> (Vec<Lie>, Vec<Lie>) {
    Lie::ALL.iter().partition(|lie| lie.is_edit())
}

/// Each suite has a test below.
#[test]
fn every_suite_is_lied_with() {
    assert_eq!(suites(), [Suite::Blake2s, Suite::Blake2sM31, Suite::Poseidon252]);
}

/// Each suite has every lie that is an edit. Lies that take a whole proof are told with one suite after the other; with
/// each, on a backend that proves sooner. With poseidon252 a proof takes minutes on two cores: see below.
fn every_lie_is_stopped_by_its_check(suite: Suite) {
    let (loaded, (edits, whole)) = (run(), lies());
    let device = named_or_skip("lies about Cairo programs that take a whole proof with all suites but one");
    let number = suites().iter().position(|other| *other == suite).expect("Cairo's proofs have it");
    let is_told = |(at, lie): (usize, &Lie)| {
        let is_its_turn = device.is_some() || at % 2 == number % 2;
        is_its_turn.then_some(*lie)
    };
    let whole: Vec<_> = whole.iter().enumerate().filter_map(is_told).collect();
    tell_about_run(&loaded, suite, &edits, &whole, &device.clone().unwrap_or_else(cpu));
}

#[test]
fn every_lie_with_blake2s_is_stopped_by_its_check() {
    every_lie_is_stopped_by_its_check(Suite::Blake2s);
}

#[test]
fn every_lie_with_blake2s_m31_is_stopped_by_its_check() {
    every_lie_is_stopped_by_its_check(Suite::Blake2sM31);
}

/// All of them, on a backend that proves sooner.
#[test]
fn every_lie_with_poseidon252_is_stopped_by_its_check() {
    let Some(device) = named_or_skip("lies about Cairo programs that take a whole proof with poseidon252") else {
        return;
    };
    let (edits, whole) = lies();
    tell_about_run(&run(), Suite::Poseidon252, &edits, &whole, &device);
}

/// The reference's proofs of two programs, of which one at least has a place for each edit. Two edits are left to the
/// test above, since the work before the lookups is done again after them.
#[test]
fn every_edit_with_poseidon252_is_stopped_by_its_check() {
    let suite = Suite::Poseidon252;
    let proofs = ["fib_10", "range_check96_30"].map(|program| stored(program, suite));
    let (mut edits, _) = lies();
    edits.retain(|lie| !matches!(lie, Lie::MissingComponent | Lie::SurplusComponent));
    let options = options(suite);
    let proof = circle_proof::Policy { min_query_bits: options.claimed_bits(), suite, ..circle_proof::Policy::ANY };
    let policy = Policy { proof, ..Policy::default() };
    for proof in &proofs {
        assert_eq!(check(proof.clone(), &policy).unwrap().options, options);
    }
    tell(suite, &policy, &edits, &[], |lies| {
        let mut edited = proofs.iter().filter_map(|proof| {
            let mut proof = proof.clone();
            lies.iter().all(|lie| lie.edit(&mut proof, suite, &|_| None)).then_some(proof)
        });
        edited.next()
    });
}

fn check(proof: Proof, policy: &Policy) -> Result<Verified, Box<VerifyError>> {
    verify(proof, policy, &Expect::default()).map_err(Box::new)
}

/// Tells these lies about a run, one by one and in pairs.
fn tell_about_run(loaded: &Loaded, suite: Suite, edits: &[Lie], whole: &[Lie], device: &Arc<Device<CircleStark>>) {
    let (variant, options) = (Variant::CanonicalSmall, options(suite));
    let liar = Liar::new(Device::clone(device), &loaded.run, variant, options).unwrap();
    let honest = liar.honest().unwrap();
    assert_eq!(check(honest.clone(), &liar.policy()).unwrap().stated.output, loaded.output);

    // With all dials off it is the prover.
    let prover = CairoProver::<Version, _, _>::new(device.clone(), &loaded.run, variant, &options, 0, false, None);
    let made = prover.unwrap().prove(&Silent).unwrap();
    assert!(bincode(honest, suite).unwrap() == bincode(&made, suite).unwrap());
    tell(suite, &liar.policy(), edits, whole, |lies| liar.prove(lies, SEED).unwrap());
}

/// Tells these lies, one by one and in pairs, by a prover that gives nothing if they have no place.
fn tell(suite: Suite, policy: &Policy, edits: &[Lie], whole: &[Lie], prove: impl Fn(&[Lie]) -> Option<Proof>) {
    let mut wrong = Vec::new();
    for &lie in edits.iter().chain(whole) {
        match prove(&[lie]).map(|proof| check(proof, policy)) {
            Some(Err(error)) if lie.stops(&error) => {}
            Some(Err(error)) => wrong.push(format!("{lie:?}, {suite}: {error}")),
            Some(Ok(_)) => wrong.push(format!("{lie:?}, {suite}: accepted")),
            None => wrong.push(format!("{lie:?}, {suite}: not told")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");

    // Two at a time: a proof with a refused lie stays refused, and no combination makes the verifier panic.
    let mut drawn = SEED;
    let mut other = |lies: &[Lie]| {
        drawn = drawn.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        lies[(drawn >> 33) as usize % lies.len()]
    };
    let mut pairs: Vec<[Lie; 2]> = edits.iter().map(|&lie| [lie, other(edits)]).collect();
    pairs.extend((0..if whole.is_empty() { 0 } else { WHOLE_PAIRS }).map(|_| [other(whole), other(Lie::ALL)]));
    let mut told = 0;
    for pair in &pairs {
        let Some(proof) = prove(pair) else { continue };
        match check(proof, policy) {
            Err(error) => assert!(!matches!(*error, VerifyError::Panicked(_)), "{pair:?}, {suite}: {error}"),
            Ok(_) => panic!("{pair:?}, {suite}: accepted"),
        }
        told += 1;
    }
    assert!(told > pairs.len() * 3 / 4, "{told} of {} pairs were told", pairs.len());
}

#[test]
fn every_lie_in_a_file_is_stopped_by_its_check() {
    for suite in suites() {
        let honest = stored("tiny", suite);
        for &lie in FileLie::ALL {
            let file = lie.tell(&honest, suite).unwrap();
            match decode::<Proof>(&file, u64::MAX, suite) {
                Err(error) => assert!(lie.stops(&error), "{lie:?}, {suite}: {error}"),
                Ok(_) => panic!("{lie:?}, {suite}: read"),
            }
        }
        for format in [Format::Binary, Format::Json, Format::Bincode] {
            assert!(decode::<Proof>(&encode(&honest, format, suite).unwrap(), u64::MAX, suite).is_ok(), "{suite}");
        }
    }
}
