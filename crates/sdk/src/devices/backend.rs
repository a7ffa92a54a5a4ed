//! Backends as values, as drivers open them.

use std::sync::Arc;

use gpu_hal::{Protocol, StarkBackend};

use crate::error::Error;

/// A backend of a protocol, whichever it is: provers are compiled for this type and no other.
pub type AnyBackend<P> = gpu_hal::erased::Device<P>;

/// A backend that was opened. A driver may have it in more and more parts, too, for statements of which an operation
/// takes more memory at once than the device has.
pub struct OpenBackend<P: Protocol> {
    whole: Arc<AnyBackend<P>>,
    in_parts: Vec<Arc<AnyBackend<P>>>,
}

impl<P: Protocol> Clone for OpenBackend<P> {
    fn clone(&self) -> Self {
        Self { whole: self.whole.clone(), in_parts: self.in_parts.clone() }
    }
}

impl<P: Protocol> From<Arc<AnyBackend<P>>> for OpenBackend<P> {
    fn from(whole: Arc<AnyBackend<P>>) -> Self {
        Self { whole, in_parts: Vec::new() }
    }
}

impl<P: Protocol> OpenBackend<P> {
    /// A backend.
    pub fn new<B: StarkBackend<P = P>>(backend: B) -> Self {
        Self::in_parts(AnyBackend::new(Arc::new(backend)), Vec::new())
    }

    /// A backend, and the same in more and more parts, each of which an operation takes less memory on.
    pub(crate) fn in_parts(whole: AnyBackend<P>, in_parts: Vec<AnyBackend<P>>) -> Self {
        Self { whole: Arc::new(whole), in_parts: in_parts.into_iter().map(Arc::new).collect() }
    }

    /// The same inside another backend.
    pub(crate) fn within<B: StarkBackend<P = P>>(self, outer: impl Fn(Arc<AnyBackend<P>>) -> B) -> Self {
        let value = |backend| AnyBackend::new(Arc::new(outer(backend)));
        Self::in_parts(value(self.whole), self.in_parts.into_iter().map(value).collect())
    }

    /// The backend, whole.
    pub fn whole(&self) -> &Arc<AnyBackend<P>> {
        &self.whole
    }

    /// The backend in as few parts as can be, and its answer to a question. It is asked of more parts only after an
    /// operation found too little memory.
    pub(crate) fn fitting<R>(
        &self,
        ask: impl Fn(&Arc<AnyBackend<P>>) -> Result<R, Error>,
    ) -> Result<(&Arc<AnyBackend<P>>, R), Error> {
        let mut backend = &self.whole;
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
