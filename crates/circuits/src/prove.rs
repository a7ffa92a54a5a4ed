//! From the values of a circuit's wires to a proof.

use std::sync::Arc;

use circle_proof::{CircleOptions, Suite};
use field::QM31;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Observer;
use prover_core::circle::{CircleProof, Plan, PreprocessedTrace, ProveError, Prover};

use crate::circuit::Circuit;
use crate::proof::CircuitProof;
use crate::statement::CircuitStatement;
use crate::witness::Witness;

/// The hash functions that the verifier of circuits has.
pub(crate) const SUITE: Suite = Suite::Blake2sM31;

/// The options of Starknet's proofs of circuits: 96 bits, as stwo counts them. The circuit's gates of a kind are
/// `2^21` at most.
pub const STARKNET_OPTIONS: CircleOptions = CircleOptions {
    pow_bits: 26,
    log_blowup: 2,
    queries: 35,
    fold_step: 4,
    log_last: 0,
    lifting: Some(23),
    suite: SUITE,
};

/// Most bits of work whose check is a circuit.
const MAX_POW_BITS: u32 = 30;
/// Longer folds cost a verifier more than they save.
const MAX_FOLD_STEP: u32 = 8;

/// Why there is no proof of a circuit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Hash functions that the verifier does not have.
    #[error("proofs of circuits can't have the hash functions {_0}, only {SUITE}")]
    Suite(Suite),
    /// Options without a height of the trees.
    #[error("proofs of circuits need a lifting: set it to log2 of the rows plus log2 of the blowup, or more")]
    NoLifting,
    /// Options that the published verifier is not made for.
    #[error(
        "the verifier of circuits takes a last layer of one coefficient, {MAX_POW_BITS} bits of work at most and folds of \
         2^{MAX_FOLD_STEP} at most: these are 2^{log_last}, {pow_bits} and 2^{fold_step}"
    )]
    Options {
        /// Log2 of the coefficients of the last layer.
        log_last: u32,
        /// Bits of the proof of work.
        pow_bits: u32,
        /// Log2 of the number by which a layer shrinks.
        fold_step: u32,
    },
    /// The prover failed.
    #[error(transparent)]
    Prove(#[from] ProveError),
}

/// Options that proofs of circuits can have.
pub(crate) fn check_options(options: &CircleOptions) -> Result<(), Error> {
    match options {
        CircleOptions { suite, .. } if *suite != SUITE => Err(Error::Suite(*suite)),
        CircleOptions { lifting: None, .. } => Err(Error::NoLifting),
        &CircleOptions { log_last, pow_bits, fold_step, .. }
            if log_last != 0 || pow_bits > MAX_POW_BITS || fold_step > MAX_FOLD_STEP =>
        {
            Err(Error::Options { log_last, pow_bits, fold_step })
        }
        _ => Ok(()),
    }
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
    check_options(options)?;
    let witness = Witness::without_values(circuit.clone()).map_err(|error| ProveError::Trace(Box::new(error)))?;
    let statement = statement(circuit, vec![QM31::default(); circuit.outputs().len()]);
    Ok(Prover::plan_made(backend, statement, options, &witness, None)?.0)
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
