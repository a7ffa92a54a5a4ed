//! A backend that is ready to prove.

use std::fmt;
use std::sync::Arc;

use gpu_hal::{Capabilities, HalError, MemoryInfo, StarkBackend};
use proof_format::Profile;

use crate::airs::Airs;
use crate::engine::{Engine, Timed};
use crate::error::Error;
use crate::flavour::{Flavour, Footprint};
use crate::measure::{Stopwatch, Wall};
use crate::prove::{Asked, asked_of_air};
use crate::proven::Proven;
use crate::request::Request;
use crate::stage::{Follow, silent};

/// A backend of a protocol, whichever it is, and the AIRs that requests may name.
pub struct Device<F: Flavour> {
    pub(crate) engine: Box<dyn Engine<F>>,
    pub(crate) airs: Airs<F>,
}

impl<F: Flavour> fmt::Debug for Device<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(self.capabilities()).finish()
    }
}

impl<F: Flavour> Device<F> {
    /// A backend, timed by the host's clock where it is measured. Its AIRs are those that come with Polystark.
    pub fn new<B: StarkBackend<P = F>>(backend: B) -> Self {
        Self::timed(backend, Wall)
    }

    /// A backend, timed by this clock.
    pub(crate) fn timed<B: StarkBackend<P = F>, S: Stopwatch<B>>(backend: B, stopwatch: S) -> Self {
        Self::in_parts((backend, Vec::new()), stopwatch)
    }

    /// A backend, and the same in more and more parts, each of which an operation takes less memory on.
    pub(crate) fn in_parts<B: StarkBackend<P = F>, S: Stopwatch<B>>(
        (backend, in_parts): (B, Vec<B>),
        stopwatch: S,
    ) -> Self {
        let in_parts = in_parts.into_iter().map(Arc::new).collect();
        Self { engine: Box::new(Timed { backend: Arc::new(backend), in_parts, stopwatch }), airs: Airs::default() }
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

    /// What the proof of a request takes of memory at least, whatever this device has. Nothing is proven.
    ///
    /// # Errors
    /// What cannot be proven and why, or what the backend reports.
    pub fn footprint(&self, request: &Request<F>) -> Result<Footprint, Error> {
        self.engine.footprint(&Asked::new(&self.airs, request)?)
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

    /// As [`Device::prove_with`]; `planned` is told of the statement when it is ready.
    #[cfg(feature = "cli")]
    pub(crate) fn prove_planned(
        &self,
        request: &Request<F>,
        planned: &dyn Fn(&dyn crate::flavour::Ready<F>),
        follow: &Follow<'_>,
    ) -> Result<Proven<F>, Error> {
        self.engine.prove_planned(&Asked::new(&self.airs, request)?, planned, follow)
    }

    /// Proves that a trace satisfies an AIR of one's own, which needs no name: `prove_air` of the device of a protocol, with these options,
    /// whatever they are worth.
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
        asked_of_air(&air, trace, options, Profile::NONE, |asked| self.engine.prove(asked, follow))?
    }

    /// The same with the default options, for a proof that verifiers take by default.
    pub(crate) fn prove_air_by_default(&self, air: Arc<F::Air>, trace: &F::Trace) -> Result<Proven<F>, Error> {
        let options = F::default_options(F::trace_rows(&air));
        asked_of_air(&air, trace, options, Profile::DEFAULT, |asked| self.engine.prove(asked, &silent))?
    }
}
