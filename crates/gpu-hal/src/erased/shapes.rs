//! Plans: the shapes of the backend inside, whichever it is.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use std::sync::Arc;

use super::backend::ErasedBackend;
use super::device::{Device, ErasedShapes};
use super::dynamic::{DynDevice, DynShapes};
use super::handles::{AnyProgram, Erased, ProgramOfShapes};
use crate::rehearsal::{Prepared, Rehearsal};
use crate::{Operations, Protocol, Rehearse, StarkBackend, Types};

impl<P: Protocol, B: StarkBackend<P = P>> DynDevice<P> for ErasedBackend<B> {
    fn shapes(&self) -> Box<dyn DynShapes<P>> {
        behind_door(B::Shapes::of(self.0.clone()))
    }

    fn shapes_of_all(&self, all: &[&dyn DynDevice<P>]) -> Option<Vec<Box<dyn DynShapes<P>>>> {
        let inner = |device: &&dyn DynDevice<P>| {
            let device: &dyn Any = *device;
            device.downcast_ref::<Self>().map(|device| device.0.clone())
        };
        let all: Vec<Arc<B>> = all.iter().map(inner).collect::<Option<_>>()?;
        Some(B::Shapes::of_all(&all).into_iter().map(behind_door).collect())
    }

    fn program_of_shapes(&self) -> ProgramOfShapes<P> {
        program_of_shapes::<B>
    }
}

fn behind_door<P: Protocol, S: Rehearse + Operations<T: Types<P = P>>>(shapes: S) -> Box<dyn DynShapes<P>> {
    Box::new(ErasedBackend(Arc::new(shapes)))
}

fn program_of_shapes<B: StarkBackend>(program: &AnyProgram<B::P>) -> AnyProgram<B::P> {
    match program.shared::<B::T>() {
        Some(prepared) => {
            let source = prepared.source.clone();
            AnyProgram::new::<<B::Shapes as Operations>::T>(B::Shapes::program(&prepared), source)
        }
        // Refused where it is used.
        None => program.clone(),
    }
}

impl<P: Protocol, S: Rehearse + Operations<T: Types<P = P>>> DynShapes<P> for ErasedBackend<S> {
    fn enter(&self, part: &'static str) {
        self.0.enter(part);
    }

    fn finish(&self) -> Rehearsal {
        self.0.finish()
    }
}

impl<P: Protocol> Rehearse for ErasedShapes<P> {
    type Of = Device<P>;
    type TypesOf = Erased<P>;

    fn of(backend: Arc<Device<P>>) -> Self {
        Self(backend.0.shapes())
    }

    /// Devices of different backends have nothing in common.
    fn of_all(backends: &[Arc<Device<P>>]) -> Vec<Self> {
        let all: Vec<&dyn DynDevice<P>> = backends.iter().map(|backend| &*backend.0).collect();
        let alike = all.first().and_then(|first| first.shapes_of_all(&all));
        let each = || backends.iter().map(|backend| backend.0.shapes()).collect();
        alike.unwrap_or_else(each).into_iter().map(Self).collect()
    }

    fn program(program: &Arc<Prepared<Erased<P>>>) -> AnyProgram<P> {
        program.program.of_shapes()
    }

    fn enter(&self, part: &'static str) {
        self.0.enter(part);
    }

    fn finish(&self) -> Rehearsal {
        self.0.finish()
    }
}
