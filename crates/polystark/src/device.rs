//! A backend that is ready to prove.

use std::fmt;
use std::sync::Arc;

use bench::ops::{OpsArguments, OpsReport};
use bench::proof::ProofReport;
use bench::{Measuring, Stopwatch, Wall};
use gpu_hal::{Capabilities, HalError, MemoryInfo, StarkBackend};

use crate::engine::{Engine, Timed};
use crate::error::Error;
use crate::flavour::Flavour;
use crate::proven::Proven;
use crate::request::Request;
use crate::stage::{Follow, silent};
use crate::views::Facts;

/// A backend of a protocol, whichever it is.
pub struct Device<F: Flavour>(pub(crate) Box<dyn Engine<F>>);

impl<F: Flavour> fmt::Debug for Device<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(self.capabilities()).finish()
    }
}

impl<F: Flavour> Device<F> {
    /// A backend, timed by the host's clock where it is measured.
    pub fn new<B: StarkBackend<P = F>>(backend: B) -> Self {
        Self::with_stopwatch(backend, Wall)
    }

    /// A backend that a clock of its own times better, such as the events of a GPU.
    pub fn with_stopwatch<B: StarkBackend<P = F>, S: Stopwatch<B>>(backend: B, stopwatch: S) -> Self {
        Self(Box::new(Timed { backend: Arc::new(backend), stopwatch }))
    }

    /// What it is and can do.
    pub fn capabilities(&self) -> &Capabilities {
        self.0.capabilities()
    }

    /// Its memory.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn memory(&self) -> Result<MemoryInfo, HalError> {
        self.0.memory()
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
        self.0.prove(request, follow)
    }

    /// Measures single operations.
    ///
    /// # Errors
    /// Those of [`bench::ops::measure`].
    pub fn measure_operations(&self, arguments: &OpsArguments, measuring: Measuring<'_>) -> Result<OpsReport, Error> {
        self.0.measure_operations(arguments, measuring)
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
        self.0.measure_proofs(request, sizes, measuring)
    }
}
