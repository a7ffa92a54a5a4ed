//! The operations of any backend.

use super::device::{Device, ErasedShapes};
use super::dynamic::DynOperations;
use super::handles::{AnyProgram, Erased};
use crate::decorate::Rehearsed;
use crate::op::{Op, OutOf};
use crate::{
    Budget, Capabilities, ConstraintProgram, DeviceClock, Footprint, MemoryInfo, Operations, Protocol, Result,
};

macro_rules! forwarded {
    ($handle:ident with $shapes:ty) => {
        impl<P: Protocol> Operations for $handle<P> {
            type T = Erased<P>;
            type Shapes = $shapes;

            fn capabilities(&self) -> &Capabilities {
                self.0.capabilities()
            }

            fn memory(&self) -> Result<MemoryInfo> {
                self.0.memory()
            }

            fn budget(&self) -> &Budget {
                self.0.budget()
            }

            fn footprint(&self, of: &Footprint<'_, Erased<P>>) -> u64 {
                self.0.footprint(of)
            }

            fn clock(&self) -> Option<&dyn DeviceClock> {
                self.0.clock()
            }

            fn prepare(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>> {
                self.prepared(program)
            }

            fn perform<O: Op>(&self, args: O::Args<'_, Erased<P>>) -> Result<OutOf<O, Erased<P>>> {
                let on: &dyn DynOperations<P> = &*self.0;
                O::erased(args, on)
            }
        }
    };
}

forwarded!(Device with ErasedShapes<P>);
forwarded!(ErasedShapes with Rehearsed<Self>);
