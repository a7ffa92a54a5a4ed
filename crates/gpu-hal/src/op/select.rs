//! Columns of tables as a new one.

use super::*;

op! {
    /// [`crate::StarkBackend::select`].
    Select(tables: &'a [TableRef<'a, T>], picks: &'a [(usize, usize)]) -> NewTable;

    check(_) {
        let op = Self::NAME;
        tables.iter().try_for_each(|table| columns(op, table))?;
        let has_one_height = tables.windows(2).all(|pair| pair[0].log_height == pair[1].log_height);
        require!(has_one_height, op, "tables of different heights");
        require!(!picks.is_empty(), op, "no column picked");
        for (table, column) in *picks {
            let exists = tables.get(*table).is_some_and(|table| *column < table.width);
            require!(exists, op, "column {column} of table {table} does not exist");
        }
        Ok(())
    }
    reads(on) { on.tables(tables) }
    size() { Size::of(picks.len(), tables.first().map_or(0, Columns::height)) }
    makes(on) {
        let log_height = tables.first().map_or(0, |table| table.log_height);
        on.table(picks.len(), log_height)
    }
    cost() { Cost::moves(2 * (picks.len() << tables.first().map_or(0, |table| table.log_height))) }
    uploaded() { size_of_val(*picks) }
    through(on, see) { on.select(&see.tables(tables)?, picks) }
}
