//! The operations of any backend.

use super::handles::AnyProgram;
use super::placement::DynPlacement;
use super::{Device, Erased, ErasedShapes};
use crate::decorate::Rehearsed;
use crate::op::{self, Op, OutOf};
use crate::{
    Budget, Capabilities, ConstraintProgram, DeviceClock, Footprint, MemoryInfo, Operations, Protocol, Result,
};

/// [`Operations::perform`] of one operation of a backend whose type is not known.
pub trait DynOp<O: Op, P: Protocol> {
    fn perform(&self, args: O::Args<'_, Erased<P>>) -> Result<OutOf<O, Erased<P>>>;
}

macro_rules! declared {
    ($($op:ident $name:ident),+; $($call:ident $method:ident),+; $($other:ident $file:ident),+) => {
        /// [`Operations`] of a backend whose type is not known.
        pub trait DynOperations<P: Protocol>: DynPlacement<P> $(+ DynOp<op::$op, P>)+ $(+ DynOp<op::$other, P>)+ {
            fn capabilities(&self) -> &Capabilities;

            fn memory(&self) -> Result<MemoryInfo>;

            fn budget(&self) -> &Budget;

            fn footprint(&self, of: &Footprint<'_, Erased<P>>) -> u64;

            fn clock(&self) -> Option<&dyn DeviceClock>;

            fn prepare(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>>;
        }
    };
}

crate::__operations!(declared;);

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
                O::erased(args, &*self.0)
            }
        }
    };
}

forwarded!(Device with ErasedShapes<P>);
forwarded!(ErasedShapes with Rehearsed<Self>);
