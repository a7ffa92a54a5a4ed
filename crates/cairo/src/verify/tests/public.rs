//! Public data that are refused: the run of a program, its output, and the segments of builtins.

use cairo_air::air::{MemorySmallValue, SegmentRange};
use cairo_run::BuiltinName;
use num_traits::Zero;
use stwo::core::fields::m31::{BaseField, P};
use stwo::core::fields::qm31::SecureField;

use super::*;

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
