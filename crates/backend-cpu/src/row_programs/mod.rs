//! Row programs: every node is computed for a block of rows at a time, a register having a word, a felt or an element
//! for each row.

mod counters;
mod felts;
mod integers;
mod machine;
mod source;
mod words;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use field::PrimeField;
use gpu_hal::{CancelToken, Columns, HalError, Operation, Result, RowRun, RowsOutput};
use rayon::prelude::*;

use self::counters::{Counter, Tally};
use self::felts::Modulus;
use self::machine::{Block, LocatedFault, Machine, Run};
use self::source::Source;
use self::words::LANES;
use crate::blocks::{blocks_mut, log_block};
use crate::cpu::{Cpu, CpuProtocol};
use crate::memory::{CpuBuffer, Memory};
use crate::simd::{SimdLevel, dispatch};

/// Log2 of the most rows of a task.
const LOG_TASK: u32 = 13;

/// Rows of a table and of its lists: a task of a thread.
struct Task<'a, F> {
    /// Number of the first row.
    first: usize,
    columns: Vec<&'a mut [F]>,
    lists: Vec<Vec<&'a mut [F]>>,
}

/// [`gpu_hal::StarkBackend::rows`].
pub(crate) fn run<P: CpuProtocol>(
    memory: &Memory,
    level: SimdLevel,
    args: &RowRun<'_, Cpu<P>>,
    counters: &mut [Columns<&mut CpuBuffer<P::Base>>],
) -> Result<RowsOutput<Cpu<P>>> {
    let (program, log_height) = (args.program, args.log_height);
    let mut columns = memory.columns(Operation::Rows, program.width(), log_height)?;
    let lists = program.lists().iter().map(|list| memory.columns(Operation::Rows, list.columns(), log_height));
    let mut lists = lists.collect::<Result<Vec<_>>>()?;
    let heights: Vec<u32> = args.tables.iter().map(|table| table.log_height).collect();
    let schedule = program.schedule(&heights, log_height);
    let modulus = program.modulus().map(Modulus::new);
    let (inputs, entries, period) = (program.inputs(), args.entries(), args.period);
    let run = Run {
        program,
        schedule: &schedule,
        modulus: modulus.as_ref(),
        source: Source { parts: args.source, inputs, entries, period },
        tables: args.tables,
    };

    let log_task = log_block(log_height, LANES.ilog2(), LOG_TASK);
    let mut tasks: Vec<Task<'_, P::Base>> = (0..1 << (log_height - log_task))
        .map(|task| Task { first: task << log_task, columns: Vec::new(), lists: Vec::new() })
        .collect();
    for (task, columns) in tasks.iter_mut().zip(blocks_mut(columns.data.values_mut(), log_height, log_task)) {
        task.columns = columns;
    }
    for list in &mut lists {
        for (task, columns) in tasks.iter_mut().zip(blocks_mut(list.data.values_mut(), log_height, log_task)) {
            task.lists.push(columns);
        }
    }
    let threads = rayon::current_num_threads().min(tasks.len());
    let elements = counters.iter_mut().map(|counter| counter.data.values_mut());
    let counters: Vec<_> = (elements.enumerate())
        .map(|(index, elements)| Counter::new(program, index, elements, log_height, threads))
        .collect();
    match work(&run, level, tasks, 1 << log_task, counters, threads) {
        Some(found) => Err(HalError::of_row(found.row, found.fault)),
        None => Ok(RowsOutput { lists, columns }),
    }
}

/// Runs all tasks, by `threads` threads of the pool that take one after the other. Gives the first fault.
fn work<'a, F: PrimeField>(
    run: &Run<'a, F>,
    level: SimdLevel,
    tasks: Vec<Task<'_, F>>,
    rows: usize,
    counters: Vec<Counter<'_, F>>,
    threads: usize,
) -> Option<LocatedFault<'a>> {
    // Rows behind the first that has a fault need not be looked at.
    let end = AtomicUsize::new(usize::MAX);
    let (tasks, stop) = (Mutex::new(tasks.into_iter()), CancelToken::here());
    // No task can panic with the lock.
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = |_| {
        let mut machine = Machine::new(run.schedule, run.modulus);
        let mut tallies: Vec<Tally<'_>> = counters.iter().map(Counter::tally).collect();
        let mut found = None;
        while let Some(mut task) = next().filter(|_| !stop.is_stopped()) {
            for offset in (0..rows).step_by(LANES) {
                if task.first + offset > end.load(Ordering::Relaxed) {
                    break;
                }
                let block = Block {
                    run,
                    machine: &mut machine,
                    tallies: &mut tallies,
                    first: task.first + offset,
                    rows: LANES.min(rows),
                    offset,
                    columns: &mut task.columns,
                    lists: &mut task.lists,
                    found: &mut found,
                };
                dispatch(level, block);
            }
            if let Some(found) = &found {
                end.fetch_min(found.row, Ordering::Relaxed);
            }
        }
        (tallies, found)
    };
    let (tallies, found): (Vec<_>, Vec<_>) = (0..threads).into_par_iter().map(work).unzip();
    for (index, counter) in counters.into_iter().enumerate() {
        counter.add_up(&tallies.iter().map(|tallies: &Vec<Tally<'_>>| &tallies[index]).collect::<Vec<_>>());
    }
    found.into_iter().fold(None, LocatedFault::first)
}
