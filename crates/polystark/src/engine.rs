//! A backend of a protocol, whichever it is: what is different between two backends ends here, at the level of a proof.

use std::sync::Arc;

use bench::ops::{OpsArguments, OpsReport};
use bench::proof::ProofReport;
use bench::{Measuring, Stopwatch};
use gpu_hal::{Capabilities, HalError, MemoryInfo, StarkBackend};

use crate::error::Error;
use crate::flavour::Flavour;
use crate::prove::prove;
use crate::proven::Proven;
use crate::request::Request;
use crate::stage::Follow;
use crate::views::Facts;

/// What is done with a backend.
pub(crate) trait Engine<F: Flavour>: Send + Sync {
    fn capabilities(&self) -> &Capabilities;

    fn memory(&self) -> Result<MemoryInfo, HalError>;

    fn prove(&self, request: &Request<F>, follow: &Follow<'_>) -> Result<Proven<F>, Error>;

    #[cfg(feature = "cairo")]
    fn programs(&self) -> Result<&dyn crate::programs::Programs, Error>;

    fn measure_operations(&self, arguments: &OpsArguments, measuring: Measuring<'_>) -> Result<OpsReport, Error>;

    fn measure_proofs(
        self: Box<Self>,
        request: &Request<F>,
        sizes: &[Request<F>],
        measuring: Measuring<'_>,
    ) -> Result<ProofReport<Facts<F>>, Error>;
}

/// A backend, and the clock that reads its time best.
pub(crate) struct Timed<B, S> {
    pub(crate) backend: Arc<B>,
    pub(crate) stopwatch: S,
}

impl<F: Flavour, B: StarkBackend<P = F>, S: Stopwatch<B>> Engine<F> for Timed<B, S> {
    fn capabilities(&self) -> &Capabilities {
        self.backend.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo, HalError> {
        self.backend.memory()
    }

    fn prove(&self, request: &Request<F>, follow: &Follow<'_>) -> Result<Proven<F>, Error> {
        prove(&self.backend, request, follow)
    }

    #[cfg(feature = "cairo")]
    fn programs(&self) -> Result<&dyn crate::programs::Programs, Error> {
        F::programs(&self.backend)
    }

    fn measure_operations(&self, arguments: &OpsArguments, measuring: Measuring<'_>) -> Result<OpsReport, Error> {
        Ok(bench::ops::measure(&*self.backend, &self.stopwatch, arguments, measuring)?)
    }

    fn measure_proofs(
        self: Box<Self>,
        request: &Request<F>,
        sizes: &[Request<F>],
        measuring: Measuring<'_>,
    ) -> Result<ProofReport<Facts<F>>, Error> {
        bench::proof::measure(request, sizes, self.backend, self.stopwatch, measuring)
    }
}
