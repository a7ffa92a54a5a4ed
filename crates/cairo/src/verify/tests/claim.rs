//! Sums, sizes and numbers of a claim that are refused.

use cairo_air::components::memory_id_to_big;
use num_traits::Zero;
use serde_json::json;
use stwo::core::fields::m31::{BaseField, P};
use stwo::core::fields::qm31::SecureField;

use super::*;

#[test]
fn sums_are_those_of_the_components() {
    let one = SecureField::from_u32_unchecked(1, 0, 0, 0);
    // The reference's verifier adds it, although nothing binds it.
    let sum = cairo_air::components::mul_opcode::InteractionClaim { claimed_sum: one };
    let error = bad_claim(|proof| proof.interaction_claim.mul_opcode = Some(sum));
    assert_eq!(error, ClaimError::SumOfNothing { component: "mul_opcode" });
    let total = |proof: &mut Proof| {
        proof.interaction_claim.memory_id_to_big.as_mut().unwrap().claimed_sum += one;
    };
    assert_eq!(bad_claim(total), ClaimError::ChunkTotal);

    let error = bad_claim(|proof| proof.interaction_claim.ret_opcode = None);
    assert_eq!(error, ClaimError::NoSum { component: "ret_opcode" });
    let error =
        bad_claim(|proof| proof.interaction_claim.memory_id_to_big.as_mut().unwrap().big_claimed_sums.push(one));
    assert_eq!(error, ClaimError::ChunkSums { found: 2, expected: 1 });
    let error = bad_claim(|proof| {
        (proof.claim.memory_id_to_big, proof.interaction_claim.memory_id_to_big) = (None, None);
    });
    assert_eq!(error, ClaimError::Missing { component: "memory_id_to_big" });
}

#[test]
fn sizes_are_possible() {
    fn addresses(proof: &mut Proof) -> &mut u32 {
        &mut proof.claim.memory_address_to_id.as_mut().unwrap().log_size
    }
    for log_size in [0, 3, 30, 31, 32, u32::MAX] {
        let expected = ClaimError::Size { log_size, least: 4, most: 29 };
        assert_eq!(bad_claim(|proof| *addresses(proof) = log_size), expected);
        assert_eq!(bad_claim(|proof| proof.claim.ret_opcode.as_mut().unwrap().log_size = log_size), expected);
    }
    assert_eq!(bad_claim(|proof| *addresses(proof) = 26), ClaimError::Addresses { log_size: 26 });
    let (variant, most) = (Variant::CanonicalSmall, 20);
    let too_long = |component| ClaimError::TooLong { component, log_size: 21, variant, most };
    assert_eq!(bad_claim(|proof| *addresses(proof) = 21), too_long("memory_address_to_id"));
    let error = bad_claim(|proof| proof.claim.memory_id_to_big.as_mut().unwrap().big_log_sizes[0] = 21);
    assert_eq!(error, too_long("memory_id_to_big"));
    // Components that do not number their rows may be longer.
    let error = refused(|proof| proof.claim.add_opcode_small.as_mut().unwrap().log_size = 21);
    assert!(matches!(error, VerifyError::InteractionWork { .. }), "{error}");

    let sizes = |count: usize| {
        move |proof: &mut Proof| {
            proof.claim.memory_id_to_big = Some(memory_id_to_big::Claim { big_log_sizes: vec![20; count] });
            let sums = memory_id_to_big::InteractionClaim {
                big_claimed_sums: vec![SecureField::zero(); count],
                claimed_sum: SecureField::zero(),
            };
            proof.interaction_claim.memory_id_to_big = Some(sums);
        }
    };
    assert_eq!(bad_claim(sizes(17)), ClaimError::Chunks { found: 17 });
    for count in [0, 16] {
        assert!(matches!(refused(sizes(count)), VerifyError::InteractionWork { .. }));
    }
    let error = bad_claim(|proof| proof.claim.memory_address_to_id = None);
    assert_eq!(error, ClaimError::SumOfNothing { component: "memory_address_to_id" });
}

#[test]
fn lookups_do_not_wrap() {
    // Each of 2^29 rows reads three addresses, each of as many others two.
    let error = bad_claim(|proof| {
        proof.claim.add_opcode_small.as_mut().unwrap().log_size = 29;
        proof.claim.jnz_opcode_taken.as_mut().unwrap().log_size = 29;
    });
    assert!(matches!(error, ClaimError::Uses { uses, .. } if uses >= u64::from(P)), "{error}");
}

#[test]
fn numbers_are_reduced() {
    let salt = refused(|proof| proof.channel_salt = P);
    assert!(matches!(salt, VerifyError::NotReduced { .. }));
    let unreduced = SecureField::from_u32_unchecked(0, 0, 0, P);
    let changes: [fn(&mut Proof, SecureField); 5] = [
        |proof, value| proof.interaction_claim.ret_opcode.as_mut().unwrap().claimed_sum = value,
        |proof, value| proof.interaction_claim.memory_id_to_big.as_mut().unwrap().claimed_sum = value,
        |proof, value| proof.stark_proof.0.sampled_values.push(vec![vec![value]]),
        |proof, value| proof.stark_proof.0.queried_values.push(vec![vec![value.to_m31_array()[3]]]),
        |proof, value| proof.stark_proof.0.fri_proof.first_layer.fri_witness.push(value),
    ];
    for change in changes {
        assert!(matches!(refused(|proof| change(proof, unreduced)), VerifyError::NotReduced { .. }));
    }
    // A wrong number of coefficients: nothing but deserialization makes it.
    for (count, log_size) in [(1, 1), (2, 0), (3, 1), (0, 0), (1, u32::MAX)] {
        let layer = json!({ "coeffs": vec![SecureField::zero(); count], "log_size": log_size });
        let change = |proof: &mut Proof| {
            proof.stark_proof.0.fri_proof.last_layer_poly = serde_json::from_value(layer).unwrap();
        };
        assert!(matches!(refused(change), VerifyError::LastLayer { found } if found == count));
    }

    let prime = [1, 0, 0, 0, 0, 0, 17, 1 << 27];
    let bad: [fn(&mut Proof, [u32; 8]); 8] = [
        |proof, prime| proof.claim.public_data.public_memory.output[0].1 = prime,
        |proof, prime| proof.claim.public_data.public_memory.program[7].1 = prime,
        |proof, _| proof.claim.public_data.public_memory.output[0].1 = [u32::MAX; 8],
        |proof, _| proof.claim.public_data.public_memory.output[0].0 = P,
        |proof, _| proof.claim.public_data.public_memory.program[3].0 = u32::MAX,
        |proof, _| proof.claim.public_data.public_memory.safe_call_ids[1] = P,
        |proof, _| proof.claim.public_data.public_memory.public_segments.ecdsa.as_mut().unwrap().stop_ptr.id = P,
        |proof, _| proof.claim.public_data.final_state.ap = BaseField::from_u32_unchecked(P),
    ];
    for change in bad {
        assert!(matches!(bad_public(|proof| change(proof, prime)), PublicError::NotReduced { .. }));
    }
    // The largest felt is one.
    let error = refused(|proof| {
        proof.claim.public_data.public_memory.output[0].1 = [0, 0, 0, 0, 0, 0, 17, 1 << 27];
    });
    assert!(matches!(error, VerifyError::InteractionWork { .. }), "{error}");
}
