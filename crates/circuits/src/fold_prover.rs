//! Proofs of folds: a level of a tree of proofs.

use std::sync::Arc;

use circle_proof::CircleOptions;
use field::QM31;
use gpu_hal::{CircleStark, Digest, StarkBackend};
use prover_core::Observer;
use prover_core::circle::PreprocessedTrace;

use crate::fold::{Fold, FoldError, Leaf, OUTPUTS};
use crate::prove::{CircuitProver, Error, preprocessed};
use crate::verify::{CircuitVerifier, RefusedError};

/// Why there is no folded proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FoldProveError {
    /// The proofs are not folded.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The circuit that verifies them is not proven.
    #[error(transparent)]
    Prove(#[from] Error),
    /// The proof that was made is refused.
    #[error("the folded proof that was made is refused: {0}")]
    Refused(#[from] RefusedError),
}

/// A proof in the place of two others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded {
    /// The proof, as [`CircuitVerifier::write`] writes it.
    pub written: Vec<u8>,
    /// Its public outputs: [`Fold::outputs`] of both proofs.
    pub outputs: [QM31; OUTPUTS],
}

impl Folded {
    /// The same as a proof that is to be folded in turn. `verifier` is that of its prover.
    pub fn leaf<'a>(&'a self, verifier: &'a CircuitVerifier) -> Leaf<'a> {
        Leaf { verifier, written: &self.written, outputs: self.outputs }
    }
}

/// Folds any number of pairs of proofs of one shape on a backend, which makes one level of a tree. The preprocessed
/// columns of the circuit stay on the backend.
pub struct FoldProver<B: StarkBackend<P = CircleStark>> {
    backend: Arc<B>,
    fold: Fold,
    options: CircleOptions,
    columns: Arc<PreprocessedTrace<B>>,
    verifier: CircuitVerifier,
}

impl<B: StarkBackend<P = CircleStark>> FoldProver<B> {
    /// Builds the circuit for proofs of the shape that `leaf` verifies, and commits to its preprocessed columns. Its
    /// proofs have these options.
    ///
    /// # Errors
    /// [`FoldError`] if such proofs are not folded; options that do not fit, too little memory, or the backend's
    /// errors.
    pub fn new(backend: Arc<B>, leaf: &CircuitVerifier, options: &CircleOptions) -> Result<Self, FoldProveError> {
        let fold = Fold::new(leaf)?;
        let columns = preprocessed(backend.clone(), fold.circuit(), options)?;
        let of_circuit = fold.circuit().columns().to_vec();
        let verifier = CircuitVerifier::new(of_circuit, OUTPUTS, columns.root(), options)?;
        Ok(Self { backend, fold, options: *options, columns, verifier })
    }

    /// The circuit that folds.
    pub fn fold(&self) -> &Fold {
        &self.fold
    }

    /// The root of the circuit's preprocessed columns. A verifier who does not commit to them must have it from one
    /// whom it trusts.
    pub fn root(&self) -> Digest {
        self.columns.root()
    }

    /// The verifier of the proofs that are made, which says the shape of the leaves of the level above.
    pub fn verifier(&self) -> &CircuitVerifier {
        &self.verifier
    }

    /// Makes one proof of two.
    ///
    /// # Errors
    /// [`FoldError`] if one of the proofs is of another shape, or is refused; too little memory, the backend's errors,
    /// or a stop by the observer.
    pub fn prove(&self, leaves: [Leaf<'_>; 2], observer: &dyn Observer<QM31>) -> Result<Folded, FoldProveError> {
        let witness = self.fold.witness(leaves)?;
        let prover = CircuitProver::new(self.backend.clone(), witness, &self.options, Some(self.columns.clone()))?;
        let proof = prover.prove(observer)?;
        let outputs = Fold::outputs(leaves.map(|leaf| (&leaf.verifier.root, leaf.outputs)));
        Ok(Folded { written: self.verifier.write(&proof)?, outputs })
    }
}
