//! From a run to a proof.

use std::borrow::Borrow;
use std::sync::Arc;

use cairo_run::Run;
use circle_proof::stwo_verifier::to_stwo;
use circle_proof::{CircleOptions, Suite};
use field::QM31;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Observer;
use prover_core::circle::{CircleProof, Keep, Plan, PreprocessedTrace, ProveError, Prover};
use stwo::core::vcs::blake2_hash::Blake2sHash;

use crate::preprocessed::{self, Variant};
use crate::statement::{CairoStatement, RunError};
use crate::verify::Proof;
use crate::witness::error::WitnessError;
use crate::witness::schedule::Witness;

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
    #[error("proofs of Cairo programs have the hash functions {}, not {_0}", Suite::Blake2s)]
    Suite(Suite),
    /// The prover failed.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// The preprocessed columns are not those of the variant.
    #[error(
        "the root of the preprocessed columns is {found}, that of {} is {expected}: the device is at fault, or columns of another variant \
         were handed over", preprocessed::name(*variant)
    )]
    PreprocessedRoot {
        /// The variant.
        variant: Variant,
        /// As committed.
        found: Blake2sHash,
        /// The constant.
        expected: Blake2sHash,
    },
}

/// Proves a run: the proof is stwo-cairo's, with salt 0.
///
/// To prove more than one run with the same preprocessed columns, keep a [`CairoProver`].
///
/// # Errors
/// A run that cannot be proven, options that do not fit, too little memory, what the backend reports, or that the observer stopped it.
pub fn prove<B: StarkBackend<P = CircleStark>>(
    input: &Run,
    variant: Variant,
    options: &CircleOptions,
    backend: &Arc<B>,
    observer: &dyn Observer<QM31>,
) -> Result<Proof, Error> {
    CairoProver::new(backend.clone(), input, variant, options, 0, None)?.prove(observer)
}

/// Asks a backend for all that the proof of a run asks it for, with zeros for data: for one that computes nothing and remembers what it is
/// asked for.
///
/// # Errors
/// As [`prove`].
pub fn visit<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    input: &Run,
    variant: Variant,
    options: &CircleOptions,
) -> Result<(), Error> {
    let witness = Witness::new(input, variant)?;
    let statement = Arc::new(CairoStatement::new(input, witness.sizes(), 0)?);
    Ok(Prover::visit_made(backend, statement, options, &witness)?)
}

/// A run made ready on a backend. `I` is a [`Run`], a reference or an `Arc` to one.
pub struct CairoProver<B: StarkBackend<P = CircleStark>, I: Borrow<Run> + Send + Sync> {
    statement: Arc<CairoStatement>,
    prover: Prover<B, Witness<I>>,
}

impl<B: StarkBackend<P = CircleStark>, I: Borrow<Run> + Send + Sync> CairoProver<B, I> {
    /// Makes the statement about the run, records it, and commits to the preprocessed columns, if they are not given: those of
    /// [`Self::preprocessed`] of another prover with the same variant, blowup and lifting. The salt goes into the transcript first; 0 is
    /// the reference's.
    ///
    /// # Errors
    /// A run that cannot be proven, options that do not fit, too little memory, or what the backend reports; preprocessed columns without
    /// the variant's root.
    pub fn new(
        backend: Arc<B>,
        input: I,
        variant: Variant,
        options: &CircleOptions,
        salt: u32,
        preprocessed: Option<Arc<PreprocessedTrace<B>>>,
    ) -> Result<Self, Error> {
        if options.suite != Suite::Blake2s {
            return Err(Error::Suite(options.suite));
        }
        let witness = Witness::new(input, variant)?;
        let statement = Arc::new(CairoStatement::new(witness.input(), witness.sizes(), salt)?);
        let prover = Prover::with_maker(backend, statement.clone(), options, witness, preprocessed)?;
        let found = Blake2sHash(prover.preprocessed().root());
        match preprocessed::root(variant, options.log_blowup, options.lifting) {
            Some(expected) if expected != found => Err(Error::PreprocessedRoot { variant, found, expected }),
            _ => Ok(Self { statement, prover }),
        }
    }

    /// The same run, whose proofs keep so much on the device, as [`Prover::keeping`] has it.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn keeping(self, keep: Keep) -> Result<Self, Error> {
        Ok(Self { prover: self.prover.keeping(keep)?, ..self })
    }

    /// The statement.
    pub fn statement(&self) -> &CairoStatement {
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
    /// A run that does not satisfy the statement, what the backend reports, or that the observer stopped it.
    pub fn prove(&self, observer: &dyn Observer<QM31>) -> Result<Proof, Error> {
        let CircleProof { proof, claimed_sums, interaction_nonce } = self.prover.prove_made(observer)?;
        Ok(Proof {
            claim: self.statement.claim().clone(),
            // The statement asks for work, so there is a nonce.
            interaction_pow: interaction_nonce.unwrap_or_default(),
            interaction_claim: self.statement.interaction_claim(&claimed_sums),
            stark_proof: to_stwo(proof),
            channel_salt: self.statement.salt(),
            preprocessed_trace_variant: self.statement.preprocessed_variant(),
        })
    }
}
