//! Tables that a proof does not keep, made again from their kept parts.

use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, EvalOrder, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::tree::{Extended, Tree, evaluations, prefix};
use crate::table::Table;

impl<B: StarkBackend<P = CircleStark>> Tree<B> {
    /// A table, extended: as it is kept, or made again.
    pub(crate) fn extended<S>(&self, context: &Context<'_, B, S>, table: usize) -> Result<Extended<'_, B>, ProveError> {
        let kept = self.tables[table].as_ref();
        Ok(match self.is_cut() {
            false => Extended::Kept(kept),
            true => Extended::Own(context.extended_again(kept, self.log_cut)?),
        })
    }

    /// All tables, extended: each is made again in the place of its kept part.
    pub(crate) fn restored<S>(mut self, context: &Context<'_, B, S>) -> Result<Self, ProveError> {
        if self.is_cut() {
            let again = |kept: Table<B>| context.extended_again(kept.as_ref(), self.log_cut);
            self.tables = std::mem::take(&mut self.tables).into_iter().map(again).collect::<Result<_, _>>()?;
            self.log_cut = 0;
        }
        Ok(self)
    }
}

impl<B: StarkBackend<P = CircleStark>, S> Context<'_, B, S> {
    /// A table in row order, from its extension or the prefix of it that is kept.
    pub(crate) fn rows_again(&self, tree: &Tree<B>, table: usize) -> Result<Table<B>, ProveError> {
        let log_extended = tree.log_extended(table);
        let log_rows = log_extended - self.options.log_blowup;
        let mut rows = self.backend.split(tree.tables[table].as_ref(), 1, log_rows)?;
        self.backend.ntt(rows.as_mut(), prefix(log_rows, log_extended), Basis::Coefficients)?;
        self.backend.ntt(rows.as_mut(), Basis::Coefficients, evaluations(log_rows, EvalOrder::Row))?;
        self.count(|remade| remade.rows += rows.elements() as u64);
        Ok(rows)
    }

    /// An extension, from the prefix of it that is kept.
    fn extended_again(&self, kept: Columns<&B::Buffer>, log_cut: u32) -> Result<Table<B>, ProveError> {
        let log_extended = kept.log_height + log_cut;
        let from = prefix(kept.log_height, log_extended);
        let extended = self.backend.lde(kept, from, CircleDomain::canonic(log_extended))?;
        self.count(|remade| remade.extended += extended.elements() as u64);
        Ok(extended)
    }
}
