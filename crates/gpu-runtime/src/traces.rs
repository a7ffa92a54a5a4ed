//! Operations that make traces.

use gpu_hal::{Map, Operation, Recurrence, Result, TraceOperations, TreeMap};

use crate::backend::GpuBackend;
use crate::buffer::NewTable;
use crate::device::KernelDevice;
use crate::protocol::GpuProtocol;
use crate::types::GpuTypes;
use crate::{constraints, nodes, recurrence};

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
}
