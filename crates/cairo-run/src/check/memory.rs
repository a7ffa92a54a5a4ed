//! The tables of a memory: addresses to ids, ids to values.

use num_bigint::BigUint;

use crate::felt::is_reduced;
use crate::run::memory::{Id, decode_id};
use crate::{MAX_ADDRESSES, Memory, Place, Reason, Refusal};

/// A small value has at most 72 bits, and there are at most 2^24 of them; big values have ids from 2^30 to 2^30 + 2^29.
const SMALL_BITS: u32 = 72;
const MAX_SMALL: usize = 1 << 24;
const MAX_BIG: usize = 1 << 29;

/// Checks the sizes of the tables, that every id names a value, and that every value is canonical.
pub(super) fn check(memory: &Memory) -> Result<(), Refusal> {
    let refuse = |place, what: String| Err(Refusal::new(Reason::Memory, place, what, "Make the ProverInput anew"));
    let (addresses, small, big) = (memory.address_to_id.len(), memory.small_values.len(), memory.f252_values.len());
    if !(2..=MAX_ADDRESSES as usize).contains(&addresses) || small > MAX_SMALL || big > MAX_BIG {
        let what = format!(
            "the memory has {addresses} addresses, {small} small and {big} big values; a proof holds 2^29 addresses, \
             2^24 small and 2^29 big values"
        );
        return refuse(Place::Whole, what);
    }
    if small == 0 {
        return refuse(Place::Whole, "the memory has no small value".into());
    }
    if let Some(value) = memory.small_values.iter().find(|value| **value >> SMALL_BITS != 0) {
        return refuse(Place::Whole, format!("the small value {value} has more than {SMALL_BITS} bits"));
    }
    if let Some(value) = memory.f252_values.iter().find(|value| !is_reduced(value)) {
        let value = BigUint::new(value.to_vec());
        return refuse(Place::Whole, format!("the big value {value} is not below the Cairo prime"));
    }
    for (address, id) in memory.address_to_id.iter().enumerate() {
        let valid = match decode_id(*id) {
            Id::Small(index) => address != 0 && index < small,
            Id::Big(index) => address != 0 && index < big,
            Id::Empty => true,
            Id::Invalid => false,
        };
        if !valid {
            return refuse(Place::Address(address as u64), format!("the id {id} names no value"));
        }
    }
    Ok(())
}
