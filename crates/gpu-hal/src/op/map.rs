//! Outputs of a program as columns.

use super::cost::rows;
use super::*;
use crate::MapArgs;

op! {
    /// [`crate::StarkBackend::map`].
    Map(request: &'a MapArgs<'a, T>) -> NewTable;

    check(_) {
        let (op, program) = (Self::NAME, request.program.program());
        check::countable::<BaseOf<T>>(op, request.outputs.len(), request.log_height)?;
        check::inputs(op, program, request.columns, program.params(), request.log_height)?;
        require!(!request.outputs.is_empty(), op, "no column to build");
        request.outputs.iter().try_for_each(|index| check::base_output(op, program, *index))
    }
    reads(on) { on.tables(request.columns) }
    makes(on) {
        let &&MapArgs { program, columns, log_height, outputs } = request;
        let tables = shapes(columns);
        let made = on.table(outputs.len(), log_height);
        on.beside(&Footprint::Map { program, tables: &tables, log_height, outputs });
        made
    }
    cost() {
        let rows = rows(request.log_height);
        // A lower table is read from a cache again.
        let read: usize = request.columns.iter().map(Columns::elements).sum();
        let moved = read as f64 + rows * request.outputs.len() as f64;
        Cost { moved, ..Cost::program(request.program.program(), rows) }
    }
    uploaded() { size_of_val(request.outputs) }
    through(on, see) {
        let &mut &MapArgs { program, columns, log_height, outputs } = request;
        let (program, columns) = (see.program(program)?, &see.tables(columns)?);
        on.map(&MapArgs { program, columns, log_height, outputs })
    }
    run(on) { on.map(request) }
}
