//! The contents of the tables that programs read, as columns one after the other. They are made from the run when a
//! backend takes them.

use std::sync::Arc;

use cairo_run::{BIG_ID, NO_ID, Run};
use field::M31;
use gpu_hal::MakeElements;
use rayon::prelude::*;

use super::error::WitnessError;
use crate::components::bounds::addresses;
use crate::components::machine::{Counter, Table, WORD27_BITS};

/// Bits of a small value.
const SMALL_BITS: u32 = 72;
/// Bits of a big value.
const BIG_BITS: u32 = 252;
/// Values that a thread looks at in one go.
const PIECE: usize = 1 << 14;
const MASK27: u32 = (1 << WORD27_BITS) - 1;

/// Log2 of the rows of the table of ids by address, and of the counter of its uses. Row 0 is no address.
pub fn log_addresses(input: &Run) -> u32 {
    (addresses(input) + 1).next_power_of_two().ilog2()
}

/// Log2 of the rows of the table of big values, and of the counter of their uses.
pub fn log_big(input: &Run) -> u32 {
    input.memory.f252_values.len().next_power_of_two().ilog2()
}

/// Log2 of the rows of the table of small values, and of the counter of their uses.
pub fn log_small(input: &Run) -> u32 {
    input.memory.small_values.len().next_power_of_two().ilog2()
}

/// The first that is wrong. As there is none in a sound run, threads look at pieces as wholes.
fn first<T: Sync>(values: &[T], is_wrong: impl Fn(&T) -> bool + Sync) -> Option<usize> {
    let has_wrong = |piece: &[T]| piece.iter().fold(false, |found, value| found | is_wrong(value));
    if values.par_chunks(PIECE).any(has_wrong) { values.iter().position(is_wrong) } else { None }
}

/// Elements of a table, made when they are asked for.
pub type Elements<'d> = Box<MakeElements<'d, M31>>;

/// Elements that are there.
pub(super) fn listed<'d>(elements: impl Into<Arc<Vec<M31>>>) -> Elements<'d> {
    let elements = elements.into();
    Box::new(move |first, out| out.copy_from_slice(&elements[first..][..out.len()]))
}

/// Columns of `2^log_rows` rows, of which the first are about values: `word(value, column)`. The others are about
/// `padding`, or zero.
pub(super) fn columns<'d, T: Sync>(
    (values, padding): (&'d [T], Option<&'d T>),
    log_rows: u32,
    word: impl Fn(&T, usize) -> u32 + Send + Sync + 'd,
) -> Elements<'d> {
    Box::new(move |mut first, mut out| {
        while !out.is_empty() {
            let (column, row) = (first >> log_rows, first & ((1 << log_rows) - 1));
            let (part, rest) = out.split_at_mut(out.len().min((1 << log_rows) - row));
            first += part.len();
            let values = &values[row.min(values.len())..];
            let (there, beyond) = part.split_at_mut(part.len().min(values.len()));
            there.iter_mut().zip(values).for_each(|(element, value)| *element = M31::new(word(value, column)));
            beyond.fill(M31::new(padding.map_or(0, |value| word(value, column))));
            out = rest;
        }
    })
}

/// `Table::AddressToId`. Rows that are no addresses have an id without a value.
///
/// # Errors
/// An id without a value.
pub fn address_to_id(input: &Run) -> Result<Elements<'_>, WitnessError> {
    let memory = &input.memory;
    let (big, small) = (memory.f252_values.len(), memory.small_values.len());
    let has_value = move |id: u32| if id < BIG_ID { (id as usize) < small } else { ((id - BIG_ID) as usize) < big };
    // Row 0 is no address.
    let ids = memory.address_to_id.get(1..).unwrap_or_default();
    if let Some(index) = first(ids, |id| !has_value(*id)) {
        return Err(WitnessError::Id { address: index + 1, id: ids[index] });
    }
    let id = move |id: &u32, _| if has_value(*id) { *id } else { NO_ID };
    Ok(columns((&memory.address_to_id, Some(&NO_ID)), log_addresses(input), id))
}

/// `Table::Big`.
///
/// # Errors
/// A value of more than 252 bits.
pub fn big(input: &Run) -> Result<Elements<'_>, WitnessError> {
    let values = &input.memory.f252_values;
    if let Some(index) = first(values, |value| value[7] >> (BIG_BITS - 7 * 32) != 0) {
        return Err(WitnessError::BigValue { index });
    }
    let word = |value: &[u32; 8], column: usize| {
        let (first, shift) = (column * WORD27_BITS as usize / 32, column * WORD27_BITS as usize % 32);
        let next = value.get(first + 1).copied().unwrap_or(0);
        let both = u64::from(value[first]) | u64::from(next) << 32;
        (both >> shift) as u32 & MASK27
    };
    Ok(columns((values, None), log_big(input), word))
}

/// `Table::Small`.
///
/// # Errors
/// A value of more than 72 bits.
pub fn small(input: &Run) -> Result<Elements<'_>, WitnessError> {
    let values = &input.memory.small_values;
    if let Some(index) = first(values, |value| value >> SMALL_BITS != 0) {
        return Err(WitnessError::SmallValue { index });
    }
    let word = |value: &u128, column: usize| (value >> (WORD27_BITS as usize * column)) as u32 & MASK27;
    Ok(columns((values, None), log_small(input), word))
}

/// The addresses of the public memory, each as often as it is public, and zeros.
///
/// # Errors
/// A public address that is none.
pub fn public_addresses(input: &Run, log_rows: u32) -> Result<Elements<'_>, WitnessError> {
    let public = &input.public_memory_addresses;
    let last = addresses(input);
    if let Some(&address) = public.iter().find(|address| **address == 0 || **address as usize > last) {
        return Err(WitnessError::PublicAddress { address, addresses: last });
    }
    Ok(columns((public, None), log_rows, |address, _| *address))
}

/// Log2 of the rows of a counter of memory uses.
pub fn log_uses(input: &Run, counter: Counter) -> u32 {
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
