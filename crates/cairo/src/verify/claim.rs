//! Checks of a claim before anything is computed from it: components have possible sizes, and no lookup can be used as
//! often as the prime.

use cairo_run::BIG_ID;
use field::{M31, PrimeField};

use super::error::ClaimError;
use crate::preprocessed::{self, Variant};
use crate::version::{AirVersion, Claimed};

/// Log2 of the rows that components may have: the reference pads to 16, and no circle domain holds more than 2^30
/// points.
const LOG_SIZES: std::ops::RangeInclusive<u32> = 4..=29;
/// Log2 of the rows of `memory_address_to_id` at most: it has 16 addresses a row, of 2^29 that there are.
const MAX_LOG_ADDRESS_ROWS: u32 = 25;

type Result<T> = std::result::Result<T, ClaimError>;

/// Checks the claim of a proof with these preprocessed columns, whose public data use memory so often. The reference's
/// verifier panics where this returns an error.
pub(super) fn check<V: AirVersion>(claim: &V::Claim, variant: Variant, public_entries: u64) -> Result<()> {
    let components = V::claimed(claim);
    check_sizes(&components, variant)?;
    // Now the uses can be counted.
    check_lookups(&components, V::relation_uses(claim), public_entries)
}

/// Sizes are possible, and the variant has the columns that components read.
fn check_sizes(components: &[Claimed], variant: Variant) -> Result<()> {
    let mut log_sizes = components.iter().filter_map(|component| component.log_size);
    if let Some(log_size) = log_sizes.find(|log_size| !LOG_SIZES.contains(log_size)) {
        return Err(ClaimError::Size { log_size, least: *LOG_SIZES.start(), most: *LOG_SIZES.end() });
    }
    let addresses = Claimed::find(components, "memory_address_to_id")?;
    if let Some(log_size) = addresses.log_size.filter(|log_size| *log_size > MAX_LOG_ADDRESS_ROWS) {
        return Err(ClaimError::Addresses { log_size });
    }
    let most = preprocessed::max_log_seq(variant);
    for component in components.iter().filter(|component| component.is_numbered) {
        if let Some(log_size) = component.log_size.filter(|log_size| *log_size > most) {
            return Err(ClaimError::TooLong { component: component.name, log_size, variant, most });
        }
    }
    let is_there = |name| Claimed::find(components, name).is_ok();
    let tables = [
        ("pedersen_points_table_window_bits_18", Variant::Canonical),
        ("pedersen_points_table_window_bits_9", Variant::CanonicalSmall),
    ];
    if tables.into_iter().any(|(table, of)| is_there(table) && of != variant) {
        return Err(ClaimError::Points { variant });
    }
    if is_there("pedersen_builtin") && is_there("pedersen_builtin_narrow_windows") {
        return Err(ClaimError::BothPedersen);
    }
    Ok(())
}

/// Each relation is used less often than the prime, or it could be used as often for nothing; all ids of values are
/// different.
fn check_lookups(components: &[Claimed], uses: Vec<(&'static str, u64)>, public_entries: u64) -> Result<()> {
    let prime = M31::ORDER;
    // Public memory uses two relations: as if it used all.
    let all = uses.into_iter().map(|(relation, uses)| (relation, uses.saturating_add(public_entries)));
    if let Some((relation, uses)) = all.filter(|(_, uses)| *uses >= prime).min() {
        return Err(ClaimError::Uses { relation, uses });
    }
    let big = components.iter().filter(|component| component.name == "memory_id_to_big");
    let values = big.filter_map(|chunk| chunk.log_size).map(|log_size| 1_u64 << log_size);
    let ids = u64::from(BIG_ID) + values.sum::<u64>();
    if ids > prime { Err(ClaimError::Ids { ids }) } else { Ok(()) }
}
