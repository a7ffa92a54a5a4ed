//! Every lie of the malicious prover: the check that is there for it refuses, and without the lie the proof is taken.

use std::sync::Arc;

use adversary_cairo::liar::{FileLie, Liar, Lie};
use adversary_cairo::random::draw;
use backend_cpu::Cpu;
use cairo::BuiltinName;
use cairo::file::{Format, decode, encode};
use cairo::input::{Loaded, Options, load};
use cairo::preprocessed::Variant;
use cairo::verify::{Expect, Proof, verify};
use circle_proof::CircleOptions;
use gpu_hal::CircleStark;

use super::files::proof;

/// A short run with all that lies are about: an output, range checks, sums of big numbers, jumps of both kinds.
fn run() -> Loaded {
    let has_all = |loaded: &Loaded| {
        let steps = &loaded.prover_input.state_transitions.casm_states_by_opcode;
        let lists = [&steps.add_opcode, &steps.jnz_opcode_taken, &steps.jump_opcode_rel_imm];
        let range_checks = loaded.builtins.iter().filter(|(name, _)| *name == BuiltinName::range_check);
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

const OPTIONS: CircleOptions =
    CircleOptions { pow_bits: 5, log_blowup: 1, queries: 3, fold_step: 1, log_last: 0, lifting: None };

#[test]
fn every_lie_is_stopped_by_its_check() {
    let loaded = run();
    let backend = Arc::new(Cpu::<CircleStark>::new());
    let liar = Liar::new(backend, &loaded.prover_input, Variant::CanonicalSmall, OPTIONS).unwrap();
    let check = |proof: Proof| verify(proof, &liar.policy(), &Expect::default()).map_err(Box::new);
    let verified = check(liar.honest().unwrap().clone()).unwrap();
    assert_eq!(verified.stated.output, loaded.output);

    let mut wrong = Vec::new();
    for &lie in Lie::ALL {
        match liar.prove(lie, SEED).unwrap().map(check) {
            Some(Err(error)) if lie.stops(&error) => {}
            Some(Err(error)) => wrong.push(format!("{lie:?}: {error}")),
            Some(Ok(_)) => wrong.push(format!("{lie:?}: accepted")),
            None => wrong.push(format!("{lie:?}: not told")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_lie_in_a_file_is_stopped_by_its_check() {
    let honest = proof("cairo/tiny.small");
    for &lie in FileLie::ALL {
        let file = lie.tell(&honest).unwrap();
        match decode(&file, u64::MAX) {
            Err(error) => assert!(lie.stops(&error), "{lie:?}: {error}"),
            Ok(_) => panic!("{lie:?}: read"),
        }
    }
    for format in [Format::Binary, Format::Json, Format::Bincode] {
        assert!(decode(&encode(&honest, format).unwrap(), u64::MAX).is_ok());
    }
}
