//! Every operation: what it takes, and how it is done.

use std::ops::Range;

use gpu_hal::{
    Accumulated, BaseOf, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, DeviceClock,
    Digest, Domain, DomainOf, EvalAt, ExtOf, Fields, Footprint, GrindChallenge, HalError, HashFn, Leaves, MakeElements,
    MemoryInfo, OpenRequest, Opened, Openings, Operation, Operations, Prepared, Rehearsed, Result, Running, Shape,
    Table, TableRef, TraceOperations, Types, Uploaded, Values, shapes,
};

use crate::session::{Needs, Session};
use crate::{Spilled, SpilledBuffer, SpilledTree};

impl<O: Operations> Spilled<O> {
    pub(crate) fn begin_upload_lde(
        &self,
        table: Shape,
        from: &Basis<DomainOf<O::T>>,
        to: &DomainOf<O::T>,
        keep: bool,
    ) -> Result<Session<'_, O>> {
        self.begin(Operation::UploadLde, |needs| {
            from.domain().into_iter().chain([to]).for_each(|domain| needs.domain(domain));
            if keep {
                needs.makes(&Footprint::Table(table));
            }
            needs.makes_table(table.width, to.log_size());
            needs.meanwhile(&Footprint::UploadLde { table, from: *from, keep });
        })
    }

    /// Makes a table that an operation is about to change one of its own, which no other part has.
    pub(crate) fn own(&self, table: &mut Columns<&mut SpilledBuffer<O>>) -> Result<()> {
        if !table.data.claim() {
            let picks: Vec<_> = (0..table.width).map(|column| (0, column)).collect();
            let copy = self.select(&[table.as_shared()], &picks)?;
            *table.data = copy.data;
        }
        Ok(())
    }

    fn needs_running(needs: &mut Needs<'_, O>, requests: &[Running<'_, Self>]) {
        let totals = requests.iter().filter(|args| args.form.has_total()).count();
        for &Running { program, columns, log_height, form, .. } in requests {
            needs.tables(columns);
            needs.makes_table(form.width() * <O::T as Types>::P::DEGREE, log_height);
            let (program, tables) = (&program.program, &shapes(columns));
            needs.meanwhile(&Footprint::Running { program, tables, log_height, form, totals });
        }
    }

    fn needs_constraint_eval(needs: &mut Needs<'_, O>, requests: &[Constraints<'_, Self>]) {
        for &Constraints { program, columns, domain, log_eval, combination, .. } in requests {
            needs.domain(&domain);
            needs.tables(columns);
            needs.makes_table(<O::T as Types>::P::DEGREE, log_eval);
            let (program, tables) = (&program.program, &shapes(columns));
            needs.meanwhile(&Footprint::ConstraintEval { program, tables, log_eval, combination });
        }
    }

    fn needs_eval_at(needs: &mut Needs<'_, O>, requests: &[EvalAt<'_, Self>]) {
        let values = requests.iter().map(|request| request.columns.width * request.points.len()).sum();
        for request in requests {
            let (table, domain) = (request.columns.shape(), request.from.domain());
            domain.into_iter().for_each(|domain| needs.domain(domain));
            needs.table(&request.columns);
            let log_size = domain.map_or(table.log_height, Domain::log_size);
            needs.meanwhile(&Footprint::EvalAt { table, log_size, points: request.points.len(), values });
        }
    }

    fn needs_open(needs: &mut Needs<'_, O>, requests: &[OpenRequest<'_, Self>]) {
        for request in requests {
            needs.tables(request.columns);
            needs.tree(request.tree);
        }
        needs.meanwhile(&Openings::of(requests).footprint());
    }
}

impl<O: Operations> Operations for Spilled<O> {
    type T = Self;
    type Shapes = Spilled<Rehearsed<O>>;

    fn capabilities(&self) -> &Capabilities {
        self.capabilities()
    }

    fn memory(&self) -> Result<MemoryInfo> {
        self.memory()
    }

    fn budget(&self) -> &Budget {
        self.budget()
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        self.inner.footprint(&of.with_program(|prepared| &prepared.program))
    }

