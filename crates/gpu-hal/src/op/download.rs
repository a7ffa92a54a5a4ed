//! Rows on the host.

use super::*;

op! {
    /// [`crate::StarkBackend::download`].
    Download(table: TableRef<'a, T>, rows: Range<usize>) -> Elements;

    check(_) {
        columns(Self::NAME, table)?;
        let is_in = rows.start <= rows.end && rows.end <= table.height();
        require!(is_in, Self::NAME, "rows {rows:?} of a table of {} rows", table.height());
        Ok(())
    }
    reads(on) { on.table(table) }
    size() { Size::of(table.width, rows.len()) }
    makes(on) {
        // Some rows of several columns are put side by side on the device first.
        if rows.len() < table.height() && table.width > 1 {
            let log_rows = rows.len().next_power_of_two().ilog2();
            on.beside(&Footprint::Table(Columns::new((), table.width, log_rows)));
        }
        vec![Default::default(); on.zeros(table.width * rows.len())]
    }
    cost() { Cost::transfers(table.width * rows.len()) }
    through(on, see) { on.download(see.table(*table)?, rows.clone()) }
}
