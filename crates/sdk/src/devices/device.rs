//! A backend that is ready to prove.

use std::fmt;
use std::sync::Arc;

use gpu_hal::{Capabilities, HalError, MemoryInfo, StarkBackend};

use crate::airs::Airs;
use crate::devices::backend::{AnyBackend, OpenBackend};
use crate::error::Error;
use crate::system::ProofSystem;
use crate::type_map::TypeMap;

/// A backend of a proof system, whichever it is, and the AIRs that requests may name.
pub struct Device<S: ProofSystem> {
    backend: OpenBackend<S>,
    airs: Airs<S>,
    /// Data that stay on the device from one statement to the next, if they are to.
    shared: Option<Arc<TypeMap>>,
}

impl<S: ProofSystem> Clone for Device<S> {
    fn clone(&self) -> Self {
        let Self { backend, airs, shared } = self;
        Self { backend: backend.clone(), airs: airs.clone(), shared: shared.clone() }
    }
}

impl<S: ProofSystem> fmt::Debug for Device<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(self.capabilities()).finish()
    }
}

impl<S: ProofSystem> From<Arc<AnyBackend<S>>> for Device<S> {
    /// Its AIRs are the ones that come with Polystark.
    fn from(backend: Arc<AnyBackend<S>>) -> Self {
        Self::of(backend.into(), Airs::default())
    }
}

impl<S: ProofSystem> Device<S> {
    /// A backend. Its AIRs are the ones that come with Polystark.
    pub fn new<B: StarkBackend<P = S>>(backend: B) -> Self {
        Self::of(OpenBackend::new(backend), Airs::default())
    }

    /// A backend, and the AIRs that requests may name.
    pub fn of(backend: OpenBackend<S>, airs: Airs<S>) -> Self {
        Self { backend, airs, shared: None }
    }

    /// The same device inside another backend, such as [`gpu_hal::decorate::Hooked`].
    #[must_use]
    pub fn within<B: StarkBackend<P = S>>(self, outer: impl Fn(Arc<AnyBackend<S>>) -> B) -> Self {
        Self::of(self.backend.within(outer), self.airs)
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
        self.shared.as_ref().map(|shared| shared.get_or_default())
    }

    /// The AIRs that requests may name.
    pub fn airs(&self) -> &Airs<S> {
        &self.airs
    }

    /// The backend, whole.
    pub fn backend(&self) -> &Arc<AnyBackend<S>> {
        self.backend.whole()
    }

    /// Its capabilities.
    pub fn capabilities(&self) -> &Capabilities {
        self.backend().capabilities()
    }

    /// Its memory.
    ///
    /// # Errors
    /// The backend's errors.
    pub fn memory(&self) -> Result<MemoryInfo, HalError> {
        self.backend().memory()
    }

    /// The backend in as few parts as can be, and its answer to a question.
    pub(crate) fn fitting<R>(
        &self,
        ask: impl Fn(&Arc<AnyBackend<S>>) -> Result<R, Error>,
    ) -> Result<(&Arc<AnyBackend<S>>, R), Error> {
        self.backend.fitting(ask)
    }
}
