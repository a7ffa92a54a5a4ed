//! A proof of a circuit.

use circle_proof::Proof;
use field::QM31;

/// A proof that there are values of a circuit's wires with these outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircuitProof {
    /// The proof of the prover.
    pub proof: Proof,
    /// The sum of the lookups of each component, in order.
    pub claimed_sums: Vec<QM31>,
    /// The nonce of the proof of work before the elements of the lookups.
    pub interaction_nonce: u64,
    /// The public outputs.
    pub outputs: Vec<QM31>,
}
