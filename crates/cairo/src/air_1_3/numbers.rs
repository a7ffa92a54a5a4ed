//! Numbers of a proof are reduced. Deserialization does not see to it, and arithmetic counts on it.

use stwo::core::fields::m31::{BaseField, P};
use stwo::core::fields::qm31::SecureField;
use stwo::core::poly::line::LinePoly;
use stwo::core::proof::StarkProof;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;

use crate::error::VerifyError;

/// Checks the salt of the transcript and all field elements of a proof but the claimed sums.
pub(super) fn check(salt: u32, proof: &StarkProof<Blake2sMerkleHasher>) -> Result<(), VerifyError> {
    if salt >= P {
        return bad("the salt");
    }
    if proof.sampled_values.iter().flatten().flatten().copied().any(is_bad) {
        return bad("a sampled value");
    }
    if proof.queried_values.iter().flatten().flatten().any(is_bad_base) {
        return bad("a queried value");
    }
    let fri = &proof.fri_proof;
    let layers = std::iter::once(&fri.first_layer).chain(&fri.inner_layers);
    if layers.flat_map(|layer| &layer.fri_witness).copied().any(is_bad) {
        return bad("a value of a FRI layer");
    }
    // A slice, whose length is the true one.
    let last: &[SecureField] = &fri.last_layer_poly;
    if last.iter().copied().any(is_bad) {
        return bad("a coefficient of the last FRI layer");
    }
    if !last.len().is_power_of_two() || fri.last_layer_poly != LinePoly::new(last.to_vec()) {
        return Err(VerifyError::LastLayer { found: last.len() });
    }
    Ok(())
}

/// Checks claimed sums.
pub(super) fn check_sums(sums: &[SecureField]) -> Result<(), VerifyError> {
    if sums.iter().copied().any(is_bad) { bad("a claimed sum") } else { Ok(()) }
}

fn bad(what: &str) -> Result<(), VerifyError> {
    Err(VerifyError::NotReduced { what: what.to_owned() })
}

fn is_bad(value: SecureField) -> bool {
    value.to_m31_array().iter().any(is_bad_base)
}

fn is_bad_base(value: &BaseField) -> bool {
    value.0 >= P
}
