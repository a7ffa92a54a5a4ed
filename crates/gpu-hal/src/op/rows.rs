//! A row program run on every row.

use alloc::string::String;

use super::*;
use crate::{DeviceBuffer, RowEffect, RowKind, RowRun, RowsMade, Verdict};

op! {
    /// [`crate::StarkBackend::rows`], or with a verdict [`crate::StarkBackend::rows_ahead`]; but for what the rows
    /// themselves find wrong ([`crate::RowFault`]). The program is valid, as it comes from a [`crate::RowRecorder`].
    Rows(
        run: &'a RowRun<'a, T>,
        counters: Vec<Columns<&'a mut T::Buffer>>,
        verdict: Option<&'a mut Verdict>
    ) -> ColumnsAndLists;

    check(_) { rows(run, counters) }
    reads(on) {
        on.tables(run.source);
        on.tables(run.tables);
        counters.iter().for_each(|counter| on.table(&counter.as_shared()));
    }
    size() { Size::default() }
    makes(on) {
        let &&RowRun { program, source, tables, log_height, .. } = run;
        let counted: usize = counters.iter().map(Columns::elements).sum();
        let (read, written) = run.moved();
        on.moves(Self::NAME, read + counted, written + counted);
        let lists = program.lists().iter().map(|list| on.table(list.columns(), log_height)).collect();
        let columns = on.table(program.width(), log_height);
        let (source, tables) = (&shapes(source), &shapes(tables));
        on.beside(&Footprint::Rows { program, source, tables, counted, log_height });
        RowsMade { lists, columns }
    }
    changes(each) { counters.iter_mut().try_for_each(each) }
    uploaded() { size_of_val(run.program.nodes()) + size_of_val(run.program.effects()) }
    through(on, see) {
        let &mut &RowRun { program, source, period, tables, log_height } = run;
        let (source, tables) = (&see.tables(source)?, &see.tables(tables)?);
        let run = RowRun { program, source, period, tables, log_height };
        let seen = counters.iter_mut().map(|counter| see.table_mut(counter.reborrow()));
        let mut seen = seen.collect::<Result<Vec<_>>>()?;
        match verdict {
            None => traces_of(on)?.rows(&run, &mut seen),
            Some(verdict) => traces_of(on)?.rows_ahead(&run, &mut seen, verdict),
        }
    }
    run(on) {
        match verdict {
            None => traces_of(on)?.rows(run, counters),
            Some(verdict) => traces_of(on)?.rows_ahead(run, counters, verdict),
        }
    }
    outcome(made) { Outcome::Rows(made, counters.iter_mut().map(Columns::reborrow).collect()) }
}

op! {
    /// [`crate::StarkBackend::had_fault`].
    HadFault = Rows(verdict: &'a Verdict) -> Fault;

    makes(on) {
        on.moves(Self::NAME, 0, 0);
        false
    }
    through(on, _) { traces_of(on)?.had_fault(verdict) }
}

/// Log2 of the most rows: a row's number is a word.
const MAX_LOG_ROWS: u32 = 31;

/// Whether the arguments are right.
fn rows<T: Types>(args: &RowRun<'_, T>, counters: &[Columns<&mut T::Buffer>]) -> Result<()> {
    let (op, program) = (Operation::Rows, args.program);
    let refuse = |detail: String| Err(HalError::invalid(op, detail));
    if args.log_height > MAX_LOG_ROWS {
        return refuse(format!("2^{} rows: the number of a row is a word of 32 bits", args.log_height));
    }
    check::countable::<BaseOf<T>>(op, program.width(), args.log_height)?;
    for list in program.lists() {
        check::countable::<BaseOf<T>>(op, list.columns(), args.log_height)?;
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
        check::shape(op, DeviceBuffer::len(counter.data), counter.width, counter.log_height)?;
        let counted = counts_of_row(args, index as u32) << args.log_height;
        let most = check::MAX_COUNTED;
        if counted > most as u128 {
            return refuse(format!("up to {counted} counts in counter {index}, at most {most}: run fewer rows"));
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
    let refuse = |detail: String| Err(HalError::invalid(op, detail));
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
