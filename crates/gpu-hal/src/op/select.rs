//! Columns of tables as a new one.

use super::*;

op! {
    /// [`crate::StarkBackend::select`].
    Select(tables: &'a [TableRef<'a, T>], picks: &'a [(usize, usize)]) -> NewTable;

    check(_) {
        let op = Self::NAME;
        let invalid = |detail| Err(HalError::invalid(op, detail));
        tables.iter().try_for_each(|table| columns(op, table))?;
        if tables.windows(2).any(|pair| pair[0].log_height != pair[1].log_height) {
            return invalid("tables of different heights".into());
        }
        if picks.is_empty() {
            return invalid("no column picked".into());
        }
        match picks.iter().find(|(t, c)| tables.get(*t).is_none_or(|t| *c >= t.width)) {
            Some((table, column)) => invalid(format!("column {column} of table {table} does not exist")),
            None => Ok(()),
        }
    }
    reads(on) { on.tables(tables) }
    size() { Size::of(picks.len(), tables.first().map_or(0, Columns::height)) }
    makes(on) {
        let log_height = tables.first().map_or(0, |table| table.log_height);
        on.moves(Self::NAME, picks.len() << log_height, picks.len() << log_height);
        on.table(picks.len(), log_height)
    }
    uploaded() { size_of_val(*picks) }
    through(on, see) { on.select(&see.tables(tables)?, picks) }
}
