//! Every lie of the malicious prover: the check that is there for it refuses, and without the lie the proof is taken.

use std::sync::Arc;

use adversary_cairo::liar::{FileLie, Liar, Lie};
use adversary_cairo::random::draw;
use backend_cpu::Cpu;
use cairo::file::{Format, bincode, decode, encode};
use cairo::preprocessed::Variant;
use cairo::prove::CairoProver;
use cairo::verify::{Expect, VerifyError, verify};
use cairo::{AirVersion as _, Proof, Version};
use cairo_run::{BuiltinName, Loaded, Options, load};
use circle_proof::{CircleOptions, Suite};
use gpu_hal::CircleStark;
use hal_conformance::slow_or_skip;
use prover_core::Silent;

use super::files::{stored, with_felts};

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

/// Each suite has every lie that is an edit. Lies that take a whole proof are told with one suite after the other,
/// unless there is time to tell all of them with each. With poseidon252, of which a proof takes minutes on two cores,
/// none is told: `campaign` changes a stored proof.
#[test]
fn every_lie_is_stopped_by_its_check() {
    let (loaded, suites) = (run(), suites());
    let all = slow_or_skip("lies that take a whole proof with all suites but one");
    for (number, &suite) in suites.iter().enumerate().filter(|(_, suite)| **suite != Suite::Poseidon252) {
        let (edits, whole): (Vec<Lie>, Vec<Lie>) = Lie::ALL.iter().partition(|lie| lie.is_edit());
        let is_told = |(at, lie): (usize, Lie)| {
            let is_its_turn = all || at % 2 == number % 2;
            is_its_turn.then_some(lie)
        };
        tell(&loaded, suite, &edits, &whole.into_iter().enumerate().filter_map(is_told).collect::<Vec<_>>());
    }
}

/// Tells these lies about a run, one by one and in pairs.
fn tell(loaded: &Loaded, suite: Suite, edits: &[Lie], whole: &[Lie]) {
    let (variant, options) = (Variant::CanonicalSmall, options(suite));
    let liar = Liar::new(Cpu::<CircleStark>::new(), &loaded.run, variant, options).unwrap();
    let check = |proof: Proof| verify(proof, &liar.policy(), &Expect::default()).map_err(Box::new);
    let honest = liar.honest().unwrap();
    let verified = check(honest.clone()).unwrap();
    assert_eq!(verified.stated.output, loaded.output);

    // With all dials off it is the prover.
    let backend = Arc::new(Cpu::<CircleStark>::new());
    let prover = CairoProver::<Version, _, _>::new(backend, &loaded.run, variant, &options, 0, false, None).unwrap();
    let made = prover.prove(&Silent).unwrap();
    assert!(bincode(honest, suite).unwrap() == bincode(&made, suite).unwrap());

    let mut wrong = Vec::new();
    for &lie in edits.iter().chain(whole) {
        match liar.prove(&[lie], SEED).unwrap().map(check) {
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
        let Some(proof) = liar.prove(pair, SEED).unwrap() else { continue };
        match check(proof) {
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
        let is_felts = suite == Suite::Poseidon252;
        let honest = if is_felts { with_felts(stored(Suite::Blake2s)) } else { stored(suite) };
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
