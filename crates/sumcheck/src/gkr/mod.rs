//! Batches of grand products and of sums of fractions, proven by GKR: a sum-check for each layer of a binary tree.
//!
//! [`prove_batch`] takes the columns below the trees, [`verify_batch`] their shapes. [`prove_trees`] is the same prover
//! for columns that are elsewhere, such as on a device ([`Layers`]). Both return an [`Artifact`]: a
//! point, and claims on the columns there. A proof says nothing about columns until somebody checks these claims, and
//! nothing about lookups until somebody compares the [outputs](BatchProof::outputs). Before either is called, the
//! caller mixes what was committed to, the shapes among it.

mod codec;
mod error;
mod gate;
mod host;
mod layer;
mod nodes;
mod proof;
mod prove;
mod security;
mod verify;

pub use codec::{decode, encode};
pub use error::{BatchError, ShapeError};
pub use gate::{Gate, Kind};
pub use host::{HostTree, prove_batch};
pub use layer::{Layer, LayerError};
pub use nodes::{HostNodes, Round};
pub use proof::{Artifact, BatchProof, Instance, Mask, Proven};
pub use prove::{Layers, Nodes, prove_trees};
pub use security::security_bits;
pub use verify::verify_batch;
