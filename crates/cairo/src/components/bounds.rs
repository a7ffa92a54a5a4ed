//! How much a statement about a run has room for.

use cairo_run::Run;

/// Fewest rows of a component that is no fixed table.
pub(crate) const MIN_ROWS: usize = 16;
/// Columns of ids in memory_address_to_id.
pub(crate) const ADDRESS_COLUMNS: usize = 16;
/// Most addresses.
pub(crate) const MAX_ADDRESSES: usize = 1 << 29;
/// Most values of a chunk of memory_id_to_big.
pub(crate) const BIG_CHUNK: usize = 1 << 25;
/// Most chunks of memory_id_to_big.
pub(crate) const BIG_CHUNKS: usize = 16;

/// The highest address.
pub(crate) fn addresses(input: &Run) -> usize {
    input.memory.address_to_id.len().saturating_sub(1)
}
