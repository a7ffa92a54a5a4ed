//! Tables that the tests begin with.

use field::Field;
use gpu_hal::{Columns, Protocol, Result, StarkBackend, Table};

use crate::suite::{Both, BothTypes};
use crate::{Case, Random};

/// Largest log2 height that the tests use where an operation's cost allows it.
pub(super) const MAX_LOG: u32 = 14;

/// Log2 of the rows of the highest of [`stairs`].
pub(super) const STAIRS_LOG: u32 = 12;

/// Tables of rising heights by width and log2 height: all but the first begin within a block of a hash, and more are of
/// one height than a kernel may take at once.
pub(super) fn stairs() -> Vec<(usize, u32)> {
    let log = STAIRS_LOG;
    let mut tables = vec![(21, log - 7), (14, log - 4), (30, log - 4), (40, log - 2), (9, log - 1), (2, log)];
    tables.extend([(5, log); 10]);
    tables
}

/// A random table on both backends.
pub(super) fn table<P: Protocol>(
    dual: &Both<P>,
    random: &mut Random,
    width: usize,
    log_height: u32,
) -> Result<Table<BothTypes<P>>> {
    dual.upload(&random.elements(width << log_height), width, log_height)
}

/// A small table of zeros, for calls that are refused anyway.
pub(super) fn small<B: StarkBackend>(backend: &B, width: usize, log_height: u32) -> Result<Columns<B::Buffer>> {
    let zeros = vec![<<B as StarkBackend>::P as Protocol>::Base::ZERO; width << log_height];
    backend.upload(&zeros, width, log_height)
}

/// A width of whole extension columns near the case's.
pub(super) fn extension_width<P: Protocol>(case: &Case) -> usize {
    case.width.div_ceil(P::DEGREE) * P::DEGREE
}
