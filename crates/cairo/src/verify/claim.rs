//! Checks of a claim and its sums before anything is computed from them: components have possible sizes, each has its
//! sum, and no lookup can be used as often as the prime.

use std::collections::HashMap;

use cairo_air::claims::{CairoClaim, CairoInteractionClaim};
use cairo_run::BIG_ID;
use stwo::core::fields::m31::P;
use stwo::core::fields::qm31::SecureField;

use super::error::ClaimError;
use crate::air_1_3::{claimed, presence};
use crate::preprocessed::{self, Variant};

/// Log2 of the rows that components may have: the reference pads to 16, and no circle domain holds more than 2^30 points.
const LOG_SIZES: std::ops::RangeInclusive<u32> = 4..=29;
/// Most chunks of big memory values.
const MAX_BIG_CHUNKS: usize = 16;
/// Log2 of the rows of `memory_address_to_id` at most: it has 16 addresses a row, of 2^29 that there are.
const MAX_LOG_ADDRESS_ROWS: u32 = 25;

type Result<T> = std::result::Result<T, ClaimError>;

/// Checks the claim of a proof with these preprocessed columns, whose public data use memory so often. The reference's verifier panics
/// where this returns an error.
pub(super) fn check(claim: &CairoClaim, variant: Variant, public_entries: u64) -> Result<()> {
    check_sizes(claim, variant)?;
    check_lookups(claim, public_entries)
}

/// Every component of the claim has a sum, and no other has one; the total of the chunks of big memory values is their sum.
///
/// The reference adds up all sums that are there, and of the chunks the total that is said. What is not a sum of a component is bound
/// by nothing, so that it could make any total zero.
///
/// Sums must be reduced; afterwards they can be listed.
pub(super) fn check_sums(claim: &CairoClaim, sums: &CairoInteractionClaim) -> Result<()> {
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

/// Sizes are possible, and the variant has the columns that components read.
fn check_sizes(claim: &CairoClaim, variant: Variant) -> Result<()> {
    if let Some(&log_size) = claim.log_sizes().iter().flatten().find(|log_size| !LOG_SIZES.contains(log_size)) {
        return Err(ClaimError::Size { log_size, least: *LOG_SIZES.start(), most: *LOG_SIZES.end() });
    }
    match claim.memory_address_to_id {
        None => return Err(ClaimError::Missing { component: "memory_address_to_id" }),
        Some(table) if table.log_size > MAX_LOG_ADDRESS_ROWS => {
            return Err(ClaimError::Addresses { log_size: table.log_size });
        }
        Some(_) => {}
    }
    let most = preprocessed::max_log_seq(variant);
    let too_long = |component, log_size| Err(ClaimError::TooLong { component, log_size, variant, most });
    for component in claimed(claim) {
        if let Some(log_size) = component.numbered.filter(|log_size| *log_size > most) {
            return too_long(component.name, log_size);
        }
    }
    let big = claim.memory_id_to_big.iter().flat_map(|big| &big.big_log_sizes);
    if let Some(&log_size) = big.max().filter(|log_size| **log_size > most) {
        return too_long("memory_id_to_big", log_size);
    }
    let tables = [
        (claim.pedersen_points_table_window_bits_18.is_some(), Variant::Canonical),
        (claim.pedersen_points_table_window_bits_9.is_some(), Variant::CanonicalSmall),
    ];
    if tables.iter().any(|(is_there, of)| *is_there && *of != variant) {
        return Err(ClaimError::Points { variant });
    }
    if claim.pedersen_builtin.is_some() && claim.pedersen_builtin_narrow_windows.is_some() {
        return Err(ClaimError::BothPedersen);
    }
    Ok(())
}

/// Each relation is used less often than the prime, or it could be used as often for nothing; all ids of values are different.
fn check_lookups(claim: &CairoClaim, public_entries: u64) -> Result<()> {
    let mut uses = HashMap::new();
    claim.accumulate_relation_uses(&mut uses);
    // Public memory uses two relations: as if it used all.
    let all = uses.into_iter().map(|(relation, uses)| (relation, uses.saturating_add(public_entries)));
    if let Some((relation, uses)) = all.filter(|(_, uses)| *uses >= u64::from(P)).min() {
        return Err(ClaimError::Uses { relation, uses });
    }
    let big = claim.memory_id_to_big.iter().flat_map(|big| &big.big_log_sizes);
    let ids = u64::from(BIG_ID) + big.map(|log_size| 1_u64 << log_size).sum::<u64>();
    if ids > u64::from(P) { Err(ClaimError::Ids { ids }) } else { Ok(()) }
}
