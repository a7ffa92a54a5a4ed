//! Operations that make traces.

use gpu_hal::{Columns, Map, Recurrence, Result, RowRun, RowsMade, Schedule, TraceOperations, TreeMap};

use crate::cpu::{Cpu, CpuProtocol, NewTable, Table};
use crate::memory::CpuBuffer;
use crate::{nodes, recurrence, row_programs, rows};

impl<P: CpuProtocol> TraceOperations<Self> for Cpu<P> {
    fn recurrence(&self, args: &Recurrence<P::Base>) -> Result<NewTable<P>> {
        self.run(|| recurrence::recurrence(&self.memory, args))
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<NewTable<P>> {
        self.run(|| rows::map(&self.memory, self.level, args))
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<NewTable<P>> {
        let run = |program: &Schedule<P>, tables: &[Table<'_, P>], blocks: Vec<nodes::Block<'_, P::Base>>| {
            rows::level(self.level, program, tables, blocks);
        };
        self.run(|| nodes::tree_map(&self.memory, args, run))
    }

    fn rows(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut CpuBuffer<P::Base>>],
    ) -> Result<RowsMade<Self>> {
        self.run(|| row_programs::run(&self.memory, self.level, args, counters))
    }
}
