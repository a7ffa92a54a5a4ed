//! A backend as a value: [`Device`] is a backend of a protocol, whichever it is. A prover that is compiled for it
//! serves all of them.
//!
//! Tables, trees and programs of a device are boxes around the inner backend's ([`AnyBuffer`], [`AnyTree`],
//! [`AnyProgram`]). An operation first downcasts them to their types; a handle of another type of backend is an error
//! there. All else is the backend's: operations that it makes of others, footprints, budgets, errors and plans. It
//! costs a comparison of types for each table, and a list of the tables where an operation takes several.

mod downcast;
mod handles;
mod opened;
mod operations;
mod placement;
mod shapes;

use alloc::boxed::Box;
use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

pub use handles::{AnyBuffer, AnyProgram, AnyTree};
pub use opened::DeviceFrom;
pub(crate) use operations::{DynOp, DynOperations};

use crate::{ConstraintProgram, Protocol, Result, StarkBackend, Types};
use shapes::{DynDevice, DynShapes};

/// The types of [`Device`].
pub struct Erased<P>(PhantomData<fn() -> P>);

impl<P: Protocol> Types for Erased<P> {
    type P = P;
    type Buffer = AnyBuffer;
    type Tree = AnyTree;
    type Program = AnyProgram<P>;
}

/// A backend of a protocol, whichever it is. Clones are the same backend.
pub struct Device<P: Protocol>(Arc<dyn DynDevice<P>>);

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

    fn prepared(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>> {
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
pub struct ErasedShapes<P: Protocol>(Box<dyn DynShapes<P>>);

impl<P: Protocol> ErasedShapes<P> {
    fn prepared(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>> {
        self.0.prepare(program)
    }
}

impl<P: Protocol> fmt::Debug for ErasedShapes<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ErasedShapes").field(&self.0.capabilities().backend).finish()
    }
}

/// A backend as a value without its type.
struct ErasedBackend<B>(Arc<B>);

impl<B: StarkBackend> ErasedBackend<B> {
    fn raw(&self) -> &B::Raw {
        self.0.raw()
    }
}
