//! Columns of ratios that are summed or multiplied up: running products and sums, and the columns of logup (circle.md,
//! section 16).
//!
//! Blocks of rows find their ratios, with one inversion each, and accumulate them; then every block takes the total
//! that came before it.

mod ratios;
mod scan;

use field::{ExtensionField, Field, PrimeField};
use gpu_hal::{Accumulated, CancelToken, Columns, Operation, Result, RunningColumn, RunningForm, RunningRequest};
use rayon::prelude::*;

use self::ratios::{Plan, wanted};
use self::scan::{Accumulate, Carry, identity, join};
use crate::blocks::{blocks_mut, whole_registers};
use crate::cpu::{Cpu, CpuProtocol};
use crate::loads::Loads;
use crate::memory::{CpuBuffer, Memory};
use crate::rows::log_run;
use crate::simd::{SimdLevel, dispatch};

type Table<P> = Columns<CpuBuffer<<P as gpu_hal::Protocol>::Base>>;

/// One request of [`gpu_hal::StarkBackend::running`].
pub(crate) fn running<P: CpuProtocol>(
    memory: &Memory,
    level: SimdLevel,
    args: &RunningRequest<'_, Cpu<P>>,
) -> Result<Accumulated<Cpu<P>>> {
    match args.form {
        RunningForm::Columns(running) => {
            Ok(Accumulated { columns: columns(memory, level, args, running)?, total: P::Ext::ZERO })
        }
        RunningForm::Logup(fractions) => {
            let (columns, total) = logup(memory, level, args, fractions)?;
            Ok(Accumulated { columns, total })
        }
    }
}

/// Columns that accumulate each for itself.
fn columns<P: CpuProtocol>(
    memory: &Memory,
    level: SimdLevel,
    args: &RunningRequest<'_, Cpu<P>>,
    running: &[RunningColumn],
) -> Result<Table<P>> {
    let mut result = memory.columns(Operation::Running, running.len() * P::DEGREE, args.log_height)?;
    let fractions: Vec<_> = running.iter().map(|column| (column.numerator, column.denominator)).collect();
    let log_run = log_run(args.program, wanted(args.program, &fractions).1, args.log_height);
    let loads = Loads::rows(args.columns, log_run);
    let plan = Plan::new(args.program, args.params, fractions, false, (&loads, log_run));
    let stop = CancelToken::here();
    whole_registers(result.data.values_mut(), args.log_height, |values, log_height| {
        let log_block = plan.log_block(log_height);
        let mut blocks = blocks_mut(values, log_height, log_block);
        let totals: Vec<Vec<P::Ext>> = blocks
            .par_iter_mut()
            .enumerate()
            .map_init(
                || plan.scratch(log_block),
                |scratch, (block, columns)| match stop.is_stopped() {
                    true => running.iter().map(|column| identity(column.kind)).collect(),
                    false => dispatch(level, Accumulate { plan: &plan, running, scratch, block, columns }),
                },
            )
            .collect();
        let mut before: Vec<P::Ext> = running.iter().map(|column| identity(column.kind)).collect();
        let mut starts = Vec::with_capacity(totals.len());
        for totals in &totals {
            let segments = totals.len() / running.len();
            let mut start = Vec::with_capacity(totals.len());
            let columns = before.iter_mut().zip(running).zip(totals.chunks_exact(segments));
            for ((before, column), totals) in columns {
                for total in totals {
                    start.push(*before);
                    *before = join(column.kind, *before, *total);
                }
            }
            starts.push(start);
        }
        blocks.par_iter_mut().zip(starts).for_each(|(columns, starts)| {
            if stop.is_stopped() {
                return;
            }
            dispatch(level, Carry::<P> { columns, running, starts: &starts });
        });
    });
    Ok(result)
}

/// Sums of fractions, and their total.
fn logup<P: CpuProtocol>(
    memory: &Memory,
    level: SimdLevel,
    args: &RunningRequest<'_, Cpu<P>>,
    fractions: &[(usize, usize)],
) -> Result<(Table<P>, P::Ext)> {
    let width = fractions.len();
    let mut result = memory.columns(Operation::Running, width * P::DEGREE, args.log_height)?;
    let log_run = log_run(args.program, wanted(args.program, fractions).1, args.log_height);
    let loads = Loads::rows(args.columns, log_run);
    let plan = Plan::new(args.program, args.params, fractions.to_vec(), true, (&loads, log_run));
    let (last, stop) = ((width - 1) * P::DEGREE, CancelToken::here());
    let total = whole_registers(result.data.values_mut(), args.log_height, |values, log_height| {
        let log_block = plan.log_block(log_height);
        let mut blocks = blocks_mut(values, log_height, log_block);
        // If a block was made longer, its first rows count.
        let rows = 1usize << log_block.min(args.log_height);
        let totals: Vec<P::Ext> = blocks
            .par_iter_mut()
            .enumerate()
            .map_init(
                || plan.scratch(log_block),
                |scratch, (block, columns)| {
                    if stop.is_stopped() {
                        return P::Ext::ZERO;
                    }
                    dispatch(level, Accumulate { plan: &plan, running: &[], scratch, block, columns });
                    let sums = columns[last..].iter().map(|column| column[..rows].iter().copied().sum());
                    P::Ext::from_coordinates(&sums.collect::<Vec<P::Base>>()).expect("DEGREE coordinates")
                },
            )
            .collect();
        let total: P::Ext = totals.iter().copied().sum();
        let mean = total * P::Base::from_u64(1 << args.log_height).inverse_or_zero();
        let rows = P::Base::from_u64(rows as u64);
        let starts: Vec<P::Ext> = totals
            .iter()
            .scan(P::Ext::ZERO, |before, total| {
                let start = *before;
                *before += *total - mean * rows;
                Some(start)
            })
            .collect();
        blocks.par_iter_mut().zip(starts).for_each(|(columns, start)| {
            if stop.is_stopped() {
                return;
            }
            let centred = start.coordinates().iter().zip(mean.coordinates());
            for (column, (start, mean)) in columns[last..].iter_mut().zip(centred) {
                let mut sum = *start;
                for value in column.iter_mut() {
                    sum += *value - *mean;
                    *value = sum;
                }
            }
        });
        total
    });
    Ok((result, total))
}
