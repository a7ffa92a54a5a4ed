//! Operations that make traces.

use gpu_hal::{Columns, Map, Operation, Recurrence, Result, RowRun, RowsMade, TraceOperations, TreeMap, Verdict};

use crate::backend::GpuBackend;
use crate::buffer::{GpuBuffer, NewTable};
use crate::device::KernelDevice;
use crate::protocol::GpuProtocol;
use crate::types::GpuTypes;
use crate::{constraints, nodes, recurrence, row_programs};

impl<D: KernelDevice, P: GpuProtocol> TraceOperations<GpuTypes<D, P>> for GpuBackend<D, P> {
    fn recurrence(&self, args: &Recurrence<P::Base>) -> Result<NewTable<D>> {
        recurrence::recurrence(self.call(Operation::Recurrence), args)
    }

    fn map(&self, args: &Map<'_, GpuTypes<D, P>>) -> Result<NewTable<D>> {
        constraints::map(self.call(Operation::Map), args)
    }

    fn tree_map(&self, args: &TreeMap<'_, GpuTypes<D, P>>) -> Result<NewTable<D>> {
        nodes::tree_map(self.call(Operation::TreeMap), args)
    }

    fn rows(
        &self,
        args: &RowRun<'_, GpuTypes<D, P>>,
        counters: &mut [Columns<&mut GpuBuffer<D::Memory>>],
    ) -> Result<RowsMade<GpuTypes<D, P>>> {
        row_programs::run(self.call(Operation::Rows), args, counters)
    }

    fn rows_ahead(
        &self,
        args: &RowRun<'_, GpuTypes<D, P>>,
        counters: &mut [Columns<&mut GpuBuffer<D::Memory>>],
        verdict: &mut Verdict,
    ) -> Result<RowsMade<GpuTypes<D, P>>> {
        row_programs::run_ahead(self.call(Operation::Rows), args, counters, verdict)
    }

    fn had_fault(&self, verdict: &Verdict) -> Result<bool> {
        row_programs::had_fault(self.call(Operation::Rows), verdict)
    }
}
