//! Operations that make traces.

use gpu_hal::{
    Columns, ErrorKind, HalError, Map, Operation, Recurrence, Result, RowRun, RowsMade, TraceOperations, TreeMap,
    Verdict, check,
};

use crate::backend::GpuBackend;
use crate::buffer::{GpuBuffer, NewTable, Table, new_table};
use crate::call::{BLOCK_THREADS, whole};
use crate::device::KernelDevice;
use crate::kernel_set::words;
use crate::params::Params;
use crate::protocol::GpuProtocol;
use crate::types::GpuTypes;
use crate::{columns, constraints, nodes, recurrence, row_programs};

/// Elements of a thread and the mark of a wrong index in the first word, as in the kernel.
const COUNT_ROWS: u64 = 32;
const COUNT_WRONG: u64 = 1 << 31;

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

    fn count(&self, indices: Table<'_, D>, log_size: u32) -> Result<NewTable<D>> {
        let call = self.call(Operation::Count);
        let counts = new_table(call, 1, log_size)?;
        let (block, elements) = (&counts.data.block, indices.elements() as u64);
        call.zero(block, words::<P>(1 << log_size))?;
        let blocks = elements.div_ceil(u64::from(BLOCK_THREADS) * COUNT_ROWS);
        if blocks > 0 {
            let buffers = [whole(&indices.data.block), whole(block)];
            let params = Params::new().u64(elements).u32(log_size);
            call.launch_blocks(columns::entry::<P>("count"), blocks, 1, BLOCK_THREADS, &buffers, params)?;
        }
        let mut first = [0];
        call.download(block, 0, &mut first)?;
        if first[0] & COUNT_WRONG != 0 {
            // Again, in order, to say which.
            let elements = columns::download(call, indices, 0..indices.height())?;
            check::indices(&elements, indices.log_height, log_size)?;
            return Err(HalError::new(ErrorKind::Backend, call.op.name(), "right indices were refused"));
        }
        Ok(counts)
    }
}
