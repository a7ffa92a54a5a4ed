//! From a run to a proof.

use std::borrow::Borrow;
use std::sync::Arc;

use cairo_run::Run;
use circle_proof::{CircleOptions, Suite, hex};
use field::QM31;
use gpu_hal::{CircleStark, Digest, StarkBackend};
use prover_core::Observer;
use prover_core::circle::{CircleProof, GivenColumns, Keep, Plan, PreprocessedTrace, ProveError, Prover};

use crate::preprocessed::Variant;
use crate::statement::{CairoStatement, RunError};
use crate::version::{AirProof, AirVersion, ProofParts};
use crate::witness::{Witness, WitnessError};

/// Why there is no proof of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The run has no trace.
    #[error("the run cannot be proven: {0}")]
    Witness(#[from] WitnessError),
    /// There is no statement about the run.
    #[error("the run cannot be proven: {0}")]
    Run(#[from] RunError),
    /// Hash functions that proofs of Cairo programs do not have here.
    #[error("proofs of Cairo programs can't have the hash functions {_0}")]
    Suite(Suite),
    /// The prover failed.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// The preprocessed columns are not the variant's.
    #[error(
        "the root of the preprocessed columns is {}, that of {} is {}: the device is at fault, or columns of another variant \
         were handed over", hex(found), variant.name(), hex(expected)
    )]
    PreprocessedRoot {
        /// The variant.
        variant: Variant,
        /// As committed.
        found: Digest,
        /// The constant.
        expected: Digest,
    },
}

/// Asks a backend for all that the proof of a run asks it for, with zeros for data: for one that computes nothing and
/// remembers the requests. `samples_all` is as in [`CairoProver::new`].
///
/// # Errors
/// A run that cannot be proven, options that do not fit, or an error of the backend.
pub fn visit<V: AirVersion, B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    input: &Run,
    variant: Variant,
    options: &CircleOptions,
    samples_all: bool,
) -> Result<(), Error> {
    let witness = Witness::new::<V>(input, variant)?;
    let statement = CairoStatement::<V>::new(input, witness.sizes(), 0)?.sampling_all(samples_all);
    Ok(Prover::visit_made(backend, Arc::new(statement), options, &witness)?)
}

/// A run made ready on a backend. `I` is a [`Run`], a reference or an `Arc` to one.
pub struct CairoProver<V: AirVersion, B: StarkBackend<P = CircleStark>, I: Borrow<Run> + Send + Sync> {
    statement: Arc<CairoStatement<V>>,
    prover: Prover<B, Witness<I>>,
}

impl<V: AirVersion, B: StarkBackend<P = CircleStark>, I: Borrow<Run> + Send + Sync> CairoProver<V, B, I> {
    /// Makes the statement about the run, records it, and commits to the preprocessed columns, if they are not given:
    /// columns from [`Self::preprocessed`] of another prover with the same variant, blowup, lifting and suite. The salt
    /// goes into the transcript first; 0 is the reference's. `samples_all`: the proof samples the preprocessed columns,
    /// too, that no component reads; the reference's does not by default.
    ///
    /// # Errors
    /// A run that cannot be proven, options that do not fit, too little memory, or the backend's errors; preprocessed
    /// columns without the variant's root.
    pub fn new(
        backend: Arc<B>,
        input: I,
        variant: Variant,
        options: &CircleOptions,
        salt: u32,
        samples_all: bool,
        preprocessed: Option<Arc<PreprocessedTrace<B>>>,
    ) -> Result<Self, Error> {
        let given = preprocessed.map(GivenColumns::Shared);
        Self::with_columns(backend, input, variant, options, salt, samples_all, given)
    }

    /// As [`Self::new`]; the preprocessed columns may have been committed to ahead, too: [`crate::ahead::columns`].
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_columns(
        backend: Arc<B>,
        input: I,
        variant: Variant,
        options: &CircleOptions,
        salt: u32,
        samples_all: bool,
        given: Option<GivenColumns<B>>,
    ) -> Result<Self, Error> {
        if !V::takes(options.suite) {
            return Err(Error::Suite(options.suite));
        }
        let witness = Witness::new::<V>(input, variant)?;
        let statement = CairoStatement::<V>::new(witness.input(), witness.sizes(), salt)?.sampling_all(samples_all);
        let statement = Arc::new(statement);
        let prover = Prover::with_columns(backend, statement.clone(), options, witness, given)?;
        let found = prover.preprocessed().root();
        match V::root(variant, options) {
            Some(expected) if expected != found => Err(Error::PreprocessedRoot { variant, found, expected }),
            _ => Ok(Self { statement, prover }),
        }
    }

    /// The same run, with proofs that keep `keep` on the device, as [`Prover::keeping`] has it.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn keeping(self, keep: Keep) -> Result<Self, Error> {
        Ok(Self { prover: self.prover.keeping(keep)?, ..self })
    }

    /// The statement.
    pub fn statement(&self) -> &CairoStatement<V> {
        &self.statement
    }

    /// The memory that a proof takes on the device.
    pub fn plan(&self) -> &Plan {
        self.prover.plan()
    }

    /// The preprocessed columns on the device, for provers of other runs.
    pub fn preprocessed(&self) -> &Arc<PreprocessedTrace<B>> {
        self.prover.preprocessed()
    }

    /// Proves the run. The total of the lookups is checked before the interaction columns are committed to.
    ///
    /// # Errors
    /// A run that does not satisfy the statement, the backend's errors, or a stop by the observer.
    pub fn prove(&self, observer: &dyn Observer<QM31>) -> Result<V::Proof, Error> {
        let CircleProof { proof, claimed_sums, interaction_nonce } = self.prover.prove_made(observer)?;
        Ok(AirProof::new(ProofParts {
            claim: self.statement.claim().clone(),
            claimed_sums,
            // The statement asks for work, so there is a nonce.
            interaction_nonce: interaction_nonce.unwrap_or_default(),
            stark_proof: proof,
            salt: self.statement.salt(),
            variant: self.statement.preprocessed_variant(),
        }))
    }
}
