//! The operations of any backend.

use super::handles::AnyProgram;
use super::placement::DynPlacement;
use super::{Device, Erased, ErasedShapes};
use crate::op::{self, Op, OutOf, each_op};
use crate::{
    Budget, Capabilities, ConstraintProgram, DeviceClock, Footprint, MemoryInfo, Operations, Protocol, Rehearsed,
    Result, TraceOperations, methods, trace_methods,
};

macro_rules! declared {
    ($($name:ident $op:ident),+) => {
        /// [`Operations`] and [`TraceOperations`] of a backend whose type is not known.
        pub(super) trait DynOperations<P: Protocol>: DynPlacement<P> {
            fn capabilities(&self) -> &Capabilities;

            fn memory(&self) -> Result<MemoryInfo>;

            fn budget(&self) -> &Budget;

            fn footprint(&self, of: &Footprint<'_, Erased<P>>) -> u64;

            fn clock(&self) -> Option<&dyn DeviceClock>;

            fn prepare(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>>;

            $(fn $name(&self, args: <op::$op as Op>::Args<'_, Erased<P>>) -> Result<OutOf<op::$op, Erased<P>>>;)+
        }
    };
}

each_op!(declared);

macro_rules! inside {
    ($on:ident, $name:ident, $op:ty, $args:expr) => {
        $on.0.$name($args)
    };
}

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

            methods!(inside, Erased<P>);
        }

        impl<P: Protocol> TraceOperations<Erased<P>> for $handle<P> {
            trace_methods!(inside, Erased<P>);
        }
    };
}

forwarded!(Device with ErasedShapes<P>);
forwarded!(ErasedShapes with Rehearsed<Self>);
