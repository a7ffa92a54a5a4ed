//! A backend that is ready to prove.

use std::fmt;
use std::sync::Arc;

use gpu_hal::{Capabilities, HalError, MemoryInfo, StarkBackend};
use proof_format::Profile;

use crate::air_statement::AirStatement;
use crate::airs::Airs;
use crate::error::Error;
use crate::proven::Proven;
use crate::shared::Shared;
use crate::stage::{Follow, silent};
use crate::statement::{Ready as _, Statement};
use crate::system::ProofSystem;

/// A backend of a proof system, whichever it is: provers are compiled for this type and no other.
pub type Backend<S> = gpu_hal::erased::Device<S>;

/// A backend of a proof system, whichever it is, and the AIRs that requests may name.
pub struct Device<S: ProofSystem> {
    backend: Arc<Backend<S>>,
    /// The same device in more and more parts, for statements of which an operation takes more at once than it has.
    in_parts: Vec<Arc<Backend<S>>>,
    airs: Airs<S>,
    /// Data that stay on the device from one statement to the next, if they are to.
    shared: Option<Arc<Shared>>,
}

impl<S: ProofSystem> Clone for Device<S> {
    fn clone(&self) -> Self {
        let Self { backend, in_parts, airs, shared } = self;
        Self { backend: backend.clone(), in_parts: in_parts.clone(), airs: airs.clone(), shared: shared.clone() }
    }
}

impl<S: ProofSystem> fmt::Debug for Device<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(self.capabilities()).finish()
    }
}

impl<S: ProofSystem> From<Arc<Backend<S>>> for Device<S> {
    fn from(backend: Arc<Backend<S>>) -> Self {
        Self { backend, in_parts: Vec::new(), airs: Airs::default(), shared: None }
    }
}

impl<S: ProofSystem> Device<S> {
    /// A backend. Its AIRs are the ones that come with Polystark.
    pub fn new<B: StarkBackend<P = S>>(backend: B) -> Self {
        Self::from(Arc::new(Backend::new(Arc::new(backend))))
    }

    /// A backend, and the same in more and more parts, each of which an operation takes less memory on.
    pub(crate) fn in_parts((backend, in_parts): (Backend<S>, Vec<Backend<S>>)) -> Self {
        Self { in_parts: in_parts.into_iter().map(Arc::new).collect(), ..Self::from(Arc::new(backend)) }
    }

    /// The same device inside another backend, such as [`gpu_hal::Hooked`].
    #[must_use]
    pub fn within<B: StarkBackend<P = S>>(self, outer: impl Fn(Arc<Backend<S>>) -> B) -> Self {
        let value = |backend| Arc::new(Backend::new(Arc::new(outer(backend))));
        let Self { backend, in_parts, airs, .. } = self;
        let in_parts = in_parts.into_iter().map(value).collect();
        Self { backend: value(backend), in_parts, airs, shared: None }
    }

    /// The same device with other AIRs.
    #[must_use]
    pub fn with_airs(self, airs: Airs<S>) -> Self {
        Self { airs, ..self }
    }

    /// The same device, on which data stay that several statements need, such as the preprocessed columns of Cairo
    /// programs, until the last clone of the result is dropped.
    #[must_use]
    pub fn keeping(&self) -> Self {
        Self { shared: Some(Arc::default()), ..self.clone() }
    }

    /// Data that stay on this device from one statement to the next, one value of a type for each kind of statement;
    /// none unless it is one of [`Self::keeping`].
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.shared.as_ref().map(|shared| shared.get())
    }

    /// The AIRs that requests may name.
    pub fn airs(&self) -> &Airs<S> {
        &self.airs
    }

    /// The backend, whole.
    pub fn backend(&self) -> &Arc<Backend<S>> {
        &self.backend
    }

    /// Its capabilities.
    pub fn capabilities(&self) -> &Capabilities {
        self.backend.capabilities()
    }

    /// Its memory.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn memory(&self) -> Result<MemoryInfo, HalError> {
        self.backend.memory()
    }

    /// The backend in as few parts as the plan of a statement allows.
    ///
    /// # Errors
    /// The reason why it cannot be proven, or the backend's errors.
    pub fn backend_for<T: Statement<S>>(&self, statement: &T) -> Result<&Arc<Backend<S>>, Error> {
        if self.in_parts.is_empty() {
            return Ok(&self.backend);
        }
        let plan = |backend: &Arc<_>| Self::from(Arc::clone(backend)).with_airs(self.airs.clone()).plan(statement);
        Ok(self.fitting(plan)?.0)
    }

    /// The backend in as few parts as can be, and its answer to a question. It is asked of more parts only after an
    /// operation found too little memory.
    pub(crate) fn fitting<R>(
        &self,
        ask: impl Fn(&Arc<Backend<S>>) -> Result<R, Error>,
    ) -> Result<(&Arc<Backend<S>>, R), Error> {
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

    /// The least that the proof of a statement takes on this device. Nothing is proven.
    ///
    /// # Errors
    /// The reason why it cannot be proven, or the backend's errors.
    pub fn plan<T: Statement<S>>(&self, statement: &T) -> Result<T::Plan, Error> {
        statement.plan(self)
    }

    /// Makes a statement ready.
    ///
    /// # Errors
    /// The reason why it cannot be proven, or the backend's errors.
    pub fn ready<'a, T: Statement<S>>(&'a self, statement: &'a T) -> Result<T::Ready<'a>, Error> {
        statement.ready(self)
    }

    /// Proves a statement, then verifies the proof.
    ///
    /// # Errors
    /// The reason why it cannot be proven; [`Error::SelfCheck`] and [`Error::Miscomputed`] that the backend computes
    /// wrongly.
    pub fn prove<T: Statement<S>>(&self, statement: &T) -> Result<T::Proven, Error> {
        self.prove_with(statement, &silent)
    }

    /// As [`Device::prove`]; `follow` is asked at the beginning of each stage.
    ///
    /// # Errors
    /// The errors of [`Device::prove`].
    pub fn prove_with<T: Statement<S>>(&self, statement: &T, follow: &Follow<'_>) -> Result<T::Proven, Error> {
        statement.ready(self)?.prove(follow)
    }

    /// Proves that a trace satisfies an AIR of one's own, which needs no name: `prove_air` of the device of a protocol,
    /// with these options, whatever they are worth. The proof is verified before it is handed out. Its file names the
    /// AIR as that names itself, and [`Airs::of`] verifies it.
    ///
    /// # Errors
    /// A trace that is not of the AIR's shape or does not satisfy it; else the errors of [`Device::prove`].
    pub fn prove_air_with(
        &self,
        air: Arc<S::Air>,
        trace: &S::Trace,
        options: S::Options,
        follow: &Follow<'_>,
    ) -> Result<Proven<S>, Error> {
        self.prove_with(&AirStatement::of_air(air, trace, options, Profile::NONE)?, follow)
    }

    /// The same with the default options, for a proof that verifiers take by default.
    pub(crate) fn prove_air_by_default(&self, air: Arc<S::Air>, trace: &S::Trace) -> Result<Proven<S>, Error> {
        let options = S::default_options(S::trace_rows(&air));
        self.prove(&AirStatement::of_air(air, trace, options, Profile::DEFAULT)?)
    }
}
