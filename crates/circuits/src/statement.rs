//! The statement about a circuit: there are values of its wires that satisfy all gates, with these outputs.

use std::sync::Arc;

use circle_air::{AirComponent, Mix, Mixes, PreprocessedColumn, PublicLookup, Statement, TupleKind};
use circuits_core::context::{U_VALUE, U_VAR_IDX};
use field::{M31, QM31};
use gpu_hal::EvalOrder;

use crate::air;
use crate::air::relation::GATE;
use crate::circuit::Circuit;

/// Bits of the proof of work before the elements of the lookups are drawn.
pub const INTERACTION_POW_BITS: u32 = 20;
/// Elements that are drawn: z and alpha of the one relation.
pub(crate) const DRAWS: usize = 2;

/// The public outputs of a circuit are another number than it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given} outputs of a circuit that has {expected}")]
pub struct OutputsError {
    /// Given.
    pub given: usize,
    /// Outputs of the circuit.
    pub expected: usize,
}

/// The statement of a proof.
#[derive(Clone, Debug)]
pub struct CircuitStatement {
    circuit: Arc<Circuit>,
    outputs: Vec<QM31>,
}

impl CircuitStatement {
    /// The circuit has these outputs.
    ///
    /// # Errors
    /// [`OutputsError`] if it has another number of them.
    pub fn new(circuit: Arc<Circuit>, outputs: Vec<QM31>) -> Result<Self, OutputsError> {
        let (given, expected) = (outputs.len(), circuit.outputs().len());
        if given == expected { Ok(Self { circuit, outputs }) } else { Err(OutputsError { given, expected }) }
    }

    /// The circuit.
    pub fn circuit(&self) -> &Arc<Circuit> {
        &self.circuit
    }

    /// The outputs.
    pub fn outputs(&self) -> &[QM31] {
        &self.outputs
    }
}

/// The values that a proof with these outputs mixes into the transcript: the salt, which is zero, and the outputs.
pub(crate) fn mixes(outputs: &[QM31]) -> Mixes {
    Mixes {
        before_config: vec![Mix::Felts(vec![QM31::default()])],
        before_preprocessed: Vec::new(),
        before_main: vec![Mix::Felts(outputs.to_vec())],
    }
}

impl Statement for CircuitStatement {
    fn name(&self) -> &str {
        "circuit"
    }

    /// None: the outputs are mixed as [`Self::mixes`] says.
    fn words(&self) -> Vec<u32> {
        Vec::new()
    }

    fn mixes(&self) -> Mixes {
        mixes(&self.outputs)
    }

    fn interaction_pow_bits(&self) -> u32 {
        INTERACTION_POW_BITS
    }

    fn order(&self) -> EvalOrder {
        EvalOrder::Storage
    }

    fn preprocessed(&self, _: Option<u32>) -> Vec<PreprocessedColumn> {
        self.circuit.columns().to_vec()
    }

    fn preprocessed_values(&self, _: Option<u32>) -> Vec<Vec<M31>> {
        self.circuit.values().to_vec()
    }

    fn samples_all_preprocessed(&self) -> bool {
        true
    }

    fn draws(&self) -> usize {
        DRAWS
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        air::components(self.circuit.log_sizes(), drawn)
    }

    fn tuple_kinds(&self) -> Vec<TupleKind> {
        air::kinds()
    }

    /// The public reads the outputs, and `u`.
    fn public_lookups(&self) -> Vec<PublicLookup> {
        let u = (U_VAR_IDX, circle_air::qm31(U_VALUE));
        let outputs = self.circuit.outputs().zip(self.outputs.iter().copied());
        let lookup = |(address, QM31(words)): (usize, QM31)| PublicLookup {
            relation: 0,
            tuple: [M31::new(GATE), M31::new(address as u32)].into_iter().chain(words).collect(),
            multiplicity: M31::new(1),
        };
        outputs.chain([u]).map(lookup).collect()
    }
}
