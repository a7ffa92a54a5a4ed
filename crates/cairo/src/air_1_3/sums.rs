//! Claimed sums: each component has one, and no other has one.

use cairo_air::claims::{CairoClaim, CairoInteractionClaim};
use stwo::core::fields::qm31::SecureField;

use super::claim::presence;
use super::numbers;
use crate::error::{ClaimError, VerifyError};

/// Most chunks of big memory values.
const MAX_BIG_CHUNKS: usize = 16;

/// Sums belong to the components, and are reduced. Afterwards they can be listed.
pub(super) fn check(claim: &CairoClaim, sums: &CairoInteractionClaim) -> Result<(), VerifyError> {
    // The only ones of which there may be more than can be listed.
    let big = sums.memory_id_to_big.iter();
    let big: Vec<_> = big.flat_map(|sums| sums.big_claimed_sums.iter().chain([&sums.claimed_sum])).copied().collect();
    numbers::check_sums(&big)?;
    check_presence(claim, sums)?;
    numbers::check_sums(&sums.flatten_interaction_claim())
}

/// Every component of the claim has a sum, and no other has one; the total of the chunks of big memory values is their
/// sum.
///
/// The reference adds up all present sums, and for the chunks the claimed total. Nothing binds a sum that belongs to no
/// component, so that it could make any total zero.
fn check_presence(claim: &CairoClaim, sums: &CairoInteractionClaim) -> Result<(), ClaimError> {
    for (component, is_claimed, has_sum) in presence(claim, sums) {
        match (is_claimed, has_sum) {
            (true, false) => return Err(ClaimError::NoSum { component }),
            (false, true) => return Err(ClaimError::SumOfNothing { component }),
            _ => {}
        }
    }
    let (Some(big), Some(big_sums)) = (&claim.memory_id_to_big, &sums.memory_id_to_big) else {
        return Err(ClaimError::Missing { component: "memory_id_to_big" });
    };
    let (chunks, found) = (big.big_log_sizes.len(), big_sums.big_claimed_sums.len());
    if chunks > MAX_BIG_CHUNKS {
        return Err(ClaimError::Chunks { found: chunks });
    }
    if found != chunks {
        return Err(ClaimError::ChunkSums { found, expected: chunks });
    }
    // One that is not reduced is found here, as the total is.
    let total = big_sums.big_claimed_sums.iter().fold(SecureField::default(), |total, sum| total + *sum);
    if total != big_sums.claimed_sum {
        return Err(ClaimError::ChunkTotal);
    }
    Ok(())
}
