//! Starknet's client proofs as a kind of statement of Circle: from the run of a CairoPIE in the privacy bootloader to
//! the bytes that Starknet takes, which the published verifier has accepted. All of it is behind the feature `client`.

mod error;

use std::sync::{Arc, Mutex, PoisonError};

use cairo::{RunPlan, Version};
use circle_proof::Policy;
use client::{CAIRO_OPTIONS, ClientProof, ClientProver, ClientRun, ClientVerifier, VARIANT, Verified};
use gpu_hal::{CircleStark, StarkBackend};

use crate::backend::AnyBackend;
use crate::device::Device;
use crate::error::Error;
use crate::stage::{Follow, Following, Stage};
use crate::statement::{Ready, Statement};

pub use error::ClientError;

/// A run of which a client proof is to be made.
#[derive(Clone, Copy, Debug)]
pub struct ClientRequest<'a> {
    /// The run of the CairoPIE: [`ClientRun::new`] makes it.
    pub run: &'a ClientRun,
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
    prover: Arc<ClientProver<AnyBackend<CircleStark>>>,
    run: &'a ClientRun,
}

/// The prover that stays on a device, with the circuit and the preprocessed columns.
#[derive(Default)]
struct KeptProver(Mutex<Option<Arc<ClientProver<AnyBackend<CircleStark>>>>>);

impl KeptProver {
    fn prover(&self, device: &Device<CircleStark>) -> Result<Arc<ClientProver<AnyBackend<CircleStark>>>, Error> {
        // A prover that a panic left out can be made again.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prover) = &*kept {
            return Ok(prover.clone());
        }
        let made = Arc::new(ClientProver::new(device.backend().clone())?);
        *kept = Some(made.clone());
        Ok(made)
    }
}

impl Statement<CircleStark> for ClientRequest<'_> {
    /// That of the Cairo proof, which takes more memory than the proof of the circuit. The preprocessed columns of both
    /// stay on the device, if it keeps any.
    type Plan = RunPlan;
    type Proven = ClientProven;
    type Ready<'a>
        = ReadyClient<'a>
    where
        Self: 'a;

    fn plan(&self, device: &Device<CircleStark>) -> Result<RunPlan, Error> {
        let run = self.run.run();
        Ok(cairo::plan::plan::<Version, _>(device.backend(), run, VARIANT, &CAIRO_OPTIONS, true, None)?)
    }

    fn ready<'a>(&'a self, device: &'a Device<CircleStark>) -> Result<ReadyClient<'a>, Error> {
        let kept = device.kept::<KeptProver>().unwrap_or_default();
        Ok(ReadyClient { prover: kept.prover(device)?, run: self.run })
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
