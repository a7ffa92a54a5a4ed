//! Operations that run a row program.

use alloc::format;
use alloc::string::String;

use super::programs::{MAX_COUNTED, countable};
use super::{columns, shape};
use crate::{BaseOf, Columns, DeviceBuffer, HalError, Operation, Result, RowEffect, RowKind, RowRun, Types};

/// Log2 of the most rows: a row's number is a word.
const MAX_LOG_ROWS: u32 = 31;

/// [`crate::StarkBackend::rows`], but for what the rows themselves find wrong ([`crate::RowFault`]). Its program is valid, as it comes from a
/// [`crate::RowRecorder`].
pub fn rows<T: Types>(args: &RowRun<'_, T>, counters: &[Columns<&mut T::Buffer>]) -> Result<()> {
    let (op, program) = (Operation::Rows, args.program);
    let refuse = |detail: String| Err(HalError::invalid(op.name(), detail));
    if args.log_height > MAX_LOG_ROWS {
        return refuse(format!("2^{} rows: the number of a row is a word of 32 bits", args.log_height));
    }
    countable::<BaseOf<T>>(op, program.width(), args.log_height)?;
    for list in program.lists() {
        countable::<BaseOf<T>>(op, list.columns(), args.log_height)?;
    }
    source(args)?;
    if args.tables.len() != program.tables().len() {
        return refuse(format!("{} tables for a program of {}", args.tables.len(), program.tables().len()));
    }
    for (index, (table, width)) in args.tables.iter().zip(program.tables()).enumerate() {
        columns(op, table)?;
        if table.width != *width as usize {
            return refuse(format!("table {index} has {width} columns in the program, and {} here", table.width));
        }
    }
    if counters.len() != program.counters() {
        return refuse(format!("{} counters for a program of {}", counters.len(), program.counters()));
    }
    for (index, counter) in counters.iter().enumerate() {
        shape(op, counter.data.len(), counter.width, counter.log_height)?;
        let counted = counts_of_row(args, index as u32) << args.log_height;
        if counted > MAX_COUNTED as u128 {
            return refuse(format!("up to {counted} counts in counter {index}, at most {MAX_COUNTED}: run fewer rows"));
        }
    }
    Ok(())
}

/// How many places of a counter a row counts at, at most.
fn counts_of_row<T: Types>(args: &RowRun<'_, T>, of: u32) -> u128 {
    let places = |effect: &RowEffect| match effect {
        RowEffect::Count { counter, places, .. } if *counter == of => match args.program.nodes()[places.index()].kind {
            RowKind::Words(words) => u128::from(words),
            RowKind::Element => 0,
        },
        _ => 0,
    };
    args.program.effects().iter().map(places).sum()
}

/// The parts of the source: whole entries, at least one, no more than rows.
fn source<T: Types>(args: &RowRun<'_, T>) -> Result<()> {
    let (op, inputs) = (Operation::Rows, args.program.inputs());
    let refuse = |detail: String| Err(HalError::invalid(op.name(), detail));
    if inputs == 0 {
        return match args.source.len() {
            0 => Ok(()),
            parts => refuse(format!("{parts} parts of a source for a program without inputs")),
        };
    }
    for (index, part) in args.source.iter().enumerate() {
        columns(op, part)?;
        if !part.width.is_multiple_of(inputs) {
            return refuse(format!("part {index} of the source has {} columns, entries {inputs}", part.width));
        }
    }
    // Every part's elements are in memory, so that their sum is far from overflowing.
    let (entries, rows) = (args.entries() as u128, 1 << args.log_height);
    if entries > rows {
        return refuse(format!("{entries} source entries for {rows} rows: at most one a row"));
    }
    if args.period == 0 || args.period as u128 > entries {
        return refuse(format!("a period of {} of {entries} source entries: at least 1, at most all", args.period));
    }
    Ok(())
}
