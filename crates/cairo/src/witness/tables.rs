//! What the tables hold that programs read, as columns one after the other.

use field::M31;
use rayon::prelude::*;
use stwo_cairo_adapter::ProverInput;
use stwo_cairo_adapter::memory::DEFAULT_ID;

use super::error::WitnessError;
use super::machine::{BIG_ID, Counter, Table, WORD27_BITS};
use super::sizes::addresses;

/// Bits of a small value.
const SMALL_BITS: u32 = 72;
/// Bits of a big value.
const BIG_BITS: u32 = 252;
const MASK27: u32 = (1 << WORD27_BITS) - 1;

/// Log2 of the rows of the table of ids by address, and of the counter of its uses. Row 0 is no address.
pub fn log_addresses(input: &ProverInput) -> u32 {
    (addresses(input) + 1).next_power_of_two().ilog2()
}

/// Log2 of the rows of the table of big values, and of the counter of their uses.
pub fn log_big(input: &ProverInput) -> u32 {
    input.memory.f252_values.len().next_power_of_two().ilog2()
}

/// Log2 of the rows of the table of small values, and of the counter of their uses.
pub fn log_small(input: &ProverInput) -> u32 {
    input.memory.small_values.len().next_power_of_two().ilog2()
}

/// [`Table::AddressToId`]. Rows that are no addresses have an id without a value.
///
/// # Errors
/// An id without a value.
pub fn address_to_id(input: &ProverInput) -> Result<Vec<M31>, WitnessError> {
    let memory = &input.memory;
    let (big, small) = (memory.f252_values.len(), memory.small_values.len());
    let id = |(address, id): (usize, &stwo_cairo_adapter::memory::EncodedMemoryValueId)| {
        let id = id.0;
        let has_value = if id < BIG_ID { (id as usize) < small } else { ((id - BIG_ID) as usize) < big };
        match has_value || address == 0 {
            true => Ok(M31::new(if has_value { id } else { DEFAULT_ID })),
            false => Err(WitnessError::Id { address, id }),
        }
    };
    let mut ids = memory.address_to_id.par_iter().enumerate().map(id).collect::<Result<Vec<_>, _>>()?;
    ids.resize(1 << log_addresses(input), M31::new(DEFAULT_ID));
    Ok(ids)
}

/// Columns of `2^log_rows` rows of which the first are those of values: word `column` of `words_of(value)`.
fn columns<T: Sync, const WIDTH: usize>(
    values: &[T],
    log_rows: u32,
    word: impl Fn(&T, usize) -> u32 + Sync,
) -> Vec<M31> {
    let mut columns = vec![M31::new(0); WIDTH << log_rows];
    columns.par_chunks_mut(1 << log_rows).enumerate().for_each(|(column, rows)| {
        rows.par_iter_mut().zip(values).for_each(|(row, value)| *row = M31::new(word(value, column)));
    });
    columns
}

/// [`Table::Big`].
///
/// # Errors
/// A value of more than 252 bits.
pub fn big(input: &ProverInput) -> Result<Vec<M31>, WitnessError> {
    let values = &input.memory.f252_values;
    let too_large = values.par_iter().position_any(|value| value[7] >> (BIG_BITS - 7 * 32) != 0);
    if let Some(index) = too_large {
        return Err(WitnessError::BigValue { index });
    }
    let word = |value: &[u32; 8], column: usize| {
        let (first, shift) = (column * WORD27_BITS as usize / 32, column * WORD27_BITS as usize % 32);
        let next = value.get(first + 1).copied().unwrap_or(0);
        let both = u64::from(value[first]) | u64::from(next) << 32;
        (both >> shift) as u32 & MASK27
    };
    Ok(columns::<_, 10>(values, log_big(input), word))
}

/// [`Table::Small`].
///
/// # Errors
/// A value of more than 72 bits.
pub fn small(input: &ProverInput) -> Result<Vec<M31>, WitnessError> {
    let values = &input.memory.small_values;
    if let Some(index) = values.par_iter().position_any(|value| value >> SMALL_BITS != 0) {
        return Err(WitnessError::SmallValue { index });
    }
    let word = |value: &u128, column: usize| (value >> (WORD27_BITS as usize * column)) as u32 & MASK27;
    Ok(columns::<_, 3>(values, log_small(input), word))
}

/// The counters of memory uses, as the public memory leaves them: one use of every public address and of its id, for each time it is public.
///
/// # Errors
/// A public address that is none.
pub fn public_uses(input: &ProverInput, counter: Counter) -> Result<Vec<M31>, WitnessError> {
    let log_rows = log_uses(input, counter);
    let mut uses = vec![0u32; 1 << log_rows];
    for &address in &input.public_memory_addresses {
        let id = input.memory.address_to_id.get(address as usize).filter(|_| address > 0);
        let Some(id) = id.map(|id| id.0) else {
            return Err(WitnessError::PublicAddress { address, addresses: addresses(input) });
        };
        let place = match counter {
            Counter::Address => Some(address),
            Counter::Big => id.checked_sub(BIG_ID),
            Counter::Small => (id < BIG_ID).then_some(id),
            _ => None,
        };
        let use_of = place.and_then(|place| uses.get_mut(place as usize));
        use_of.into_iter().for_each(|uses| *uses += 1);
    }
    Ok(uses.into_iter().map(M31::new).collect())
}

/// Log2 of the rows of a counter of memory uses.
pub fn log_uses(input: &ProverInput, counter: Counter) -> u32 {
    match counter {
        Counter::Address => log_addresses(input),
        Counter::Big => log_big(input),
        _ => log_small(input),
    }
}

/// The counter whose columns are a table of uses.
pub fn uses_of(table: Table) -> Option<Counter> {
    match table {
        Table::AddressUses => Some(Counter::Address),
        Table::BigUses => Some(Counter::Big),
        Table::SmallUses => Some(Counter::Small),
        _ => None,
    }
}