    fn clock(&self) -> Option<&dyn DeviceClock> {
        self.inner.clock()
    }

    fn traces(&self) -> Option<&dyn TraceOperations<Self>> {
        self.inner.traces().map(|_| self as _)
    }

    fn upload(&self, data: &[BaseOf<Self>], width: usize, log_height: u32) -> Result<Table<Self>> {
        let mut on = self.begin(Operation::Upload, |needs| needs.makes_table(width, log_height))?;
        let made = self.inner.upload(data, width, log_height)?;
        Ok(on.made(made))
    }

    fn upload_made(&self, make: &MakeElements<'_, BaseOf<Self>>, width: usize, log_height: u32) -> Result<Table<Self>> {
        let mut on = self.begin(Operation::Upload, |needs| needs.makes_table(width, log_height))?;
        let made = self.inner.upload_made(make, width, log_height)?;
        Ok(on.made(made))
    }

    fn download(&self, table: TableRef<'_, Self>, rows: Range<usize>) -> Result<Vec<BaseOf<Self>>> {
        let on = self.begin(Operation::Download, |needs| {
            needs.table(&table);
            // Some rows of several columns are put side by side on the device first.
            if rows.len() < table.height() && table.width > 1 {
                let log_rows = rows.len().next_power_of_two().ilog2();
                needs.meanwhile(&Footprint::Table(Shape::new((), table.width, log_rows)));
            }
        })?;
        self.inner.download(on.table(table)?, rows)
    }

    fn copy_to(&self, table: TableRef<'_, Self>, peer: &Self) -> Result<Table<Self>> {
        match (&self.room, &peer.room) {
            (None, None) => {
                let copy = self.inner.copy_to(Session::Through.table(table)?, &peer.inner)?;
                Ok(SpilledBuffer::here(copy))
            }
            (Some(room), Some(other)) => self.copy_between((room, table), (other, peer)),
            _ => peer.upload(&self.download(table, 0..table.height())?, table.width, table.log_height),
        }
    }

    fn sync(&self) -> Result<()> {
        self.inner.sync()
    }

    fn ntt(
        &self,
        mut table: Columns<&mut SpilledBuffer<O>>,
        from: Basis<DomainOf<Self>>,
        to: Basis<DomainOf<Self>>,
    ) -> Result<()> {
        self.own(&mut table)?;
        let mut on = self.begin(Operation::Ntt, |needs| {
            [&from, &to].into_iter().filter_map(Basis::domain).for_each(|domain| needs.domain(domain));
            let shared = table.as_shared();
            needs.table(&shared);
            needs.meanwhile(&Footprint::Ntt { table: shared.shape(), from, to });
        })?;
        let (width, log_height) = (table.width, table.log_height);
        let mut changed = on.lend(table.data)?;
        let done = self.inner.ntt(Columns::new(changed.buffer(), width, log_height), from, to);
        on.give_back(changed);
        done
    }

    fn lde(&self, table: TableRef<'_, Self>, from: Basis<DomainOf<Self>>, to: DomainOf<Self>) -> Result<Table<Self>> {
        let mut on = self.begin(Operation::Lde, |needs| {
            from.domain().into_iter().chain([&to]).for_each(|domain| needs.domain(domain));
            needs.table(&table);
            needs.makes_table(table.width, to.log_size());
            needs.meanwhile(&Footprint::Lde { table: table.shape(), from });
        })?;
        let made = self.inner.lde(on.table(table)?, from, to)?;
        Ok(on.made(made))
    }

    fn shares_lde(&self, width: usize, log_height: u32) -> bool {
        self.room.is_none() && self.inner.shares_lde(width, log_height)
    }

