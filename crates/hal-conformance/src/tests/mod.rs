//! The tests, one an operation. Each panics on failure; [`crate::goldilocks!`] and [`crate::circle!`] wrap them into
//! `#[test]` functions.

mod arguments;
mod blocks;
mod constraints;
mod contract;
mod moves;
mod no_columns;
mod program_arguments;
mod proof_arguments;
mod quotients;
mod row_arguments;
mod row_programs;
mod rows;
mod transforms;
mod trees;
mod wide;

pub use arguments::*;
pub use blocks::*;
pub use constraints::*;
pub use contract::*;
pub use moves::*;
pub use no_columns::*;
pub use quotients::*;
pub use row_programs::*;
pub use rows::*;
pub use transforms::*;
pub use trees::*;

use std::any::Any;

use field::{Field, Fp3, Goldilocks};
use gpu_hal::{CircleStark, Columns, GoldilocksStark, Operation, Protocol, Result, StarkBackend, Table};

use crate::suite::{Both, BothTypes, Find};
use crate::{Case, Random, Suite, TestProtocol};

/// Largest log2 height that the tests use where an operation's cost allows it.
const MAX_LOG: u32 = 14;

/// Log2 of the rows of the highest of [`stairs`].
const STAIRS_LOG: u32 = 12;

/// Tables of rising heights by width and log2 height: all but the first begin within a block of a hash, and more are of
/// one height than a kernel may take at once.
fn stairs() -> Vec<(usize, u32)> {
    let log = STAIRS_LOG;
    let mut tables = vec![(21, log - 7), (14, log - 4), (30, log - 4), (40, log - 2), (9, log - 1), (2, log)];
    tables.extend([(5, log); 10]);
    tables
}

crate::__operations!(crate::__test_of;);
crate::__operations!(crate::__tests_of; CircleStark, GoldilocksStark<Fp3>, GoldilocksStark<Goldilocks>;
    capabilities logup invalid_arguments no_columns moves blocks memory determinism;);

/// A random table on both backends.
fn table<P: Protocol>(
    dual: &Both<P>,
    random: &mut Random,
    width: usize,
    log_height: u32,
) -> Result<Table<BothTypes<P>>> {
    dual.upload(&random.elements(width << log_height), width, log_height)
}

/// A small table of zeros, for calls that are refused anyway.
fn small<B: StarkBackend>(backend: &B, width: usize, log_height: u32) -> Result<Columns<B::Buffer>> {
    let zeros = vec![<<B as StarkBackend>::P as Protocol>::Base::ZERO; width << log_height];
    backend.upload(&zeros, width, log_height)
}

/// A width of whole extension columns near the case's.
fn extension_width<P: Protocol>(case: &Case) -> usize {
    case.width.div_ceil(P::DEGREE) * P::DEGREE
}
