//! Operations that make traces.

use field::PrimeField;
use gpu_hal::{
    Columns, Map, Operation, Recurrence, Result, RowRun, RowsMade, Schedule, TraceOperations, TreeMap, check,
};
use rayon::prelude::*;

use crate::backend::{Cpu, NewTable, Room, Table};
use crate::memory::{CpuBuffer, Memory};
use crate::{nodes, recurrence, row_programs, rows};

impl<P: Room> TraceOperations<Self> for Cpu<P> {
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

    fn count(&self, indices: Table<'_, P>, log_size: u32) -> Result<NewTable<P>> {
        self.run(|| count(&self.memory, indices, log_size))
    }

    fn rows(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut CpuBuffer<P::Base>>],
    ) -> Result<RowsMade<Self>> {
        self.run(|| row_programs::run(&self.memory, self.level, args, counters))
    }
}

/// Log2 of the entries of the largest table that every thread counts in a copy of its own.
const LOG_COPIES: u32 = 12;

/// Every thread counts a part of the indices for all entries or, in a large table, all of them for a part of the entries.
fn count<F: PrimeField>(
    memory: &Memory,
    indices: Columns<&CpuBuffer<F>>,
    log_size: u32,
) -> Result<Columns<CpuBuffer<F>>> {
    let (elements, threads) = (indices.data.values(), rayon::current_num_threads());
    let part = elements.len().div_ceil(threads).max(1);
    if !elements.par_chunks(part).all(|part| part.iter().all(|index| index.as_u64() >> log_size == 0)) {
        // Again, in order, to say which.
        check::indices(elements, indices.log_height, log_size)?;
    }
    let mut counts = memory.zeros::<F>(Operation::Count, 1, log_size)?;
    let entries = counts.data.values_mut();
    if log_size <= LOG_COPIES {
        let copy = |part: &[F]| {
            let mut copy = vec![0u32; 1 << log_size];
            part.iter().for_each(|index| copy[index.as_u64() as usize] += 1);
            copy
        };
        let copies: Vec<_> = elements.par_chunks(part).map(copy).collect();
        for (entry, count) in entries.iter_mut().enumerate() {
            *count = F::from_u64(copies.iter().map(|copy| u64::from(copy[entry])).sum());
        }
    } else {
        let part = entries.len().div_ceil(threads);
        entries.par_chunks_mut(part).enumerate().for_each(|(number, entries)| {
            let first = (number * part) as u64;
            for index in elements {
                if let Some(count) = entries.get_mut(index.as_u64().wrapping_sub(first) as usize) {
                    *count += F::ONE;
                }
            }
        });
    }
    Ok(counts)
}
