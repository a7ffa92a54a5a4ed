//! Tables that a proof does not keep, made again from their kept parts or from their sources.

use field::QM31;
use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, EvalOrder, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::tree::{Extended, KeptPart, Tree, evaluations, prefix};
use super::witness::Sources;
use crate::mode::ModeOn;
use crate::table::Table;

/// Makes columns again that a proof does not keep.
pub(crate) struct Recompute<'c, B: StarkBackend<P = CircleStark>, S> {
    pub(crate) context: &'c Context<'c, B, S>,
    /// The main columns, where nothing of their tree is kept.
    pub(crate) sources: Option<Box<dyn Sources<B> + 'c>>,
    /// The parameters of the lookups of every component, once they are drawn.
    pub(crate) lookups: Vec<Vec<QM31>>,
}

impl<B: StarkBackend<P = CircleStark>, S: ModeOn<B>> Recompute<'_, B, S> {
    /// A table of tree `number`, extended: as it is kept, or made again.
    pub(crate) fn extended<'t>(
        &self,
        number: usize,
        tree: &'t Tree<B>,
        table: usize,
    ) -> Result<Extended<'t, B>, ProveError> {
        Ok(match tree.kept {
            KeptPart::Extensions => Extended::Kept(tree.tables[table].as_ref()),
            KeptPart::Prefixes => {
                Extended::Own(self.extended_again(number, tree, table, Some(tree.tables[table].as_ref()))?)
            }
            KeptPart::Nothing => Extended::Own(self.extended_again(number, tree, table, None)?),
        })
    }

    /// Whether there are sources from which to make the columns of tree `number` again.
    pub(crate) fn can_make(&self, number: usize) -> bool {
        self.sources.is_some() && (number == 1 || !self.context.recorded.needs_host_columns())
    }

    /// A block of rows of all tables of tree `number`, extended, of which nothing is kept.
    pub(crate) fn block(&self, number: usize, tree: &Tree<B>, block: usize) -> Result<Vec<Table<B>>, ProveError> {
        let extended = |table| {
            let coefficients = self.coefficients(number, tree, table)?;
            self.extended_to(coefficients.as_ref(), Basis::Coefficients, tree.block_of(table, block))
        };
        (0..tree.shapes.len()).map(extended).collect()
    }

    /// Tree `number` with all tables extended: each is made again in the place of its kept part.
    pub(crate) fn restored(&self, number: usize, mut tree: Tree<B>) -> Result<Tree<B>, ProveError> {
        if !tree.is_whole() {
            let kept = std::mem::take(&mut tree.tables).into_iter().map(Some).chain(std::iter::repeat_with(|| None));
            let again = |(table, kept): (usize, Option<Table<B>>)| {
                self.extended_again(number, &tree, table, kept.as_ref().map(Columns::as_ref))
            };
            tree.tables = (0..tree.shapes.len()).zip(kept).map(again).collect::<Result<_, _>>()?;
            tree.kept = KeptPart::Extensions;
        }
        Ok(tree)
    }

    /// A table in row order.
    pub(crate) fn rows(&self, number: usize, tree: &Tree<B>, table: usize) -> Result<Table<B>, ProveError> {
        if tree.kept == KeptPart::Nothing {
            let (rows, order) = self.made(number, tree, table)?;
            return self.in_row_order(rows, order);
        }
        let mut rows = self.coefficients(number, tree, table)?;
        let to = evaluations(rows.log_height, EvalOrder::Row);
        self.context.backend.ntt(rows.as_mut(), Basis::Coefficients, to)?;
        Ok(rows)
    }

    /// The coefficients of a table.
    pub(crate) fn coefficients(&self, number: usize, tree: &Tree<B>, table: usize) -> Result<Table<B>, ProveError> {
        let Context { backend, options, .. } = *self.context;
        let log_extended = tree.log_extended(table);
        let log_rows = log_extended - options.log_blowup;
        let (mut rows, from) = match tree.kept {
            KeptPart::Nothing => {
                let (rows, order) = self.made(number, tree, table)?;
                (rows, evaluations(log_rows, order))
            }
            KeptPart::Extensions | KeptPart::Prefixes => {
                let rows = backend.split(tree.tables[table].as_ref(), 1, log_rows)?;
                self.context.count(|remade| remade.rows += rows.elements() as u64);
                (rows, prefix(log_rows, log_extended))
            }
        };
        backend.ntt(rows.as_mut(), from, Basis::Coefficients)?;
        Ok(rows)
    }

    /// An extension, from the prefix of it that is kept, or from its sources.
    fn extended_again(
        &self,
        number: usize,
        tree: &Tree<B>,
        table: usize,
        kept: Option<Columns<&B::Buffer>>,
    ) -> Result<Table<B>, ProveError> {
        let log_extended = tree.log_extended(table);
        let to = CircleDomain::canonic(log_extended);
        match kept {
            Some(kept) => self.extended_to(kept, prefix(kept.log_height, log_extended), to),
            // Coefficients take the place of the rows: an extension of rows would take as much beside them.
            None => self.extended_to(self.coefficients(number, tree, table)?.as_ref(), Basis::Coefficients, to),
        }
    }

    fn extended_to(
        &self,
        table: Columns<&B::Buffer>,
        from: Basis<CircleDomain>,
        to: CircleDomain,
    ) -> Result<Table<B>, ProveError> {
        let extended = self.context.backend.lde(table, from, to)?;
        self.context.count(|remade| remade.extended += extended.elements() as u64);
        Ok(extended)
    }

    /// A table of which nothing is kept, and the order of its rows: main columns from their sources, or the lookup
    /// columns of these.
    fn made(&self, number: usize, tree: &Tree<B>, table: usize) -> Result<(Table<B>, EvalOrder), ProveError> {
        let context = self.context;
        let part = tree.parts.iter().position(|of| *of == table).expect("every table was a part");
        let component = context.component(number, part);
        if number == 1 {
            return Ok((self.main(component)?, context.statement.order()));
        }
        let main = match context.recorded.components[component].width(1) {
            0 => None,
            _ => Some(self.in_row_order(self.main(component)?, context.statement.order())?),
        };
        let made = context.lookups(vec![(component, main)], &self.lookups)?;
        let columns = made.into_iter().next().expect("one for each request").columns;
        context.count(|remade| remade.rows += columns.elements() as u64);
        Ok((columns, EvalOrder::Row))
    }

    /// The main columns of a component, in the order of the statement.
    fn main(&self, component: usize) -> Result<Table<B>, ProveError> {
        let sources = self.sources.as_ref().expect("a tree keeps nothing where there are sources");
        let main = sources.table(component)?;
        self.context.count(|remade| remade.rows += main.elements() as u64);
        Ok(main)
    }

    fn in_row_order(&self, mut rows: Table<B>, order: EvalOrder) -> Result<Table<B>, ProveError> {
        if order != EvalOrder::Row {
            let [from, to] = [order, EvalOrder::Row].map(|order| evaluations(rows.log_height, order));
            self.context.backend.ntt(rows.as_mut(), from, to)?;
        }
        Ok(rows)
    }
}
