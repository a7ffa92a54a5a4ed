//! A backend that fails, or computes wrongly, where one wants it to.

use std::sync::Arc;

use gpu_hal::{FaultyHook, StarkBackend};
use proof_format::Profile;

use crate::device::Device;
use crate::engine::Timed;
use crate::error::Error;
use crate::flavour::Flavour;
use crate::prove::{Asked, asked_of_air};
use crate::proven::Proven;
use crate::stage::silent;

/// What is done with such a backend.
pub(crate) trait FaultyEngine<F: Flavour>: Send + Sync {
    fn prove(&self, asked: &Asked<'_, F>) -> Result<Proven<F>, Error>;

    #[cfg(feature = "cairo")]
    fn programs(&self) -> Result<&dyn crate::programs::Programs, Error>;
}

impl<F: Flavour, B: StarkBackend<P = F>, S: Send + Sync> FaultyEngine<F> for Timed<B, S> {
    fn prove(&self, asked: &Asked<'_, F>) -> Result<Proven<F>, Error> {
        let (backend, ready) = self.fitting(|backend| F::ready(backend, asked.request, &asked.statement))?;
        asked.prove(backend, &ready, &silent)
    }

    #[cfg(feature = "cairo")]
    fn programs(&self) -> Result<&dyn crate::programs::Programs, Error> {
        F::programs(&self.backend)
    }
}

/// A device that fails where its faults say. They are the device's, so proofs are made one at a time.
pub(crate) struct FaultyDevice<F: Flavour> {
    engine: Box<dyn FaultyEngine<F>>,
    faults: Arc<FaultyHook>,
}

impl<F: Flavour> Device<F> {
    /// The same device, with faults; nobody else holds it.
    pub(crate) fn with_faults(self) -> Result<FaultyDevice<F>, Error> {
        let faults = Arc::new(FaultyHook::default());
        Ok(FaultyDevice { engine: self.engine.with_faults(Arc::clone(&faults))?, faults })
    }
}

impl<F: Flavour> FaultyDevice<F> {
    /// Proves what `arm` makes difficult; and whether that struck.
    pub(crate) fn prove_air_with(
        &mut self,
        air: Arc<F::Air>,
        trace: &F::Trace,
        options: F::Options,
        arm: impl FnOnce(&FaultyHook),
    ) -> (Result<Proven<F>, Error>, bool) {
        let strike = |asked: &Asked<'_, F>| self.strike(arm, |engine| engine.prove(asked));
        let proven = asked_of_air(&air, trace, options, Profile::NONE, strike);
        proven.unwrap_or_else(|error| (Err(error), false))
    }

    /// Proves a program that `arm` makes difficult; and whether that struck.
    #[cfg(feature = "cairo")]
    pub(crate) fn prove_cairo_with<R>(
        &mut self,
        arm: impl FnOnce(&FaultyHook),
        prove: impl FnOnce(&dyn crate::programs::Programs) -> Result<R, Error>,
    ) -> (Result<R, Error>, bool) {
        self.strike(arm, |engine| prove(engine.programs()?))
    }

    /// What comes of something with faults, of which none are left, and whether they struck.
    fn strike<R>(&self, arm: impl FnOnce(&FaultyHook), run: impl FnOnce(&dyn FaultyEngine<F>) -> R) -> (R, bool) {
        arm(&self.faults);
        let done = run(&*self.engine);
        let struck = !self.faults.is_armed();
        self.faults.disarm();
        (done, struck)
    }
}
