//! The last number that is taken, and the first that is not. A number that is taken gets as far as the proof of work,
//! which it does not have.

use cairo_air::air::{MemorySmallValue, SegmentRange};
use stwo::core::fields::m31::{BaseField, P};

use super::*;
use crate::checks::check_components;

/// Whether a change gets past all checks of claim, sums and public data.
fn taken(change: impl FnOnce(&mut Proof)) {
    let error = refused(change);
    assert!(matches!(error, VerifyError::InteractionWork { .. }), "{error}");
}

#[test]
fn addresses_and_the_variants_tables() {
    let check = |variant, change: &dyn Fn(&mut CairoClaim)| {
        let mut claim = fib_10().claim;
        change(&mut claim);
        check_components::<Air13>(&claim, variant, 0)
    };
    let rows =
        |log_size: u32| move |claim: &mut CairoClaim| claim.memory_address_to_id.as_mut().unwrap().log_size = log_size;
    assert_eq!(check(Variant::Canonical, &rows(25)), Ok(()));
    assert_eq!(check(Variant::Canonical, &rows(26)), Err(ClaimError::Addresses { log_size: 26 }));
    let none = ClaimError::Missing { component: "memory_address_to_id" };
    assert_eq!(check(Variant::Canonical, &|claim| claim.memory_address_to_id = None), Err(none));

    let large = |claim: &mut CairoClaim| {
        claim.pedersen_points_table_window_bits_18 = Some(serde_json::from_value(json!({})).unwrap());
    };
    let small = |claim: &mut CairoClaim| {
        claim.pedersen_points_table_window_bits_9 = Some(serde_json::from_value(json!({})).unwrap());
    };
    let (canonical, other) = (Variant::Canonical, Variant::CanonicalSmall);
    assert_eq!((check(canonical, &large), check(other, &small)), (Ok(()), Ok(())));
    assert_eq!(check(other, &large), Err(ClaimError::Points { variant: other }));
    assert_eq!(check(canonical, &small), Err(ClaimError::Points { variant: canonical }));

    let builtin = || json!({ "log_size": 4, "pedersen_builtin_segment_start": 95 });
    let wide = |claim: &mut CairoClaim| claim.pedersen_builtin = Some(serde_json::from_value(builtin()).unwrap());
    let narrow = |claim: &mut CairoClaim| {
        claim.pedersen_builtin_narrow_windows = Some(serde_json::from_value(builtin()).unwrap());
    };
    assert_eq!((check(canonical, &wide), check(canonical, &narrow)), (Ok(()), Ok(())));
    let both = |claim: &mut CairoClaim| {
        wide(claim);
        narrow(claim);
    };
    assert_eq!(check(canonical, &both), Err(ClaimError::BothPedersen));
}

#[test]
fn a_relation_is_used_less_often_than_the_prime() {
    let claim = fib_10().claim;
    let mut uses = std::collections::HashMap::new();
    claim.accumulate_relation_uses(&mut uses);
    let left = u64::from(P) - uses.values().max().unwrap();
    assert_eq!(check_components::<Air13>(&claim, Variant::CanonicalSmall, left - 1), Ok(()));
    let error = check_components::<Air13>(&claim, Variant::CanonicalSmall, left).unwrap_err();
    assert!(matches!(error, ClaimError::Uses { uses, .. } if uses == u64::from(P)), "{error}");
    let error = check_components::<Air13>(&claim, Variant::CanonicalSmall, u64::MAX).unwrap_err();
    assert!(matches!(error, ClaimError::Uses { uses: u64::MAX, .. }), "{error}");
}