    fn lde_shared(
        &self,
        others: &[&Self],
        tables: &[TableRef<'_, Self>],
        from: Basis<DomainOf<Self>>,
        to: &[DomainOf<Self>],
    ) -> Result<Vec<Table<Self>>, (usize, HalError)> {
        let through = Session::Through;
        let inner: Vec<&O> = others.iter().map(|other| &*other.inner).collect();
        let tables = tables.iter().enumerate();
        let tables = tables.map(|(device, table)| through.table(*table).map_err(|error| (device, error)));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        let made = self.inner.lde_shared(&inner, &tables, from, to)?;
        Ok(made.into_iter().map(SpilledBuffer::here).collect())
    }

    fn upload_lde(
        &self,
        columns: &[&[BaseOf<Self>]],
        log_height: u32,
        from: Basis<DomainOf<Self>>,
        to: DomainOf<Self>,
        keep: bool,
    ) -> Result<Uploaded<SpilledBuffer<O>>> {
        let mut on = self.begin_upload_lde(Shape::new((), columns.len(), log_height), &from, &to, keep)?;
        let (rows, extended) = self.inner.upload_lde(columns, log_height, from, to, keep)?;
        let rows = rows.map(|rows| on.made(rows));
        Ok((rows, on.made(extended)))
    }

    fn split(&self, coefficients: TableRef<'_, Self>, parts: usize, log_part: u32) -> Result<Table<Self>> {
        let mut on = self.begin(Operation::Split, |needs| {
            needs.table(&coefficients);
            needs.makes_table(coefficients.width * parts, log_part);
        })?;
        let made = self.inner.split(on.table(coefficients)?, parts, log_part)?;
        Ok(on.made(made))
    }

    fn select(&self, tables: &[TableRef<'_, Self>], picks: &[(usize, usize)]) -> Result<Table<Self>> {
        let mut on = self.begin(Operation::Select, |needs| {
            needs.tables(tables);
            needs.makes_table(picks.len(), tables.first().map_or(0, |table| table.log_height));
        })?;
        let made = self.inner.select(&on.tables(tables)?, picks)?;
        Ok(on.made(made))
    }

    fn merkle(&self, tables: &[TableRef<'_, Self>], leaves: Leaves, hash: HashFn) -> Result<SpilledTree<O>> {
        let mut on = self.begin(Operation::Merkle, |needs| {
            needs.tables(tables);
            needs.makes(&Footprint::Tree { log_leaves: leaves.log_height - leaves.rows_per_leaf.ilog2() });
            needs.meanwhile(&Footprint::Merkle { tables: &shapes(tables), leaves });
        })?;
        let made = self.inner.merkle(&on.tables(tables)?, leaves, hash)?;
        Ok(on.made_tree(made))
    }

    fn root(&self, tree: &SpilledTree<O>) -> Result<Digest> {
        let on = self.begin(Operation::Root, |needs| needs.tree(tree))?;
        self.inner.root(on.tree(tree)?)
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<Self>>>> {
        if self.room.is_some() && self.inner.opens_stored() {
            return self.opened_where_it_is(requests);
        }
        self.each(requests, Self::needs_open, |requests| {
            let on = self.begin(Operation::Open, |needs| Self::needs_open(needs, requests))?;
            let tables = requests.iter().map(|request| on.tables(request.columns)).collect::<Result<Vec<_>>>()?;
            let mut inner: Vec<OpenRequest<'_, O::T>> = Vec::with_capacity(requests.len());
            for (&OpenRequest { tree, rows, leaves, .. }, columns) in requests.iter().zip(&tables) {
                inner.push(OpenRequest { columns, tree: on.tree(tree)?, rows, leaves });
            }
            self.inner.open(&inner)
        })
    }

    fn prepare(&self, program: &ConstraintProgram<<Self as Types>::P>) -> Result<<Self as Types>::Program> {
        Prepared::new(&*self.inner, program)
    }

    fn running(&self, requests: &[Running<'_, Self>]) -> Result<Vec<Accumulated<Self>>> {
        self.each(requests, Self::needs_running, |requests| {
            let mut on = self.begin(Operation::Running, |needs| Self::needs_running(needs, requests))?;
            let made = {
                let tables = requests.iter().map(|request| on.tables(request.columns)).collect::<Result<Vec<_>>>()?;
                let mut inner: Vec<Running<'_, O::T>> = Vec::with_capacity(requests.len());
                for (&Running { program, log_height, params, form, .. }, columns) in requests.iter().zip(&tables) {
                    inner.push(Running { program: &program.program, columns, log_height, params, form });
                }
                self.inner.running(&inner)?
            };
            let made = made.into_iter().map(|made| Accumulated { total: made.total, columns: on.made(made.columns) });
            Ok(made.collect())
        })
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, Self>]) -> Result<Vec<Table<Self>>> {
        self.each(requests, Self::needs_constraint_eval, |requests| {
            let mut on = self.begin(Operation::ConstraintEval, |needs| Self::needs_constraint_eval(needs, requests))?;
            let made = {
                let tables = requests.iter().map(|request| on.tables(request.columns)).collect::<Result<Vec<_>>>()?;
                let mut inner: Vec<Constraints<'_, O::T>> = Vec::with_capacity(requests.len());
                for (request, columns) in requests.iter().zip(&tables) {
                    let &Constraints { program, domain, log_trace, log_eval, params, combination, .. } = request;
                    let program = &program.program;
                    inner.push(Constraints { program, columns, domain, log_trace, log_eval, params, combination });
                }
                self.inner.constraint_eval(&inner)?
            };
            Ok(made.into_iter().map(|made| on.made(made)).collect())
        })
    }

    fn accumulate(&self, mut into: Columns<&mut SpilledBuffer<O>>, from: TableRef<'_, Self>) -> Result<()> {
        self.own(&mut into)?;
        let mut on = self.begin(Operation::Accumulate, |needs| needs.tables(&[into.as_shared(), from]))?;
        let (width, log_height) = (into.width, into.log_height);
        let mut changed = on.lend(into.data)?;
        let done = on
            .table(from)
            .and_then(|from| self.inner.accumulate(Columns::new(changed.buffer(), width, log_height), from));
        on.give_back(changed);
        done
    }

    fn eval_at(&self, requests: &[EvalAt<'_, Self>]) -> Result<Vec<Values<Self>>> {
        self.each(requests, Self::needs_eval_at, |requests| {
            let on = self.begin(Operation::EvalAt, |needs| Self::needs_eval_at(needs, requests))?;
            let mut inner: Vec<EvalAt<'_, O::T>> = Vec::with_capacity(requests.len());
            for &EvalAt { columns, from, points } in requests {
                inner.push(EvalAt { columns: on.table(columns)?, from, points });
            }
            self.inner.eval_at(&inner)
        })
    }

    fn deep_quotient(
        &self,
        tables: &[TableRef<'_, Self>],
        log_cut: u32,
        domain: DomainOf<Self>,
        terms: &[DeepTerm<<Self as Types>::P>],
    ) -> Result<Table<Self>> {
        let mut on = self.begin(Operation::DeepQuotient, |needs| {
            needs.domain(&domain);
            needs.tables(tables);
            needs.makes_table(<O::T as Types>::P::DEGREE, domain.log_size());
            needs.meanwhile(&Footprint::DeepQuotient { tables: &shapes(tables), log_cut, domain, terms });
        })?;
        let made = self.inner.deep_quotient(&on.tables(tables)?, log_cut, domain, terms)?;
        Ok(on.made(made))
    }

    fn fri_fold(
        &self,
        layer: TableRef<'_, Self>,
        domain: DomainOf<Self>,
        folded: DomainOf<Self>,
        alpha: ExtOf<Self>,
    ) -> Result<Table<Self>> {
        let mut on = self.begin(Operation::FriFold, |needs| {
            needs.domain(&domain);
            needs.table(&layer);
            needs.makes_table(layer.width, folded.log_size());
        })?;
        let made = self.inner.fri_fold(on.table(layer)?, domain, folded, alpha)?;
        Ok(on.made(made))
    }

    fn grind(&self, challenge: &GrindChallenge, windows: Range<u64>) -> Result<Option<u64>> {
        let _on = self.begin(Operation::Grind, |needs| needs.meanwhile(&Footprint::Grind { bits: challenge.bits }))?;
        self.inner.grind(challenge, windows)
    }
}
