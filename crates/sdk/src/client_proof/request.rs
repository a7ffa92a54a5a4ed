//! Client proofs as a kind of statement of Circle: from the run of a CairoPIE in the privacy bootloader to the bytes
//! that Starknet takes, which the published verifier has accepted.

use std::sync::{Arc, Mutex, PoisonError};

use circle_proof::Policy;
use client::{ClientPlan, ClientProof, ClientProver, ClientRun, ClientVerifier, Verified, VerifierCircuit};
use gpu_hal::{CircleStark, StarkBackend};

use crate::devices::backend::AnyBackend;
use crate::devices::device::Device;
use crate::error::Error;
use crate::stage::{Follow, Following, Stage};
use crate::statements::statement::{Ready, Statement};

/// A run of which a client proof is to be made.
#[derive(Clone, Copy, Debug)]
pub struct ClientRequest<'a> {
    /// The run of the CairoPIE: [`ClientRun::new`] makes it.
    pub run: &'a ClientRun,
    /// The circuit, if it was built before. Else it is built, which takes seconds, unless a prover with one stays on
    /// the device ([`Device::keeping`]).
    pub circuit: Option<&'a Arc<VerifierCircuit>>,
}

/// A client proof, and the verdict of the verifier.
#[derive(Clone, Debug)]
pub struct ClientProven {
    /// The proof.
    pub proof: ClientProof,
    /// The statement that the verifier was asked about.
    pub verified: Verified,
}

/// A run, ready on a device.
pub struct ReadyClient<'a> {
    prover: SharedProver,
    run: &'a ClientRun,
}

/// A prover of a device, with the circuit and the preprocessed columns.
type SharedProver = Arc<ClientProver<AnyBackend<CircleStark>>>;

/// The prover that stays on a device.
#[derive(Default)]
struct KeptProver(Mutex<Option<SharedProver>>);

/// The prover of a device: the one that stays on it, if it keeps any.
fn kept_prover(device: &Device<CircleStark>, request: &ClientRequest<'_>) -> Result<SharedProver, Error> {
    let keeper = device.kept::<KeptProver>().unwrap_or_default();
    // A prover that a panic left out can be made again.
    let mut kept = keeper.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(prover) = &*kept {
        return Ok(prover.clone());
    }
    let backend = device.backend().clone();
    let made = match request.circuit {
        Some(circuit) => ClientProver::with_circuit(backend, circuit.clone()),
        None => ClientProver::new(backend),
    };
    let made = Arc::new(made?);
    *kept = Some(made.clone());
    Ok(made)
}

impl Statement<CircleStark> for ClientRequest<'_> {
    /// The plans of the Cairo proof and of the proof of the circuit.
    type Plan = ClientPlan;
    type Proven = ClientProven;
    type Ready<'a>
        = ReadyClient<'a>
    where
        Self: 'a;

    /// The first one of a device takes seconds, in which the circuit is built.
    fn plan(&self, device: &Device<CircleStark>) -> Result<ClientPlan, Error> {
        Ok(kept_prover(device, self)?.plan(self.run)?)
    }

    fn ready<'a>(&'a self, device: &'a Device<CircleStark>) -> Result<ReadyClient<'a>, Error> {
        Ok(ReadyClient { prover: kept_prover(device, self)?, run: self.run })
    }
}

impl Ready for ReadyClient<'_> {
    type Proven = ClientProven;

    fn prove(&self, follow: &Follow<'_>) -> Result<ClientProven, Error> {
        let proof = self.prover.prove_run(self.run, &Following(follow))?;
        if follow(Stage::Verify).is_break() {
            return Err(Error::Cancelled(Stage::Verify));
        }
        let name = || self.prover.backend().capabilities().backend.clone();
        let verdict = ClientVerifier::new(&Policy::ANY)
            .and_then(|verifier| verifier.verify(&proof.bytes, &proof.output_preimage));
        let verified = verdict.map_err(|error| Error::of_self_check(name(), error.into()))?;
        Ok(ClientProven { proof, verified })
    }
}
