//! Sizes that the components of a claim may have, and the components that exclude each other.

use std::ops::RangeInclusive;

use cairo_run::BIG_ID;
use field::{M31, PrimeField};

use crate::error::ClaimError;
use crate::preprocessed::{self, Variant};
use crate::version::Claimed;

/// Log2 of the rows that components may have: the reference pads to 16, and no circle domain holds more than 2^30
/// points.
const LOG_SIZES: RangeInclusive<u32> = 4..=29;
/// Log2 of the rows of `memory_address_to_id` at most: it has 16 addresses a row, of 2^29 that there are.
const MAX_LOG_ADDRESS_ROWS: u32 = 25;
/// Tables of Pedersen's points, each with the only variant that has the columns that it reads.
const POINTS: [(&str, Variant); 2] = [
    ("pedersen_points_table_window_bits_18", Variant::Canonical),
    ("pedersen_points_table_window_bits_9", Variant::CanonicalSmall),
];

/// Checks that sizes are possible, that the variant has the columns that the components read, and that ids of values
/// are all different.
pub(super) fn check(components: &[Claimed], variant: Variant) -> Result<(), ClaimError> {
    let mut log_sizes = components.iter().filter_map(|component| component.log_size);
    if let Some(log_size) = log_sizes.find(|log_size| !LOG_SIZES.contains(log_size)) {
        return Err(ClaimError::Size { log_size, least: *LOG_SIZES.start(), most: *LOG_SIZES.end() });
    }
    let named = |name| components.iter().filter(move |component| component.name == name);
    let addresses = "memory_address_to_id";
    let addresses = named(addresses).next().ok_or(ClaimError::Missing { component: addresses })?;
    if let Some(log_size) = addresses.log_size.filter(|log_size| *log_size > MAX_LOG_ADDRESS_ROWS) {
        return Err(ClaimError::Addresses { log_size });
    }
    let most = preprocessed::max_log_seq(variant);
    for component in components.iter().filter(|component| component.is_numbered) {
        if let Some(log_size) = component.log_size.filter(|log_size| *log_size > most) {
            return Err(ClaimError::TooLong { component: component.name, log_size, variant, most });
        }
    }
    let is_there = |name| named(name).next().is_some();
    if POINTS.into_iter().any(|(table, of)| is_there(table) && of != variant) {
        return Err(ClaimError::Points { variant });
    }
    if is_there("pedersen_builtin") && is_there("pedersen_builtin_narrow_windows") {
        return Err(ClaimError::BothPedersen);
    }
    let values = named("memory_id_to_big").filter_map(|chunk| chunk.log_size).map(|log_size| 1_u64 << log_size);
    let ids = u64::from(BIG_ID) + values.sum::<u64>();
    if ids > M31::ORDER { Err(ClaimError::Ids { ids }) } else { Ok(()) }
}
