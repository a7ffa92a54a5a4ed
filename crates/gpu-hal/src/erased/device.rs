//! A backend whose type is not known, and its shapes.

use alloc::boxed::Box;
use core::any::Any;
use core::fmt;
use std::sync::Arc;

use super::backend::ErasedBackend;
use super::dynamic::{DynDevice, DynShapes};
use super::handles::AnyProgram;
use crate::{ConstraintProgram, Protocol, Result, StarkBackend};

/// A backend of a protocol, whichever it is. Clones are the same backend.
pub struct Device<P: Protocol>(pub(super) Arc<dyn DynDevice<P>>);

impl<P: Protocol> Device<P> {
    /// The backend as a value.
    pub fn new<B: StarkBackend<P = P>>(backend: Arc<B>) -> Self {
        Self(Arc::new(ErasedBackend(backend)))
    }

    /// The backend inside, if it is of this type.
    pub fn inner<B: StarkBackend<P = P>>(&self) -> Option<&Arc<B>> {
        let backend: &dyn Any = &*self.0;
        backend.downcast_ref::<ErasedBackend<B>>().map(|backend| &backend.0)
    }

    pub(super) fn prepared(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>> {
        Ok(self.0.prepare(program)?.with_shapes(self.0.program_of_shapes()))
    }
}

impl<P: Protocol> Clone for Device<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P: Protocol> fmt::Debug for Device<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.0.capabilities().backend).finish()
    }
}

/// The shapes of tables on a [`Device`]: the inner backend's, so that a plan on it is the backend's.
pub struct ErasedShapes<P: Protocol>(pub(super) Box<dyn DynShapes<P>>);

impl<P: Protocol> ErasedShapes<P> {
    pub(super) fn prepared(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>> {
        self.0.prepare(program)
    }
}

impl<P: Protocol> fmt::Debug for ErasedShapes<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ErasedShapes").field(&self.0.capabilities().backend).finish()
    }
}
