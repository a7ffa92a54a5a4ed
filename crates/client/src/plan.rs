//! The cost of a client proof, known before any work.

use cairo::RunPlan;
use prover_core::circle::Plan;

/// The cost of a client proof: of the two proofs that are made for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientPlan {
    /// The plan of the Cairo proof of the run.
    pub cairo: RunPlan,
    /// The plan of the proof of the circuit. It is the same for all runs.
    pub circuit: Plan,
}

impl ClientPlan {
    /// Bytes of the preprocessed columns of both proofs, which a prover keeps on the device.
    pub fn kept_bytes(&self) -> u64 {
        self.cairo.device.kept_bytes + self.circuit.kept_bytes
    }

    /// The most bytes on the device at a time: of the larger of both proofs, beside the preprocessed columns of the
    /// other one, which stay there.
    pub fn peak_bytes(&self) -> u64 {
        let beside = |plan: &Plan, other: &Plan| plan.peak_bytes.max(plan.preparation_bytes) + other.kept_bytes;
        let (cairo, circuit) = (&self.cairo.device, &self.circuit);
        beside(cairo, circuit).max(beside(circuit, cairo))
    }
}
