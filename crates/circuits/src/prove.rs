//! From the values of a circuit's wires to a proof.

use std::sync::Arc;

use circle_proof::CircleOptions;
use field::QM31;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Observer;
use prover_core::circle::{CircleProof, Plan, PreprocessedTrace, ProveError, Prover};

use crate::circuit::Circuit;
use crate::circuit_proof::CircuitProof;
use crate::options::{OptionsError, check_options};
use crate::statement::CircuitStatement;
use crate::witness::Witness;

/// Why there is no proof of a circuit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Options that no such proof has.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The prover failed.
    #[error(transparent)]
    Prove(#[from] ProveError),
}

/// The memory that proofs of a circuit take on a backend, whatever the values of its wires are. Nothing of the size of
/// the circuit is allocated.
///
/// # Errors
/// Options that do not fit, or the backend's errors.
pub fn plan<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    circuit: &Arc<Circuit>,
    options: &CircleOptions,
) -> Result<Plan, Error> {
    let (statement, witness) = without_values(circuit, options)?;
    Ok(Prover::plan_made(backend, statement, options, &witness, None)?.0)
}

/// Asks a backend for all that proofs of a circuit ask it for, with zeros for data: for one that computes nothing and
/// remembers the requests.
///
/// # Errors
/// Options that do not fit, or the backend's errors.
pub fn visit<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    circuit: &Arc<Circuit>,
    options: &CircleOptions,
) -> Result<(), Error> {
    let (statement, witness) = without_values(circuit, options)?;
    Ok(Prover::visit_made(backend, statement, options, &witness)?)
}

/// A circuit's preprocessed columns, committed to on a backend, for its proofs.
///
/// # Errors
/// As [`CircuitProver::new`].
pub(crate) fn preprocessed<B: StarkBackend<P = CircleStark>>(
    backend: Arc<B>,
    circuit: &Arc<Circuit>,
    options: &CircleOptions,
) -> Result<Arc<PreprocessedTrace<B>>, Error> {
    let (statement, witness) = without_values(circuit, options)?;
    Ok(Prover::with_maker(backend, statement, options, witness, None)?.preprocessed().clone())
}

/// The statement of a circuit with zeros for outputs, and its witness for one who asks for no values.
fn without_values(circuit: &Arc<Circuit>, options: &CircleOptions) -> Result<(Arc<CircuitStatement>, Witness), Error> {
    check_options(options)?;
    let witness = Witness::without_values(circuit.clone()).map_err(|error| ProveError::Trace(Box::new(error)))?;
    Ok((statement(circuit, vec![QM31::default(); circuit.outputs().len()]), witness))
}

fn statement(circuit: &Arc<Circuit>, outputs: Vec<QM31>) -> Arc<CircuitStatement> {
    Arc::new(CircuitStatement::new(circuit.clone(), outputs).expect("as many outputs as the circuit has"))
}

/// The values of a circuit's wires made ready on a backend.
pub struct CircuitProver<B: StarkBackend<P = CircleStark>> {
    prover: Prover<B, Witness>,
}

impl<B: StarkBackend<P = CircleStark>> CircuitProver<B> {
    /// Records the statement, and commits to the circuit's preprocessed columns, if they are not given: columns from
    /// [`Self::preprocessed`] of another prover of the same circuit, blowup and lifting.
    ///
    /// # Errors
    /// Options that do not fit, too little memory, or the backend's errors.
    pub fn new(
        backend: Arc<B>,
        witness: Witness,
        options: &CircleOptions,
        preprocessed: Option<Arc<PreprocessedTrace<B>>>,
    ) -> Result<Self, Error> {
        check_options(options)?;
        let statement = statement(witness.circuit(), witness.outputs().to_vec());
        Ok(Self { prover: Prover::with_maker(backend, statement, options, witness, preprocessed)? })
    }

    /// The memory that a proof takes on the device.
    pub fn plan(&self) -> &Plan {
        self.prover.plan()
    }

    /// The preprocessed columns on the device, for other proofs of the circuit.
    pub fn preprocessed(&self) -> &Arc<PreprocessedTrace<B>> {
        self.prover.preprocessed()
    }

    /// Proves that the values satisfy the circuit. The total of the lookups is checked before the interaction columns
    /// are committed to. Whether a verifier takes the proof only [`crate::CircuitVerifier::verify`] says: it refuses
    /// the rare one that opens a node which the reference's trees hash wrongly ([`circle_proof::WideNode`]).
    ///
    /// # Errors
    /// Values that do not satisfy it, the backend's errors, or a stop by the observer.
    pub fn prove(&self, observer: &dyn Observer<QM31>) -> Result<CircuitProof, Error> {
        let CircleProof { proof, claimed_sums, interaction_nonce } = self.prover.prove_made(observer)?;
        let outputs = self.prover.maker().outputs().to_vec();
        // The statement asks for work, so there is a nonce.
        Ok(CircuitProof { proof, claimed_sums, interaction_nonce: interaction_nonce.unwrap_or_default(), outputs })
    }
}
