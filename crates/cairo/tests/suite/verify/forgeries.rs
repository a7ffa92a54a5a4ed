//! Proofs that the reference's own verifier accepts, and that are none: it adds up sums that belong to no component,
//! and believes the total of the big memory values.

use cairo::Proof;
use cairo::verify::{ClaimError, VerifyError};
use cairo_air::claims::lookup_sum;
use cairo_air::components::mul_opcode;
use cairo_air::relations::CommonLookupElements;
use num_traits::Zero;
use stwo::core::fields::qm31::SecureField;

use super::files::{proof, verify};

fn sum(proof: &Proof) -> SecureField {
    lookup_sum(&proof.claim, &CommonLookupElements::dummy(), &proof.interaction_claim)
}

fn claim_error(proof: Proof) -> ClaimError {
    match verify(proof) {
        Err(VerifyError::Claim(error)) => error,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("accepted"),
    }
}

/// A prover that may choose a summand makes any sum zero, with any elements: the lookups would say nothing.
#[test]
fn sums_that_nothing_binds_are_refused() {
    let honest = proof("cairo/fib_10.small");
    let wanted = sum(&honest);
    assert!(!wanted.is_zero(), "the elements are not the proof's");
    let mut forged = honest.clone();
    forged.interaction_claim.mul_opcode = Some(mul_opcode::InteractionClaim { claimed_sum: -wanted });
    assert!(sum(&forged).is_zero(), "so the reference computes it");
    assert_eq!(claim_error(forged), ClaimError::SumOfNothing { component: "mul_opcode" });
    let mut forged = honest;
    forged.interaction_claim.memory_id_to_big.as_mut().unwrap().claimed_sum -= wanted;
    assert!(sum(&forged).is_zero(), "so the reference computes it");
    assert_eq!(claim_error(forged), ClaimError::ChunkTotal);
}
