//! From a CairoPIE to the bytes of a client proof.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use cairo::Version;
use cairo::plan::plan;
use cairo::prove::CairoProver;
use cairo_run::pie::CairoPie;
use cairo_run::{Felt252, StopFlag};
use circle_proof::hex;
use circuits::{CircuitProver, CircuitVerifier, STARKNET_OPTIONS, Witness};
use field::QM31;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::circle::PreprocessedTrace;
use prover_core::{Cancelled, Observer, Phase};
use tracing::info_span;

use crate::circuit::VerifierCircuit;
use crate::error::Error;
use crate::facts;
use crate::file::pack;
use crate::key::{CIRCUIT_ROOT, circuit_columns};
use crate::params::{CAIRO_OPTIONS, VARIANT};
use crate::plan::ClientPlan;
use crate::run::ClientRun;

/// A client proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientProof {
    /// The proof as Starknet takes it: [`crate::file`].
    pub bytes: Vec<u8>,
    /// The felts whose hash the bootloader has put out.
    pub output_preimage: Vec<Felt252>,
    /// The facts that the proof states.
    pub facts: Vec<Felt252>,
}

/// Preprocessed columns that stay on the device.
type KeptColumns<B> = Mutex<Option<Arc<PreprocessedTrace<B>>>>;

/// Makes client proofs on a backend. It keeps the circuit, the preprocessed columns of both proofs, and what is
/// compiled for them: its first proof makes them. It can be shared between threads.
pub struct ClientProver<B: StarkBackend<P = CircleStark>> {
    backend: Arc<B>,
    circuit: Arc<VerifierCircuit>,
    verifier: CircuitVerifier,
    cairo_columns: KeptColumns<B>,
    circuit_columns: KeptColumns<B>,
}

impl<B: StarkBackend<P = CircleStark>> ClientProver<B> {
    /// Builds the circuit. Nothing is on the device yet.
    ///
    /// # Errors
    /// None, except for mistakes of this library.
    pub fn new(backend: Arc<B>) -> Result<Self, Error> {
        Self::with_circuit(backend, Arc::new(VerifierCircuit::new()?))
    }

    /// The same with a circuit that was built before, for provers on several devices, or for one after the other. Of
    /// another circuit than Starknet's it makes no proof.
    ///
    /// # Errors
    /// None, except for mistakes of this library.
    pub fn with_circuit(backend: Arc<B>, circuit: Arc<VerifierCircuit>) -> Result<Self, Error> {
        let outputs = circuit.circuit().outputs().len();
        let verifier = CircuitVerifier::new(circuit_columns(), outputs, CIRCUIT_ROOT, &STARKNET_OPTIONS)?;
        Ok(Self {
            backend,
            circuit,
            verifier,
            cairo_columns: KeptColumns::default(),
            circuit_columns: KeptColumns::default(),
        })
    }

    /// The backend.
    pub fn backend(&self) -> &Arc<B> {
        &self.backend
    }

    /// The circuit.
    pub fn circuit(&self) -> &VerifierCircuit {
        &self.circuit
    }

