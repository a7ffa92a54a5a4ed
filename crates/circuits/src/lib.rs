//! Proofs of circuits of the crates `stwo-circuits`, on any backend, for their published verifier.
//!
//! [`Circuit`] is a circuit as its proofs see it: preprocessed columns that say which wires each gate reads and writes.
//! [`air`] has the components, `Witness` makes their columns from the values of the wires. `CircuitProver` proves, and
//! [`CircuitVerifier`] asks the published verifier, about proofs in memory and about written ones. `Fold` is a circuit
//! that verifies two proofs, whose proof takes the place of both; `FoldProver` makes such proofs. Witnesses, provers
//! and folds are behind the feature `prove`, on by default.
#![forbid(unsafe_code)]

pub mod air;
mod circuit;
mod circuit_proof;
mod columns;
#[cfg(feature = "prove")]
mod fold;
#[cfg(feature = "prove")]
mod fold_prover;
mod options;
#[cfg(feature = "prove")]
mod prove;
mod statement;
#[cfg(feature = "prove")]
pub mod values;
mod verify;
#[cfg(feature = "prove")]
mod witness;
mod written;

pub use circuit::{Circuit, CircuitError};
pub use circuit_proof::CircuitProof;
pub use columns::columns;
#[cfg(feature = "prove")]
pub use fold::{Fold, FoldError, Leaf};
#[cfg(feature = "prove")]
pub use fold_prover::{FoldProveError, FoldProver, Folded};
pub use options::{OptionsError, STARKNET_OPTIONS};
#[cfg(feature = "prove")]
pub use prove::{CircuitProver, Error, plan, visit};
pub use statement::{CircuitStatement, INTERACTION_POW_BITS, OutputsError};
pub use verify::{CircuitVerifier, RefusedError};
#[cfg(feature = "prove")]
pub use witness::{Witness, WitnessError};
