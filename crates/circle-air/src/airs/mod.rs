//! The shipped AIRs, each with an honest trace, and a registry of them by name.
//!
//! Section 17 of the Circle protocol fixes the first four to the byte, so the order, the sign and the scale of each of
//! their constraints matter.

mod blake2s;
mod fibonacci;
mod info;
mod lazy;
mod lookup;
mod merkle_tree;
mod plonk;
mod poseidon2;
mod range_squares;
mod registry;
mod rpo_m31;
mod sequences;
mod wide_fibonacci;

use field::M31;

pub use air::airs::ParamKind;
pub use blake2s::Blake2s;
pub use fibonacci::Fibonacci;
pub use info::{AirInfo, ParamInfo};
pub use merkle_tree::{Compression, Element, Leaves, MerkleTree, Secret};
pub use plonk::Plonk;
pub use poseidon2::Poseidon2;
pub use range_squares::RangeSquares;
pub use registry::{all, build, stated};
pub use rpo_m31::RpoM31;
pub use wide_fibonacci::WideFibonacci;

use crate::Statement;

/// A statement with a trace that satisfies it.
pub trait ShippedAir: Statement {
    /// The main columns by component, in the order of the rows.
    fn trace(&self) -> Vec<Vec<Vec<M31>>>;
}

/// A column of `2^log_size` rows.
fn column(log_size: u32, value: impl FnMut(usize) -> M31) -> Vec<M31> {
    (0..1usize << log_size).map(value).collect()
}

/// One if the condition holds, else zero.
fn flag(condition: bool) -> M31 {
    M31::new(u32::from(condition))
}
