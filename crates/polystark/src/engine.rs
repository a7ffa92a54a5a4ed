//! A backend of a protocol, whichever it is: what is different between two backends ends here, at the level of a proof.

use std::sync::Arc;

use bench::ops::{OpsArguments, OpsReport};
use bench::proof::ProofReport;
use bench::{Measuring, Stopwatch};
use gpu_hal::{Capabilities, HalError, MemoryInfo, StarkBackend};

use crate::airs::Airs;
use crate::error::Error;
use crate::flavour::Flavour;
use crate::measure::Measured;
use crate::prove::Asked;
use crate::proven::Proven;
use crate::request::Request;
use crate::stage::Follow;
use crate::views::Facts;

/// What is done with a backend.
pub(crate) trait Engine<F: Flavour>: Send + Sync {
    fn capabilities(&self) -> &Capabilities;

    fn memory(&self) -> Result<MemoryInfo, HalError>;

    fn prove(&self, asked: &Asked<'_, F>, follow: &Follow<'_>) -> Result<Proven<F>, Error>;

    #[cfg(feature = "cairo")]
    fn programs(&self) -> Result<&dyn crate::programs::Programs, Error>;

    fn measure_operations(&self, arguments: &OpsArguments, measuring: Measuring<'_>) -> Result<OpsReport, Error>;

    fn measure_proofs(
        self: Box<Self>,
        airs: &Airs<F>,
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

    fn prove(&self, asked: &Asked<'_, F>, follow: &Follow<'_>) -> Result<Proven<F>, Error> {
        asked.prove(&self.backend, &F::ready(&self.backend, asked.request, &asked.statement)?, follow)
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
        airs: &Airs<F>,
        request: &Request<F>,
        sizes: &[Request<F>],
        measuring: Measuring<'_>,
    ) -> Result<ProofReport<Facts<F>>, Error> {
        let sizes: Vec<_> = sizes.iter().map(|request| Measured { airs, request }).collect();
        bench::proof::measure(&Measured { airs, request }, &sizes, self.backend, self.stopwatch, measuring)
    }
}
