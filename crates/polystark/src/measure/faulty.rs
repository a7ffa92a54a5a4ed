//! A backend that fails, or computes wrongly, where one wants it to.

use std::sync::Arc;

use gpu_hal::{FaultyHook, StarkBackend};

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
}

impl<F: Flavour, B: StarkBackend<P = F>, S: Send + Sync> FaultyEngine<F> for Timed<B, S> {
    fn prove(&self, asked: &Asked<'_, F>) -> Result<Proven<F>, Error> {
        let (backend, ready) = self.fitting(|backend| F::ready(backend, asked.request, &asked.statement))?;
        asked.prove(backend, &ready, &silent)
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
        let proven = asked_of_air(&air, trace, options, |asked| {
            arm(&self.faults);
            let proven = self.engine.prove(asked);
            let struck = !self.faults.is_armed();
            self.faults.disarm();
            (proven, struck)
        });
        proven.unwrap_or_else(|error| (Err(error), false))
    }
}
