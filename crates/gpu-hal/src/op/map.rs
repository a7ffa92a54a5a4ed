//! Outputs of a program as columns.

use super::*;

type MapArgs<'a, T> = crate::Map<'a, T>;

op! {
    /// [`crate::StarkBackend::map`].
    Map(args: &'a MapArgs<'a, T>) -> NewTable;

    check(_) {
        let (op, program) = (Self::NAME, args.program.program());
        check::countable::<BaseOf<T>>(op, args.outputs.len(), args.log_height)?;
        check::inputs(op, program, args.columns, program.params(), args.log_height)?;
        require!(!args.outputs.is_empty(), op, "no column to build");
        args.outputs.iter().try_for_each(|index| check::base_output(op, program, *index))
    }
    reads(on) { on.tables(args.columns) }
    makes(on) {
        let &&MapArgs { program, columns, log_height, outputs } = args;
        let tables = shapes(columns);
        on.step(|source| {
            Step::Map { program: source(program), tables: tables.clone(), log_height, outputs: outputs.len() }
        });
        let made = on.table(outputs.len(), log_height);
        on.beside(&Footprint::Map { program, tables: &tables, log_height, outputs });
        made
    }
    uploaded() { size_of_val(args.outputs) }
    through(on, see) {
        let &mut &MapArgs { program, columns, log_height, outputs } = args;
        let (program, columns) = (see.program(program)?, &see.tables(columns)?);
        traces_of(on)?.map(&MapArgs { program, columns, log_height, outputs })
    }
    run(on) { traces_of(on)?.map(args) }
}
