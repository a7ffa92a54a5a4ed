//! Batches of grand products and of sums of fractions, proven by GKR: a sum-check for each layer of a binary tree.
//!
//! [`prove_batch`] takes the columns below the trees, [`verify_batch`] their shapes. Both return an [`Artifact`]: a
//! point, and claims on the columns there. A proof says nothing about columns until somebody checks these claims, and
//! nothing about lookups until somebody compares the [outputs](BatchProof::outputs). Before either is called, the
//! caller mixes what was committed to, the shapes among it.

mod codec;
mod error;
mod gate;
mod layer;
mod proof;
mod prove;
mod security;
mod verify;

pub use codec::{decode, encode};
pub use error::{BatchError, ShapeError};
pub use gate::{Gate, Kind};
pub use layer::{Layer, LayerError};
pub use proof::{Artifact, BatchProof, Instance, Mask};
pub use prove::prove_batch;
pub use security::security_bits;
pub use verify::verify_batch;
