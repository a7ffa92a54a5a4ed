//! A backend of a protocol, whichever it is: what is different between two backends ends here, at the level of a proof.

use std::sync::Arc;

use gpu_hal::{Capabilities, HalError, MemoryInfo, StarkBackend};

use crate::error::Error;
use crate::flavour::{Flavour, Footprint};
use crate::measure::{MeasuredEngine, Stopwatch};
use crate::prove::Asked;
use crate::proven::Proven;
use crate::stage::Follow;

/// What is done with a backend.
pub(crate) trait Engine<F: Flavour>: MeasuredEngine<F> + Send + Sync {
    fn capabilities(&self) -> &Capabilities;

    fn memory(&self) -> Result<MemoryInfo, HalError>;

    fn footprint(&self, asked: &Asked<'_, F>) -> Result<Footprint, Error>;

    fn prove(&self, asked: &Asked<'_, F>, follow: &Follow<'_>) -> Result<Proven<F>, Error>;

    #[cfg(feature = "cairo")]
    fn programs(&self) -> Result<&dyn crate::programs::Programs, Error>;
}

/// A backend, and the clock that reads its time best.
pub(crate) struct Timed<B, S> {
    pub(crate) backend: Arc<B>,
    #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "nothing is measured"))]
    pub(crate) stopwatch: S,
}

impl<F: Flavour, B: StarkBackend<P = F>, S: Stopwatch<B>> Engine<F> for Timed<B, S> {
    fn capabilities(&self) -> &Capabilities {
        self.backend.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo, HalError> {
        self.backend.memory()
    }

    fn footprint(&self, asked: &Asked<'_, F>) -> Result<Footprint, Error> {
        Ok(F::footprint(&F::least_plan(&self.backend, asked.request, &asked.statement)?))
    }

    fn prove(&self, asked: &Asked<'_, F>, follow: &Follow<'_>) -> Result<Proven<F>, Error> {
        asked.prove(&self.backend, &F::ready(&self.backend, asked.request, &asked.statement)?, follow)
    }

    #[cfg(feature = "cairo")]
    fn programs(&self) -> Result<&dyn crate::programs::Programs, Error> {
        F::programs(&self.backend)
    }
}
