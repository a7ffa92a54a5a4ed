//! Checks of a claim by itself, before anything is computed from it. A prover makes them before it begins, a verifier
//! before it reads the proof.

mod public;

use field::{M31, PrimeField};

use crate::error::{ClaimError, VerifyError};
use crate::preprocessed::Variant;
use crate::version::AirVersion;

/// Checks a claim and its public data.
pub(crate) fn check_claim<V: AirVersion>(claim: &V::Claim, variant: Variant) -> Result<(), VerifyError> {
    let data = V::public_data(claim);
    check_components::<V>(claim, variant, data.memory_uses())?;
    Ok(public::check(&data, &V::claimed(claim))?)
}

/// Checks the components of a claim: their sizes are possible, and each relation is used less often than the prime, or
/// it could be used as often for nothing. The public data use the memory `public_uses` times. The reference's verifier
/// panics where this returns an error.
pub(crate) fn check_components<V: AirVersion>(
    claim: &V::Claim,
    variant: Variant,
    public_uses: u64,
) -> Result<(), ClaimError> {
    V::check_sizes(claim, variant)?;
    // Now the uses can be counted. Public memory uses two relations: as if it used all.
    let uses = V::relation_uses(claim).into_iter().map(|(relation, uses)| (relation, uses.saturating_add(public_uses)));
    match uses.filter(|(_, uses)| *uses >= M31::ORDER).min() {
        Some((relation, uses)) => Err(ClaimError::Uses { relation, uses }),
        None => Ok(()),
    }
}