#[test]
fn numbers_of_public_data() {
    let pointer = |value: u32| {
        bad_public(move |proof| {
            proof.claim.public_data.public_memory.public_segments.ecdsa.as_mut().unwrap().stop_ptr.value = value;
        })
    };
    assert!(matches!(pointer(P), PublicError::NotReduced { .. }));
    assert!(matches!(pointer(P - 1), PublicError::Segment { .. }));
    // Frames that begin elsewhere than the stack does.
    let frames = |proof: &mut Proof| {
        let data = &mut proof.claim.public_data;
        data.initial_state.fp += BaseField::from_u32_unchecked(1);
        data.final_state.fp += BaseField::from_u32_unchecked(1);
    };
    assert!(matches!(bad_public(frames), PublicError::Run { .. }));
    // The pointers that main returns begin where the ones that it takes begin.
    let last_ap = |value| {
        move |proof: &mut Proof| {
            proof.claim.public_data.final_state.ap = BaseField::from_u32_unchecked(value);
        }
    };
    assert!(matches!(bad_public(last_ap(46)), PublicError::Run { .. }));
    assert!(matches!(bad_public(last_ap(47)), PublicError::OutputPlace { last_ap: 47, .. }));
    // One word of output behind the last ap ends at the prime, two behind it.
    assert!(matches!(bad_public(last_ap(P - 1)), PublicError::OutputPlace { .. }));
    let two = |proof: &mut Proof| {
        last_ap(P - 1)(proof);
        let word = proof.claim.public_data.public_memory.output[0];
        proof.claim.public_data.public_memory.output.push(word);
    };
    assert!(matches!(bad_public(two), PublicError::Run { .. }));
    // No output is anywhere.
    taken(|proof| {
        let memory = &mut proof.claim.public_data.public_memory;
        memory.output.clear();
        (memory.public_segments.output.start_ptr.value, memory.public_segments.output.stop_ptr.value) = (5, 5);
    });
}

#[test]
fn segments_fill_their_component() {
    let with = |start: u32, stop: u32| {
        taken(move |proof| {
            use cairo_air::components::bitwise_builtin::{Claim, InteractionClaim};
            proof.claim.bitwise_builtin = Some(Claim { log_size: 4, bitwise_builtin_segment_start: start });
            let claimed_sum = SecureField::zero();
            proof.interaction_claim.bitwise_builtin = Some(InteractionClaim { claimed_sum });
            let pointer = |value| MemorySmallValue { id: 29, value };
            let range = SegmentRange { start_ptr: pointer(start), stop_ptr: pointer(stop) };
            proof.claim.public_data.public_memory.public_segments.bitwise = Some(range);
        });
    };
    with(95, 95 + 16 * 5);
    with(P - 16 * 5, P - 16 * 5 + 5);
}

#[test]
fn coefficients_are_reduced() {
    let bad = SecureField::from_u32_unchecked(0, P, 0, 0);
    let layer = json!({ "coeffs": [bad], "log_size": 0 });
    let error = refused(|proof| {
        proof.stark_proof.0.fri_proof.last_layer_poly = serde_json::from_value(layer).unwrap();
    });
    assert!(matches!(error, VerifyError::NotReduced { .. }), "{error}");
}

/// The bits of queries and work are compared with one bound, the bits of the whole proof with another.
#[test]
fn the_policy_is_asked_about_the_whole() {
    let policy = |min_query_bits, min_security_bits| Policy {
        proof: circle_proof::Policy { min_query_bits, min_security_bits, ..circle_proof::Policy::ANY },
        variant: Some(Variant::CanonicalSmall),
        ..Policy::default()
    };
    let with = |policy: Policy| verify(fib_10(), &policy, &Expect::default()).unwrap_err();
    let (options, security) = security(&fib_10(), circle_proof::Suite::Blake2s).unwrap();
    let (bits, query_bits) = (security.claimed.bits, options.claimed_bits());
    assert!(matches!(with(policy(query_bits, bits)), VerifyError::Proof(_)));
    assert!(matches!(with(policy(query_bits + 1, 0)), VerifyError::Policy(_)));
    assert!(matches!(with(policy(0, bits + 1)), VerifyError::Policy(_)));
}
