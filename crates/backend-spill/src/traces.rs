//! The operations that make traces.

use gpu_hal::{
    BaseOf, Columns, Footprint, Map, Operation, Operations, Recurrence, Result, RowList, RowRun, RowsMade, Table,
    TraceOperations, TreeMap, Verdict, shapes, traces_of,
};

use crate::{Spilled, SpilledBuffer};

impl<O: Operations> Spilled<O> {
    fn making(&self) -> Result<&dyn TraceOperations<O::T>> {
        traces_of(&*self.inner)
    }

    /// Runs a row program by `run`.
    fn run_rows(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut SpilledBuffer<O>>],
        run: impl FnOnce(
            &dyn TraceOperations<O::T>,
            &RowRun<'_, O::T>,
            &mut [Columns<&mut <O::T as gpu_hal::Types>::Buffer>],
        ) -> Result<RowsMade<O::T>>,
    ) -> Result<RowsMade<Self>> {
        let making = self.making()?;
        counters.iter_mut().try_for_each(|counter| self.own(counter))?;
        let &RowRun { program, source, period, tables, log_height } = args;
        let mut on = self.begin(Operation::Rows, |needs| {
            needs.tables(source);
            needs.tables(tables);
            counters.iter().for_each(|counter| needs.table(&counter.as_shared()));
            program.lists().iter().map(RowList::columns).for_each(|width| needs.makes_table(width, log_height));
            needs.makes_table(program.width(), log_height);
            let counted = counters.iter().map(Columns::elements).sum();
            let (source, tables) = (&shapes(source), &shapes(tables));
            needs.meanwhile(&Footprint::Rows { program, source, tables, counted, log_height });
        })?;
        let mut lent = Vec::with_capacity(counters.len());
        let mut done = Ok(());
        for counter in counters {
            match on.lend(counter.data) {
                Ok(changed) => lent.push((changed, counter.width, counter.log_height)),
                Err(error) => done = Err(error),
            }
        }
        let made = done.and_then(|()| {
            let (source, tables) = (on.tables(source)?, on.tables(tables)?);
            let args = RowRun { program, source: &source, period, tables: &tables, log_height };
            let mut counters: Vec<_> =
                lent.iter_mut().map(|(changed, width, log)| Columns::new(changed.buffer(), *width, *log)).collect();
            run(making, &args, &mut counters)
        });
        lent.into_iter().for_each(|(changed, ..)| on.give_back(changed));
        let made = made?;
        let lists = made.lists.into_iter().map(|list| on.made(list)).collect();
        Ok(RowsMade { lists, columns: on.made(made.columns) })
    }
}

impl<O: Operations> TraceOperations<Self> for Spilled<O> {
    fn recurrence(&self, recurrence: &Recurrence<BaseOf<Self>>) -> Result<Table<Self>> {
        let log_height = recurrence.log_height;
        let mut on = self.begin(Operation::Recurrence, |needs| {
            needs.makes_table(1, log_height);
            let (order, starts) = (recurrence.coefficients.len(), recurrence.starts().count());
            needs.meanwhile(&Footprint::Recurrence { order, starts, log_height });
        })?;
        let made = self.making()?.recurrence(recurrence)?;
        Ok(on.made(made))
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<Table<Self>> {
        let &Map { program, columns, log_height, outputs } = args;
        let program = &program.program;
        let mut on = self.begin(Operation::Map, |needs| {
            needs.tables(columns);
            needs.makes_table(outputs.len(), log_height);
            needs.meanwhile(&Footprint::Map { program, tables: &shapes(columns), log_height, outputs });
        })?;
        let made = self.making()?.map(&Map { program, columns: &on.tables(columns)?, log_height, outputs })?;
        Ok(on.made(made))
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<Table<Self>> {
        let &TreeMap { leaf, node, columns, log_height, width } = args;
        let (leaf, node) = (&leaf.program, &node.program);
        let mut on = self.begin(Operation::TreeMap, |needs| {
            needs.tables(columns);
            needs.makes_table(width, log_height);
            needs.meanwhile(&Footprint::TreeMap { leaf, node, tables: &shapes(columns), log_height, width });
        })?;
        let made =
            self.making()?.tree_map(&TreeMap { leaf, node, columns: &on.tables(columns)?, log_height, width })?;
        Ok(on.made(made))
    }

    fn rows(&self, args: &RowRun<'_, Self>, counters: &mut [Columns<&mut SpilledBuffer<O>>]) -> Result<RowsMade<Self>> {
        self.run_rows(args, counters, |on, args, counters| on.rows(args, counters))
    }

    fn rows_ahead(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut SpilledBuffer<O>>],
        verdict: &mut Verdict,
    ) -> Result<RowsMade<Self>> {
        self.run_rows(args, counters, |on, args, counters| on.rows_ahead(args, counters, verdict))
    }

    fn had_fault(&self, verdict: &Verdict) -> Result<bool> {
        self.making()?.had_fault(verdict)
    }
}
