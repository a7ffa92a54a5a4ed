//! A backend that keeps the preprocessed columns of the runs that it proves.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cairo::preprocessed::Variant;
use cairo::prove::CairoProver;
use cairo::{ProverInput, RunPlan};
use circle_proof::CircleOptions;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::circle::PreprocessedTrace;

use super::{CairoProven, CairoRequest, Programs, keeping, prove};
use crate::error::Error;
use crate::stage::Follow;

/// What preprocessed columns depend on: the variant, the blowup and the lifting.
type Key = (Variant, u32, Option<u32>);

/// A backend, and the preprocessed columns that are on it.
pub(super) struct Keeping<B: StarkBackend<P = CircleStark>> {
    backend: Arc<B>,
    kept: Mutex<Vec<(Key, Arc<PreprocessedTrace<B>>)>>,
}

impl<B: StarkBackend<P = CircleStark>> Keeping<B> {
    pub(super) fn new(backend: Arc<B>) -> Self {
        Self { backend, kept: Mutex::default() }
    }

    /// A prover of the run, with the columns that are kept, or with new ones, which are kept then.
    fn prover<'a>(&self, request: &CairoRequest<'a>) -> Result<CairoProver<B, &'a ProverInput>, Error> {
        let CairoRequest { input, variant, options, keep } = *request;
        let key = (variant, options.log_blowup, options.lifting);
        let prover = |columns| {
            let prover = CairoProver::new(self.backend.clone(), input, variant, &options, 0, columns)?;
            keeping(prover, keep)
        };
        // Columns that a panic left out can be made again.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, columns)) = kept.iter().find(|(known, _)| *known == key) {
            let columns = columns.clone();
            drop(kept);
            return prover(Some(columns));
        }
        // They are made under the lock: whoever needs them, too, waits and has them then. A proof that is being made needs no lock, so that
        // memory that it holds comes back.
        let made = prover(None)?;
        kept.push((key, made.preprocessed().clone()));
        Ok(made)
    }
}

impl<B: StarkBackend<P = CircleStark>> Programs for Keeping<B> {
    fn plan(&self, request: &CairoRequest<'_>) -> Result<RunPlan, Error> {
        self.backend.plan(request)
    }

    fn estimate(&self, plan: &RunPlan, options: &CircleOptions) -> Result<Duration, Error> {
        self.backend.estimate(plan, options)
    }

    fn prove(&self, request: &CairoRequest<'_>, follow: &Follow<'_>) -> Result<CairoProven, Error> {
        prove(&*self.backend, &self.prover(request)?, request.variant, follow)
    }

    fn keeping(&self) -> Box<dyn Programs> {
        self.backend.keeping()
    }
}