    /// The memory that the proof of a run takes. Nothing is proven, and nothing of the size of the proofs is allocated.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn plan(&self, run: &ClientRun) -> Result<ClientPlan, Error> {
        let cairo = plan::<Version, _>(&self.backend, &run.run, VARIANT, &CAIRO_OPTIONS, true, None)?;
        let circuit = circuits::plan(&self.backend, self.circuit.circuit(), &STARKNET_OPTIONS)?;
        Ok(ClientPlan { cairo, circuit })
    }

    /// Runs a CairoPIE in the bootloader, and proves the run.
    ///
    /// # Errors
    /// As [`ClientRun::new`] and [`Self::prove_run`]; a stop by the observer.
    pub fn prove(&self, pie: &Arc<CairoPie>, observer: &dyn Observer<QM31>) -> Result<ClientProof, Error> {
        let stop = StopFlag::default();
        let run = || stop.watch(|| go_on(observer).is_ok(), || ClientRun::new_until(pie, &stop));
        let run = info_span!("bootloader").in_scope(run);
        if stop.is_stopped() {
            return Err(Cancelled { phase: PHASE }.into());
        }
        let run = run?;
        self.prove_run(&run, observer)
    }

    /// Proves a run. Each of the two proofs reserves its memory before it begins.
    ///
    /// # Errors
    /// Too little memory, the backend's errors, or a stop by the observer; a run that is none of the Cairo machine.
    pub fn prove_run(&self, run: &ClientRun, observer: &dyn Observer<QM31>) -> Result<ClientProof, Error> {
        let proof = self.cairo_proof(run, observer)?;
        let witness = self.witness(&proof, observer)?;
        let written = self.circuit_proof(witness, observer)?;
        let bytes = pack(&written).map_err(Error::Pack)?;
        let output_preimage = run.output_preimage().to_vec();
        let facts = facts::facts(&output_preimage)?;
        Ok(ClientProof { bytes, output_preimage, facts })
    }

    /// The Cairo proof of a run: the first stage.
    ///
    /// # Errors
    /// As [`Self::prove_run`].
    pub fn cairo_proof(&self, run: &ClientRun, observer: &dyn Observer<QM31>) -> Result<cairo::Proof, Error> {
        let _span = info_span!("cairo proof").entered();
        let backend = self.backend.clone();
        let prover = |columns| {
            CairoProver::<Version, _, _>::new(backend, run.run.clone(), VARIANT, &CAIRO_OPTIONS, 0, true, columns)
        };
        let prover = with_kept(&self.cairo_columns, prover, |prover| Ok(prover.preprocessed().clone()))?;
        Ok(prover.prove(observer)?)
    }

    /// The values of the circuit for a Cairo proof: the second stage, on the host.
    ///
    /// # Errors
    /// As [`VerifierCircuit::witness`]; a stop by the observer.
    pub fn witness(&self, proof: &cairo::Proof, observer: &dyn Observer<QM31>) -> Result<Witness, Error> {
        let _span = info_span!("circuit values").entered();
        go_on(observer)?;
        self.circuit.witness(proof)
    }

    /// The written proof of the circuit: the third stage.
    ///
    /// # Errors
    /// As [`Self::prove_run`].
    pub fn circuit_proof(&self, witness: Witness, observer: &dyn Observer<QM31>) -> Result<Vec<u8>, Error> {
        let _span = info_span!("circuit proof").entered();
        go_on(observer)?;
        let backend = self.backend.clone();
        let prover = |columns| CircuitProver::new(backend, witness, &STARKNET_OPTIONS, columns);
        let right = |prover: &CircuitProver<B>| {
            let columns = prover.preprocessed();
            let found = columns.root();
            if found != CIRCUIT_ROOT {
                return Err(Error::Root { found: hex(&found), expected: hex(&CIRCUIT_ROOT) });
            }
            Ok(columns.clone())
        };
        let prover = with_kept(&self.circuit_columns, prover, right)?;
        let proof = prover.prove(observer)?;
        Ok(self.verifier.write(&proof)?)
    }
}

/// Asks a backend for all that client proofs ask it for, with zeros for data: for one that computes nothing and
/// remembers the requests. Every run asks for the same: it has all components.
///
/// # Errors
/// The backend's errors.
pub fn visit<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    run: &ClientRun,
    circuit: &VerifierCircuit,
) -> Result<(), Error> {
    cairo::prove::visit::<Version, _>(backend, &run.run, VARIANT, &CAIRO_OPTIONS, true)?;
    Ok(circuits::visit(backend, circuit.circuit(), &STARKNET_OPTIONS)?)
}

/// A prover with the columns that are kept, or with new ones, which are kept then, unless `columns` refuses them.
fn with_kept<C, T, E>(
    kept: &Mutex<Option<Arc<C>>>,
    prover: impl FnOnce(Option<Arc<C>>) -> Result<T, E>,
    columns: impl FnOnce(&T) -> Result<Arc<C>, Error>,
) -> Result<T, Error>
where
    Error: From<E>,
{
    // Columns that a panic left out can be made again. They are made under the lock: another proof waits, and has them.
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(columns) = &*kept {
        let columns = columns.clone();
        return Ok(prover(Some(columns))?);
    }
    let made = prover(None)?;
    *kept = Some(columns(&made)?);
    Ok(made)
}

/// The phase of the stages on the host.
const PHASE: Phase = Phase::Main;

/// Asks an observer before a stage on the host.
fn go_on(observer: &dyn Observer<QM31>) -> Result<(), Cancelled> {
    match observer.goes_on(PHASE) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Cancelled { phase: PHASE }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prover that makes these columns unless it is given others; only 7 is right.
    fn with(kept: &Mutex<Option<Arc<u8>>>, made: u8) -> Result<u8, Error> {
        let prover = |columns: Option<Arc<u8>>| Ok::<u8, Error>(columns.map_or(made, |columns| *columns));
        with_kept(kept, prover, |made| match made {
            7 => Ok(Arc::new(7)),
            _ => Err(Error::OtherClaim),
        })
    }

    #[test]
    fn wrong_columns_are_not_kept() {
        let kept = Mutex::default();
        assert!(matches!(with(&kept, 6), Err(Error::OtherClaim)));
        assert_eq!(*kept.lock().unwrap(), None);
        // The next proof makes them anew, and the one after it has these.
        assert_eq!(with(&kept, 7).unwrap(), 7);
        assert_eq!(with(&kept, 6).unwrap(), 7);
    }
}
