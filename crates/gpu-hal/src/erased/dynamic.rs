//! The traits of a backend whose type is not known.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use super::handles::{AnyBuffer, AnyProgram, Erased, ProgramOfShapes};
use crate::op::DynOps;
use crate::rehearsal::Rehearsal;
use crate::{
    Basis, Budget, Capabilities, ConstraintProgram, DeviceClock, Footprint, HalError, MemoryInfo, Placement, Protocol,
    Result, Table, TableRef, Uploaded,
};

/// The parts of [`crate::PlacementOperations`] that are no [`crate::op::Op`]s, of a backend whose type is not known.
pub(super) trait DynPlacement<P: Protocol>: Any + Send + Sync {
    fn placement(&self) -> Placement;

    fn copy_to(&self, from: TableRef<'_, Erased<P>>, peer: &dyn DynPlacement<P>) -> Result<Table<Erased<P>>>;

    fn lde_shared(
        &self,
        others: &[&dyn DynPlacement<P>],
        of: &[TableRef<'_, Erased<P>>],
        from: Basis<P::Domain>,
        to: &[P::Domain],
    ) -> Result<Vec<Table<Erased<P>>>, (usize, HalError)>;

    fn upload_lde_shared(
        &self,
        others: &[&dyn DynPlacement<P>],
        columns: (&[&[P::Base]], u32),
        from: Basis<P::Domain>,
        to: &[P::Domain],
        keep: usize,
    ) -> Result<Vec<Uploaded<AnyBuffer>>, (usize, HalError)>;
}

/// [`crate::Operations`] of a backend whose type is not known.
pub(super) trait DynOperations<P: Protocol>: DynPlacement<P> + DynOps<Erased<P>> {
    fn capabilities(&self) -> &Capabilities;

    fn memory(&self) -> Result<MemoryInfo>;

    fn budget(&self) -> &Budget;

    fn footprint(&self, of: &Footprint<'_, Erased<P>>) -> u64;

    fn clock(&self) -> Option<&dyn DeviceClock>;

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<AnyProgram<P>>;
}

/// A backend whose type is not known.
pub(super) trait DynDevice<P: Protocol>: DynOperations<P> {
    /// [`crate::Rehearse::of`].
    fn shapes(&self) -> Box<dyn DynShapes<P>>;

    /// [`crate::Rehearse::of_all`] of backends of this one's type; `None` if one of them is of another.
    fn shapes_of_all(&self, all: &[&dyn DynDevice<P>]) -> Option<Vec<Box<dyn DynShapes<P>>>>;

    /// [`crate::Rehearse::program`].
    fn program_of_shapes(&self) -> ProgramOfShapes<P>;
}

/// Shapes whose type is not known: [`crate::Rehearse`].
pub(super) trait DynShapes<P: Protocol>: DynOperations<P> {
    fn enter(&self, part: &'static str);

    fn finish(&self) -> Rehearsal;
}
