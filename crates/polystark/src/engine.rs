//! A backend of a protocol, whichever it is: what is different between two backends ends here, at the level of a proof.

use std::sync::Arc;

use gpu_hal::{Capabilities, HalError, MemoryInfo, StarkBackend};

use crate::error::Error;
use crate::flavour::{Flavour, Footprint, Ready};
use crate::measure::{MeasuredEngine, Stopwatch};
use crate::prove::Asked;
use crate::proven::Proven;
use crate::stage::Follow;

/// What is done with a backend.
pub(crate) trait Engine<F: Flavour>: MeasuredEngine<F> + Send + Sync {
    fn capabilities(&self) -> &Capabilities;

    fn memory(&self) -> Result<MemoryInfo, HalError>;

    fn footprint(&self, asked: &Asked<'_, F>) -> Result<Footprint, Error>;

    fn prove(&self, asked: &Asked<'_, F>, follow: &Follow<'_>) -> Result<Proven<F>, Error> {
        self.prove_planned(asked, &|_| (), follow)
    }

    /// As [`Engine::prove`]; `planned` is told of the statement when it is ready.
    fn prove_planned(
        &self,
        asked: &Asked<'_, F>,
        planned: &dyn Fn(&dyn Ready<F>),
        follow: &Follow<'_>,
    ) -> Result<Proven<F>, Error>;

    #[cfg(feature = "cairo")]
    fn programs(&self) -> Result<&dyn crate::programs::Programs, Error>;
}

/// A backend, and the clock that reads its time best.
pub(crate) struct Timed<B, S> {
    pub(crate) backend: Arc<B>,
    /// The same device in more and more parts, for statements of which an operation takes more at once than it has.
    pub(crate) in_parts: Vec<Arc<B>>,
    #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "nothing is measured"))]
    pub(crate) stopwatch: S,
}

impl<B, S> Timed<B, S> {
    /// The device in as few parts as can be, and what is asked of it.
    pub(crate) fn fitting<R>(&self, ask: impl Fn(&Arc<B>) -> Result<R, Error>) -> Result<(&Arc<B>, R), Error> {
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
}

impl<F: Flavour, B: StarkBackend<P = F>, S: Stopwatch<B>> Engine<F> for Timed<B, S> {
    fn capabilities(&self) -> &Capabilities {
        self.backend.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo, HalError> {
        self.backend.memory()
    }

    fn footprint(&self, asked: &Asked<'_, F>) -> Result<Footprint, Error> {
        let (_, plan) = self.fitting(|backend| F::least_plan(backend, asked.request, &asked.statement))?;
        Ok(F::footprint(&plan))
    }

    fn prove_planned(
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

    #[cfg(feature = "cairo")]
    fn programs(&self) -> Result<&dyn crate::programs::Programs, Error> {
        F::programs(&self.backend)
    }
}
