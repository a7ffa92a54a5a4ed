//! A row program run on every row.

use super::*;
use crate::ir::{RowEffect, RowKind};
use crate::{DeferredFault, DeviceBuffer, RowRun, RowsOutput};

op! {
    /// [`crate::StarkBackend::rows`], or with a verdict [`crate::StarkBackend::rows_ahead`]; except the faults that the
    /// rows themselves find ([`crate::ir::RowFault`]). The program is valid, as it comes from a
    /// [`crate::ir::RowRecorder`].
    Rows(
        run: &'a RowRun<'a, T>,
        counters: Vec<Columns<&'a mut T::Buffer>>,
        verdict: Option<&'a mut DeferredFault>
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
        let lists = program.lists().iter().map(|list| on.table(list.columns(), log_height)).collect();
        let columns = on.table(program.width(), log_height);
        let (source, tables) = (&shapes(source), &shapes(tables));
        on.beside(&Footprint::Rows { program, source, tables, counted, log_height });
        RowsOutput { lists, columns }
    }
    cost() {
        let (read, written) = run.moved();
        Cost::moves(read + written + 2 * counters.iter().map(Columns::elements).sum::<usize>())
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
            None => on.rows(&run, &mut seen),
            Some(verdict) => on.rows_ahead(&run, &mut seen, verdict),
        }
    }
    run(on) {
        match verdict {
            None => on.rows(run, counters),
            Some(verdict) => on.rows_ahead(run, counters, verdict),
        }
    }
    // Rows whose faults may be asked for later can be waited for now.
    by_others(on) {
        let mut counters = counters;
        match verdict {
            None => Err(absent(Self::NAME)),
            Some(_) => on.rows(run, &mut counters),
        }
    }
    outcome(made) { Outcome::Rows(made, counters.iter_mut().map(Columns::reborrow).collect()) }
}

op! {
    /// [`crate::StarkBackend::had_fault`].
    HadFault = Rows(verdict: &'a DeferredFault) -> Fault;

    makes(_) { false }
    through(on, _) { on.had_fault(verdict) }
    by_others(_) { Ok(false) }
}

/// Log2 of the most rows: a row's number is a word.
const MAX_LOG_ROWS: u32 = 31;

/// Whether the arguments are right.
fn rows<T: Types>(args: &RowRun<'_, T>, counters: &[Columns<&mut T::Buffer>]) -> Result<()> {
    let (op, program) = (Operation::Rows, args.program);
    let log_height = args.log_height;
    require!(log_height <= MAX_LOG_ROWS, op, "2^{log_height} rows: the number of a row is a word of 32 bits");
    check::countable::<BaseOf<T>>(op, program.width(), log_height)?;
    for list in program.lists() {
        check::countable::<BaseOf<T>>(op, list.columns(), log_height)?;
    }
    source(args)?;
    let (count, tables) = (args.tables.len(), program.tables().len());
    require!(count == tables, op, "{count} tables for a program of {tables}");
    for (index, (table, width)) in args.tables.iter().zip(program.tables()).enumerate() {
        columns(op, table)?;
        let here = table.width;
        require!(here == *width as usize, op, "table {index} has {width} columns in the program, and {here} here");
    }
    let (count, of_program) = (counters.len(), program.counters());
    require!(count == of_program, op, "{count} counters for a program of {of_program}");
    for (index, counter) in counters.iter().enumerate() {
        check::shape(op, DeviceBuffer::len(counter.data), counter.width, counter.log_height)?;
        let (counted, most) = (counts_of_row(args, index as u32) << log_height, check::MAX_COUNTED);
        let is_few = counted <= most as u128;
        require!(is_few, op, "up to {counted} counts in counter {index}, at most {most}: run fewer rows");
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
    if inputs == 0 {
        let parts = args.source.len();
        require!(parts == 0, op, "{parts} parts of a source for a program without inputs");
        return Ok(());
    }
    for (index, part) in args.source.iter().enumerate() {
        columns(op, part)?;
        let width = part.width;
        let is_whole = width.is_multiple_of(inputs);
        require!(is_whole, op, "part {index} of the source has {width} columns, entries {inputs}");
    }
    // Every part's elements are in memory, so that their sum is far from overflowing.
    let (entries, rows, period) = (args.entries() as u128, 1 << args.log_height, args.period);
    require!(entries <= rows, op, "{entries} source entries for {rows} rows: at most one a row");
    let is_period = period > 0 && period as u128 <= entries;
    require!(is_period, op, "a period of {period} of {entries} source entries: at least 1, at most all");
    Ok(())
}
