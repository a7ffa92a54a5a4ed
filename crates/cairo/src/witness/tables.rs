//! What the tables hold that programs read, as columns one after the other.

use field::M31;
use rayon::prelude::*;
use stwo_cairo_adapter::ProverInput;
use stwo_cairo_adapter::memory::{DEFAULT_ID, EncodedMemoryValueId};

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

/// [`Table::AddressToId`], put into `out`. Rows that are no addresses have an id without a value.
///
/// # Errors
/// An id without a value.
pub fn address_to_id(input: &ProverInput, out: &mut Vec<M31>) -> Result<(), WitnessError> {
    let memory = &input.memory;
    let (big, small) = (memory.f252_values.len(), memory.small_values.len());
    let has_value = |id: u32| if id < BIG_ID { (id as usize) < small } else { ((id - BIG_ID) as usize) < big };
    let is_wrong = |(address, id): (usize, &EncodedMemoryValueId)| address > 0 && !has_value(id.0);
    if let Some(address) = memory.address_to_id.par_iter().enumerate().position_first(is_wrong) {
        return Err(WitnessError::Id { address, id: memory.address_to_id[address].0 });
    }
    let none = M31::new(DEFAULT_ID);
    let ids = memory.address_to_id.par_iter().map(|id| if has_value(id.0) { M31::new(id.0) } else { none });
    let rows = 1 << log_addresses(input);
    ids.chain(rayon::iter::repeat_n(none, rows)).take(rows).collect_into_vec(out);
    Ok(())
}

/// Puts columns of `2^log_rows` rows into `out`, of which the first are about values: `word(value, column)`. The others are about
/// `padding`, or zero.
pub(super) fn columns<T: Sync>(
    (values, padding): (&[T], Option<&T>),
    (width, log_rows): (usize, u32),
    word: impl Fn(&T, usize) -> u32 + Send + Sync,
    out: &mut Vec<M31>,
) {
    let element = |at: usize| {
        let (column, row) = (at >> log_rows, at & ((1 << log_rows) - 1));
        M31::new(values.get(row).or(padding).map_or(0, |value| word(value, column)))
    };
    (0..width << log_rows).into_par_iter().map(element).collect_into_vec(out);
}

/// [`Table::Big`], put into `out`.
///
/// # Errors
/// A value of more than 252 bits.
pub fn big(input: &ProverInput, out: &mut Vec<M31>) -> Result<(), WitnessError> {
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
    columns((values, None), (Table::Big.width(), log_big(input)), word, out);
    Ok(())
}

/// [`Table::Small`], put into `out`.
///
/// # Errors
/// A value of more than 72 bits.
pub fn small(input: &ProverInput, out: &mut Vec<M31>) -> Result<(), WitnessError> {
    let values = &input.memory.small_values;
    if let Some(index) = values.par_iter().position_any(|value| value >> SMALL_BITS != 0) {
        return Err(WitnessError::SmallValue { index });
    }
    let word = |value: &u128, column: usize| (value >> (WORD27_BITS as usize * column)) as u32 & MASK27;
    columns((values, None), (Table::Small.width(), log_small(input)), word, out);
    Ok(())
}

/// The addresses of the public memory, each as often as it is public, and zeros.
///
/// # Errors
/// A public address that is none.
pub fn public_addresses(input: &ProverInput, log_rows: u32) -> Result<Vec<M31>, WitnessError> {
    let public = &input.public_memory_addresses;
    let last = addresses(input);
    if let Some(&address) = public.iter().find(|address| **address == 0 || **address as usize > last) {
        return Err(WitnessError::PublicAddress { address, addresses: last });
    }
    let mut column: Vec<M31> = public.iter().map(|address| M31::new(*address)).collect();
    column.resize(1 << log_rows, M31::new(0));
    Ok(column)
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
