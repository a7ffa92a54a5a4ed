//! Proofs of circuits of the crates `stwo-circuits`, on any backend, for their published verifier.
//!
//! [`Circuit`] is a circuit as its proofs see it: preprocessed columns that say which wires each gate reads and writes.
//! [`air`] has the components, [`Witness`] makes their columns from the values of the wires. [`CircuitProver`] proves,
//! and [`CircuitVerifier`] asks the published verifier, about proofs in memory and about written ones. [`Fold`] is a
//! circuit that verifies two proofs, whose proof takes the place of both.
#![forbid(unsafe_code)]

pub mod air;
mod circuit;
mod columns;
mod extended;
mod fold;
mod proof;
mod prove;
mod statement;
pub mod values;
mod witness;
mod written;

pub use circuit::{Circuit, CircuitError};
pub use columns::columns;
pub use extended::extended;
pub use fold::{Fold, FoldError, Leaf};
pub use proof::{CircuitProof, CircuitVerifier, RefusedError};
pub use prove::{CircuitProver, Error, STARKNET_OPTIONS, plan};
pub use statement::{CircuitStatement, INTERACTION_POW_BITS, OutputsError};
pub use witness::{Witness, WitnessError};
