//! A backend that is ready to prove.

use std::fmt;
use std::sync::Arc;

use bench::ops::{OpsArguments, OpsReport};
use bench::proof::ProofReport;
use bench::{Measuring, Stopwatch, Wall};
use gpu_hal::{Capabilities, HalError, MemoryInfo, StarkBackend};

use crate::airs::Airs;
use crate::engine::{Engine, Timed};
use crate::error::Error;
use crate::flavour::Flavour;
use crate::prove::Asked;
use crate::proven::Proven;
use crate::request::Request;
use crate::stage::{Follow, silent};
use crate::views::Facts;

/// A backend of a protocol, whichever it is, and the AIRs that requests may name.
pub struct Device<F: Flavour> {
    pub(crate) engine: Box<dyn Engine<F>>,
    airs: Airs<F>,
}

impl<F: Flavour> fmt::Debug for Device<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(self.capabilities()).finish()
    }
}

impl<F: Flavour> Device<F> {
    /// A backend, timed by the host's clock where it is measured. Its AIRs are those that come with Polystark.
    pub fn new<B: StarkBackend<P = F>>(backend: B) -> Self {
        Self::with_stopwatch(backend, Wall)
    }

    /// A backend that a clock of its own times better, such as the events of a GPU.
    pub fn with_stopwatch<B: StarkBackend<P = F>, S: Stopwatch<B>>(backend: B, stopwatch: S) -> Self {
        Self { engine: Box::new(Timed { backend: Arc::new(backend), stopwatch }), airs: Airs::default() }
    }

    /// The same device with other AIRs.
    #[must_use]
    pub fn with_airs(self, airs: Airs<F>) -> Self {
        Self { airs, ..self }
    }

    /// The AIRs that requests may name.
    pub fn airs(&self) -> &Airs<F> {
        &self.airs
    }

    /// What it is and can do.
    pub fn capabilities(&self) -> &Capabilities {
        self.engine.capabilities()
    }

    /// Its memory.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn memory(&self) -> Result<MemoryInfo, HalError> {
        self.engine.memory()
    }

    /// [`crate::prove`] on this device.
    ///
    /// # Errors
    /// Those of [`crate::prove`].
    pub fn prove(&self, request: &Request<F>) -> Result<Proven<F>, Error> {
        self.prove_with(request, &silent)
    }

    /// As [`Device::prove`]; `follow` is called at the beginning of each stage.
    ///
    /// # Errors
    /// Those of [`crate::prove`].
    pub fn prove_with(&self, request: &Request<F>, follow: &Follow<'_>) -> Result<Proven<F>, Error> {
        self.engine.prove(&Asked::new(&self.airs, request)?, follow)
    }

    /// Proves that a trace satisfies an AIR of one's own, which needs no name: `prove_air` of the device of a protocol, with these options.
    /// The proof is verified before it is handed out. Its file names the AIR as that names itself, and [`Airs::of`] verifies it.
    ///
    /// # Errors
    /// A trace that is not of the AIR's shape or does not satisfy it; else those of [`crate::prove`].
    pub fn prove_air_with(
        &self,
        air: Arc<F::Air>,
        trace: &F::Trace,
        options: F::Options,
        follow: &Follow<'_>,
    ) -> Result<Proven<F>, Error> {
        let (airs, request) = (Airs::of(air.clone()), Request::new(F::air_name(&air), F::trace_rows(&air)));
        let request = Request { options, ..request };
        let statement = airs.build(&request)?;
        self.engine.prove(&Asked { airs: &airs, request: &request, statement, given: Some(trace) }, follow)
    }

    /// Measures single operations.
    ///
    /// # Errors
    /// Those of [`bench::ops::measure`].
    pub fn measure_operations(&self, arguments: &OpsArguments, measuring: Measuring<'_>) -> Result<OpsReport, Error> {
        self.engine.measure_operations(arguments, measuring)
    }

    /// Measures proofs of a statement and of other sizes of it.
    ///
    /// # Errors
    /// Those of [`bench::proof::measure`].
    pub fn measure_proofs(
        self,
        request: &Request<F>,
        sizes: &[Request<F>],
        measuring: Measuring<'_>,
    ) -> Result<ProofReport<Facts<F>>, Error> {
        self.engine.measure_proofs(&self.airs, request, sizes, measuring)
    }
}
