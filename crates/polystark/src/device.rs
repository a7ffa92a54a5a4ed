//! A backend that is ready to prove.

use std::fmt;
use std::sync::Arc;

use gpu_hal::{Capabilities, HalError, MemoryInfo, StarkBackend};
use proof_format::Profile;

use crate::airs::Airs;
use crate::error::Error;
use crate::flavour::{Flavour, Footprint, Ready};
use crate::prove::{Asked, asked_of_air};
use crate::proven::Proven;
use crate::request::Request;
use crate::stage::{Follow, silent};

/// A backend of a protocol, whichever it is: provers are compiled for this type and no other.
pub(crate) type Backend<F> = gpu_hal::erased::Device<F>;

/// A backend of a protocol, whichever it is, and the AIRs that requests may name.
pub struct Device<F: Flavour> {
    pub(crate) backend: Arc<Backend<F>>,
    /// The same device in more and more parts, for statements of which an operation takes more at once than it has.
    pub(crate) in_parts: Vec<Arc<Backend<F>>>,
    pub(crate) airs: Airs<F>,
}

impl<F: Flavour> fmt::Debug for Device<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(self.capabilities()).finish()
    }
}

impl<F: Flavour> Device<F> {
    /// A backend. Its AIRs are those that come with Polystark.
    pub fn new<B: StarkBackend<P = F>>(backend: B) -> Self {
        Self::in_parts((backend, Vec::new()))
    }

    /// A backend, and the same in more and more parts, each of which an operation takes less memory on.
    pub(crate) fn in_parts<B: StarkBackend<P = F>>((backend, in_parts): (B, Vec<B>)) -> Self {
        let value = |backend| Arc::new(Backend::new(Arc::new(backend)));
        Self { backend: value(backend), in_parts: in_parts.into_iter().map(value).collect(), airs: Airs::default() }
    }

    /// The device in as few parts as can be, and what is asked of it.
    pub(crate) fn fitting<R>(
        &self,
        ask: impl Fn(&Arc<Backend<F>>) -> Result<R, Error>,
    ) -> Result<(&Arc<Backend<F>>, R), Error> {
        let mut backend = &self.backend;
        let mut answer = ask(backend);
        for more in &self.in_parts {
            if !answer.as_ref().is_err_and(Error::is_out_of_memory) {
                break;
            }
            backend = more;
            answer = ask(backend);
        }
        Ok((backend, answer?))
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
        self.backend.capabilities()
    }

    /// Its memory.
    ///
    /// # Errors
    /// What the backend reports.
    pub fn memory(&self) -> Result<MemoryInfo, HalError> {
        self.backend.memory()
    }

    /// What the proof of a request takes of memory at least, whatever this device has. Nothing is proven.
    ///
    /// # Errors
    /// What cannot be proven and why, or what the backend reports.
    pub fn footprint(&self, request: &Request<F>) -> Result<Footprint, Error> {
        self.footprint_of(&Asked::new(&self.airs, request)?)
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
        self.prove_asked(&Asked::new(&self.airs, request)?, &|_| (), follow)
    }

    /// As [`Device::prove_with`]; `planned` is told of the statement when it is ready.
    #[cfg(feature = "cli")]
    pub(crate) fn prove_planned(
        &self,
        request: &Request<F>,
        planned: &dyn Fn(&dyn Ready<F>),
        follow: &Follow<'_>,
    ) -> Result<Proven<F>, Error> {
        self.prove_asked(&Asked::new(&self.airs, request)?, planned, follow)
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
        asked_of_air(&air, trace, options, Profile::NONE, |asked| self.prove_asked(asked, &|_| (), follow))?
    }

    /// The same with the default options, for a proof that verifiers take by default.
    pub(crate) fn prove_air_by_default(&self, air: Arc<F::Air>, trace: &F::Trace) -> Result<Proven<F>, Error> {
        let options = F::default_options(F::trace_rows(&air));
        asked_of_air(&air, trace, options, Profile::DEFAULT, |asked| self.prove_asked(asked, &|_| (), &silent))?
    }

    /// [`Self::footprint`] of what was asked for already.
    pub(crate) fn footprint_of(&self, asked: &Asked<'_, F>) -> Result<Footprint, Error> {
        let (_, plan) = self.fitting(|backend| F::least_plan(backend, asked.request, &asked.statement))?;
        Ok(F::footprint(&plan))
    }

    /// Proves what was asked for; `planned` is told of the statement when it is ready.
    pub(crate) fn prove_asked(
        &self,
        asked: &Asked<'_, F>,
        planned: &dyn Fn(&dyn Ready<F>),
        follow: &Follow<'_>,
    ) -> Result<Proven<F>, Error> {
        asked.check_worth()?;
        let (backend, ready) = self.fitting(|backend| F::ready(backend, asked.request, &asked.statement))?;
        planned(&ready);
        asked.prove(backend, &ready, follow)
    }
}
