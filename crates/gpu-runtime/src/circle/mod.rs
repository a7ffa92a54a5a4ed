//! The Circle protocol: columns of M31, two elements a word.

mod backend;
mod columns;
mod eval_at;
mod factors;
mod footprint;
mod logup;
mod multipliers;
mod ntt;
mod openings;
mod quotient;
mod tree;

pub(crate) use factors::FactorCache;

use field::{M31, QM31};

use crate::device::Argument;
use crate::pool::Block;

/// Bytes of an element.
const ELEMENT: u64 = size_of::<M31>() as u64;

/// The coordinates of an element as numbers.
fn numbers(value: &QM31) -> [u64; 4] {
    value.0.map(|coordinate| u64::from(coordinate.value()))
}

/// A buffer argument from an element on.
fn from_element<M>(block: &Block<M>, first: u64) -> Argument<'_, M> {
    Argument { memory: block.memory(), offset: first * ELEMENT }
}
