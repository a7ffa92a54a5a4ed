//! Columns cut into parts.

use super::*;

op! {
    /// [`crate::StarkBackend::split`].
    Split(table: TableRef<'a, T>, parts: usize, log_part: u32) -> NewTable;

    check(_) {
        let op = Self::NAME;
        columns(op, table)?;
        let rows = 1usize.checked_shl(*log_part).and_then(|part| part.checked_mul(*parts));
        let is_there = *parts > 0 && rows.is_some_and(|rows| rows <= table.height());
        require!(is_there, op, "{parts} parts of 2^{log_part} coefficients out of 2^{}", table.log_height);
        require!(table.width > 0, op, "no column to split");
        Ok(())
    }
    reads(on) { on.table(table) }
    makes(on) { on.table(table.width * parts, *log_part) }
    cost() { Cost::moves((2 * table.width * parts) << log_part) }
    through(on, see) { on.split(see.table(*table)?, *parts, *log_part) }
}
