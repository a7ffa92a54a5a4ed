//! Everything that is checked of a claim by itself.

use super::error::VerifyError;
use super::{claim, public};
use crate::preprocessed::Variant;
use crate::version::AirVersion;

/// Checks a claim and its public data: a prover checks it before it begins, too.
pub(crate) fn check_claim<V: AirVersion>(claim: &V::Claim, variant: Variant) -> Result<(), VerifyError> {
    let data = V::public_data(claim);
    claim::check::<V>(claim, variant, data.memory_uses())?;
    Ok(public::check(&data, &V::claimed(claim))?)
}
